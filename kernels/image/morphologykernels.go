package image

import "github.com/gpuc/gpuc/runtime/gpu"

// maxElement is how many rows and columns a structuring element has at most.
const maxElement = 32

// element is a structuring element: bit x of row y.
type element struct {
	Width, Height int
	Rows          [maxElement]uint32
}

// minMax writes the smallest or the largest of the samples where the element is set.
//
//gpuc:kernel workgroup=items types=orderedBytes/keys4/uint32,orderedHalves/keys2/uint32,orderedFloats/floatKey/float32
func minMax[F format[W, V], V keyed[V], W word](it gpu.Item, largest bool, e element, b border, dst, src view, to, from []W) {
	var none V
	n, y := it.Global().X, it.Group().Y
	s := n * none.count()
	if s >= dst.samples() {
		return
	}
	start := none.fillKey(1<<32 - 1)
	if largest {
		start = none.fillKey(0)
	}
	best := start
	for j := range e.Height {
		best = minMaxOfRow[F, V](from, src, best, largest, e.Rows[j], e.Width, b, true, y+j-e.Height/2, n)
	}
	if nearEdge(src, b, s, best.count(), y, e.Width/2, e.Height/2) {
		best = start
		for j := range e.Height {
			best = minMaxOfRow[F, V](from, src, best, largest, e.Rows[j], e.Width, b, false, y+j-e.Height/2, n)
		}
	}
	store[F](to, dst.row(y), n, best, dst.samples()-s)
}

// minMaxOfRow goes on with a row of the element.
func minMaxOfRow[F format[W, V], V keyed[V], W word](from []W, src view, best V, largest bool, bits uint32, width int, b border, fast bool, y, n int) V {
	row := b.inside(y, src.height())
	d := -(width / 2) * src.channels()
	for range width {
		if bits&1 != 0 {
			v := tap[F, V](from, src, b, fast, row, n, d)
			if largest {
				best = best.max(v)
			} else {
				best = best.min(v)
			}
		}
		bits >>= 1
		d += src.channels()
	}
	return best
}
