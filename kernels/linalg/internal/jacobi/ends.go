package jacobi

// The kernels before and after the sweeps.

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// items are those of a workgroup.
const items = 256

// Pieces is how many workgroups read a matrix of so many elements, to find its greatest element or
// its norm.
func Pieces(elements int) int { return min(max(elements/pieceElements, 1), items) }

// pieceElements is how many elements a workgroup reads at least, if there are several.
const pieceElements = 1 << 14

// Measure finds the greatest absolute element of each piece of count matrices, whose distance is
// stride. If symmetric is not 0, the triangle above the diagonal is not read.
//
//gpuc:kernel workgroup=items types=float32,float64
func Measure[T Real](it gpu.Item, shared *[items]T, count, pieces int, a gpu.Matrix[T], stride, symmetric int, greatest []T) {
	l := it.LocalIndex()
	for p := it.Group().X; p < count*pieces; p += it.Groups().X {
		m := a.Skip(p / pieces * stride)
		most := T(0)
		for e := p%pieces*items + l; e < a.Rows()*a.Cols(); e += pieces * items {
			if i, j := e/a.Cols(), e%a.Cols(); symmetric == 0 || j <= i {
				most = greater(most, m.At(i, j))
			}
		}
		shared[l] = most
		for step := items / 2; step > 0; step /= 2 {
			it.Barrier()
			if l < step {
				shared[l] = greater(shared[l], shared[l+step])
			}
		}
		if l == 0 {
			greatest[p] = shared[0]
		}
		it.Barrier()
	}
}

// Scales makes the powers of two by which count matrices are divided, of the greatest elements of
// their pieces.
//
//gpuc:kernel workgroup=items types=float32,float64
func Scales[T Real](it gpu.Item, count, pieces int, greatest, scales []T) {
	for m := it.Index(); m < count; m += it.Groups().X * items {
		most := T(0)
		for p := range pieces {
			most = greater(most, greatest[m*pieces+p])
		}
		scales[m] = columns.ScaleOf(most)
	}
}

// Values of the parameter form of Load.
const (
	General   = 0 // each element divided by the scale of its matrix
	Symmetric = 1 // likewise, of which the triangle above the diagonal is not read
	Triangle  = 2 // the triangle above the diagonal, as it is
	Lower     = 3 // likewise, the one below
)

// Load makes w of the matrices a, and of zeros.
//
//gpuc:kernel workgroup=items types=float32,float64
func Load[T Real](it gpu.Item, s Shape, a gpu.Matrix[T], stride, form int, scales, w []T) {
	width, each := s.width(), int(s.Rows)*s.width()
	for e := it.Index(); e < int(s.Count)*each; e += it.Groups().X * items {
		m, i, j := e/each, e%each/width, e%width
		x := T(0)
		if j < a.Cols() && (form != Triangle || i <= j) && (form != Lower || i >= j) {
			row, col, scale := i, j, scales[m]
			switch form {
			case Symmetric:
				row, col = max(i, j), min(i, j)
			case Triangle, Lower:
				scale = 1
			}
			x = a.Skip(m*stride).At(row, col) / scale
		}
		w[e] = x
	}
}

// Unit makes v unit matrices of as many rows as a row has elements. Where the scale is NaN, all of
// the matrix is.
//
//gpuc:kernel workgroup=items types=float32,float64
func Unit[T Real](it gpu.Item, s Shape, scales, v []T) {
	width, each := s.width(), s.width()*s.width()
	for e := it.Index(); e < int(s.Count)*each; e += it.Groups().X * items {
		scale := scales[e/each]
		x := scale - scale
		if e%each/width == e%width {
			x = scale / scale
		}
		v[e] = x
	}
}

// Squares makes the sums of squares of the pieces of all matrices.
//
//gpuc:kernel workgroup=items types=float32,float64
func Squares[T Real](it gpu.Item, shared *[items]T, s Shape, pieces int, w, sums []T) {
	l, each := it.LocalIndex(), int(s.Rows)*s.width()
	for p := it.Group().X; p < int(s.Count)*pieces; p += it.Groups().X {
		first := p / pieces * each
		sum := T(0)
		for e := p%pieces*items + l; e < each; e += pieces * items {
			sum += w[first+e] * w[first+e]
		}
		shared[l] = sum
		for step := items / 2; step > 0; step /= 2 {
			it.Barrier()
			if l < step {
				shared[l] += shared[l+step]
			}
		}
		if l == 0 {
			sums[p] = shared[0]
		}
		it.Barrier()
	}
}

// Power divides each matrix by its Frobenius norm, of which there are the squares, and multiplies
// its bound by a root of that norm. In step k of repeated squares, which begin with 0, that is the
// 2ᵏ-th root. The first step begins with a bound of one.
//
//gpuc:kernel workgroup=items types=float32,float64
func Power[T Real](it gpu.Item, s Shape, step, pieces int, sums, w, bounds []T) {
	each := int(s.Rows) * s.width()
	for p := it.Group().X; p < int(s.Count)*pieces; p += it.Groups().X {
		m := p / pieces
		sum := T(0)
		for k := range pieces {
			sum += sums[m*pieces+k]
		}
		norm := root(sum)
		if norm == 0 {
			norm = 1
		}
		for e := p%pieces*items + it.LocalIndex(); e < each; e += pieces * items {
			w[m*each+e] /= norm
		}
		if p == m*pieces && it.LocalIndex() == 0 {
			bound := T(1)
			if step > 0 {
				bound = bounds[m]
			}
			for range step {
				norm = root(norm)
			}
			bounds[m] = bound * norm
		}
	}
}

// Shift adds twice the bound to the diagonals of square matrices.
//
//gpuc:kernel workgroup=items types=float32,float64
func Shift[T Real](it gpu.Item, s Shape, bounds, w []T) {
	for e := it.Index(); e < int(s.Count)*int(s.Rows); e += it.Groups().X * items {
		w[e*s.width()+e%int(s.Rows)] += 2 * bounds[e/int(s.Rows)]
	}
}

// Norms makes the norms of all columns, which sweeps have made orthogonal. If scaled is not 0,
// columns are divided by their norms.
//
//gpuc:kernel workgroup=items types=float32,float64
func Norms[T Real](it gpu.Item, s Shape, scaled int, w, norms []T) {
	n, width, rows := int(s.Columns), s.width(), int(s.Rows)
	for e := it.Index(); e < int(s.Count)*n; e += it.Groups().X * items {
		first := e/n*rows*width + e%n
		sum := T(0)
		for i := range rows {
			sum += w[first+i*width] * w[first+i*width]
		}
		norm := root(sum)
		norms[e] = norm
		if scaled != 0 {
			for i := range rows {
				w[first+i*width] /= norm
			}
		}
	}
}

// Quotients makes the products of all columns of x and y.
//
//gpuc:kernel workgroup=items types=float32,float64
func Quotients[T Real](it gpu.Item, s Shape, x, y, values []T) {
	n, width, rows := int(s.Columns), s.width(), int(s.Rows)
	for e := it.Index(); e < int(s.Count)*n; e += it.Groups().X * items {
		first := e/n*rows*width + e%n
		sum := T(0)
		for i := range rows {
			sum += x[first+i*width] * y[first+i*width]
		}
		values[e] = sum
	}
}

// Sort writes values in order, each multiplied by its scale, and which they were. It writes info,
// too.
//
//gpuc:kernel workgroup=items types=float32,float64
func Sort[T Real](it gpu.Item, s Shape, descending int, x, scales []T, done []int32, values []T, order, info []int32) {
	n := int(s.Columns)
	for e := it.Index(); e < int(s.Count)*n; e += it.Groups().X * items {
		m, j := e/n, e%n
		at := 0
		for k := range n {
			if before(x[m*n+k], x[e], k, j, descending != 0) {
				at++
			}
		}
		values[m*n+at] = x[e] * scales[m]
		order[m*n+at] = int32(j)
		if j == 0 {
			info[m] = columns.State(scales[m] != scales[m], done[m] == 0)
		}
	}
}

// Gather writes columns in order: those of w, without what is too much, to matrices whose distance
// is stride. There are rows of w, of which each of the matrices has the first ones.
//
//gpuc:kernel workgroup=items types=float32,float64
func Gather[T Real](it gpu.Item, s Shape, rows int, w []T, order []int32, to gpu.Matrix[T], stride int) {
	n, width := int(s.Columns), s.width()
	each := to.Rows() * n
	for e := it.Index(); e < int(s.Count)*each; e += it.Groups().X * items {
		m, i, j := e/each, e%each/n, e%n
		to.Skip(m*stride).Set(i, j, w[(m*rows+i)*width+int(order[m*n+j])])
	}
}

// Signs makes matrices with ones on the diagonal, and zeros beside it. Where the diagonal of
// factors, which have at least as many rows as columns, is negative, so is the one.
//
//gpuc:kernel workgroup=items types=float32,float64
func Signs[T Real](it gpu.Item, count int, factors gpu.Matrix[T], factorStride int, to gpu.Matrix[T], stride int) {
	each := to.Rows() * to.Cols()
	for e := it.Index(); e < count*each; e += it.Groups().X * items {
		m, i, j := e/each, e%each/to.Cols(), e%to.Cols()
		x := T(0)
		if i == j {
			x = 1
			if j < factors.Cols() && factors.Skip(m*factorStride).At(i, i) < 0 {
				x = -1
			}
		}
		to.Skip(m*stride).Set(i, j, x)
	}
}

// Reflect multiplies count matrices by the reflections of factors, as QR makes them: by the last
// one first. An item has a column.
//
//gpuc:kernel workgroup=items types=float32,float64
func Reflect[T Real](it gpu.Item, count int, factors gpu.Matrix[T], factorStride int, tau []T, to gpu.Matrix[T], stride int) {
	n := min(factors.Rows(), factors.Cols())
	for e := it.Index(); e < count*to.Cols(); e += it.Groups().X * items {
		p, j := e/to.Cols(), e%to.Cols()
		v, m := factors.Skip(p*factorStride), to.Skip(p*stride)
		for back := range n {
			k := n - 1 - back
			sum := m.At(k, j)
			for i := k + 1; i < factors.Rows(); i++ {
				sum += v.At(i, k) * m.At(i, j)
			}
			sum *= tau[p*n+k]
			m.Set(k, j, m.At(k, j)-sum)
			for i := k + 1; i < factors.Rows(); i++ {
				m.Set(i, j, m.At(i, j)-v.At(i, k)*sum)
			}
		}
	}
}

// greater returns the greater one of x and |y|, and NaN if one of them is.
func greater[T Real](x, y T) T {
	y = size(y)
	if y > x || y != y {
		return y
	}
	return x
}
