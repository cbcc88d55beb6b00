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

// Build is what becomes of one source.
type Build struct {
	source   string
	Program  *loader.Program
	Entries  []string // that are compiled
	made     []Artefact
	refusals []refusal // with all targets
}

// Start loads sources and finds their entry points. What is wrong with any of them is
// reported.
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
			if entries, err = loader.EntryNames(p, c.Entry); err != nil {
				err = p.ReportError(e, err)
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

// Compile makes the files of a build. Diagnostics are left in the program's list.
func (b *Build) Compile(chosen []*codegen.Target, everything bool, options *codegen.Options, assembly, report bool) error {
	p := b.Program
	for _, entry := range b.Entries {
		for n, t := range chosen {
			list := new(diag.List)
			if report {
				options.Report = new(codegen.Report)
			}
			a := codegen.Compile(p.Module, entry, t, options, list)
			if a == nil && everything {
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
			file := Artefact{Entry: entry, target: t, artefact: a, extension: Extension(t, chosen, assembly), what: codeOf(t), data: a.Code, Kernel: a.Kernel, first: n == 0,
				report: options.Report}
			if !assembly && t.Object != nil {
				file.object = func() ([]byte, error) { return t.Object(a) }
			}
			if assembly {
				var err error
				if file.data, err = assemble(t, a); err != nil {
					return err
				}
				if t.Assemble != nil {
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
	b.settle(len(chosen))
	return nil
}

// say adds a diagnostic to the program's list unless it is there: several targets and several
// kernels may say the same.
func (b *Build) say(d diag.Diagnostic) {
	same := func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Span == d.Span && o.Message == d.Message }
	if !slices.ContainsFunc(b.Program.List.Items(), same) {
		b.Program.List.Add(d)
	}
}

// DumpStages names what -dump can show of a build for some targets.
func DumpStages(chosen []*codegen.Target) []string {
	var passes []opt.Pass
	for _, t := range chosen {
		for _, way := range t.Ways() {
			passes = append(passes, way.Passes...)
		}
	}
	stages := PassNames(passes)
	if slices.ContainsFunc(chosen, func(t *codegen.Target) bool { return t.Flattens }) {
		stages = append(stages, mir.Stage)
	}
	return stages
}

// Artefact is one output of a build.
type Artefact struct {
	Entry, extension string
	target           *codegen.Target
	file             string // its name in the folder, with all targets
	form             string // what it is if devices do not load it
	tool             string // what is missing to make what they do
	what             string // the code or assembly of a target, in words
	path             string // where it is written, "" if on standard output
	artefact         *abi.Artefact
	machine          []byte // what object made
	data             []byte
	// makes data once everything has compiled; nil if that is the code
	object func() ([]byte, error)
	Kernel abi.Kernel
	first  bool // the first target's, whose description has no target in its name
	report *codegen.Report
}

func assemble(t *codegen.Target, a *abi.Artefact) (text []byte, err error) {
	if t.Assemble == nil {
		return a.Code, nil
	}
	s, err := t.Assemble(a.Code)
	return []byte(s), err
}

// Extension is what the names of a target's files end in: its profile, too, where another
// of the chosen targets has the same extension.
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
func (b *Build) settle(targets int) {
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

// profileName is the name of the profile that code of a target is written in, "" if it has none.
func profileName(t *codegen.Target) string {
	if p := t.Written(); p != nil {
		return p.Name
	}
	return ""
}

// objectText is what a manifest says of code that devices do not load.
const objectText = "the text that a code object is made of"

// MakeObjects makes what devices load of code that is not that. With all targets, the code stays
// where the tools are missing.
func (b *Build) MakeObjects(chosen []*codegen.Target, everything bool) error {
	for n := range b.made {
		m := &b.made[n]
		if m.object == nil {
			continue
		}
		data, err := m.object()
		var tool codegen.MissingTool
		switch missing := errors.As(err, &tool); {
		case missing && everything:
			m.extension, m.tool, m.form = Extension(m.target, chosen, true), string(tool), objectText+", as "+string(tool)
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

// PassNames lists each pass once.
func PassNames(passes []opt.Pass) (names []string) {
	for n := range passes {
		if !slices.Contains(names, passes[n].Name) {
			names = append(names, passes[n].Name)
		}
	}
	return names
}

// warnOfShortage warns that a target has devices that do not grant a compiled kernel its memory.
func (b *Build) warnOfShortage(entry string, t *codegen.Target, bytes uint64) {
	s := t.Shortage(bytes)
	kernels := b.Program.Module.Kernels()
	n := slices.IndexFunc(kernels, func(f *ir.Func) bool { return f.Name == entry })
	if s == nil || s.Refused || n < 0 {
		return
	}
	f := kernels[n]
	if t.Guaranteed.Bytes > 0 && loader.GeneralWarning(b.Program.Shown, f) >= 0 {
		return // that has the same limit
	}
	b.say(s.Diagnostic(f, bytes))
}
