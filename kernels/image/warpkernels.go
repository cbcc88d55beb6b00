package image

import "github.com/gpuc/gpuc/runtime/gpu"

// projection is a matrix that makes coordinates of the source of coordinates of the result.
type projection [9]float32

// sampled returns an image's value at a point, in pixels: the middle of pixel 0 is at 0.
func sampled[F format[W, V], V samples[V], W word](src []W, v view, b border, how Interpolation, x, y float32) four {
	if how == Nearest {
		i, j := position(gpu.Floor(x+0.5)), position(gpu.Floor(y+0.5))
		return pixelOr[F](src, v, b, b.inside(i, v.width()), b.inside(j, v.height()))
	}
	left, top := gpu.Floor(x), gpu.Floor(y)
	i, j := position(left), position(top)
	x1, x2 := b.inside(i, v.width()), b.inside(i+1, v.width())
	if how == Bilinear {
		u, w := x-left, y-top
		y1, y2 := b.inside(j, v.height()), b.inside(j+1, v.height())
		upper := pixelOr[F](src, v, b, x1, y1).scale(1 - u).add(pixelOr[F](src, v, b, x2, y1).scale(u))
		lower := pixelOr[F](src, v, b, x1, y2).scale(1 - u).add(pixelOr[F](src, v, b, x2, y2).scale(u))
		return upper.scale(1 - w).add(lower.scale(w))
	}
	x0, x3 := b.inside(i-1, v.width()), b.inside(i+2, v.width())
	a := float32(-0.5)
	if how == BicubicSharp {
		a = -0.75
	}
	across, down := cubic(x-left, a), cubic(y-top, a)
	var sum four
	for n := range 4 {
		row := b.inside(j+n-1, v.height())
		part := pixelOr[F](src, v, b, x0, row).scale(across.A).add(pixelOr[F](src, v, b, x1, row).scale(across.B))
		part = part.add(pixelOr[F](src, v, b, x2, row).scale(across.C)).add(pixelOr[F](src, v, b, x3, row).scale(across.D))
		sum = sum.add(part.scale(down.get(n)))
	}
	return sum
}

// position returns a coordinate as an integer. Those far outside, and NaN, are somewhere outside.
func position(x float32) int { return int(min(max(x, -1<<24), 1<<24)) }

// cubic returns the weights of the four pixels around a point that is t pixels right of the
// second, by the kernel of Keys. (Keys, "Cubic convolution interpolation for digital image
// processing", 1981)
func cubic(t, a float32) four {
	return four{
		((a*t-2*a)*t + a) * t,
		((a+2)*t-(a+3))*t*t + 1,
		((-(a+2)*t+(2*a+3))*t - a) * t,
		(-a*t + a) * t * t,
	}
}

// warp makes each pixel that of the source where the projection of its coordinates is.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func warp[F format[W, V], V run[V], W word](it gpu.Item, pad *scratchpad, m projection, how Interpolation, b border, dst, src view, to, from []W) {
	x, y := it.Global().X, it.Group().Y
	if x < dst.width() {
		u, v := float32(x), float32(y)
		depth := m[6]*u + m[7]*v + m[8]
		pad.put(it, dst, sampled[F](from, src, b, how, (m[0]*u+m[1]*v+m[2])/depth, (m[3]*u+m[4]*v+m[5])/depth))
	}
	deposit[F](it, pad, to, dst, it.Group().X*items, y)
}

// remap makes each pixel that of the source where the two channels of a map say.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func remap[F format[W, V], V run[V], W word](it gpu.Item, pad *scratchpad, how Interpolation, b border, dst, src, coordinates view, to, from []W, at []float32) {
	x, y := it.Global().X, it.Group().Y
	if x < dst.width() {
		i := coordinates.row(y) + 2*x
		pad.put(it, dst, sampled[F](from, src, b, how, at[i], at[i+1]))
	}
	deposit[F](it, pad, to, dst, it.Group().X*items, y)
}
