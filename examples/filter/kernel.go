package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Radius is the radius of the blur in pixels.
const Radius = 6

// Weights are the weights of a pixel and of its neighbours, by their distance. A kernel can have an
// array as a parameter, so the host computes the weights once, instead of each item.
type Weights [Radius + 1]float32

// Blur blurs the rows or the columns of a picture with this width: one item for each pixel. A
// colour is a vector of red, green and blue, from 0 to 1.
//
// A blurred pixel depends on 13 by 13 pixels. The Gaussian filter is separable: its square of
// weights is the product of a row and a column. Blurring first the rows and then the columns of the
// result reads 13 + 13 pixels for each instead of 169.
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

// Edges computes how fast the brightness of a picture changes at each pixel, by the Sobel operator.
// It subtracts the three pixels on the left from the three on the right, and those above from those
// below; the middle one of the three counts twice. The two differences are the gradient, and the
// result is its length. A step from black to white has a length of 1.
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
			// the weights of the horizontal difference are 1, 2, 1 on the right and -1, -2, -1 on
			// the left, and similarly for the vertical one
			towards := gpu.V2f(float32(x*(2-y*y)), float32(y*(2-x*x)))
			change = change.Add(towards.Scale(b))
		}
	}
	edges[at.Y*width+at.X] = gpu.Length(change) / 4
}

// nearest returns the index of a pixel, with coordinates clamped to the picture.
func nearest(x, y, width, height int) int {
	return min(max(y, 0), height-1)*width + min(max(x, 0), width-1)
}

// brightness returns the luma of a colour.
func brightness(colour gpu.Vec3f) float32 {
	return colour.Dot(gpu.V3f(0.299, 0.587, 0.114))
}
