package linalg

// The kernels of products of a matrix and a vector. There are two, for rows that are contiguous
// and for columns that are. Triangular and banded matrices are those of a span of diagonals: what
// is outside of it is neither read nor added.

import "github.com/gpuc/gpuc/runtime/gpu"

// span is a range of diagonals: it has element (i, j) if Low ≤ j − i ≤ High.
type span struct{ Low, High int32 }

// has reports whether the span has an element.
func (d span) has(i, j int) bool { return j-i >= int(d.Low) && j-i <= int(d.High) }

// isWhole reports whether the span has all elements of a matrix.
func (d span) isWhole(m layout) bool { return d.Low <= -m.Rows && d.High >= m.Cols }

// columns returns the columns of row i that are in the span, and from first to last − 1.
func (d span) columns(i, first, last int) (from, to int) {
	return max(first, i+int(d.Low)), min(last, i+int(d.High)+1)
}

const (
	lanes      = 32 // items that add the products of a row
	rowsAtOnce = items / lanes
)

// gemvRows makes y = alpha·a·x + beta·y, or parts of that. Workgroups whose Y is c add the products
// of columns c·width to (c+1)·width − 1, and their elements of y follow those of c − 1. If beta is
// zero, y is not read.
//
// Item l of the lanes of a row adds the products of columns l, l + lanes and so forth. Then sums at
// distances of 16, 8 … are added.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func gemvRows[T Real](it gpu.Item, shared *[rowsAtOnce][lanes]T, alpha T, a []T, m layout, d span, width int, x []T, px line, beta T, y []T, py line) {
	lane, r, chunk := it.Local().X, it.Local().Y, it.Group().Y
	for first := it.Group().X * rowsAtOnce; first < int(m.Rows); first += it.Groups().X * rowsAtOnce {
		i := first + r
		var sum T
		if i < int(m.Rows) {
			j, to := d.columns(i, chunk*width, min((chunk+1)*width, int(m.Cols)))
			if at := m.row(i); at.Stride == 1 && px.Stride == 1 {
				sum = rowSum(a, beside{at.Offset}, x, beside{px.Offset}, j+lane, to)
			} else {
				sum = rowSum(a, at, x, px, j+lane, to)
			}
		}
		shared[r][lane] = sum
		for step := lanes / 2; step > 0; step /= 2 {
			it.Barrier()
			if lane < step {
				shared[r][lane] += shared[r][lane+step]
			}
		}
		if lane == 0 && i < int(m.Rows) {
			at := py.at(chunk*int(m.Rows) + i)
			y[at] = scaledSum(alpha, shared[r][0], beta, y, at)
		}
		it.Barrier()
	}
}

// rowSum returns the sum of products of every lanes-th column from j to last − 1. It loads the
// factors of 16 products before it adds them, and then those of 8.
func rowSum[T Real, P positions](a []T, pa P, x []T, px P, j, last int) (sum T) {
	for ; j+(2*each-1)*lanes < last; j += 2 * each * lanes {
		sum = addProducts[[2 * each]T](sum, a, pa, x, px, j, lanes)
	}
	if j+(each-1)*lanes < last {
		sum = addProducts[[each]T](sum, a, pa, x, px, j, lanes)
		j += each * lanes
	}
	for ; j < last; j += lanes {
		sum += a[pa.at(j)] * x[px.at(j)]
	}
	return sum
}

// addProducts adds products of elements of a and x to a sum, from j on in steps, as many as an
// array A has elements.
func addProducts[A interface{ [each]T | [2 * each]T }, T Real, P, Q positions](sum T, a []T, pa P, x []T, px Q, j, step int) T {
	var as, xs A
	for e := range len(as) {
		as[e], xs[e] = a[pa.at(j+e*step)], x[px.at(j+e*step)]
	}
	for e := range len(as) {
		sum += as[e] * xs[e]
	}
	return sum
}

// gemvColumns is gemvRows for columns that are contiguous. An item adds the products of a row in
// ascending order.
//
//gpuc:kernel workgroup=items types=float32,float64
func gemvColumns[T Real](it gpu.Item, alpha T, a []T, m layout, d span, width int, x []T, px line, beta T, y []T, py line) {
	chunk := it.Group().Y
	for i := it.Global().X; i < int(m.Rows); i += it.Groups().X * items {
		first, last := chunk*width, min((chunk+1)*width, int(m.Cols))
		var sum T
		if m.RowStride == 1 && d.isWhole(m) { // all items add the same columns
			sum = columnSum(a, beside{m.Offset}, i, int(m.ColStride), x, px, first, last)
		} else if j, to := d.columns(i, first, last); m.RowStride == 1 {
			sum = columnSum(a, beside{m.Offset}, i, int(m.ColStride), x, px, j, to)
		} else {
			sum = columnSum(a, line{m.Offset, m.RowStride}, i, int(m.ColStride), x, px, j, to)
		}
		at := py.at(chunk*int(m.Rows) + i)
		y[at] = scaledSum(alpha, sum, beta, y, at)
	}
}

// columnSum returns the sum of products of row i, in columns j to last − 1. It loads as rowSum
// does.
func columnSum[T Real, P positions](a []T, pa P, i, stride int, x []T, px line, j, last int) (sum T) {
	row := line{int32(pa.at(i)), int32(stride)}
	for ; j+2*each <= last; j += 2 * each {
		sum = addProducts[[2 * each]T](sum, a, row, x, px, j, 1)
	}
	if j+each <= last {
		sum = addProducts[[each]T](sum, a, row, x, px, j, 1)
		j += each
	}
	for ; j < last; j++ {
		sum += a[row.at(j)] * x[px.at(j)]
	}
	return sum
}

// scaledSum returns alpha·sum + beta·y[at], and reads y only if beta is not zero.
func scaledSum[T Real](alpha, sum, beta T, y []T, at int) T {
	sum *= alpha
	if beta != 0 {
		sum += beta * y[at]
	}
	return sum
}

// addParts makes y = alpha·sum + beta·y, of n elements, where sums are those of elements i, i + n …
// of parts, in ascending order.
//
//gpuc:kernel workgroup=items types=float32,float64
func addParts[T Real](it gpu.Item, n, count int, alpha T, parts []T, beta T, y []T, py line) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		var sum T
		for c := range count {
			sum += parts[c*n+i]
		}
		at := py.at(i)
		y[at] = scaledSum(alpha, sum, beta, y, at)
	}
}

// solveVector solves a triangular system of up to solved unknowns within a larger one: those of
// rows and columns p(k) = from + k·step of a, for k below count. Row p(k) has its diagonal and the
// columns before it in this order, at most width of them. x has right sides, and gets results,
// which go to copied, too. If unit is not 0, the diagonal is ones and not read.
//
//gpuc:kernel workgroup=solved types=float32,float64
func solveVector[T Real](it gpu.Item, shared *[solved]T, a gpu.Matrix[T], from, step, count, width, unit int, x []T, px line, copied []T) {
	l := it.LocalIndex()
	p := from + l*step
	var v T
	if l < count {
		v = x[px.at(p)]
	}
	for k := range count {
		if l == k {
			if unit == 0 {
				v /= a.At(p, p)
			}
			shared[k] = v
		}
		it.Barrier()
		if l > k && l < count && l-k <= width {
			v -= a.At(p, from+k*step) * shared[k]
		}
	}
	if l < count {
		x[px.at(p)] = v
		copied[p] = v
	}
}

// solved is how many unknowns a workgroup of solveVector has.
const solved = 64

// rank1 adds alpha·x·yᵀ to the elements of a that are in a span.
//
//gpuc:kernel workgroup=items types=float32,float64
func rank1[T Real](it gpu.Item, alpha T, x []T, px line, y []T, py line, a gpu.Matrix[T], d span) {
	for first := it.Group().Y * each; first < a.Rows(); first += it.Groups().Y * each {
		for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
			v := y[py.at(j)]
			var old [each]T
			for e := range each {
				old[e] = a.At(min(first+e, a.Rows()-1), j)
			}
			for e := range each {
				if i := first + e; i < a.Rows() && d.has(i, j) {
					a.Set(i, j, old[e]+alpha*x[px.at(i)]*v)
				}
			}
		}
	}
}

// rank2 adds alpha·x·yᵀ + alpha·y·xᵀ to the elements of a that are in a span.
//
//gpuc:kernel workgroup=items types=float32,float64
func rank2[T Real](it gpu.Item, alpha T, x []T, px line, y []T, py line, a gpu.Matrix[T], d span) {
	for first := it.Group().Y * each; first < a.Rows(); first += it.Groups().Y * each {
		for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
			u, v := x[px.at(j)], y[py.at(j)]
			var old [each]T
			for e := range each {
				old[e] = a.At(min(first+e, a.Rows()-1), j)
			}
			for e := range each {
				if i := first + e; i < a.Rows() && d.has(i, j) {
					a.Set(i, j, old[e]+(alpha*x[px.at(i)]*v+alpha*y[py.at(i)]*u))
				}
			}
		}
	}
}
