package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkMandelbrot compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkMandelbrot(b *testing.B) {
	const width, height = 768, 512
	view := View{X: -0.75, Width: 3.3, Steps: 200}
	grid := gpu.D2(width/8, height/8)
	pixels := make([]uint32, width*height)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		result, err1 := gpu.Alloc[uint32](device, width*height)
		if err := errors.Join(err, err1); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchMandelbrot(stream, grid, view, width, result), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoMandelbrot(grid, view, width, pixels)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loop(view, width, pixels)
		}
	})
}

// loop draws without a kernel, and computes the common part of a row once.
func loop(view View, width int, pixels []uint32) {
	height := len(pixels) / width
	unit := view.Width / float32(width)
	for row := range height {
		cy := view.Y + (float32(row)-float32(height)/2)*unit
		line := pixels[row*width:][:width]
		for column := range line {
			cx := view.X + (float32(column)-float32(width)/2)*unit
			var x, y, xx, yy float32
			n := 0
			for n < view.Steps && xx+yy <= 4 {
				x, y = xx-yy+cx, 2*x*y+cy
				xx, yy = x*x, y*y
				n++
			}
			line[column] = colour(n, view.Steps)
		}
	}
}

func TestLoop(t *testing.T) {
	const width, height = 72, 48
	view := View{X: -0.75, Width: 3.3, Steps: 200}
	pixels, want := make([]uint32, width*height), make([]uint32, width*height)
	loop(view, width, pixels)
	GoMandelbrot(gpu.D2(width/8, height/8), view, width, want)
	different := 0
	for i := range pixels {
		if pixels[i] != want[i] {
			different++
		}
	}
	// processors may fuse products and sums, so a point near the border may need another iteration
	if different > len(pixels)/100 {
		t.Errorf("%d of %d pixels differ", different, len(pixels))
	}
}
