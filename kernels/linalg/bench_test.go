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

func BenchmarkGemmBatch(b *testing.B) {
	s := benchStream(b)
	for _, n := range []int{16, 24, 32, 64} {
		const count = 500
		benchBatch[float32](b, s, count, n)
		benchBatch[float64](b, s, count, n)
	}
}

func benchBatch[T Element](b *testing.B, s *gpu.Stream, count, n int) {
	x, y, z := BatchOf(benchMatrix[T](b, s, count*n, n).Buffer, count, n, n), BatchOf(benchMatrix[T](b, s, count*n, n).Buffer, count, n, n), BatchOf(benchMatrix[T](b, s, count*n, n).Buffer, count, n, n)
	flops := 2 * float64(count) * float64(n*n*n)
	bench(b, fmt.Sprintf("%T/%d", *new(T), n), s, flops, 0, func() error { return GemmBatch(s, 1, x, y, 0, z) })
	bench(b, fmt.Sprintf("%T transposed/%d", *new(T), n), s, flops, 0, func() error { return GemmBatch(s, 1, x.T(), y.T(), 0, z) })
	bench(b, fmt.Sprintf("%T strict/%d", *new(T), n), s, flops, 0, func() error { return GemmBatch(s, 1, x, y, 0, z, Strict()) })
}

func BenchmarkSkinny(b *testing.B) {
	s := benchStream(b)
	const n = 2048
	a := benchMatrix[float32](b, s, n, n)
	for _, cols := range []int{1, 4, 8, 16} {
		x, y := benchMatrix[float32](b, s, n, cols), benchMatrix[float32](b, s, n, cols)
		bytes := 4 * float64(n) * float64(n)
		bench(b, fmt.Sprintf("rows/%d", cols), s, 0, bytes, func() error { return Gemm(s, 1, a, x, 0, y) })
		bench(b, fmt.Sprintf("columns/%d", cols), s, 0, bytes, func() error { return Gemm(s, 1, a.T(), x, 0, y) })
		bench(b, fmt.Sprintf("strict/%d", cols), s, 0, bytes, func() error { return Gemm(s, 1, a, x, 0, y, Strict()) })
	}
}

func BenchmarkSparse(b *testing.B) {
	s := benchStream(b)
	const n, each = 1 << 13, 16
	starts, columns, values := make([]int32, n+1), make([]int32, n*each), make([]float32, n*each)
	for k := range columns {
		columns[k], values[k] = int32(k%each*(n/each)+k/each%17), float32(k%7)
	}
	for _, uneven := range []bool{false, true} {
		for i := range n {
			starts[i+1] = int32((i + 1) * each)
			if uneven && i < n-1 { // the last row has most of the elements
				starts[i+1] = int32(i + 1)
			}
		}
		a := CSR[float32]{n, n, benchBuffer(b, s, starts), benchBuffer(b, s, columns), benchBuffer(b, s, values)}
		x, y := VectorOf(benchMatrix[float32](b, s, 1, n).Buffer), VectorOf(benchMatrix[float32](b, s, 1, n).Buffer)
		bench(b, fmt.Sprintf("MulVec/uneven=%v", uneven), s, 0, 8*n*each, func() error { return MulVec(s, 1, a, x, 0, y) })
		t := CSR[float32]{n, n, benchBuffer(b, s, starts), benchBuffer(b, s, columns), benchBuffer(b, s, values)}
		bench(b, fmt.Sprintf("TransposeCSR/uneven=%v", uneven), s, 0, 8*n*each, func() error { return TransposeCSR(s, a, t) })
	}
}

func benchBuffer[T any](b *testing.B, s *gpu.Stream, host []T) *gpu.Buffer[T] {
	b.Helper()
	x := must[*gpu.Buffer[T]](b)(gpu.Upload(b.Context(), s.Device(), host))
	b.Cleanup(func() { check(b, x.Close()) })
	return x
}

func BenchmarkComplex(b *testing.B) {
	s := benchStream(b)
	for _, n := range []int{64, 512} {
		benchComplex[complex64](b, s, n)
		benchComplex[complex128](b, s, n)
	}
}

func benchComplex[C Complex](b *testing.B, s *gpu.Stream, n int) {
	make := func() gpu.MatrixBuffer[C] {
		host := make([]C, n*n)
		for i := range host {
			host[i] = C(complex(float64(i%17), float64(i%13)))
		}
		return gpu.MatrixOf(benchBuffer(b, s, host), n, n)
	}
	x, y, z := make(), make(), make()
	flops := 8 * float64(n) * float64(n) * float64(n)
	bench(b, fmt.Sprintf("CGemm %T/%d", *new(C), n), s, flops, 0, func() error { return CGemm(s, 1, Plain(x), Plain(y), 0, z) })
}
