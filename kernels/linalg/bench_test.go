package linalg

import (
	"flag"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

var benchDevice = flag.String("device", gpu.CPU, "the device that benchmarks run on")

// bench runs a call until it takes long enough. It reports a rate: of operations if flops is not
// zero, else of bytes.
func bench(b *testing.B, name string, s *gpu.Stream, flops, bytes float64, call func() error) {
	b.Run(name, func(b *testing.B) {
		check(b, call()) // loads the kernel
		check(b, s.Wait(b.Context()))
		n := 0
		for b.Loop() {
			check(b, call())
			if n++; n%16 == 0 || flops > 1e9 || bytes > 1e8 {
				check(b, s.Wait(b.Context()))
			}
		}
		check(b, s.Wait(b.Context()))
		seconds := b.Elapsed().Seconds()
		if flops > 0 {
			b.ReportMetric(flops*float64(n)/seconds/1e9, "GFLOP/s")
		} else {
			b.ReportMetric(bytes*float64(n)/seconds/1e9, "GB/s")
		}
	})
}

func benchStream(b *testing.B) *gpu.Stream {
	b.Helper()
	return streamOf(b, gputest.Open(b, gpu.Named(*benchDevice)))
}

func benchMatrix[T Element](b *testing.B, s *gpu.Stream, rows, cols int) gpu.MatrixBuffer[T] {
	b.Helper()
	host := make([]T, rows*cols)
	for i := range host {
		host[i] = round[T](float64(i*7919%1024)/1024 - 0.5)
	}
	x := must[*gpu.Buffer[T]](b)(gpu.Upload(b.Context(), s.Device(), host))
	b.Cleanup(func() { check(b, x.Close()) })
	return gpu.MatrixOf(x, rows, cols)
}

func BenchmarkLevel1(b *testing.B) {
	s := benchStream(b)
	for _, n := range []int{1 << 16, 1 << 24} {
		x, y := VectorOf(benchMatrix[float32](b, s, 1, n).Buffer), VectorOf(benchMatrix[float32](b, s, 1, n).Buffer)
		to := benchMatrix[float32](b, s, 1, 1).Buffer
		bench(b, fmt.Sprintf("Axpy/%d", n), s, 0, 12*float64(n), func() error { return Axpy(s, 0.5, x, y) })
		bench(b, fmt.Sprintf("Copy/%d", n), s, 0, 8*float64(n), func() error { return Copy(s, x, y) })
		bench(b, fmt.Sprintf("Dot/%d", n), s, 0, 8*float64(n), func() error { return Dot(s, x, y, to) })
		bench(b, fmt.Sprintf("Nrm2/%d", n), s, 0, 4*float64(n), func() error { return Nrm2(s, x, to) })
	}
}

func BenchmarkGemv(b *testing.B) {
	s := benchStream(b)
	for _, n := range []int{512, 4096} {
		a, x, y := benchMatrix[float32](b, s, n, n), VectorOf(benchMatrix[float32](b, s, 1, n).Buffer), VectorOf(benchMatrix[float32](b, s, 1, n).Buffer)
		bytes := 4 * float64(n) * float64(n)
		bench(b, fmt.Sprintf("rows/%d", n), s, 0, bytes, func() error { return Gemv(s, 1, a, x, 0, y) })
		bench(b, fmt.Sprintf("columns/%d", n), s, 0, bytes, func() error { return Gemv(s, 1, a.T(), x, 0, y) })
		bench(b, fmt.Sprintf("Ger/%d", n), s, 0, 2*bytes, func() error { return Ger(s, 0.001, x, y, a) })
		bench(b, fmt.Sprintf("Trsv/%d", n), s, 0, bytes/2, func() error { return Trsv(s, Lower, Unit, a, y) })
	}
}

func BenchmarkGemm(b *testing.B) {
	s := benchStream(b)
	for _, n := range []int{64, 512, 1000, 2048} {
		x, y, z := benchMatrix[float32](b, s, n, n), benchMatrix[float32](b, s, n, n), benchMatrix[float32](b, s, n, n)
		flops := 2 * float64(n) * float64(n) * float64(n)
		bench(b, fmt.Sprintf("float32/%d", n), s, flops, 0, func() error { return Gemm(s, 1, x, y, 0, z) })
		bench(b, fmt.Sprintf("float32 transposed/%d", n), s, flops, 0, func() error { return Gemm(s, 1, x.T(), y.T(), 0, z) })
		bench(b, fmt.Sprintf("float32 strict/%d", n), s, flops, 0, func() error { return Gemm(s, 1, x, y, 0, z, Strict()) })
		bench(b, fmt.Sprintf("Trsm float32/%d", n), s, flops/2, 0, func() error { return Trsm(s, Left, Lower, Unit, 1, x, z) })
		u, v, w := benchMatrix[float64](b, s, n, n), benchMatrix[float64](b, s, n, n), benchMatrix[float64](b, s, n, n)
		bench(b, fmt.Sprintf("float64/%d", n), s, flops, 0, func() error { return Gemm(s, 1, u, v, 0, w) })
		p, q, o := benchMatrix[gpu.Float16](b, s, n, n), benchMatrix[gpu.Float16](b, s, n, n), benchMatrix[gpu.Float16](b, s, n, n)
		bench(b, fmt.Sprintf("Float16/%d", n), s, flops, 0, func() error { return Gemm(s, 1, p, q, 0, o) })
	}
}
