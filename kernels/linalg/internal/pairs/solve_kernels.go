package pairs

import "github.com/gpuc/gpuc/runtime/gpu"

// The unknowns and the columns of a workgroup of solve.
const (
	unknowns = 16
	columns  = 64
)

// system is a workgroup's memory: a triangle, and the results of its items.
type system[T float] struct {
	A [unknowns][unknowns][2]T
	X [unknowns][columns][2]T
}

// solve solves triangular systems of up to unknowns unknowns within larger ones. They are those of
// rows and columns p(k) = from + k·step of a, for k below count. If conj is not zero, conjugates of
// a count. Row p(k) has its diagonal and the columns before it in this order. b has right sides in
// its columns, and gets results, which are rows p(k) of x, too. If unit is not zero, the diagonal
// is ones and not read. An item solves one column.
//
//gpuc:kernel workgroup=columns types=float32,float64
func solve[T float](it gpu.Item, shared *system[T], conj, from, step, count, unit int, ma, mb, mx Layout, a, b, x [][2]T) {
	l := it.LocalIndex()
	for e := l; e < unknowns*unknowns; e += columns {
		r, c := e/unknowns, e%unknowns
		var v [2]T
		if r == c {
			v[0] = 1
		}
		if r < count && (c < r || c == r && unit == 0) {
			v = conjugated(a[ma.at(from+r*step, from+c*step)], conj)
		}
		shared.A[r][c] = v
	}
	it.Barrier()
	for j := it.Global().X; j < int(mb.Cols); j += it.Groups().X * columns {
		for r := range count {
			v := b[mb.at(from+r*step, j)]
			for c := range r {
				w := times(shared.A[r][c], shared.X[c][l])
				v = [2]T{v[0] - w[0], v[1] - w[1]}
			}
			v = quotient(v, shared.A[r][r])
			shared.X[r][l] = v
			b[mb.at(from+r*step, j)] = v
			x[mx.at(from+r*step, j)] = v
		}
	}
}

// quotient returns a/b (Smith, "Algorithm 116: Complex division", 1962).
func quotient[T float](a, b [2]T) [2]T {
	if size(b[0]) >= size(b[1]) {
		r := b[1] / b[0]
		d := b[0] + b[1]*r
		return [2]T{(a[0] + a[1]*r) / d, (a[1] - a[0]*r) / d}
	}
	r := b[0] / b[1]
	d := b[1] + b[0]*r
	return [2]T{(a[0]*r + a[1]) / d, (a[1]*r - a[0]) / d}
}
