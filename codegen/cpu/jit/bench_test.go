package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/ir"
)

// BenchmarkCompile compiles all entry points of the exec kernels that are not refused, from the
// machine level on. It reports how large they are and the processor time, which other programs
// disturb less than the time on the wall.
func BenchmarkCompile(b *testing.B) {
	for _, c := range exectest.Cases() {
		if len(c.Textures) > 0 {
			continue
		}
		m := module(b, c.File(), 0)
		var o codegen.Options
		for _, x := range c.Dispatches[0].Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: x.Name, Value: x.Value})
		}
		p, _, err := compiled(b, m, c.Dispatches[0].Entry, &o)
		if err != nil {
			continue
		}
		b.Run(c.Name, func(b *testing.B) {
			size := 0
			spent := peak.Processor(func() {
				for b.Loop() {
					code, err := Compile(p, Options{})
					if err != nil {
						b.Fatal(err)
					}
					size = len(code.Text)
				}
			})
			b.ReportAllocs()
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
