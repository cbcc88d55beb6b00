package gonum

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/kernels/signal"
	"github.com/gpuc/gpuc/runtime/gpu"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/dsp/fourier"
)

// BenchmarkProcessor compares functions of the CPU device with those of gonum, which are Go and
// assembly. Ratios above 1 mean that ours are faster. Data is in memory of the device already.
func BenchmarkProcessor(b *testing.B) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	check(b, err)
	defer d.Close()
	s, err := d.NewStream()
	check(b, err)
	var theirs gonum.Implementation
	for _, n := range []int{128, 512, 1024} {
		b.Run(fmt.Sprint("Gemm/f32/", n), func(b *testing.B) {
			x, y, z := filled[float32](n*n), filled[float32](n*n), make([]float32, n*n)
			a, c, to := squareOf(b, s, n, x), squareOf(b, s, n, y), squareOf(b, s, n, z)
			compare(b, s, func() error { return linalg.Gemm(s, 1, a, c, 0, to) },
				func() { theirs.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n) })
		})
		b.Run(fmt.Sprint("Gemm/f64/", n), func(b *testing.B) {
			x, y, z := filled[float64](n*n), filled[float64](n*n), make([]float64, n*n)
			a, c, to := squareOf(b, s, n, x), squareOf(b, s, n, y), squareOf(b, s, n, z)
			compare(b, s, func() error { return linalg.Gemm(s, 1, a, c, 0, to) },
				func() { theirs.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n) })
		})
		b.Run(fmt.Sprint("Gemv/f64/", n), func(b *testing.B) {
			x, y, z := filled[float64](n*n), filled[float64](n), make([]float64, n)
			a, v, to := squareOf(b, s, n, x), resident(b, s, y), resident(b, s, z)
			compare(b, s, func() error { return linalg.Gemv(s, 1, a, v, 0, to) },
				func() { theirs.Dgemv(blas.NoTrans, n, n, 1, x, n, y, 1, 0, z, 1) })
		})
	}
	for _, n := range []int{1 << 16, 1 << 22} {
		b.Run(fmt.Sprint("Dot/f64/", n), func(b *testing.B) {
			x, y := filled[float64](n), filled[float64](n)
			v, w := resident(b, s, x), resident(b, s, y)
			to, err := gpu.Alloc[float64](s, 1)
			check(b, err)
			compare(b, s, func() error { return linalg.Dot(s, v, w, to) }, func() { theirs.Ddot(n, x, 1, y, 1) })
		})
	}
	for _, n := range []int{1000, 1024, 1 << 16} {
		b.Run(fmt.Sprint("FFT/complex128/", n), func(b *testing.B) {
			from, to := make([]complex128, n), make([]complex128, n)
			for i, v := range filled[float64](n) {
				from[i] = complex(v, -v)
			}
			x, err := gpu.Alloc[complex128](s, n)
			check(b, err)
			y, err := gpu.Alloc[complex128](s, n)
			check(b, err)
			check(b, x.Write(s, from))
			plan, err := signal.PlanFFT[complex128](s, []int{n}, 1)
			check(b, err)
			defer plan.Close()
			their := fourier.NewCmplxFFT(n)
			compare(b, s, func() error { return plan.Forward(x, y) }, func() { their.Coefficients(to, from) })
		})
	}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func filled[T linalg.Real](n int) []T {
	list := make([]T, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		list[i] = T(rng.Float64() - 0.5)
	}
	return list
}

func resident[T linalg.Real](b *testing.B, s *gpu.Stream, list []T) linalg.Vector[T] {
	buffer, err := gpu.Alloc[T](s, len(list))
	check(b, err)
	check(b, buffer.Write(s, list))
	return linalg.VectorOf(buffer)
}

func squareOf[T linalg.Real](b *testing.B, s *gpu.Stream, n int, list []T) gpu.MatrixBuffer[T] {
	l := gpu.MatrixLayout{Rows: n, Cols: n, RowStride: n, ColStride: 1}
	return gpu.MatrixBuffer[T]{Buffer: resident(b, s, list).Buffer, MatrixLayout: l}
}

// compare reports the ratio of medians of calls that alternate.
func compare(b *testing.B, s *gpu.Stream, ours func() error, theirs func()) {
	b.Helper()
	const rounds, enough = 9, 20 * time.Millisecond
	ways := [2]func(){func() {
		check(b, ours())
		check(b, s.Wait(b.Context()))
	}, theirs}
	var times [2][]time.Duration
	for range rounds {
		for n, way := range ways {
			runs, start := 0, time.Now()
			for time.Since(start) < enough {
				way()
				runs++
			}
			times[n] = append(times[n], time.Since(start)/time.Duration(runs))
		}
	}
	for b.Loop() { // what is reported is measured above
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[1][rounds/2])/float64(times[0][rounds/2]), "of-gonum")
	b.ReportMetric(float64(times[0][rounds/2].Nanoseconds())/1e3, "µs")
}
