package main

import (
	"errors"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkStep compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkStep(b *testing.B) {
	bodies := disc(1000)
	moved := make([]Body, len(bodies))
	grid := gpu.D1(uint32((len(bodies) + Tile - 1) / Tile))
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		before, err1 := gpu.Upload(b.Context(), device, bodies)
		after, err2 := gpu.Alloc[Body](device, len(bodies))
		if err := errors.Join(err, err1, err2); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchStep(stream, grid, 0.01, before, after), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoStep(grid, 0.01, bodies, moved)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loop(0.01, bodies, moved)
		}
	})
}

// loop moves the bodies without a kernel, with the square root of package math.
func loop(step float32, before, after []Body) {
	for i, me := range before {
		var x, y, z float32
		for n := range before {
			other := &before[n]
			dx, dy, dz := other.Position.X-me.Position.X, other.Position.Y-me.Position.Y, other.Position.Z-me.Position.Z
			square := dx*dx + dy*dy + dz*dz + softening
			pull := other.Mass / (square * float32(math.Sqrt(float64(square))))
			x, y, z = x+dx*pull, y+dy*pull, z+dz*pull
		}
		me.Velocity = me.Velocity.Add(gpu.V3f(x, y, z).Scale(step))
		me.Position = me.Position.Add(me.Velocity.Scale(step))
		after[i] = me
	}
}

func TestLoop(t *testing.T) {
	before := disc(Tile + 7)
	after, want := make([]Body, len(before)), make([]Body, len(before))
	loop(0.01, before, after)
	GoStep(gpu.D1(2), 0.01, before, want)
	for i := range after {
		if d := gpu.Distance(after[i].Position, want[i].Position); !(d < 1e-6) {
			t.Errorf("body %d is %v apart", i, d)
		}
	}
}
