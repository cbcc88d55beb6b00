// Package autofix applies the fixes of diagnostics (gpuc check -fix). It applies a fix if the
// diagnostic has only one. A fix may bring out another mistake, so that a file is checked and fixed
// until nothing is left to fix. All files are written at the end, or none.
package autofix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textdiff"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// maxRounds limits how often a file is checked and fixed. Most need two rounds: one for syntax
// errors.
const maxRounds = 20

// Change is a fix that was applied.
type Change struct {
	File   string `json:"file,omitempty"` // in a package
	Line   int    `json:"line"`
	Column int    `json:"column"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// Fixer applies fixes to the files of a command line, and writes all of them at the end.
type Fixer struct {
	files outfile.Plan
}

// Result is a program after its fixes were applied.
type Result struct {
	Program *loader.Program // with the diagnostics that are left
	Changes []Change
	Diff    string // a unified diff of all files
}

// Fix applies the fixes of a file or a Go package. If dry is set, Write does not write them.
func (x *Fixer) Fix(e *cli.Env, name string, options frontend.Options, dry bool) (*Result, error) {
	if pattern, ok := loader.GoPackage(name); ok {
		return x.fixGo(e, name, pattern, options, dry)
	}
	text, err := e.ReadInput(name)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	fixed := ""
	if r.Program, fixed, r.Changes, err = FixText(name, text, options); err != nil || fixed == text {
		return r, err
	}
	return r, x.keep(name, text, fixed, dry, r)
}

// fixing is a program that is being fixed.
type fixing struct {
	name   string
	texts  map[string]string // the present texts of files, by their names in positions
	load   func() (*loader.Program, error)
	owns   func(file *source.File) bool      // reports whether a file may be fixed
	format func(before, fixed string) string // formats the text of a fixed file
}

// FixText applies the fixes of a WGSL or IR text. The diagnostics of the program that it returns
// are those that are left.
func FixText(name, text string, options frontend.Options) (p *loader.Program, fixed string, changes []Change, err error) {
	m := fixing{name: name, texts: map[string]string{name: text},
		owns:   func(*source.File) bool { return true },
		format: func(_, fixed string) string { return fixed }}
	m.load = func() (*loader.Program, error) {
		p := &loader.Program{Set: new(source.Set), List: new(diag.List)}
		file, err := p.Set.Add(name, m.texts[name])
		if err == nil {
			p.Module, err = frontend.Load(p.Set, file, options, p.List)
		}
		return p, err
	}
	p, changes, err = m.run()
	return p, m.texts[name], changes, err
}

// run applies fixes until none is left.
func (m *fixing) run() (p *loader.Program, changes []Change, err error) {
	for range maxRounds {
		if p, err = m.load(); err != nil {
			return nil, nil, err
		}
		fixes, err := onlyFixes(p, m.owns)
		if err != nil || len(fixes) == 0 {
			return p, changes, err
		}
		for len(fixes) > 0 {
			file := p.Set.File(fixes[0].Span.Start)
			var b strings.Builder
			end := 0
			for len(fixes) > 0 && p.Set.File(fixes[0].Span.Start) == file {
				f := &fixes[0]
				from, to := int(f.Span.Start-file.Base), int(f.Span.End-file.Base)
				at := p.Set.Position(f.Span.Start)
				c := Change{Line: at.Line, Column: at.Column, From: file.Text[from:to], To: f.Text}
				if file.Name != m.name {
					c.File = file.Name
				}
				changes = append(changes, c)
				b.WriteString(file.Text[end:from] + f.Text)
				end, fixes = to, fixes[1:]
			}
			b.WriteString(file.Text[end:])
			m.texts[file.Name] = m.format(file.Text, b.String())
		}
	}
	return nil, nil, fmt.Errorf("%s: after %d rounds its fixes bring out others; it is left as it was, apply them by hand", m.name, maxRounds)
}

// onlyFixes returns the fixes of diagnostics that have one fix, in files that may be fixed, in the
// order of the source.
func onlyFixes(p *loader.Program, owns func(*source.File) bool) (fixes []diag.Fix, err error) {
	for _, d := range p.List.Items() {
		if len(d.Fixes) == 1 && !slices.Contains(fixes, d.Fixes[0]) && owns(p.Set.File(d.Fixes[0].Span.Start)) {
			fixes = append(fixes, d.Fixes[0])
		}
	}
	slices.SortStableFunc(fixes, func(a, b diag.Fix) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
	})
	for n := range len(fixes) - 1 {
		a, b := &fixes[n], &fixes[n+1]
		if b.Span.Start < a.Span.End || b.Span == a.Span {
			return nil, fmt.Errorf("%s: two fixes overlap: %s, and %s; nothing is changed: apply one of them by hand, and run -fix again",
				p.Set.Position(b.Span.Start), a.Message, b.Message)
		}
	}
	return fixes, nil
}

// keep adds a fixed file to the diff and, unless dry is set, to the files to be written.
func (x *Fixer) keep(name, before, fixed string, dry bool, r *Result) error {
	r.Diff += fmt.Sprintf("--- %s.orig\n+++ %s\n%s", name, name, textdiff.Unified(before, fixed))
	if dry {
		return nil
	}
	to, err := x.files.AddRegular(name, "the fixed source", outfile.Kind{})
	if err == nil {
		to.Contents = []byte(fixed)
	}
	return err
}

// Write writes the fixed files, all or none.
func (x *Fixer) Write() error { return x.files.Commit() }

// String describes the change.
func (c Change) String() string {
	const most = 60
	switch from, to := textfmt.OneLine(c.From, most), textfmt.OneLine(c.To, most); {
	case from == "":
		return "insert " + to
	case to == "":
		return "remove " + from
	default:
		return from + " -> " + to
	}
}
