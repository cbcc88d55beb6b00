package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkProcessor compares the CPU device with OpenBLAS. Ratios above 1 mean that ours is
// faster.
func BenchmarkProcessor(b *testing.B) {
	library, err := vendorlib.OpenProcessorBLAS()
	if err != nil {
		b.Skip("skipped: no OpenBLAS: ", err)
	}
	s := onCPU(b)
	r := rand.New(rand.NewPCG(1, 2))
	vector := func(n int) (*gpu.Buffer[float32], []float32) {
		host := make([]float32, n)
		for i := range host {
			host[i] = r.Float32() - 0.5
		}
		x := allocate[float32](b, s, n)
		check(b, x.Write(s, host))
		return x, host
	}
	for _, n := range []int{256, 512, 1024, 2048} {
		x, a := vector(n * n)
		y, c := vector(n * n)
		z, d := vector(n * n)
		b.Run(fmt.Sprint("gemm/", n), func(b *testing.B) {
			vendorlib.CompareOnProcessor(b, s, func() error {
				return Gemm(s, 1, gpu.MatrixOf(x, n, n), gpu.MatrixOf(y, n, n), 0, gpu.MatrixOf(z, n, n))
			},
				func() error { return library.Gemm(n, a, c, d) })
		})
		v, e := vector(n)
		w, f := vector(n)
		b.Run(fmt.Sprint("gemv/", n), func(b *testing.B) {
			vendorlib.CompareOnProcessor(b, s, func() error { return Gemv(s, 1, gpu.MatrixOf(x, n, n), VectorOf(v), 0, VectorOf(w)) },
				func() error { return library.Gemv(n, a, e, f) })
		})
	}
	for _, n := range []int{1 << 16, 1 << 20, 1 << 24} {
		x, a := vector(n)
		y, c := vector(n)
		result := allocate[float32](b, s, 1)
		b.Run(fmt.Sprint("dot/", n), func(b *testing.B) {
			vendorlib.CompareOnProcessor(b, s, func() error { return Dot(s, VectorOf(x), VectorOf(y), result) }, func() error { return library.Dot(a, c) })
		})
	}
}
