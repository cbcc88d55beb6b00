package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkMatMul compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkMatMul(b *testing.B) {
	const n = 16 * Tile
	x, y, product := numbers(n, 3), numbers(n, 5), make([]float32, n*n)
	grid := gpu.Items2(n, n)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		left, err1 := gpu.Upload(b.Context(), device, x)
		right, err2 := gpu.Upload(b.Context(), device, y)
		result, err3 := gpu.Alloc[float32](device, n*n)
		if err := errors.Join(err, err1, err2, err3); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchMatMul(stream, grid, n, left, right, result), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoMatMul(grid, n, x, y, product)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			threeLoops(n, x, y)
		}
	})
}
