// Package builder compiles the entry points of sources for targets, and writes the code with
// descriptions, manifests and headers.
package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Build is a source and what is compiled from it.
type Build struct {
	source   string
	Program  *loader.Program
	Entries  []string // entry points
	made     []Artefact
	refusals []refusal // by targets that cannot express an entry point
}

// Start loads sources and finds their entry points. It reports the diagnostics of all sources.
func Start(e *cli.Env, sources []string, c *loader.Flags, options *codegen.Options) ([]Build, error) {
	builds := make([]Build, 0, len(sources))
	failed := false
	for _, source := range sources {
		p, err := loader.LoadReported(e, source, options.Math)
		if err == nil {
			err = c.Settings.Check(p)
		}
		var entries []string
		if err == nil {
			if entries, err = loader.EntryNames(p, c.Entry); err == cli.ErrReported {
				err = p.Report(e)
			}
		}
		if err == cli.ErrReported {
			failed = true
		} else if err != nil {
			return nil, err
		}
		builds = append(builds, Build{source: source, Program: p, Entries: entries})
	}
	if failed {
		return nil, cli.ErrReported
	}
	return builds, nil
}

// Compile compiles the entry points of all builds for all targets, and reports the diagnostics.
func Compile(e *cli.Env, builds []Build, o *Options, options *codegen.Options) error {
	failed := false
	for n := range builds {
		b := &builds[n]
		if err := b.compile(o, options); err != nil {
			return err
		}
		if err := b.Program.Report(e); err == cli.ErrReported {
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return cli.ErrReported
	}
	for n := range builds {
		if err := builds[n].makeObjects(o); err != nil {
			return err
		}
	}
	return nil
}

// compile compiles all entry points for all targets. The diagnostics are in the program's list.
func (b *Build) compile(o *Options, options *codegen.Options) error {
	p := b.Program
	for _, entry := range b.Entries {
		for n, t := range o.Targets {
			list := new(diag.List)
			if o.Report {
				options.Report = new(codegen.Report)
			}
			a := codegen.Compile(p.Module, entry, t, options, list)
			if a == nil && o.AllTargets {
				b.refusals = append(b.refusals, refusal{entry, t, list.Items()})
				continue
			}
			for _, d := range list.Items() {
				b.say(d)
			}
			if a == nil {
				continue
			}
			b.warnOfShortage(entry, t, uint64(a.Kernel.WorkgroupBytes))
			file := Artefact{Entry: entry, target: t, artefact: a, extension: Extension(t, o.Targets, o.Assembly), what: codeOf(t), data: a.Code,
				Kernel: a.Kernel, first: n == 0, report: options.Report}
			if !o.Assembly && t.Object != nil {
				file.makeObject = func() ([]byte, error) { return t.Object(a) }
			}
			if o.Assembly {
				if t.Assemble != nil {
					text, err := t.Assemble(a.Code)
					if err != nil {
						return err
					}
					file.data = []byte(text)
					file.extension += assemblySuffix
					file.what, file.form = assemblyOf(t), "assembly"
				} else if t.Object != nil {
					file.form = objectText
				}
			}
			b.made = append(b.made, file)
		}
	}
	p.SuggestNames("", options.Settings)
	b.reportRefusals(len(o.Targets))
	return nil
}

// say adds a diagnostic to the program's list, once: several targets and kernels may report the
// same.
func (b *Build) say(d diag.Diagnostic) {
	same := func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Span == d.Span && o.Message == d.Message }
	if !slices.ContainsFunc(b.Program.List.Items(), same) {
		b.Program.List.Add(d)
	}
}

// DumpStages lists the names that -dump takes in a build for some targets.
func DumpStages(chosen []*codegen.Target) []string {
	var passes []opt.Pass
	for _, t := range chosen {
		for _, way := range t.Ways() {
			passes = append(passes, way.Passes...)
		}
	}
	stages := PassNames(passes)
	if slices.ContainsFunc(chosen, func(t *codegen.Target) bool { return t.UsesMIR }) {
		stages = append(stages, mir.Stage)
	}
	return stages
}

// Artefact is the code of an entry point for a target.
type Artefact struct {
	Entry  string
	Kernel abi.Kernel // the description

	target    *codegen.Target
	artefact  *abi.Artefact
	data      []byte // that is written
	what      string // data in words
	form      string // data in words, if devices do not load it, or ""
	extension string
	path      string // of the file, or "" for standard output
	file      string // the name in the path
	first     bool   // of the first target, whose description has no target in its name
	report    *codegen.Report

	makeObject func() ([]byte, error) // makes what devices load, if that is not the code, or nil
	object     []byte                 // what it made
	tool       string                 // the missing tool if it could not, or ""
}

// Extension returns the extension of a target's files. It has the target's profile if another
// chosen target has the same extension.
func Extension(t *codegen.Target, chosen []*codegen.Target, assembly bool) string {
	extension := t.Extension
	if t.Object != nil && !assembly {
		extension = t.ObjectExtension
	}
	for _, other := range chosen {
		if other != t && other.Extension == t.Extension && t.Profile != nil {
			return "." + t.Profile.Name + extension
		}
	}
	return extension
}

// refusal is the diagnostics of an entry point that a target cannot express.
type refusal struct {
	entry  string
	target *codegen.Target
	items  []diag.Diagnostic
}

// isLimit reports whether a diagnostic is about a limit of the target, and not an error in the
// program.
func isLimit(d *diag.Diagnostic) bool {
	return d.Code == diag.TargetUnsupported || d.Code == diag.TargetLimit || d.Severity != diag.Error
}

// reportRefusals reports the diagnostics of refusals: as warnings, or as errors if there is no
// target left for an entry point or if the program has an error.
func (b *Build) reportRefusals(targets int) {
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

// missing returns the refusals of an entry point for its manifest.
func (b *Build) missing(entry string) (list []abi.Missing) {
	for _, r := range b.refusals {
		n := slices.IndexFunc(r.items, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
		if r.entry != entry || n < 0 {
			continue
		}
		d := &r.items[n]
		at := b.Program.Set.Position(d.Span.Start)
		list = append(list, abi.Missing{Target: r.target.Name, Profile: profileName(r.target), File: at.File, Line: at.Line, Column: at.Column,
			Code: d.Code.String(), Message: d.Message})
	}
	return list
}

// profileName returns the name of the profile that a target's code has, or "".
func profileName(t *codegen.Target) string {
	if p := t.Written(); p != nil {
		return p.Name
	}
	return ""
}

// objectText describes the text of a code object in a manifest.
const objectText = "the text that a code object is made of"

// makeObjects makes the code objects of targets whose code is text that devices do not load. If a
// tool is missing for that, the text stays in a build for all targets; otherwise it is an error.
func (b *Build) makeObjects(o *Options) error {
	for n := range b.made {
		m := &b.made[n]
		if m.makeObject == nil {
			continue
		}
		data, err := m.makeObject()
		var tool codegen.MissingTool
		switch missing := errors.As(err, &tool); {
		case missing && o.AllTargets:
			m.extension, m.tool, m.form = Extension(m.target, o.Targets, true), string(tool), objectText+", as "+string(tool)
		case missing:
			return fmt.Errorf("%w; -S writes the text that it is made of", err)
		case err != nil:
			return err
		default:
			m.data, m.object = data, data
		}
	}
	return nil
}

// PassNames lists the names of passes, each once.
func PassNames(passes []opt.Pass) (names []string) {
	for n := range passes {
		if !slices.Contains(names, passes[n].Name) {
			names = append(names, passes[n].Name)
		}
	}
	return names
}

// warnOfShortage warns of a kernel with more workgroup memory than some devices of a target have.
func (b *Build) warnOfShortage(entry string, t *codegen.Target, bytes uint64) {
	s := t.Shortage(bytes)
	kernels := b.Program.Module.Kernels()
	n := slices.IndexFunc(kernels, func(f *ir.Func) bool { return f.Name == entry })
	if s == nil || s.Refused || n < 0 {
		return
	}
	f := kernels[n]
	if t.Guaranteed.Bytes > 0 && loader.GeneralWarning(b.Program.Shown, f) >= 0 {
		return // the limits are the same
	}
	b.say(s.Diagnostic(f, bytes))
}
