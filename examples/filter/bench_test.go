package main

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkFilter compares both kernels on the CPU device, as plain Go, and as a loop.
func BenchmarkFilter(b *testing.B) {
	photo, weights := scene(480, 320), gauss()
	width, n := photo.width, len(photo.pixels)
	grid := cover(width, n/width)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		source, err1 := gpu.Upload(b.Context(), device, photo.pixels)
		rows, err2 := gpu.Alloc[gpu.Vec3f](device, n)
		both, err3 := gpu.Alloc[gpu.Vec3f](device, n)
		found, err4 := gpu.Alloc[float32](device, n)
		if err := errors.Join(err, err1, err2, err3, err4); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(
				LaunchBlur(stream, grid, false, width, weights, source, rows),
				LaunchBlur(stream, grid, true, width, weights, rows, both),
				LaunchEdges(stream, grid, width, both, found),
				stream.Wait(b.Context()),
			); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plain(photo)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loops(photo)
		}
	})
}

// loops filters without kernels. It blurs columns row by row, in memory order, clamps rows and
// columns instead of pixels, and computes the brightness of each pixel once.
func loops(photo picture) (blurred picture, edges outline) {
	weights, width, n := gauss(), photo.width, len(photo.pixels)
	height := n / width
	rows := make([]gpu.Vec3f, n)
	for y := range height {
		from, to := photo.pixels[y*width:][:width], rows[y*width:][:width]
		for x := range to {
			sum := from[x].Scale(weights[0])
			for d := 1; d <= Radius; d++ {
				sum = sum.Add(from[max(x-d, 0)].Add(from[min(x+d, width-1)]).Scale(weights[d]))
			}
			to[x] = sum
		}
	}
	blurred = picture{width, make([]gpu.Vec3f, n)}
	for y := range height {
		to := blurred.pixels[y*width:][:width]
		for x, c := range rows[y*width:][:width] {
			to[x] = c.Scale(weights[0])
		}
		for d := 1; d <= Radius; d++ {
			before, behind := rows[max(y-d, 0)*width:][:width], rows[min(y+d, height-1)*width:][:width]
			for x := range to {
				to[x] = to[x].Add(before[x].Add(behind[x]).Scale(weights[d]))
			}
		}
	}
	bright := make([]float32, n)
	for i, c := range blurred.pixels {
		bright[i] = brightness(c)
	}
	edges = outline{width, make([]float32, n)}
	for y := range height {
		above, row, below := bright[max(y-1, 0)*width:][:width], bright[y*width:][:width], bright[min(y+1, height-1)*width:][:width]
		for x := range width {
			left, right := max(x-1, 0), min(x+1, width-1)
			dx := above[right] + 2*row[right] + below[right] - above[left] - 2*row[left] - below[left]
			dy := below[left] + 2*below[x] + below[right] - above[left] - 2*above[x] - above[right]
			edges.edges[y*width+x] = gpu.Sqrt(dx*dx+dy*dy) / 4
		}
	}
	return blurred, edges
}

func TestLoops(t *testing.T) {
	photo := scene(37, 21)
	blurred, edges := loops(photo)
	wantBlurred, wantEdges := plain(photo)
	for i := range photo.pixels {
		if !(gpu.Distance(blurred.pixels[i], wantBlurred.pixels[i]) < 1e-6) || !(gpu.Abs(edges.edges[i]-wantEdges.edges[i]) < 1e-6) {
			t.Errorf("pixel %d is %v with an edge of %v, and %v and %v by the kernels", i, blurred.pixels[i], edges.edges[i], wantBlurred.pixels[i], wantEdges.edges[i])
		}
	}
}
