package builder

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
)

// shareParameters gives descriptions in a manifest that lack nothing but the parameters of PTX
// code those of it, so that one serves all targets: the others do not look at them.
func shareParameters(made []Artefact) {
	for _, from := range made {
		for n := range made {
			to := made[n].Kernel
			if to.Parameters == nil {
				to.Parameters = from.Kernel.Parameters
				if reflect.DeepEqual(to, from.Kernel) {
					made[n].Kernel = to
				}
			}
		}
	}
}

// Describe puts the descriptions of a kernel's artefacts into a manifest: one, and others
// for the targets that need others. The artefacts are those of the manifest, in their order.
func Describe(k *abi.ManifestKernel, made []Artefact) {
	shareParameters(made)
	// the one that has the entry point's own name, which is no name in some languages
	named := slices.IndexFunc(made, func(m Artefact) bool { return m.Kernel.Name == m.Entry })
	k.Kernel = made[max(named, 0)].Kernel
	for n := range made {
		if !reflect.DeepEqual(made[n].Kernel, k.Kernel) {
			k.Artefacts[n].Kernel = &made[n].Kernel
		}
	}
}

// Options are the flags of a build that its manifest repeats.
type Options struct {
	*loader.Flags
	Targets []*codegen.Target
}

// manifest describes what a build for all targets writes.
func (b *Build) manifest(o Options) *abi.Manifest {
	m := &abi.Manifest{Gpuc: cli.Release(), Source: b.source, Math: o.Math, Bounds: o.Bounds, Debug: o.Debug, Plain: o.NoOptimize}
	for _, t := range o.Targets {
		m.Targets = append(m.Targets, t.Title())
	}
	for _, entry := range b.Entries {
		k := abi.ManifestKernel{Overrides: codegen.Overrides(b.Program.Module, entry, o.Settings), Missing: b.missing(entry)}
		var made []Artefact
		for _, f := range b.made {
			if f.Entry == entry {
				made = append(made, f)
				demands := f.target.DemandsOf(f.artefact)
				k.Artefacts = append(k.Artefacts, abi.ManifestArtefact{Target: f.target.Name, Profile: profileName(f.target),
					CodeFile: abi.CodeFileOf(f.file, f.data), Form: f.form, Demands: &demands})
			}
		}
		Describe(&k, made)
		m.Kernels = append(m.Kernels, k)
	}
	slices.SortFunc(m.Kernels, func(a, b abi.ManifestKernel) int { return strings.Compare(a.Kernel.Name, b.Kernel.Name) })
	return m
}
