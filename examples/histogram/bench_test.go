package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkCount compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkCount(b *testing.B) {
	brightness, counts := bell(1<<21), make([]uint32, Levels)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		data, err1 := gpu.Upload(b.Context(), device, brightness)
		result, err2 := gpu.Alloc[uint32](device, Levels)
		if err := errors.Join(err, err1, err2); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchCount(stream, grid, data, result), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoCount(grid, brightness, counts)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			oneLoop(brightness)
		}
	})
}
