package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is `gpuc build -target all`: the code of a program for every target side by side, with
// a manifest that says what there is and a header for C. Who names a target wants its code, and
// gets an error without it. Who asks for all of them wants those that there can be: a target that
// cannot express a kernel is a warning then, and a reason in the manifest.

// everyTarget stands for all targets on the command line.
const everyTarget = "all"

// buildTargets finds the targets that a list names. One that is named beside all of them takes the
// place of the one of its name, so that its profile can be chosen.
func buildTargets(list string) (chosen []*codegen.Target, everything bool, err error) {
	var named []string
	for name := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(name) == everyTarget {
			everything = true
		} else {
			named = append(named, name)
		}
	}
	if !everything {
		chosen, err = chooseTargets(list)
		return chosen, false, err
	}
	var own []*codegen.Target
	if len(named) > 0 {
		if own, err = chooseTargets(strings.Join(named, ",")); err != nil {
			return nil, true, err
		}
	}
	for _, t := range all.Targets {
		before := len(chosen)
		for _, o := range own {
			if o.Name == t.Name {
				chosen = append(chosen, o)
			}
		}
		if len(chosen) == before {
			chosen = append(chosen, t)
		}
	}
	return chosen, true, nil
}

// refusal is what a target says of a kernel that it has no code for.
type refusal struct {
	entry  string
	target *codegen.Target
	items  []diag.Diagnostic
}

// isLimit reports whether a diagnostic is about the target, and not about the program.
func isLimit(d *diag.Diagnostic) bool {
	return d.Code == diag.TargetUnsupported || d.Code == diag.TargetLimit || d.Severity != diag.Error
}

// settle decides what refusals are: warnings, or errors where no target has the kernel or where the
// program is wrong.
func (b *sourceBuild) settle(targets int) {
	wrong := map[string]bool{} // entry points
	count := map[string]int{}
	for n := range b.refusals {
		r := &b.refusals[n]
		count[r.entry]++
		for k := range r.items {
			if !isLimit(&r.items[k]) {
				wrong[r.entry] = true
			}
		}
		if count[r.entry] == targets {
			wrong[r.entry] = true
		}
	}
	for _, r := range b.refusals {
		for _, d := range r.items {
			if d.Severity == diag.Error && !wrong[r.entry] {
				d.Severity = diag.Warning
				d.Notes = append(slices.Clone(d.Notes), diag.Note{Message: fmt.Sprintf("nothing is written for target %s, which the manifest says, too", r.target.Title())})
			}
			b.say(d)
		}
	}
}

// missing describes refusals of an entry point's targets.
func (b *sourceBuild) missing(entry string) (list []abi.Missing) {
	for _, r := range b.refusals {
		n := slices.IndexFunc(r.items, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
		if r.entry != entry || n < 0 {
			continue
		}
		d := &r.items[n]
		at := b.program.set.Position(d.Span.Start)
		list = append(list, abi.Missing{Target: r.target.Name, Profile: profileName(r.target), File: at.File, Line: at.Line, Column: at.Column,
			Code: d.Code.String(), Message: d.Message})
	}
	return list
}

// profileName is the name of the profile that code of a target is written in, "" if it has none.
func profileName(t *codegen.Target) string {
	if p := t.Written(); p != nil {
		return p.Name
	}
	return ""
}

// objectText is what a manifest says of code that devices do not load.
const objectText = "the text that a code object is made of"

// makeObjects makes what devices load of code that is not that. With all targets, the code stays
// where the tools are missing.
func (b *sourceBuild) makeObjects(chosen []*codegen.Target, everything bool) error {
	for n := range b.made {
		m := &b.made[n]
		if m.object == nil {
			continue
		}
		data, err := m.object()
		var tool codegen.MissingTool
		switch missing := errors.As(err, &tool); {
		case missing && everything:
			m.extension, m.tool, m.form = extensionOf(m.target, chosen, true), string(tool), objectText+", as "+string(tool)
		case missing:
			return fmt.Errorf("%w; -S writes the text that it is made of", err)
		case err != nil:
			return err
		default:
			m.data, m.machine = data, data
		}
	}
	return nil
}

// The files beside the code.
const (
	manifestExtension = ".manifest.json"
	headerExtension   = ".h"
)

// headerLine says what is in a header.
const headerLine = "structures and constants for C"

// planAll plans the files of a build for all targets.
func (w *artefactWriter) planAll(b *sourceBuild, folder string) error {
	folder, base := b.place(folder)
	of := ""
	if w.several {
		of = " of " + b.source
	}
	for n := range b.made {
		m := &b.made[n]
		m.file = b.stem(base, m.entry) + m.extension
		m.path = filepath.Join(folder, m.file)
		line := fmt.Sprintf("%d bytes, entry point %s", len(m.data), m.entry)
		if err := w.add(m.path, m.what+of, codeFile, m.data, line); err != nil {
			return err
		}
	}
	manifest := b.manifest(w.options)
	manifest.Header = base + headerExtension
	text, err := manifest.Marshal()
	if err != nil {
		return err
	}
	err = w.add(filepath.Join(folder, base+manifestExtension), "the manifest"+of, manifestFile, append(text, '\n'), "the manifest")
	if err != nil {
		return err
	}
	return w.add(filepath.Join(folder, manifest.Header), "the header"+of, headerFile, header(b.program.module, manifest, base, base+manifestExtension), headerLine)
}

// buildOptions are the flags of a build that its manifest repeats.
type buildOptions struct {
	*compileFlags
	targets []*codegen.Target
}

// manifest describes what a build for all targets writes.
func (b *sourceBuild) manifest(o buildOptions) *abi.Manifest {
	m := &abi.Manifest{Gpuc: release(), Source: b.source, Math: o.math, Bounds: o.bounds, Debug: o.debug, Plain: o.noOptimize}
	for _, t := range o.targets {
		m.Targets = append(m.Targets, t.Title())
	}
	for _, entry := range b.entries {
		k := abi.ManifestKernel{Overrides: codegen.Overrides(b.program.module, entry, o.settings), Missing: b.missing(entry)}
		var made []artefactFile
		for _, f := range b.made {
			if f.entry == entry {
				made = append(made, f)
				demands := f.target.DemandsOf(f.artefact)
				k.Artefacts = append(k.Artefacts, abi.ManifestArtefact{Target: f.target.Name, Profile: profileName(f.target),
					CodeFile: abi.CodeFileOf(f.file, f.data), Form: f.form, Demands: &demands})
			}
		}
		describeArtefacts(&k, made)
		m.Kernels = append(m.Kernels, k)
	}
	slices.SortFunc(m.Kernels, func(a, b abi.ManifestKernel) int { return strings.Compare(a.Kernel.Name, b.Kernel.Name) })
	return m
}
