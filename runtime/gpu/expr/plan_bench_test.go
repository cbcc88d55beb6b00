package expr

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkPlan makes the plan of a network with so many layers, without compiling it.
func BenchmarkPlan(b *testing.B) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	c, err := New(d)
	if err != nil {
		b.Fatal(err)
	}
	for name, layers := range map[string]int{"a layer": 1, "100 layers": 100} {
		b.Run(name, func(b *testing.B) {
			x, w, v := From(c, make([]float32, 64*64), 64, 64), From(c, make([]float32, 64*64), 64, 64), From(c, make([]float32, 64))
			y := x
			for range layers {
				y = y.Add(y.MatMul(w).Add(v).GELU()).LayerNorm(v, v, 1e-5)
			}
			for range b.N {
				if err := c.gather([]*Tensor{y}); err != nil {
					b.Fatal(err)
				}
				p, err := newPlan(c, c.nodes, []int{y.number})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(p.steps)), "kernels")
			}
		})
	}
}
