package autofix

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestFixesOverlap: two fixes that overlap are an error with both messages. The same fix twice
// counts once.
func TestFixesOverlap(t *testing.T) {
	program := func(fixes ...diag.Fix) *loader.Program {
		p := &loader.Program{Set: new(source.Set), List: new(diag.List)}
		file, err := p.Set.Add("a.wgsl", "abcdefgh")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fixes {
			f.Span.Start += file.Base
			f.Span.End += file.Base
			p.List.Add(diag.Diagnostic{Span: f.Span, Fixes: []diag.Fix{f}})
		}
		return p
	}
	all := func(*source.File) bool { return true }
	fix := func(from, to source.Pos, message string) diag.Fix {
		return diag.Fix{Span: source.Span{Start: from, End: to}, Text: "x", Message: message}
	}
	for _, wrong := range [][2]diag.Fix{{fix(0, 3, "one"), fix(2, 4, "two")}, {fix(2, 2, "one"), fix(2, 2, "two")}, {fix(1, 5, "one"), fix(2, 2, "two")}} {
		const want = ": two fixes overlap: one, and two; nothing is changed: apply one of them by hand, and run -fix again"
		if _, err := onlyFixes(program(wrong[0], wrong[1]), all); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: got %v", wrong, err)
		}
	}
	fixes, err := onlyFixes(program(fix(3, 5, "two"), fix(0, 3, "one"), fix(3, 5, "two")), all)
	if err != nil || len(fixes) != 2 || fixes[0].Message != "one" {
		t.Errorf("got %v %v", fixes, err)
	}
}
