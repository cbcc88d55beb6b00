package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is `gpuc check -fix`: it makes the changes that diagnostics offer. A fix is made if
// it is the only one that its diagnostic has; where there are several, somebody has to choose.
// What is mended may bring out the next mistake, so that files are checked and mended until
// nothing is left to make, and a second run finds nothing to do. Files are written
// together at the end: all of them, or none.

// maxRounds is how often a file is checked and mended. Most take two rounds: syntax, and the rest.
const maxRounds = 20

// change is a fix that was made in a file, which is named if it is one of a package.
type change struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// fixing is what -fix makes of the files of a command line.
type fixing struct {
	o        outputs
	contents [][]byte
}

// mending is a program whose files are mended.
type mending struct {
	name string
	// load checks the program as texts have it, by the names that files have in positions.
	load  func() (*program, error)
	texts map[string]string
	// mends reports whether a file is one to mend, and finish returns the text of a file after a
	// round, as it is to be written.
	mends  func(file *source.File) bool
	finish func(before, mended string) string
}

// fix mends the text of a file and returns it with the changes, and the program that it is then,
// whose diagnostics are those that are left.
func (e *environment) fix(name, text string, options frontend.Options) (p *program, mended string, changes []change, err error) {
	m := mending{name: name, texts: map[string]string{name: text},
		mends:  func(*source.File) bool { return true },
		finish: func(_, mended string) string { return mended }}
	m.load = func() (*program, error) {
		p := &program{set: new(source.Set), list: new(diag.List)}
		file, err := p.set.Add(name, m.texts[name])
		if err == nil {
			p.module, err = frontend.Load(p.set, file, options, p.list)
		}
		return p, err
	}
	p, changes, err = m.run()
	return p, m.texts[name], changes, err
}

// run checks and mends until nothing is left to make.
func (m *mending) run() (p *program, changes []change, err error) {
	for range maxRounds {
		if p, err = m.load(); err != nil {
			return nil, nil, err
		}
		fixes, err := onlyFixes(p, m.mends)
		if err != nil || len(fixes) == 0 {
			return p, changes, err
		}
		for len(fixes) > 0 {
			file := p.set.File(fixes[0].Span.Start)
			var b strings.Builder
			end := 0
			for len(fixes) > 0 && p.set.File(fixes[0].Span.Start) == file {
				f := &fixes[0]
				from, to := int(f.Span.Start-file.Base), int(f.Span.End-file.Base)
				at := p.set.Position(f.Span.Start)
				c := change{Line: at.Line, Column: at.Column, From: file.Text[from:to], To: f.Text}
				if file.Name != m.name {
					c.File = file.Name
				}
				changes = append(changes, c)
				b.WriteString(file.Text[end:from] + f.Text)
				end, fixes = to, fixes[1:]
			}
			b.WriteString(file.Text[end:])
			m.texts[file.Name] = m.finish(file.Text, b.String())
		}
	}
	return nil, nil, fmt.Errorf("%s: after %d rounds its fixes bring out others; it is left as it was, apply them by hand", m.name, maxRounds)
}

// onlyFixes returns the fixes of diagnostics that have one each, in source order, of the files to
// mend.
func onlyFixes(p *program, mends func(*source.File) bool) (fixes []diag.Fix, err error) {
	for _, d := range p.list.Items() {
		if len(d.Fixes) == 1 && !slices.Contains(fixes, d.Fixes[0]) && mends(p.set.File(d.Fixes[0].Span.Start)) {
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
				p.set.Position(b.Span.Start), a.Message, b.Message)
		}
	}
	return fixes, nil
}

// check checks and mends a file, and remembers what to write unless nothing is to be written.
func (x *fixing) check(e *environment, name string, options frontend.Options, dry bool, c *checkedFile) error {
	text, err := e.readInput(name)
	if err != nil {
		return err
	}
	mended := ""
	if c.program, mended, c.Changes, err = e.fix(name, text, options); err != nil || mended == text {
		return err
	}
	return x.keep(name, text, mended, wgslFile, dry, c)
}

// keep shows what becomes of a file, and remembers to write it unless nothing is to be written.
func (x *fixing) keep(name, text, mended string, kind fileKind, dry bool, c *checkedFile) error {
	c.diff += fmt.Sprintf("--- %s.orig\n+++ %s\n%s", name, name, unifiedDiff(text, mended))
	if dry {
		return nil
	}
	to, err := x.o.plan(name, "the mended source", kind)
	if err != nil {
		return err
	}
	if to.direct {
		return fmt.Errorf("cannot write %s: it is no regular file", name)
	}
	x.contents = append(x.contents, []byte(mended))
	return nil
}

// write writes the mended files, all or none.
func (x *fixing) write() error { return x.o.writeAll(x.contents) }

// String shows a change: what was there and what is there, or what was inserted or removed.
func (c change) String() string {
	const most = 60
	switch from, to := oneLine(c.From, most), oneLine(c.To, most); {
	case from == "":
		return "insert " + to
	case to == "":
		return "remove " + from
	default:
		return from + " -> " + to
	}
}
