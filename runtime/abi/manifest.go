// The manifest: what `gpuc gen` writes beside the kernels that a program embeds, and what the
// runtime finds their code and descriptions by.

package abi

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Folder is the folder of a package that has its compiled kernels, and ManifestFile the one that
// lists them.
const (
	Folder       = "gpuc"
	ManifestFile = "manifest.json"
)

// Manifest lists the kernels of a package.
type Manifest struct {
	// Gpuc is the version that compiled them.
	Gpuc string `json:"gpuc"`
	// Package is the import path of the package.
	Package string `json:"package"`
	// Math, Bounds and Targets are the options, as the flags of `gpuc gen` spell them.
	Math    string   `json:"math"`
	Bounds  string   `json:"bounds"`
	Targets []string `json:"targets"`
	Debug   bool     `json:"debug,omitempty"`
	// Kernels are sorted by name.
	Kernels []ManifestKernel `json:"kernels"`
}

// ManifestKernel is a kernel of a package.
type ManifestKernel struct {
	// Digest is the SHA-256 of what the code depends on: gpuc's version, the options, and the kernel
	// with all that it calls, as IR without places in the source.
	Digest string `json:"digest"`
	// Kernel describes it for the targets that need no other description.
	Kernel    Kernel             `json:"kernel"`
	Artefacts []ManifestArtefact `json:"artefacts"`
}

// ManifestArtefact is a kernel's code for one target.
type ManifestArtefact struct {
	Target Target `json:"target"`
	// File is its name in the folder.
	File string `json:"file"`
	// Kernel is the description for this target, or nil if it is that of the kernel.
	Kernel *Kernel `json:"kernel,omitempty"`
}

// Marshal returns the JSON form of the manifest.
func (m *Manifest) Marshal() ([]byte, error) { return json.MarshalIndent(m, "", "  ") }

// UnmarshalManifest reads the JSON form. Names of files that lead elsewhere than into the
// manifest's folder are an error.
func UnmarshalManifest(data []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("manifest of kernels: %w", err)
	}
	for _, k := range m.Kernels {
		for _, a := range k.Artefacts {
			if a.File == "" || a.File != path.Base(a.File) || a.File[0] == '.' || strings.ContainsAny(a.File, `/\:`) {
				return nil, fmt.Errorf("manifest of kernels: %q is no name of a file in its folder", a.File)
			}
		}
	}
	return m, nil
}

// Find returns the kernel with this name, or nil.
func (m *Manifest) Find(name string) *ManifestKernel {
	for n := range m.Kernels {
		if m.Kernels[n].Kernel.Name == name {
			return &m.Kernels[n]
		}
	}
	return nil
}

// For returns the artefact for a target with its description, or nil if there is none.
func (k *ManifestKernel) For(target Target) (artefact *ManifestArtefact, kernel *Kernel) {
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
