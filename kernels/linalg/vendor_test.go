package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkVendor compares with cuBLAS. Ratios above 1 mean that ours is faster.
func BenchmarkVendor(b *testing.B) {
	_, s := vendorlib.Device(b)
	cublas, err := vendorlib.OpenBLAS(s)
	if err != nil {
		b.Skip("skipped: no cuBLAS: ", err)
	}
	b.Cleanup(func() { _ = cublas.Close() })
	singles, doubles := allocate[float32](b, s, 2), allocate[float64](b, s, 2)
	if err := singles.Write(s, []float32{1, 0}); err != nil {
		b.Fatal(err)
	}
	if err := doubles.Write(s, []float64{1, 0}); err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1 << 20, 1 << 24, 1 << 28} {
		x, y, result, index := random[float32](b, s, n), random[float32](b, s, n), allocate[float32](b, s, 1), allocate[int32](b, s, 1)
		vx, vy := VectorOf(x), VectorOf(y)
		ours := map[string]func() error{
			"axpy": func() error { return Axpy(s, 1, vx, vy) }, "dot": func() error { return Dot(s, vx, vy, result) }, "nrm2": func() error { return Nrm2(s, vx, result) },
			"asum": func() error { return Asum(s, vx, result) }, "iamax": func() error { return Iamax(s, vx, index) },
		}
		bytes := map[string]float64{"axpy": 12, "dot": 8, "nrm2": 4, "asum": 4, "iamax": 4}
		for _, f := range vendorlib.Level1s {
			b.Run(fmt.Sprint(f.Name, "/", n), func(b *testing.B) {
				var to gpu.Bound = result
				if f.Name == "iamax" {
					to = index
				}
				vendorlib.Compare(b, s, ours[f.Name], func() error { return f.Run(cublas, n, singles, x, y, to) }, bytes[f.Name]*float64(n), 0)
			})
		}
		x.Close()
		y.Close()
	}
	for _, n := range []int{1024, 4096, 16384} {
		a, x, y := random[float32](b, s, n*n), random[float32](b, s, n), allocate[float32](b, s, n)
		m := gpu.MatrixOf(a, n, n)
		for _, transposed := range []bool{false, true} {
			m := m
			name := "gemv"
			if transposed {
				m, name = m.T(), "gemv-transposed"
			}
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				vendorlib.Compare(b, s, func() error { return Gemv(s, 1, m, VectorOf(x), 0, VectorOf(y)) },
					func() error { return cublas.Gemv(!transposed, n, n, singles, a, x, y) }, 4*float64(n)*float64(n), 0)
			})
		}
		a.Close()
	}
	compareProducts[float32](b, s, cublas, "gemm-f32-strict", vendorlib.F32, vendorlib.Compute32F, singles, []int{512, 1024, 2048, 4096, 8192}, Strict())
	compareProducts[float32](b, s, cublas, "gemm-f32", vendorlib.F32, vendorlib.Compute32F, singles, []int{512, 1024, 2048, 4096, 8192})
	compareProducts[float64](b, s, cublas, "gemm-f64", vendorlib.F64, vendorlib.Compute64F, doubles, []int{512, 1024, 1536, 2048, 4096, 8192})
	compareDoubleTiles(b, s, cublas, doubles)
	compareProducts[gpu.Float16](b, s, cublas, "gemm-f16", vendorlib.F16, vendorlib.Compute32F, singles, []int{512, 1024, 2048, 4096, 8192, 16384})
	compareProducts[gpu.BFloat16](b, s, cublas, "gemm-bf16", vendorlib.BF16, vendorlib.Compute32F, singles, []int{2048, 4096, 8192})
	for _, n := range []int{16, 32, 64} {
		const count = 10000
		b.Run(fmt.Sprint("gemm-batch-f32/", n), func(b *testing.B) {
			x, y, z := random[float32](b, s, count*n*n), random[float32](b, s, count*n*n), allocate[float32](b, s, count*n*n)
			p := vendorlib.Product{M: n, N: n, K: n, Compute: vendorlib.Compute32F, Batch: count}
			vendorlib.Compare(b, s, func() error {
				return GemmBatch(s, 1, BatchOf(x, count, n, n), BatchOf(y, count, n, n), 0, BatchOf(z, count, n, n))
			},
				func() error { return cublas.Gemm(&p, singles, y, x, z) }, 12*float64(count*n*n), 2*float64(count)*float64(n*n*n))
		})
	}
}

// compareProducts compares products of square matrices in rows.
func compareProducts[T Element](b *testing.B, s *gpu.Stream, cublas *vendorlib.BLAS, name string, kind vendorlib.Kind, compute int, scalars gpu.Bound, sizes []int, o ...Option) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
			x, y, z := random[T](b, s, n*n), random[T](b, s, n*n), allocate[T](b, s, n*n)
			p := vendorlib.Product{M: n, N: n, K: n, A: kind, B: kind, C: kind, Compute: compute}
			vendorlib.Compare(b, s, func() error {
				return Gemm(s, 1, gpu.MatrixOf(x, n, n), gpu.MatrixOf(y, n, n), 0, gpu.MatrixOf(z, n, n), o...)
			},
				func() error { return cublas.Gemm(&p, scalars, y, x, z) }, 0, 2*float64(n)*float64(n)*float64(n))
		})
	}
}

// compareDoubleTiles compares products of float64 by each tile, also where others are chosen.
func compareDoubleTiles(b *testing.B, s *gpu.Stream, cublas *vendorlib.BLAS, scalars gpu.Bound) {
	for _, t := range doubleTiles {
		for _, n := range []int{1024, 4096, 8192} {
			for _, beta := range []float64{0, 1} {
				b.Run(fmt.Sprintf("gemm-f64-tile-%dx%d-beta-%v/%d", t.rows, t.cols, beta, n), func(b *testing.B) {
					x, y, z := random[float64](b, s, n*n), random[float64](b, s, n*n), allocate[float64](b, s, n*n)
					p := vendorlib.Product{M: n, N: n, K: n, A: vendorlib.F64, B: vendorlib.F64, C: vendorlib.F64, Compute: vendorlib.Compute64F}
					vendorlib.Compare(b, s, func() error {
						return launchDouble(s, t.tile, 1, gpu.MatrixOf(x, n, n), gpu.MatrixOf(y, n, n), beta, gpu.MatrixOf(z, n, n), product.All, Option{})
					}, func() error { return cublas.Gemm(&p, scalars, y, x, z) }, 0, 2*float64(n)*float64(n)*float64(n))
				})
			}
		}
	}
}

// allocate makes a buffer that lives as long as the benchmark.
func allocate[T any](b *testing.B, s *gpu.Stream, n int) *gpu.Buffer[T] {
	b.Helper()
	x, err := gpu.Alloc[T](s, n)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = x.Close() })
	return x
}

// random makes a buffer of n numbers from -1 to 1, the same million again and again: devices are
// faster with zeros. Rows of large matrices differ, since a million is no multiple of their length.
func random[T Element](b *testing.B, s *gpu.Stream, n int) *gpu.Buffer[T] {
	b.Helper()
	x := allocate[T](b, s, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	host := make([]T, min(n, 1<<20-4))
	for i := range host {
		v := 2*r.Float64() - 1
		switch p := any(&host[i]).(type) {
		case *float32:
			*p = float32(v)
		case *float64:
			*p = v
		case *gpu.Float16:
			*p = gpu.ToFloat16(float32(v))
		case *gpu.BFloat16:
			*p = gpu.ToBFloat16(float32(v))
		}
	}
	for first := 0; first < n; first += len(host) {
		part, err := x.Slice(first, min(first+len(host), n))
		if err == nil {
			err = part.Write(s, host[:part.Len()])
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return x
}
