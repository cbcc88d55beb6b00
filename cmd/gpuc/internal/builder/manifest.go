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

// shareParameters adds the parameters of PTX code to descriptions that differ from that of PTX by
// them alone, so that a manifest has one description for all targets.
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

// Describe sets the description of a kernel in a manifest, and those of artefacts that differ from
// it. Made are the artefacts of the manifest, in order.
func Describe(k *abi.ManifestKernel, made []Artefact) {
	shareParameters(made)
	// some languages have another name for the entry point
	named := slices.IndexFunc(made, func(m Artefact) bool { return m.Kernel.Name == m.Entry })
	k.Kernel = made[max(named, 0)].Kernel
	for n := range made {
		if !reflect.DeepEqual(made[n].Kernel, k.Kernel) {
			k.Artefacts[n].Kernel = &made[n].Kernel
		}
	}
}

// Options are the options of a build.
type Options struct {
	*loader.Flags
	Targets    []*codegen.Target
	AllTargets bool // write a manifest, and refusals of targets are warnings
	Assembly   bool // write assembly instead of code
	Header     bool // write a C header
	Report     bool // collect what ReportUsage shows
}

// manifest returns the manifest of a build.
func (b *Build) manifest(o *Options) *abi.Manifest {
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
