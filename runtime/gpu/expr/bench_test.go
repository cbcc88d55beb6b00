package expr_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

// Benchmarks, of graphs that are made anew in each iteration:
//
//	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o expr.test ./runtime/gpu/expr
//	./expr.test -test.run '^$' -test.bench . -test.benchtime 200x
//
// GB/s count each element of an argument and of the result once.
var (
	benchDevice = flag.String("device", "", "the device of benchmarks; by default the first GPU")
	benchShift  = flag.Int("smaller", 0, "divide the sizes of benchmarks by a power of two")
)

func openBench(b *testing.B) *expr.Context {
	b.Helper()
	options := []gpu.Option{gpu.AllowCPU()}
	if *benchDevice != "" {
		options = []gpu.Option{gpu.Named(*benchDevice)}
	}
	d, err := gpu.Open(options...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close() })
	c, err := expr.New(d)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// noise makes a tensor of normal numbers.
func noise[T expr.Element](c *expr.Context, of func(float32) T, shape ...int) *expr.Tensor {
	r := rand.New(rand.NewPCG(1, uint64(len(shape))))
	list := make([]T, size(shape))
	for n := range list {
		list[n] = of(float32(r.NormFloat64()))
	}
	return expr.From(c, list, shape...)
}

// measure computes what build makes, and reports the rates for so many operations and bytes.
func measure(b *testing.B, c *expr.Context, flops, bytes float64, build func() *expr.Tensor) {
	run := func() {
		y := build()
		if err := c.Run(y); err != nil {
			b.Fatal(err)
		}
		if err := y.Close(); err != nil {
			b.Fatal(err)
		}
	}
	wait := func() {
		if err := c.Stream().Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	run() // compiles
	wait()
	before := c.Stats().Launches
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		run()
	}
	wait()
	b.StopTimer()
	seconds := b.Elapsed().Seconds() / float64(b.N)
	if flops > 0 {
		b.ReportMetric(flops/seconds/1e12, "TFLOP/s")
	}
	b.ReportMetric(bytes/seconds/1e9, "GB/s")
	b.ReportMetric(float64(c.Stats().Launches-before)/float64(b.N), "launches/op")
}

func one(x float32) float32 { return x }

// BenchmarkLayer is a product with bias and GELU.
func BenchmarkLayer(b *testing.B) {
	n := 4096 >> *benchShift
	flops := 2 * float64(n) * float64(n) * float64(n)
	b.Run(fmt.Sprint("float16/", n), func(b *testing.B) {
		c := openBench(b)
		x, w, bias := noise(c, gpu.ToFloat16, n, n), noise(c, gpu.ToFloat16, n, n), noise(c, gpu.ToFloat16, n)
		measure(b, c, flops, 6*float64(n)*float64(n), func() *expr.Tensor { return x.MatMul(w).Add(bias).GELU() })
	})
	b.Run(fmt.Sprint("float32/", n), func(b *testing.B) {
		c := openBench(b)
		x, w, bias := noise(c, one, n, n), noise(c, one, n, n), noise(c, one, n)
		measure(b, c, flops, 12*float64(n)*float64(n), func() *expr.Tensor { return x.MatMul(w).Add(bias).GELU() })
	})
}

// BenchmarkRows are softmax and layer norm of rows.
func BenchmarkRows(b *testing.B) {
	rows, columns := 8192>>*benchShift, 4096
	bytes := 8 * float64(rows) * float64(columns)
	for _, test := range []struct {
		name  string
		build func(x, w *expr.Tensor) *expr.Tensor
	}{
		{"Softmax", func(x, _ *expr.Tensor) *expr.Tensor { return x.Softmax(-1) }},
		{"LayerNorm", func(x, w *expr.Tensor) *expr.Tensor { return x.LayerNorm(w, w, 1e-5) }},
		{"Sum", func(x, _ *expr.Tensor) *expr.Tensor { return x.Sum(-1) }},
		{"SumOfColumns", func(x, _ *expr.Tensor) *expr.Tensor { return x.Sum(0) }},
		{"SumOfAll", func(x, _ *expr.Tensor) *expr.Tensor { return x.Sum() }},
	} {
		b.Run(fmt.Sprint(test.name, "/", rows, "x", columns), func(b *testing.B) {
			c := openBench(b)
			x, w := noise(c, one, rows, columns), noise(c, one, columns)
			moved := bytes
			if y := test.build(x, w); size(y.Shape()) < rows*columns {
				moved /= 2
			}
			measure(b, c, 0, moved, func() *expr.Tensor { return test.build(x, w) })
		})
	}
}

// BenchmarkChain is ten element-wise operations.
func BenchmarkChain(b *testing.B) {
	n := 64 << 20 >> *benchShift
	b.Run(fmt.Sprint(n>>20, "Mi"), func(b *testing.B) {
		c := openBench(b)
		x := noise(c, one, n)
		two, three := c.Scalar(2), c.Scalar(3)
		measure(b, c, 0, 8*float64(n), func() *expr.Tensor {
			return x.Mul(two).Add(three).Abs().Sqrt().Neg().Exp().Add(two).Mul(three).ReLU().Sub(two)
		})
	})
}
