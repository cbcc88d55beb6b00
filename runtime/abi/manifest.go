// The manifest: what `gpuc build -target all` writes beside the code of a source, for programs in
// any language.

package abi

import (
	"encoding/json"
	"fmt"
)

// Manifest lists the kernels of a source with their code.
type Manifest struct {
	// Gpuc is the version that compiled them.
	Gpuc string `json:"gpuc"`
	// Source is the file that was compiled.
	Source string `json:"source,omitempty"`
	// Math, Bounds, Targets and Debug are the options, as the flags of `gpuc build` spell them.
	Math    string   `json:"math"`
	Bounds  string   `json:"bounds"`
	Targets []string `json:"targets"`
	Debug   bool     `json:"debug,omitempty"`
	// Plain says that the optimising passes were left out.
	Plain bool `json:"plain,omitempty"`
	// Header is the name of the file with declarations for C, if there is one.
	Header string `json:"header,omitempty"`
	// Kernels are sorted by name.
	Kernels []ManifestKernel `json:"kernels"`
}

// ManifestKernel is a kernel of a manifest.
type ManifestKernel struct {
	// Overrides are those on which the kernel depends, with the values that it was compiled with.
	Overrides []Override `json:"overrides,omitempty"`
	// Kernel describes it for the targets that need no other description.
	Kernel    Kernel             `json:"kernel"`
	Artefacts []ManifestArtefact `json:"artefacts"`
	// Missing are the requested targets that cannot express the kernel.
	Missing []Missing `json:"missing,omitempty"`
}

// Override is a pipeline-overridable constant with its value.
type Override struct {
	Name string `json:"name"`
	// ID is the override's number, or nil if it has none.
	ID *int32 `json:"id,omitempty"`
	// Type is its scalar ("f32"). A bool has the value 0 or 1.
	Type  string  `json:"type"`
	Value float64 `json:"value"`
}

// Missing says why there is no code for a target.
type Missing struct {
	Target  Target `json:"target"`
	Profile string `json:"profile,omitempty"`
	// File, Line and Column are where the construct is that the target cannot express, counted from
	// 1. Line is 0 if the position is unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Code names the rule, and Message says what is wrong.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ManifestArtefact is a kernel's code for one target.
type ManifestArtefact struct {
	Target Target `json:"target"`
	// Profile is the profile that the code is written in, if the target has some.
	Profile string `json:"profile,omitempty"`
	// CodeFile is the file in the folder of the manifest.
	CodeFile
	// Form says, if devices do not load the file, what it is and why.
	Form string `json:"form,omitempty"`
	// Kernel is the description for this target, or nil if it is that of the kernel.
	Kernel *Kernel `json:"kernel,omitempty"`
	// Demands are what follows for programs in other languages.
	*Demands
}

// Marshal returns the JSON form of the manifest.
func (m *Manifest) Marshal() ([]byte, error) { return marshalIndented(m) }

// UnmarshalManifest reads the JSON form. Names of files that lead elsewhere than into the
// manifest's folder are an error.
func UnmarshalManifest(data []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("manifest of kernels: %w", err)
	}
	for _, k := range m.Kernels {
		for _, a := range k.Artefacts {
			if !isFileName(a.File) {
				return nil, fmt.Errorf("manifest of kernels: %q is no name of a file in its folder", a.File)
			}
		}
	}
	return m, nil
}

// Find returns the kernel with this name, or nil.
func (m *Manifest) Find(name string) *ManifestKernel {
	if m == nil {
		return nil
	}
	for n := range m.Kernels {
		if m.Kernels[n].Kernel.Name == name {
			return &m.Kernels[n]
		}
	}
	return nil
}

// For returns the artefact for a target with its description, or nil if there is none.
func (k *ManifestKernel) For(target Target) (artefact *ManifestArtefact, kernel *Kernel) {
	if k == nil {
		return nil, nil
	}
	for n := range k.Artefacts {
		if a := &k.Artefacts[n]; a.Target == target {
			if a.Kernel != nil {
				return a, a.Kernel
			}
			return a, &k.Kernel
		}
	}
	return nil, nil
}
