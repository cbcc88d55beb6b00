package image

import "github.com/gpuc/gpuc/runtime/gpu"

// maxWeights is how many weights a filter of two dimensions has at most.
const maxWeights = 121

// weights are those of a filter of two dimensions, row by row.
type weights struct {
	Width, Height int
	Values        [maxWeights]float32
}

// filter writes weighted sums of the pixels around each one, in the order of the weights.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/bytes/uint32,halves/two/uint32/halves/uint32,floats/single/float32/floats/float32,bytes/four/uint32/fromBytes/float32,halves/two/uint32/fromHalves/float32
func filter[F format[W, V], V run[V], W word, G format[X, V], X word](it gpu.Item, w weights, b border, dst, src view, to []X, from []W) {
	sum := nothing[V]()
	n, y := it.Global().X, it.Group().Y
	s := n * sum.count()
	if s >= dst.samples() {
		return
	}
	left := -(w.Width / 2) * src.channels()
	for j := range w.Height {
		row := b.inside(y+j-w.Height/2, src.height())
		for i := range w.Width {
			v := tap[F, V](from, src, b, true, row, n, left+i*src.channels())
			sum = sum.add(v.scale(w.Values[j*w.Width+i]))
		}
	}
	if nearEdge(src, b, s, sum.count(), y, w.Width/2, w.Height/2) {
		sum = nothing[V]()
		for j := range w.Height {
			row := b.inside(y+j-w.Height/2, src.height())
			for i := range w.Width {
				v := tap[F, V](from, src, b, false, row, n, left+i*src.channels())
				sum = sum.add(v.scale(w.Values[j*w.Width+i]))
			}
		}
	}
	store[G](to, dst.row(y), n, sum, dst.samples()-s)
}

// gradients writes the derivatives by central differences of neighbours, smoothed in the other
// direction with the weights corner, middle, corner.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/fromBytes,halves/two/uint32/fromHalves,floats/single/float32/floats
func gradients[F format[W, V], V run[V], W word, G format[float32, V]](it gpu.Item, corner, middle float32, b border, dx, dy, src view, toX, toY []float32, from []W) {
	var gx, gy V
	n, y := it.Global().X, it.Group().Y
	s := n * gx.count()
	if s >= src.samples() {
		return
	}
	gx, gy = gradient[F, V](from, src, corner, middle, b, true, y, n)
	if nearEdge(src, b, s, gx.count(), y, 1, 1) {
		gx, gy = gradient[F, V](from, src, corner, middle, b, false, y, n)
	}
	store[G](toX, dx.row(y), n, gx, dx.samples()-s)
	store[G](toY, dy.row(y), n, gy, dy.samples()-s)
}

func gradient[F format[W, V], V run[V], W word](from []W, src view, corner, middle float32, b border, fast bool, y, n int) (gx, gy V) {
	gx, gy = nothing[V](), nothing[V]()
	for j := -1; j <= 1; j++ {
		row := b.inside(y+j, src.height())
		left := tap[F, V](from, src, b, fast, row, n, -src.channels())
		right := tap[F, V](from, src, b, fast, row, n, src.channels())
		weight := corner
		if j == 0 {
			weight = middle
		} else {
			v := tap[F, V](from, src, b, fast, row, n, 0)
			gy = gy.add(left.add(right).scale(float32(j) * corner)).add(v.scale(float32(j) * middle))
		}
		gx = gx.add(right.add(left.scale(-1)).scale(weight))
	}
	return gx, gy
}

// magnitude writes the lengths of gradients, or the sums of their components without signs.
//
//gpuc:kernel workgroup=items
func magnitude(it gpu.Item, sums bool, dst, dx, dy view, to, x, y []float32) {
	n, row := it.Global().X, it.Group().Y
	if n >= dst.samples() {
		return
	}
	gx, gy := x[dx.row(row)+n], y[dy.row(row)+n]
	length := gpu.Sqrt(gx*gx + gy*gy)
	if sums {
		length = gpu.Abs(gx) + gpu.Abs(gy)
	}
	to[dst.row(row)+n] = length
}
