package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// View is the part of the plane that is drawn.
type View struct {
	X, Y  float32 // its centre
	Width float32
	Steps int // the largest number of iterations for a point
}

// Mandelbrot draws the Mandelbrot set: one item for each pixel of an image with this width. A point
// c belongs to the set if the sequence z ← z² + c, from z = 0, stays bounded. The colour of other
// points depends on the number of iterations after which |z| exceeds 2.
//
// A pixel has red in its lowest byte, then green, blue and opacity.
//
//gpuc:kernel workgroup=8,8
func Mandelbrot(it gpu.Item, view View, width int, pixels []uint32) {
	at, height := it.Global(), len(pixels)/width
	if at.X >= width || at.Y >= height {
		return
	}
	unit := view.Width / float32(width)
	cx := view.X + (float32(at.X)-float32(width)/2)*unit
	cy := view.Y + (float32(at.Y)-float32(height)/2)*unit
	var x, y float32
	n := 0
	for n < view.Steps && x*x+y*y <= 4 {
		x, y = x*x-y*y+cx, 2*x*y+cy
		n++
	}
	pixels[at.Y*width+at.X] = colour(n, view.Steps)
}

// colour is called by the kernel. Such functions need no directive.
func colour(n, steps int) uint32 {
	if n == steps {
		return 0xff000000
	}
	glow := gpu.Sqrt(float32(n) / float32(steps))
	red := uint32(255 * min(1, 2*glow))
	green := uint32(255 * glow)
	blue := uint32(96 + 159*glow)
	return red | green<<8 | blue<<16 | 0xff000000
}
