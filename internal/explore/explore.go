// Package explore follows a program on its way to code: what each pass leaves of it, and the code
// for each target, with the line of the source that each line of these texts comes from. `gpuc
// explore` writes it as a page, and the playground shows it while somebody types.
//
//	explore.go  a program on its way
//	lines.go    where lines of a target's code come from
//	page.go     the page, of page.html, page.css and page.js
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

// Exploration is a program on its way to code, in the form that the page reads.
type Exploration struct {
	// Sources are the files that lines come from.
	Sources []Source `json:"sources"`
	Kernels []Kernel `json:"kernels"`
	// Texts are what stages and targets refer to. Most targets have the first stages in common.
	Texts []Text `json:"texts"`
}

// Source is a file. Its lines have the numbers from First on: one number tells a file and a line of
// it.
type Source struct {
	Name  string   `json:"name"`
	First int      `json:"first"`
	Lines []string `json:"lines"`
}

// Text is a text and the numbers of the lines that its lines come from, 0 for none.
type Text struct {
	Text string `json:"text"`
	From []int  `json:"from"`
}

// Kernel is an entry point.
type Kernel struct {
	Name    string   `json:"name"`
	Targets []Target `json:"targets"`
}

// Target is a kernel on its way to a target.
type Target struct {
	Title  string  `json:"title"` // with the profile, if one was asked for
	Doc    string  `json:"doc"`
	Stages []Stage `json:"stages"` // the first is what the front end has made
	Code   int     `json:"code"`   // of Texts; -1 if there is none
	// Refusal says why there is none, as a terminal shows it.
	Refusal string `json:"refusal,omitempty"`
	// Left says that nobody has asked for this target.
	Left bool `json:"left,omitempty"`
}

// LeftOut returns a target that nobody has asked for.
func LeftOut(t *codegen.Target) Target {
	return Target{Title: t.Title(), Doc: t.Doc, Stages: []Stage{}, Code: -1, Left: true}
}

// Stage is what a pass leaves.
type Stage struct {
	Pass string `json:"pass"` // "" for the front end
	Doc  string `json:"doc"`
	Text int    `json:"text"` // of Texts
	// Idle are the passes that follow and change nothing.
	Idle []string `json:"idle,omitempty"`
}

// Explore compiles kernels of a module for targets and notes what there is on the way. What a
// target cannot express is its Refusal. Context in the options is overwritten.
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

// sources numbers lines of files.
type sources struct {
	set   *source.Set
	all   []Source
	first map[*source.File]int
	next  int
}

// files are those that there are.
func (s *sources) files() []*source.File {
	if s.set == nil {
		return nil
	}
	return s.set.Files()
}

// number gives the lines of a file their numbers, and returns the first.
func (s *sources) number(f *source.File) int {
	if first, ok := s.first[f]; ok {
		return first
	}
	out, count := Source{Name: f.Name, First: s.next}, f.LineOf(f.Base+source.Pos(len(f.Text)))
	s.first[f], s.next = s.next, s.next+count
	if f.Line(count) == "" { // behind the last line's end
		count--
	}
	for n := range count {
		out.Lines = append(out.Lines, f.Line(n+1))
	}
	s.all = append(s.all, out)
	return out.First
}

// line returns the number of the line at a position, 0 if that is none.
func (s *sources) line(at source.Pos) int {
	f := s.set.File(at)
	if f == nil {
		return 0
	}
	return s.number(f) + f.LineOf(at) - 1
}

// named returns the number of a line in a file by the file's name, 0 if there is none.
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

// keep returns the number of a text.
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

// follow compiles a kernel for a target.
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
	var places []source.Pos
	options.Lines = !r.placed
	if r.placed {
		options.Place = func(line int, at source.Pos) {
			places = append(places, make([]source.Pos, max(0, line+1-len(places)))...)
			places[line] = at
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
	case r.placed:
		from := make([]int, countLines(text))
		for line, at := range places {
			from[line] = x.sources.line(at)
		}
		out.Code = x.keep(text, from)
	case r.read != nil:
		out.Code = x.keep(x.readLines(text, r.read))
	case len(out.Stages) > 0: // the code is the IR, with the source in front of it
		out.Code = out.Stages[len(out.Stages)-1].Text
	}
	return out
}

// moduleText returns the text of a module, in a memory that is there, and the lines that its lines
// come from.
func (x *explorer) moduleText(to []byte, m *ir.Module) (text []byte, from []int) {
	type place struct {
		bytes int
		at    source.Pos
	}
	var places []place
	text = m.AppendText(to, ir.PrintOptions{Place: func(bytes int, s source.Span) { places = append(places, place{bytes, s.Start}) }})
	from = make([]int, 0, countLines(text))
	end := 0
	for line := range bytes.Lines(text) {
		end += len(line)
		number := 0
		for len(places) > 0 && places[0].bytes < end {
			number, places = x.sources.line(places[0].at), places[1:]
		}
		from = append(from, number)
	}
	return text, from
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// rendered shows diagnostics as a terminal does, without colours.
func rendered(set *source.Set, items []diag.Diagnostic) string {
	var b bytes.Buffer
	if err := diag.Write(&b, set, slices.Clone(items)); err != nil {
		return err.Error() // which a buffer does not have
	}
	return b.String()
}
