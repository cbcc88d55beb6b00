package image

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// noEdge is the parent of a pixel that is no candidate.
const noEdge = 1<<32 - 1

// suppress finds the candidates of edges: pixels whose gradient is above the low threshold and the
// largest along its direction, of which there are four. The parent of a candidate is its own index.
// Strong is 1 where the gradient is above the high threshold.
//
//gpuc:kernel workgroup=items
func suppress(it gpu.Item, sums bool, low, high float32, dx, dy view, x, y []float32, parents, strong []uint32) {
	i, j := it.Global().X, it.Group().Y
	if i >= dx.width() {
		return
	}
	at := j*dx.width() + i
	gx, gy := x[dx.row(j)+i], y[dy.row(j)+i]
	m := strength(sums, gx, gy)
	parent, flag := uint32(noEdge), uint32(0)
	if m > low {
		// The tangent of 22.5 degrees in 15 bits, so that products of whole numbers are exact.
		const tangent = 13573.0 / 32768
		across, down := gpu.Abs(gx), gpu.Abs(gy)
		var before, behind float32
		diagonal := false
		if down < across*tangent {
			before = strengthAt(sums, dx, dy, x, y, i-1, j)
			behind = strengthAt(sums, dx, dy, x, y, i+1, j)
		} else if down-2*across > across*tangent {
			before = strengthAt(sums, dx, dy, x, y, i, j-1)
			behind = strengthAt(sums, dx, dy, x, y, i, j+1)
		} else {
			d := 1
			if (gx < 0) != (gy < 0) {
				d = -1
			}
			before = strengthAt(sums, dx, dy, x, y, i-d, j-1)
			behind = strengthAt(sums, dx, dy, x, y, i+d, j+1)
			diagonal = true
		}
		if m > before && (m > behind || m == behind && !diagonal) {
			parent = uint32(at)
			if m > high {
				flag = 1
			}
		}
	}
	parents[at], strong[at] = parent, flag
}

func strength(sums bool, gx, gy float32) float32 {
	if sums {
		return gpu.Abs(gx) + gpu.Abs(gy)
	}
	return gpu.Sqrt(gx*gx + gy*gy)
}

// strengthAt is 0 outside of the image.
func strengthAt(sums bool, dx, dy view, x, y []float32, i, j int) float32 {
	if i < 0 || j < 0 || i >= dx.width() || j >= dx.height() {
		return 0
	}
	return strength(sums, x[dx.row(j)+i], y[dy.row(j)+i])
}

// link makes one tree of the candidates that touch, also diagonally: a forest of disjoint sets,
// whose roots have the smallest index.
//
//gpuc:kernel workgroup=items
func link(it gpu.Item, width int, parents []uint32) {
	i, j := it.Global().X, it.Group().Y
	at := j*width + i
	if i >= width || atomic.LoadUint32(&parents[at]) == noEdge {
		return
	}
	for n := range 4 { // left, and three above
		x, y := i+n-2, j-1
		if n == 0 {
			x, y = i-1, j
		}
		if x < 0 || x >= width || y < 0 {
			continue
		}
		other := uint32(y*width + x)
		if atomic.LoadUint32(&parents[other]) == noEdge {
			continue
		}
		a, b := uint32(at), other
		for {
			a, b = rootOf(parents, a), rootOf(parents, b)
			if a == b {
				break
			}
			if a < b {
				a, b = b, a
			}
			if atomic.CompareAndSwapUint32(&parents[a], a, b) {
				break
			}
		}
	}
}

// rootOf returns the root of a candidate's tree.
func rootOf(parents []uint32, at uint32) uint32 {
	for {
		parent := atomic.LoadUint32(&parents[at])
		if parent == at {
			return at
		}
		at = parent
	}
}

// mark makes the root of each tree strong that has a strong candidate.
//
//gpuc:kernel workgroup=items
func mark(it gpu.Item, width int, parents, strong []uint32) {
	i := it.Global().X
	at := it.Group().Y*width + i
	if i < width && atomic.LoadUint32(&strong[at]) != 0 {
		atomic.StoreUint32(&strong[rootOf(parents, uint32(at))], 1)
	}
}

// outline writes 255 for the candidates whose root is strong, and 0 for all other pixels.
//
//gpuc:kernel workgroup=items
func outline(it gpu.Item, dst view, to []uint32, parents, strong []uint32) {
	n, y := it.Global().X, it.Group().Y
	s := 4 * n
	if s >= dst.width() {
		return
	}
	var v four
	for k := range 4 {
		if s+k < dst.width() {
			at := uint32(y*dst.width() + s + k)
			if atomic.LoadUint32(&parents[at]) != noEdge && strong[rootOf(parents, at)] != 0 {
				v = v.with(k, 255)
			}
		}
	}
	store[bytes](to, dst.row(y), n, v, dst.width()-s)
}
