package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Radius is how many pixels to each side of one take part in its blurred colour.
const Radius = 6

// Weights says how much: the pixel itself by the first number, its two neighbours at a distance d
// by number d. A kernel can have an array as a parameter, so the host computes them once, and not
// each item again.
type Weights [Radius + 1]float32

// Blur blurs the rows of a picture or its columns: one item for each pixel, in rows of this width.
// A colour is a vector of red, green and blue, from 0 to 1.
//
// A pixel's neighbourhood is a square of 13 by 13 pixels, but the bell curve is the same in all
// directions, and that square of weights is the product of a row and a column. Who blurs the rows
// first, and then the columns of what this gives, fetches 13 + 13 pixels for each instead of 169.
//
//gpuc:kernel workgroup=8,8
func Blur(it gpu.Item, columns bool, width int, weights Weights, from, to []gpu.Vec3f) {
	at, height := it.Global(), len(from)/width
	if at.X >= width || at.Y >= height {
		return
	}
	right, down := 1, 0
	if columns {
		right, down = 0, 1
	}
	sum := from[at.Y*width+at.X].Scale(weights[0])
	for d := 1; d <= Radius; d++ {
		before := from[nearest(at.X-d*right, at.Y-d*down, width, height)]
		behind := from[nearest(at.X+d*right, at.Y+d*down, width, height)]
		sum = sum.Add(before.Add(behind).Scale(weights[d]))
	}
	to[at.Y*width+at.X] = sum
}

// Edges finds where the brightness of a picture changes. Sobel's filter compares the three pixels
// on the left with the three on the right, and those above with those below, and the middle one of
// the three counts twice. These two numbers are the direction in which it becomes brighter, and how
// fast is the length of that. A step from black to white has a 1.
//
//gpuc:kernel workgroup=8,8
func Edges(it gpu.Item, width int, colours []gpu.Vec3f, edges []float32) {
	at, height := it.Global(), len(colours)/width
	if at.X >= width || at.Y >= height {
		return
	}
	var change gpu.Vec2f
	for y := -1; y <= 1; y++ {
		for x := -1; x <= 1; x++ {
			b := brightness(colours[nearest(at.X+x, at.Y+y, width, height)])
			// to the right 1, 2, 1 from above to below, to the left the same with a minus, and so
			// for down and up
			towards := gpu.V2f(float32(x*(2-y*y)), float32(y*(2-x*x)))
			change = change.Add(towards.Scale(b))
		}
	}
	edges[at.Y*width+at.X] = gpu.Length(change) / 4
}

// nearest is the index of a pixel, or of the one nearest to it if it is outside of the picture.
func nearest(x, y, width, height int) int {
	return min(max(y, 0), height-1)*width + min(max(x, 0), width-1)
}

// brightness is that of a colour: eyes see green best.
func brightness(colour gpu.Vec3f) float32 {
	return colour.Dot(gpu.V3f(0.299, 0.587, 0.114))
}
