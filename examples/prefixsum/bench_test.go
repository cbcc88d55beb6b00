package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkPick compares the kernels on the CPU device, as plain Go, and as a loop.
func BenchmarkPick(b *testing.B) {
	host := random(1 << 20)
	const limit = 989
	grid := gpu.D1(uint32(blocks(len(host))))
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		readings, err1 := gpu.Upload(b.Context(), device, host)
		sums, err2 := gpu.Alloc[uint32](device, len(host))
		kept, err3 := gpu.Alloc[uint32](device, len(host))
		if err := errors.Join(err, err1, err2, err3); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(
				LaunchMark(stream, grid, limit, readings, sums),
				scan(device, stream, sums),
				LaunchKeep(stream, grid, limit, readings, sums, kept),
				stream.Wait(b.Context()),
			); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			pickGo(host, limit)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			var picked []uint32
			for _, r := range host {
				if r > limit {
					picked = append(picked, r)
				}
			}
			if len(picked) == 0 {
				b.Fatal("no reading is above the limit")
			}
		}
	})
}
