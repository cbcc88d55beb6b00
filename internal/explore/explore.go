// Package explore records the compilation of a program: the IR after each pass and the code for
// each target, with the source line of each line. `gpuc explore` writes it as a page, and the
// playground shows it.
//
//	explore.go  the compilation
//	lines.go    the source lines of code
//	page.go     the page, made of page.html, page.css and page.js
package explore

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// Exploration is the record of a compilation, in the form that the page reads.
type Exploration struct {
	// Sources are the files that lines come from.
	Sources []Source `json:"sources"`
	Kernels []Kernel `json:"kernels"`
	// Texts are the texts of stages and targets, each once. Most targets share the first stages.
	Texts []Text `json:"texts"`
}

// Source is a file. Its lines are numbered from First on, so that one number identifies a file and
// a line.
type Source struct {
	Name  string   `json:"name"`
	First int      `json:"first"`
	Lines []string `json:"lines"`
}

// Text is a text, with the number of the source line of each line, 0 for none.
type Text struct {
	Text string `json:"text"`
	From []int  `json:"from"`
}

// Kernel is an entry point.
type Kernel struct {
	Name    string   `json:"name"`
	Targets []Target `json:"targets"`
}

// Target is the compilation of a kernel for a target.
type Target struct {
	Title  string  `json:"title"` // with the profile, if one was chosen
	Doc    string  `json:"doc"`
	Stages []Stage `json:"stages"` // the first is the front end's
	Code   int     `json:"code"`   // index in Texts; -1 if there is none
	// Refusal is the errors if there is no code, as on a terminal.
	Refusal string `json:"refusal,omitempty"`
	// Left says that the target was not chosen.
	Left bool `json:"left,omitempty"`
}

// LeftOut returns a target that was not chosen.
func LeftOut(t *codegen.Target) Target {
	return Target{Title: t.Title(), Doc: t.Doc, Stages: []Stage{}, Code: -1, Left: true}
}

// Stage is the IR after a pass.
type Stage struct {
	Pass string `json:"pass"` // "" for the front end
	Doc  string `json:"doc"`
	Text int    `json:"text"` // index in Texts
	// Idle are the passes after it that change nothing.
	Idle []string `json:"idle,omitempty"`
}

// Explore compiles kernels of a module for targets and records the compilations. It ignores Context
// in the options.
func Explore(m *ir.Module, kernels []string, targets []*codegen.Target, options codegen.Options) *Exploration {
	x := &explorer{sources: sources{set: m.Sources, first: map[*source.File]int{}}, known: map[string]int{}}
	x.sources.next = 1
	if files := x.sources.files(); len(files) > 0 {
		x.sources.number(files[0])
	}
	for _, name := range kernels {
		k := Kernel{Name: name}
		for _, t := range targets {
			k.Targets = append(k.Targets, x.follow(m, name, t, options))
		}
		x.out.Kernels = append(x.out.Kernels, k)
	}
	x.out.Sources = x.sources.all
	return &x.out
}

// sources numbers the lines of files.
type sources struct {
	set   *source.Set
	all   []Source
	first map[*source.File]int
	next  int
}

// files returns the files of the set.
func (s *sources) files() []*source.File {
	if s.set == nil {
		return nil
	}
	return s.set.Files()
}

// number numbers the lines of a file, and returns the first number.
func (s *sources) number(f *source.File) int {
	if first, ok := s.first[f]; ok {
		return first
	}
	out, count := Source{Name: f.Name, First: s.next}, f.LineOf(f.Base+source.Pos(len(f.Text)))
	s.first[f], s.next = s.next, s.next+count
	if f.Line(count) == "" { // after the last newline
		count--
	}
	for n := range count {
		out.Lines = append(out.Lines, f.Line(n+1))
	}
	s.all = append(s.all, out)
	return out.First
}

// line returns the number of the line at a position, or 0.
func (s *sources) line(at source.Pos) int {
	f := s.set.File(at)
	if f == nil {
		return 0
	}
	return s.number(f) + f.LineOf(at) - 1
}

// named returns the number of a line of the file with a name, or 0.
func (s *sources) named(name string, line int) int {
	for _, f := range s.files() {
		if f.Name == name && line > 0 {
			return s.number(f) + line - 1
		}
	}
	return 0
}

// explorer makes an exploration.
type explorer struct {
	out     Exploration
	sources sources
	known   map[string]int // by text and lines
}

// keep returns the index of a text in Texts, and adds it if it is new.
func (x *explorer) keep(text []byte, from []int) int {
	key := make([]byte, 0, len(text)+4*len(from))
	key = append(key, text...)
	for _, line := range from {
		key = binary.LittleEndian.AppendUint32(key, uint32(line))
	}
	if n, ok := x.known[string(key)]; ok {
		return n
	}
	n := len(x.out.Texts)
	x.known[string(key)] = n
	x.out.Texts = append(x.out.Texts, Text{string(text), from})
	return n
}

// follow compiles a kernel for a target and records that.
func (x *explorer) follow(m *ir.Module, kernel string, t *codegen.Target, options codegen.Options) Target {
	out := Target{Title: t.Title(), Doc: t.Doc, Stages: []Stage{}, Code: -1}
	var before, text []byte
	watch := func(pass *opt.Pass, m *ir.Module) {
		var from []int
		before, text = text, before[:0]
		text, from = x.moduleText(text, m)
		switch {
		case pass == nil:
			out.Stages = append(out.Stages, Stage{Doc: "what the front end makes of the source", Text: x.keep(text, from)})
		case bytes.Equal(text, before):
			last := &out.Stages[len(out.Stages)-1]
			last.Idle = append(last.Idle, pass.Name)
		default:
			out.Stages = append(out.Stages, Stage{Pass: pass.Name, Doc: pass.Doc, Text: x.keep(text, from)})
		}
	}
	options.Context = &opt.Context{Watch: watch}
	r := readerOf(t.Name)
	var positions []source.Pos // by line
	options.Lines = !r.whileWriting
	if r.whileWriting {
		options.LinePosition = func(line int, at source.Pos) {
			positions = append(positions, make([]source.Pos, max(0, line+1-len(positions)))...)
			positions[line] = at
		}
	}
	list := new(diag.List)
	a := codegen.Compile(m, kernel, t, &options, list)
	if a == nil {
		out.Refusal = rendered(m.Sources, list.Items())
		return out
	}
	text = a.Code
	if t.Assemble != nil {
		readable, err := t.Assemble(a.Code)
		if err != nil {
			out.Refusal = err.Error()
			return out
		}
		text = []byte(readable)
	}
	switch {
	case r.whileWriting:
		from := make([]int, countLines(text))
		for line, at := range positions {
			from[line] = x.sources.line(at)
		}
		out.Code = x.keep(text, from)
	case r.read != nil:
		out.Code = x.keep(x.readLines(text, r.read))
	case len(out.Stages) > 0: // the code is the IR after the source
		out.Code = out.Stages[len(out.Stages)-1].Text
	}
	return out
}

// moduleText appends the text of a module to a slice, and returns it with the source lines of its
// lines.
func (x *explorer) moduleText(to []byte, m *ir.Module) (text []byte, from []int) {
	type mark struct {
		bytes int
		at    source.Pos
	}
	var marks []mark
	text = m.AppendText(to, ir.PrintOptions{SourceMap: func(bytes int, s source.Span) { marks = append(marks, mark{bytes, s.Start}) }})
	from = make([]int, 0, countLines(text))
	end := 0
	for line := range bytes.Lines(text) {
		end += len(line)
		number := 0
		for len(marks) > 0 && marks[0].bytes < end {
			number, marks = x.sources.line(marks[0].at), marks[1:]
		}
		from = append(from, number)
	}
	return text, from
}

// countLines returns the number of lines of a text.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// rendered returns diagnostics as on a terminal without colours.
func rendered(set *source.Set, items []diag.Diagnostic) string {
	var b bytes.Buffer
	if err := diag.Write(&b, set, slices.Clone(items)); err != nil {
		return err.Error() // writing to a buffer does not fail
	}
	return b.String()
}
