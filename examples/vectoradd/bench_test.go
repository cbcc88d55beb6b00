package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkAdd compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkAdd(b *testing.B) {
	const n = 1 << 20
	x, y, sum := vectors(n)
	grid := gpu.D1(n / 256)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		left, err1 := gpu.Upload(b.Context(), device, x)
		right, err2 := gpu.Upload(b.Context(), device, y)
		result, err3 := gpu.Alloc[float32](device, n)
		if err := errors.Join(err, err1, err2, err3); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchAdd(stream, grid, left, right, result), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoAdd(grid, x, y, sum)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loop(x, y, sum)
		}
	})
}

// vectors returns two vectors of n elements, and one for their sum.
func vectors(n int) (a, b, sum []float32) {
	a, b = make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(i), float32(2*i)
	}
	return a, b, make([]float32, n)
}

// loop adds without a kernel.
func loop(a, b, sum []float32) {
	a, b = a[:len(sum)], b[:len(sum)]
	for i := range sum {
		sum[i] = a[i] + b[i]
	}
}

func TestLoop(t *testing.T) {
	a, b, sum := vectors(300)
	_, _, want := vectors(300)
	loop(a, b, sum)
	GoAdd(gpu.D1(2), a, b, want)
	if !slices.Equal(sum, want) {
		t.Errorf("the loop has %v, the kernel %v", sum, want)
	}
}
