package eval_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

var sink uint64

// BenchmarkFor is the cost of one call, as the interpreter makes it.
func BenchmarkFor(b *testing.B) {
	one := scalar.FromFloat64
	for _, row := range []struct {
		o    op.Op
		k    scalar.Kind
		x, y uint64
	}{
		{op.Add, scalar.I32, 7, 9},
		{op.Div, scalar.I32, 700, 9},
		{op.Add, scalar.F32, one(scalar.F32, 1.5), one(scalar.F32, 3)},
		{op.Fma, scalar.F32, one(scalar.F32, 1.5), one(scalar.F32, 1e-9)},
		{op.Lt, scalar.F32, one(scalar.F32, 1.5), one(scalar.F32, 3)},
		{op.Min, scalar.F32, one(scalar.F32, 1.5), one(scalar.F32, 3)},
		{op.Add, scalar.F16, one(scalar.F16, 1.5), one(scalar.F16, 3)},
		{op.Sqrt, scalar.F32, one(scalar.F32, 1.5), 0},
		{op.Rem, scalar.F32, one(scalar.F32, 15.5), one(scalar.F32, 3)},
		{op.Sin, scalar.F32, one(scalar.F32, 1.5), 0},
	} {
		b.Run(row.o.String()+"/"+row.k.String(), func(b *testing.B) {
			f := eval.For(row.o, row.k)
			b.ReportAllocs()
			for range b.N {
				sink += f(row.x, row.y, row.y, 0)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
		})
	}
	b.Run("convert/f32-i32", func(b *testing.B) {
		f := eval.Convert(scalar.I32, scalar.F32)
		for range b.N {
			sink += f(one(scalar.F32, 15.5))
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
	})
}
