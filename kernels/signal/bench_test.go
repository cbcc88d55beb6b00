package signal

import (
	"fmt"
	"os"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// benchmarkStream is on the CPU, or the device that GPUC_BENCH_DEVICE names.
func benchmarkStream(b *testing.B) *gpu.Stream {
	name := gpu.CPU
	if v := os.Getenv("GPUC_BENCH_DEVICE"); v != "" {
		name = v
	}
	return stream(b, name)
}

func BenchmarkFFT(b *testing.B) {
	for _, n := range []int{256, 1000, 1024, 3000, 4096, 1 << 13, 1 << 14, 1 << 16, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchmarkStream(b)
			batch := max(1, 1<<20/n)
			plan := must(PlanFFT[complex64](s, []int{n}, batch))
			x, y := buffer(b, s, narrow[complex64](random(n*batch, 1))), buffer(b, s, make([]complex64, n*batch))
			measure(b, s, 16*n*batch, func() error { return plan.Forward(x, y) })
		})
	}
}

func BenchmarkFFT2D(b *testing.B) {
	for _, n := range []int{512, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchmarkStream(b)
			plan := must(PlanFFT[complex64](s, []int{n, n}, 1))
			x, y := buffer(b, s, narrow[complex64](random(n*n, 1))), buffer(b, s, make([]complex64, n*n))
			measure(b, s, 16*n*n, func() error { return plan.Forward(x, y) })
		})
	}
}

func BenchmarkRealFFT(b *testing.B) {
	for _, n := range []int{1000, 4096, 1 << 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchmarkStream(b)
			batch := 1 << 20 / n
			plan := must(PlanRealFFT[float32, complex64](s, []int{n}, batch))
			host, _ := reals[float32](n*batch, 1)
			x, y := buffer(b, s, host), buffer(b, s, make([]complex64, (n/2+1)*batch))
			measure(b, s, 8*n*batch, func() error { return plan.Forward(x, y) })
		})
	}
}

func BenchmarkConvolution(b *testing.B) {
	for _, taps := range []int{15, 127, 1000} {
		b.Run(fmt.Sprint(taps), func(b *testing.B) {
			s := benchmarkStream(b)
			const n = 1 << 18
			plan := must(PlanConvolution[float32](s, []int{n}, []int{taps}, 1, Same))
			host, _ := reals[float32](n, 1)
			hostTaps, _ := reals[float32](taps, 2)
			x, h, y := buffer(b, s, host), buffer(b, s, hostTaps), buffer(b, s, make([]float32, n))
			measure(b, s, 8*n, func() error { return plan.Convolve(x, h, y) })
		})
	}
}

func BenchmarkSections(b *testing.B) {
	s := benchmarkStream(b)
	const n, channels = 1 << 12, 256
	host, _ := reals[float32](n*channels, 1)
	x, y, state := buffer(b, s, host), buffer(b, s, make([]float32, n*channels)), buffer(b, s, make([]float32, 4*channels))
	sos := buffer(b, s, []float32{0.5, 0.25, 0.125, 2, -0.5, 0.25, 0.25, 0.5, 0.25, 1, -1, 0.5})
	measure(b, s, 8*n*channels, func() error { return Sections(s, sos, state, x, y, channels) })
}

// measure runs a call with a wait for it, and counts the bytes that it has to read and write.
func measure(b *testing.B, s *gpu.Stream, bytes int, call func() error) {
	check(b, call())
	check(b, s.Wait(b.Context()))
	b.SetBytes(int64(bytes))
	for b.Loop() {
		check(b, call())
		check(b, s.Wait(b.Context()))
	}
}
