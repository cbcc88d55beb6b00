package check

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// BenchmarkCheck checks a program of 4000 lines again and again.
func BenchmarkCheck(b *testing.B) {
	text, err := exectest.LargeProgram("../../..", 4000)
	if err != nil {
		b.Fatal(err)
	}
	set := &source.Set{}
	file, err := set.Add("large.wgsl", text)
	if err != nil {
		b.Fatal(err)
	}
	list := &diag.List{}
	tree := syntax.NewParser(sem.Vocabulary()).Parse(file, list)
	m := ir.NewModule(set)
	checker := &Checker{}
	checker.Check(tree, m, Options{}, list)
	if list.Errors() > 0 {
		d := list.Items()[0]
		b.Fatalf("%s: %s", set.Position(d.Span.Start), d.Message)
	}
	lines := strings.Count(text, "\n")
	b.ReportAllocs()
	for b.Loop() {
		m.Reset(set)
		checker.Check(tree, m, Options{}, list)
	}
	b.ReportMetric(float64(b.N)*float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
