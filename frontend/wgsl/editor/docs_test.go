package editor

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
)

// TestWords tests that the front end's words and the documented ones are the same.
func TestWords(t *testing.T) {
	var builtins, types, values []string
	for i, text := range sem.Words() {
		switch p := sem.Lookup(syntax.Symbol(i + 1)); p.Kind {
		case sem.FunctionName:
			builtins = append(builtins, text)
		case sem.VectorName, sem.MatrixName, sem.FormatName: // which need no sentence of their own
			if wordText(text, p) == "" {
				t.Errorf("nothing is said of %s", text)
			}
		default:
			types = append(types, text)
		}
	}
	for _, v := range callgraph.BuiltinValues {
		values = append(values, v.Name)
	}
	for _, c := range []struct {
		what     string
		chapters []chapter
		words    []string
	}{
		{"builtin functions", functions, builtins}, {"types and enumerants", predeclared, types}, {"attributes", attributes, check.AttributeNames()},
		{"builtin values", builtinValues, values}, {"extensions", extensions, check.Extensions()},
	} {
		var said []string
		for _, x := range c.chapters {
			if !slices.IsSortedFunc(x.words, func(a, b word) int { return strings.Compare(a.name, b.name) }) {
				t.Errorf("%s: %s is not in alphabetical order", c.what, x.section)
			}
			for _, w := range x.words {
				said = append(said, w.name)
				if !strings.HasSuffix(w.text, ".") {
					t.Errorf("%s: %q is no sentence", w.name, w.text)
				}
			}
		}
		slices.Sort(said)
		slices.Sort(c.words)
		for _, w := range c.words {
			if !slices.Contains(said, w) {
				t.Errorf("%s: nothing is said of %s", c.what, w)
			}
		}
		for _, w := range said {
			if !slices.Contains(c.words, w) {
				t.Errorf("%s: there is no %s", c.what, w)
			}
		}
	}
	for _, words := range [][]word{globalWords, statementWords, valueWords} {
		for _, w := range words {
			if !isKeyword(w.name) {
				t.Errorf("%s is no keyword", w.name)
			}
		}
	}
}
