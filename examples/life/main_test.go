package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// field returns a field with a shape, given by its rows, whose upper left corner is at x, y.
func field(width, height, x, y int, shape ...string) []uint32 {
	cells := make([]uint32, width*height)
	for j, row := range shape {
		for i, c := range row {
			if c == '#' {
				cells[(y+j)%height*width+(x+i)%width] = 1
			}
		}
	}
	return cells
}

// both returns the cells after several generations, which must be equal on the device and in plain
// Go.
func both(t *testing.T, device *gpu.Device, cells []uint32, width, generations int) []uint32 {
	t.Helper()
	grid := gpu.D2(uint32(width+Tile-1)/Tile, uint32(len(cells)/width+Tile-1)/Tile)
	onDevice, asGo := slices.Clone(cells), slices.Clone(cells)
	for range generations {
		next := make([]uint32, len(cells))
		if err := RunGeneration(context.Background(), device, grid, width, onDevice, next); err != nil {
			t.Fatal(err)
		}
		onDevice, next = next, make([]uint32, len(cells))
		GoGeneration(grid, width, asGo, next)
		asGo = next
	}
	if !slices.Equal(onDevice, asGo) {
		t.Errorf("the device has\n%sand plain Go has\n%s", picture(onDevice, width), picture(asGo, width))
	}
	return onDevice
}

func same(t *testing.T, got, want []uint32, width int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%swant\n%s", picture(got, width), picture(want, width))
	}
}

// TestGlider checks that a glider moves by one cell to the right and down in four generations,
// across edges too.
func TestGlider(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	glider := []string{
		" # ",
		"  #",
		"###",
	}
	const width, height = 19, 17 // more than a workgroup in both directions
	for _, at := range [][2]int{{3, 4}, {15, 3}, {2, 14}, {width - 2, height - 2}, {width - 1, height - 1}} {
		before := field(width, height, at[0], at[1], glider...)
		after := field(width, height, at[0]+1, at[1]+1, glider...)
		same(t, both(t, device, before, width, 4), after, width)
	}
}

// TestStill checks a block, which does not change, and a blinker, which has period 2.
func TestStill(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	block := field(8, 6, 3, 2, "##", "##")
	same(t, both(t, device, block, 8, 1), block, 8)
	lying, standing := field(8, 6, 2, 3, "###"), field(8, 6, 3, 2, "#", "#", "#")
	same(t, both(t, device, lying, 8, 1), standing, 8)
	same(t, both(t, device, lying, 8, 2), lying, 8)
}

// slowly is the game without kernels: it checks each pair of cells.
func slowly(cells []uint32, width int) []uint32 {
	height := len(cells) / width
	next := make([]uint32, len(cells))
	near := func(a, b, size int) bool { return a == b || (a+1)%size == b || (b+1)%size == a }
	for i := range cells {
		living := 0
		for k, cell := range cells {
			if cell == 1 && k != i && near(i%width, k%width, width) && near(i/width, k/width, height) {
				living++
			}
		}
		if living == 3 || living == 2 && cells[i] == 1 {
			next[i] = 1
		}
	}
	return next
}

// TestPlay compares a random field with the game without kernels, and checks that escape codes are
// printed only in an animation.
func TestPlay(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	const width, height, generations = 37, 21, 9
	want := random(width, height)
	for range generations {
		want = slowly(want, width)
	}
	for _, animated := range []bool{false, true} {
		var text strings.Builder
		last, err := play(&text, device, random(width, height), width, generations, animated)
		if err != nil {
			t.Fatal(err)
		}
		same(t, last, want, width)
		if n := strings.Count(text.String(), "\x1b"); animated && n != 1+generations || !animated && n != 0 {
			t.Errorf("animated: %v, and %d escape codes", animated, n)
		}
		lines := strings.Split(text.String(), "\n")
		if summary := lines[len(lines)-2]; !strings.Contains(summary, "made 9 generations of 37 by 21 cells in ") {
			t.Errorf("its last line is %q", summary)
		}
		if !animated && !strings.HasPrefix(text.String(), picture(want, width)) {
			t.Errorf("it printed\n%s", text.String())
		}
	}
}

// TestPicture draws two rows in a line, and an odd last row.
func TestPicture(t *testing.T) {
	got := picture(field(4, 3, 0, 0, " # #", "  ##", "#  #"), 4)
	if want := " ▀▄█\n▀  ▀\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
