package wgsl

import (
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// BenchmarkFrontEnd runs the stages of the front end, each alone, on a kernel of
// middle size, again and again in the same memory.
func BenchmarkFrontEnd(b *testing.B) {
	text, err := os.ReadFile("../../testdata/exec/ray_tracer.wgsl")
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Count(string(text), "\n")
	set, list := &source.Set{}, &diag.List{}
	file, err := set.Add("ray_tracer.wgsl", string(text))
	if err != nil {
		b.Fatal(err)
	}
	options := Options{}
	c := NewCompiler()
	m := c.Load(set, file, options, list)
	if m == nil {
		b.Fatal(list.Items())
	}
	tree := c.parser.Parse(file, list)
	info := c.checker.Check(tree, ir.NewModule(set), options.Check, list)
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"Parse", func() { c.parser.Parse(file, list) }},
		{"Check", func() {
			m.Reset(set)
			c.checker.Check(tree, m, options.Check, list)
		}},
		// The functions of the rounds before are taken out of the module again,
		// which otherwise holds what the checker has put there.
		{"Lower", func() {
			info.Module.EmptyFuncs()
			c.lowerer.Lower(info, options.Lower, list)
		}},
		{"Load", func() { c.Recycle(c.Load(set, file, options, list)) }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			tree = c.parser.Parse(file, list)
			info = c.checker.Check(tree, ir.NewModule(set), options.Check, list)
			b.ReportAllocs()
			for b.Loop() {
				stage.run()
			}
			b.ReportMetric(float64(b.N)*float64(lines)/b.Elapsed().Seconds()/1e3, "klines/s")
		})
	}
	if list.Errors() > 0 {
		b.Fatal(list.Items())
	}
}
