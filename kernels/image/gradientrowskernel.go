package image

import "github.com/gpuc/gpuc/runtime/gpu"

// packing is runs that are stored as elements O of a buffer, with one access each.
type packing[V, O any] interface {
	run[V]
	pack() O
}

func (v four) pack() gpu.Vec4f { return gpu.V4f(v.A, v.B, v.C, v.D) }
func (v single) pack() float32 { return v.A }

// gradientRows is gradients of uint8 and float32 for GPUs, where all rows of dx and dy are whole
// runs at multiples of runs. An item computes a run of tileRows rows, from rows that it loads once.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/gpu.Vec4f,floats/single/float32/float32
func gradientRows[F format[W, V], V packing[V, O], W word, O gpu.Vec4f | float32](it gpu.Item, corner, middle float32, b border, dx, dy, src view, toX, toY []O, from []W) {
	var none V
	n, i, top := none.count(), it.Global().X, it.Group().Y*tileRows
	if i*n >= src.samples() {
		return
	}
	atX, stepX := dx.row(top)>>log2(n)+i, int(dx.Stride)>>log2(n)
	atY, stepY := dy.row(top)>>log2(n)+i, int(dy.Stride)>>log2(n)
	edge := nearEdge(src, b, i*n, n, top, 1, 1) || nearEdge(src, b, i*n, n, top+tileRows-1, 1, 1)
	if edge || top < 1 || top+tileRows >= src.height() {
		var r0, r1, r2 three[V]
		for r := range min(tileRows, src.height()-top) + 2 {
			y := b.inside(top+r-1, src.height())
			left, right := outside[F, V](from, src, b, y, i*n-src.channels()), outside[F, V](from, src, b, y, i*n+src.channels())
			r0, r1, r2 = r1, r2, threeOf(left, outside[F, V](from, src, b, y, i*n), right)
			if o := r - 2; o >= 0 {
				toX[atX+o*stepX], toY[atY+o*stepY] = r0.across(r1, r2, corner, middle).pack(), r0.down(r2, corner, middle).pack()
			}
		}
		return
	}
	at, step, c := src.row(top), int(src.Stride), src.channels()
	r0, r1, r2 := threeAt[F, V](from, at-step, c, i), threeAt[F, V](from, at, c, i), threeAt[F, V](from, at+step, c, i)
	r3, r4, r5 := threeAt[F, V](from, at+2*step, c, i), threeAt[F, V](from, at+3*step, c, i), threeAt[F, V](from, at+4*step, c, i)
	toX[atX], toY[atY] = r0.across(r1, r2, corner, middle).pack(), r0.down(r2, corner, middle).pack()
	toX[atX+stepX], toY[atY+stepY] = r1.across(r2, r3, corner, middle).pack(), r1.down(r3, corner, middle).pack()
	toX[atX+2*stepX], toY[atY+2*stepY] = r2.across(r3, r4, corner, middle).pack(), r2.down(r4, corner, middle).pack()
	toX[atX+3*stepX], toY[atY+3*stepY] = r3.across(r4, r5, corner, middle).pack(), r3.down(r5, corner, middle).pack()
}

// three is what a row adds to gradients: a run, the sum of the runs beside it, and the right one
// less the left one.
type three[V run[V]] struct{ Run, Sum, Difference V }

func threeAt[F format[W, V], V run[V], W word](from []W, at, channels, i int) three[V] {
	left, right := load[F, V](from, at-channels, i), load[F, V](from, at+channels, i)
	return threeOf(left, load[F, V](from, at, i), right)
}

func threeOf[V run[V]](left, middle, right V) three[V] {
	return three[V]{middle, left.add(right), right.add(left.scale(-1))}
}

// across returns the gradient from left to right of the row below r, and of others.
func (r three[V]) across(here, below three[V], corner, middle float32) V {
	return nothing[V]().add(r.Difference.scale(corner)).add(here.Difference.scale(middle)).add(below.Difference.scale(corner))
}

// down returns the gradient from r to the second row below it.
func (r three[V]) down(below three[V], corner, middle float32) V {
	return nothing[V]().add(r.Sum.scale(-corner)).add(r.Run.scale(-middle)).add(below.Sum.scale(corner)).add(below.Run.scale(middle))
}
