package wgsl

import (
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
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
	check := func() *sem.Info {
		m.Reset(set)
		return c.checker.Check(tree, m, options.Check, list)
	}
	for _, stage := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"Parse", func(*testing.B) { c.parser.Parse(file, list) }},
		{"Check", func(*testing.B) { check() }},
		{"Lower", func(b *testing.B) {
			b.StopTimer()
			info := check()
			b.StartTimer()
			c.lowerer.Lower(info, options.Lower, list)
		}},
		{"Load", func(*testing.B) { c.Recycle(c.Load(set, file, options, list)) }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				stage.run(b)
			}
			b.ReportMetric(float64(b.N)*float64(lines)/b.Elapsed().Seconds()/1e3, "klines/s")
		})
	}
	if list.Errors() > 0 {
		b.Fatal(list.Items())
	}
}
