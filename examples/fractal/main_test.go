package main

import (
	"image/color"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestDraw checks points inside and outside of the set, and that the picture is symmetric.
func TestDraw(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var text strings.Builder
	const width, height = 66, 44 // 20 pixels for each unit
	picture, err := draw(&text, device, width, height)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "drew 66 by 44 pixels") {
		t.Errorf("it says %q", text.String())
	}
	at := func(x, y float64) color.Color {
		return picture.At(int(width/2+20*(x+0.75)+0.5), int(height/2+20*y+0.5))
	}
	for _, inside := range [][2]float64{{0, 0}, {-1, 0}, {-0.5, 0.3}, {-0.1, 0.7}, {0.2, -0.2}} {
		if got := at(inside[0], inside[1]); got != (color.NRGBA{A: 255}) {
			t.Errorf("%v is %v, not black", inside, got)
		}
	}
	for _, outside := range [][2]float64{{0.8, 1}, {0.5, 0.5}, {-2.3, 1}, {0.4, 0}, {-1, 0.5}} {
		if got := at(outside[0], outside[1]); got == (color.NRGBA{A: 255}) {
			t.Errorf("%v is black", outside)
		}
	}
	for y := 1; y < height; y++ {
		for x := range width {
			if picture.At(x, y) != picture.At(x, height-y) {
				t.Fatalf("pixel %d, %d and its mirror image are %v and %v", x, y, picture.At(x, y), picture.At(x, height-y))
			}
		}
	}
}
