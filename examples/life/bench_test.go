package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkGeneration compares the kernel on the CPU device, as plain Go, and as a loop.
func BenchmarkGeneration(b *testing.B) {
	const width, height = 72, 42
	before, after := random(width, height), make([]uint32, width*height)
	grid := gpu.D2((width+Tile-1)/Tile, (height+Tile-1)/Tile)
	b.Run("device", func(b *testing.B) {
		device := gputest.Open(b, gpu.Named(gpu.CPU))
		stream, err := device.NewStream()
		old, err1 := gpu.Upload(b.Context(), device, before)
		next, err2 := gpu.Alloc[uint32](device, width*height)
		if err := errors.Join(err, err1, err2); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := errors.Join(LaunchGeneration(stream, grid, width, old, next), stream.Wait(b.Context())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			GoGeneration(grid, width, before, after)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			loop(width, before, after)
		}
	})
}

// loop computes a generation without a kernel, from three rows at a time.
func loop(width int, before, after []uint32) {
	height := len(before) / width
	for y := range height {
		above := before[(y+height-1)%height*width:][:width]
		row := before[y*width:][:width]
		below := before[(y+1)%height*width:][:width]
		next := after[y*width:][:width]
		left := width - 1
		for x := range next {
			right := x + 1
			if right == width {
				right = 0
			}
			neighbours := above[left] + above[x] + above[right] + row[left] + row[right] + below[left] + below[x] + below[right]
			switch {
			case neighbours == 3:
				next[x] = 1
			case neighbours != 2:
				next[x] = 0
			default:
				next[x] = row[x]
			}
			left = x
		}
	}
}

func TestLoop(t *testing.T) {
	for _, size := range [][2]int{{72, 42}, {37, 21}, {1, 5}, {2, 1}} {
		before := random(size[0], size[1])
		after, want := make([]uint32, len(before)), make([]uint32, len(before))
		loop(size[0], before, after)
		GoGeneration(gpu.D2(uint32(size[0]+Tile-1)/Tile, uint32(size[1]+Tile-1)/Tile), size[0], before, want)
		if !slices.Equal(after, want) {
			t.Errorf("%v: the loop has\n%sand the kernel\n%s", size, picture(after, size[0]), picture(want, size[0]))
		}
	}
}
