package linalg

// The kernels of vectors that compute element by element. Memory limits them, so each item loads
// several elements before it computes.

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	items = 256 // of a workgroup
	each  = 8   // elements of an item at a time
	block = items * each
)

// combination makes an element of x and y.
type combination[T Real] interface{ apply(alpha, x, y T) T }

type addScaled[T Real] struct{}

func (addScaled[T]) apply(alpha, x, y T) T { return alpha*x + y }

type takeFirst[T Real] struct{}

func (takeFirst[T]) apply(_, x, _ T) T { return x }

// axpy makes y = alpha·x + y, of n elements.
//
//gpuc:kernel workgroup=items types=float32,float64
func axpy[T Real](it gpu.Item, n int, alpha T, x []T, px line, y []T, py line) {
	combine[addScaled[T]](it, n, alpha, x, px, y, py)
}

// copyVector makes y = x, of n elements.
//
//gpuc:kernel workgroup=items types=float32,float64
func copyVector[T Real](it gpu.Item, n int, x []T, px line, y []T, py line) {
	combine[takeFirst[T]](it, n, 1, x, px, y, py)
}

// combine makes y of x and y, n elements of each.
func combine[O combination[T], T Real](it gpu.Item, n int, alpha T, x []T, px line, y []T, py line) {
	if px.Stride == 1 && py.Stride == 1 {
		combineAt[O](it, n, alpha, x, beside{px.Offset}, y, beside{py.Offset})
	} else {
		combineAt[O](it, n, alpha, x, px, y, py)
	}
}

func combineAt[O combination[T], T Real, P positions](it gpu.Item, n int, alpha T, x []T, px P, y []T, py P) {
	var o O
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		i := first + it.LocalIndex()
		if first+block > n {
			for ; i < n; i += items {
				y[py.at(i)] = o.apply(alpha, x[px.at(i)], y[py.at(i)])
			}
			return
		}
		var a, b [each]T
		for e := range each {
			a[e], b[e] = x[px.at(i+e*items)], y[py.at(i+e*items)]
		}
		for e := range each {
			y[py.at(i+e*items)] = o.apply(alpha, a[e], b[e])
		}
	}
}

// exchanged makes an element of x, and one of y.
type exchanged[T Real] interface{ apply(c, s, x, y T) (T, T) }

type swapped[T Real] struct{}

func (swapped[T]) apply(_, _, x, y T) (T, T) { return y, x }

type rotated[T Real] struct{}

func (rotated[T]) apply(c, s, x, y T) (T, T) { return c*x + s*y, c*y - s*x }

// swap exchanges n elements of x and y.
//
//gpuc:kernel workgroup=items types=float32,float64
func swap[T Real](it gpu.Item, n int, x []T, px line, y []T, py line) {
	exchange[swapped[T]](it, n, 1, 1, x, px, y, py)
}

// rotate makes x = c·x + s·y and y = c·y − s·x, of n elements.
//
//gpuc:kernel workgroup=items types=float32,float64
func rotate[T Real](it gpu.Item, n int, c, s T, x []T, px line, y []T, py line) {
	exchange[rotated[T]](it, n, c, s, x, px, y, py)
}

// exchange makes x and y of both, n elements of each.
func exchange[O exchanged[T], T Real](it gpu.Item, n int, c, s T, x []T, px line, y []T, py line) {
	if px.Stride == 1 && py.Stride == 1 {
		exchangeAt[O](it, n, c, s, x, beside{px.Offset}, y, beside{py.Offset})
	} else {
		exchangeAt[O](it, n, c, s, x, px, y, py)
	}
}

func exchangeAt[O exchanged[T], T Real, P positions](it gpu.Item, n int, c, s T, x []T, px P, y []T, py P) {
	var o O
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		i := first + it.LocalIndex()
		if first+block > n {
			for ; i < n; i += items {
				x[px.at(i)], y[py.at(i)] = o.apply(c, s, x[px.at(i)], y[py.at(i)])
			}
			return
		}
		var a, b [each]T
		for e := range each {
			a[e], b[e] = x[px.at(i+e*items)], y[py.at(i+e*items)]
		}
		for e := range each {
			x[px.at(i+e*items)], y[py.at(i+e*items)] = o.apply(c, s, a[e], b[e])
		}
	}
}

// scale multiplies n elements of x by alpha. Zero makes zeros, also of infinities and NaN.
//
//gpuc:kernel workgroup=items types=float32,float64
func scale[T Real](it gpu.Item, n int, alpha T, x []T, px line) {
	if px.Stride == 1 {
		scaleAt(it, n, alpha, x, beside{px.Offset})
	} else {
		scaleAt(it, n, alpha, x, px)
	}
}

func scaleAt[T Real, P positions](it gpu.Item, n int, alpha T, x []T, px P) {
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		i := first + it.LocalIndex()
		if first+block > n {
			for ; i < n; i += items {
				x[px.at(i)] = multiplied(alpha, x[px.at(i)])
			}
			return
		}
		var a [each]T
		for e := range each {
			a[e] = x[px.at(i+e*items)]
		}
		for e := range each {
			x[px.at(i+e*items)] = multiplied(alpha, a[e])
		}
	}
}

// multiplied returns alpha·x, and zero if alpha is zero.
func multiplied[T Real](alpha, x T) T {
	if alpha == 0 {
		return 0
	}
	return alpha * x
}

// rotm multiplies n points (x[i], y[i]) with a matrix.
//
//gpuc:kernel workgroup=items types=float32,float64
func rotm[T Real](it gpu.Item, n int, h [2][2]T, x []T, px line, y []T, py line) {
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		var a, b [each]T
		for e := range each {
			i := min(first+e*items+it.LocalIndex(), n-1)
			a[e], b[e] = x[px.at(i)], y[py.at(i)]
		}
		for e := range each {
			if i := first + e*items + it.LocalIndex(); i < n {
				x[px.at(i)], y[py.at(i)] = h[0][0]*a[e]+h[0][1]*b[e], h[1][0]*a[e]+h[1][1]*b[e]
			}
		}
	}
}
