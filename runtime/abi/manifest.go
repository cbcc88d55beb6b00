// The manifest: what `gpuc gen` writes beside the kernels that a program embeds, and what the
// runtime finds their code and descriptions by. `gpuc build -target all` writes one, too, for
// programs in any language.

package abi

import (
	"encoding/json"
	"fmt"
)

// Folder is the folder of a package that has its compiled kernels, and ManifestFile the one that
// lists them.
const (
	Folder       = "gpuc"
	ManifestFile = "manifest.json"
)

// Manifest lists the kernels of a package or of another source.
type Manifest struct {
	// Gpuc is the version that compiled them.
	Gpuc string `json:"gpuc"`
	// Package is the import path of the package, if `gpuc gen` wrote the manifest, and Source what
	// `gpuc build` was given if that did.
	Package string `json:"package,omitempty"`
	Source  string `json:"source,omitempty"`
	// Math, Bounds and Targets are the options, as the flags of `gpuc gen` spell them.
	Math    string   `json:"math"`
	Bounds  string   `json:"bounds"`
	Targets []string `json:"targets"`
	Debug   bool     `json:"debug,omitempty"`
	// Native says that the package has machine code of the kernels for the CPU, beside the files
	// that the manifest lists.
	Native bool `json:"native,omitempty"`
	// Plain says that the optimising passes were left out.
	Plain bool `json:"plain,omitempty"`
	// Header is the name of the file with declarations for C, if there is one.
	Header string `json:"header,omitempty"`
	// Kernels are sorted by name.
	Kernels []ManifestKernel `json:"kernels"`
}

// ManifestKernel is a kernel of a manifest.
type ManifestKernel struct {
	// Digest is the SHA-256 of what the code depends on: gpuc's version, the options, and the
	// kernel with all that it calls, as IR without places in the source. `gpuc build` leaves it
	// out.
	Digest string `json:"digest,omitempty"`
	// Overrides are those on which the kernel depends, with the values that it was compiled with.
	Overrides []Override `json:"overrides,omitempty"`
	// Kernel describes it for the targets that need no other description.
	Kernel    Kernel             `json:"kernel"`
	Artefacts []ManifestArtefact `json:"artefacts"`
	// Missing are the targets that were asked for and cannot express the kernel.
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
	// 1. Line is 0 if the code came from nowhere.
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
	// Profile is the profile that the code is written in, if `gpuc build` wrote the manifest and
	// the target has some.
	Profile string `json:"profile,omitempty"`
	// CodeFile is the file in the folder of the manifest; `gpuc gen` leaves out its size and
	// digest.
	CodeFile
	// Form says, if the file is not what devices load, what it is and why.
	Form string `json:"form,omitempty"`
	// Kernel is the description for this target, or nil if it is that of the kernel.
	Kernel *Kernel `json:"kernel,omitempty"`
	// Demands are what follows for programs in other languages, if `gpuc build` wrote the manifest.
	*Demands
	// ByValue is the form that takes uniform buffers by value, if `gpuc gen` wrote the manifest and
	// there is one.
	ByValue *ManifestByValue `json:"byValue,omitempty"`
	// Coarse is the form for large launches, if `gpuc gen` wrote the manifest and there is one.
	Coarse *ManifestCoarse `json:"coarse,omitempty"`
}

// ManifestCoarse is the form of a kernel for large launches (see Coarse): its code, always with a
// description of its own.
type ManifestCoarse struct {
	Factor [3]uint32 `json:"factor"`
	Least  uint64    `json:"least"`
	Within []Within  `json:"within,omitempty"`
	ManifestArtefact
}

// ManifestByValue is the second form of a kernel (see ByValue): the name of its file, and its
// parameters.
type ManifestByValue struct {
	File       string      `json:"file"`
	Parameters []Parameter `json:"parameters"`
}

// Files are the names of the artefact's files.
func (a *ManifestArtefact) Files() []string {
	if a == nil {
		return nil
	}
	files := []string{a.File}
	if a.ByValue != nil {
		files = append(files, a.ByValue.File)
	}
	if a.Coarse != nil {
		files = append(files, a.Coarse.Files()...)
	}
	return files
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
			for _, name := range a.Files() {
				if !isFileName(name) {
					return nil, fmt.Errorf("manifest of kernels: %q is no name of a file in its folder", name)
				}
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
