package ir

import (
	"strings"

	"github.com/gpuc/gpuc/ir/source"
)

// excerpt returns the sources of a module with those lines alone that something comes from, the
// others being empty. It also returns a function that maps positions in such lines to those in the
// result. Files without such lines are left out, and others are named.
func (m *Module) excerpt(named func(file string) string) (*source.Set, func(source.Pos) source.Pos) {
	used := map[*source.File]map[int]bool{}
	use := func(at source.Pos) {
		if f := m.Sources.File(at); f != nil {
			if used[f] == nil {
				used[f] = map[int]bool{}
			}
			used[f][f.LineOf(at)] = true
		}
	}
	m.AppendText(nil, PrintOptions{SourceMap: func(_ int, span source.Span) {
		use(span.Start)
		use(span.End)
	}})
	set, excerpts := new(source.Set), map[*source.File]*source.File{}
	for _, f := range m.Sources.Files() {
		if used[f] == nil {
			continue
		}
		var text strings.Builder
		for n := range f.LineOf(f.Base + source.Pos(len(f.Text))) {
			if used[f][n+1] {
				text.WriteString(f.Line(n + 1))
			}
			text.WriteByte('\n')
		}
		// smaller than what fits
		excerpts[f], _ = set.Add(named(f.Name), strings.TrimRight(text.String(), "\n")+"\n")
	}
	return set, func(at source.Pos) source.Pos {
		f := m.Sources.File(at)
		if excerpts[f] == nil {
			return at
		}
		line := f.LineOf(at)
		return excerpts[f].LineStart(line) + at - f.LineStart(line)
	}
}
