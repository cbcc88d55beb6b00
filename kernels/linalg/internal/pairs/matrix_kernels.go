package pairs

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	lanes      = 32 // items that add the products of a row
	rowsAtOnce = items / lanes
)

// gemvRows makes y = alpha·a·x + beta·y for rows that are closer in memory than columns. If beta is
// zero, y is not read. Item l of the lanes of a row adds the products of columns l, l + lanes and
// so forth. Then sums at distances of 16, 8 … are added.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32/single,float64/double
func gemvRows[T float, V arithmetic[T]](it gpu.Item, shared *[rowsAtOnce][lanes][2]T, alpha, beta [2]T, conj int, m Layout, px, py Line, a, x, y [][2]T) {
	lane, r := it.Local().X, it.Local().Y
	for first := it.Group().X * rowsAtOnce; first < int(m.Rows); first += it.Groups().X * rowsAtOnce {
		i := first + r
		var sum [2]T
		if i < int(m.Rows) {
			sum = rowSum[V](conj, m, px, a, x, i, lane, lanes)
		}
		shared[r][lane] = sum
		for step := lanes / 2; step > 0; step /= 2 {
			it.Barrier()
			if lane < step {
				shared[r][lane] = plus(shared[r][lane], shared[r][lane+step])
			}
		}
		if lane == 0 && i < int(m.Rows) {
			finishRow(alpha, shared[r][0], beta, y, py.at(i))
		}
		it.Barrier()
	}
}

// rowSum returns the sum of products of row i, in every step-th column from j on.
func rowSum[V arithmetic[T], T float](conj int, m Layout, px Line, a, x [][2]T, i, j, step int) (sum [2]T) {
	for ; j+(each-1)*step < int(m.Cols); j += each * step {
		var u, v [each][2]T
		for e := range each {
			u[e], v[e] = a[m.at(i, j+e*step)], x[px.at(j+e*step)]
		}
		for e := range each {
			sum = mulAdd[V](conjugated(u[e], conj), v[e], sum)
		}
	}
	for ; j < int(m.Cols); j += step {
		sum = mulAdd[V](conjugated(a[m.at(i, j)], conj), x[px.at(j)], sum)
	}
	return sum
}

// finishRow makes y[at] = alpha·sum + beta·y[at].
func finishRow[T float](alpha, sum, beta [2]T, y [][2]T, at int) {
	var old [2]T
	if !isZero(beta) {
		old = y[at]
	}
	y[at] = joined(alpha, sum, beta, old)
}

// gemvColumns is gemvRows for columns that are closer in memory than rows. Neighbouring items have
// neighbouring rows. Part p of a row's items adds the products of columns p, p + rowsAtOnce and so
// forth, and then the sums of the parts are added in ascending order.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32/single,float64/double
func gemvColumns[T float, V arithmetic[T]](it gpu.Item, shared *[rowsAtOnce][lanes][2]T, alpha, beta [2]T, conj int, m Layout, px, py Line, a, x, y [][2]T) {
	lane, part := it.Local().X, it.Local().Y
	for first := it.Group().X * lanes; first < int(m.Rows); first += it.Groups().X * lanes {
		i := first + lane
		var sum [2]T
		if i < int(m.Rows) {
			sum = rowSum[V](conj, m, px, a, x, i, part, rowsAtOnce)
		}
		shared[part][lane] = sum
		it.Barrier()
		if part == 0 && i < int(m.Rows) {
			for p := 1; p < rowsAtOnce; p++ {
				sum = plus(sum, shared[p][lane])
			}
			finishRow(alpha, sum, beta, y, py.at(i))
		}
		it.Barrier()
	}
}

// rank1 adds alpha·x·yᵀ to a, with the conjugates of y if conj is not zero, and those of x if it is
// two. The conjugates of x are for transposes.
//
//gpuc:kernel workgroup=items types=float32,float64
func rank1[T float](it gpu.Item, alpha [2]T, conj int, m Layout, px, py Line, x, y, a [][2]T) {
	for i := it.Group().Y; i < int(m.Rows); i += it.Groups().Y {
		u := times(alpha, conjugated(x[px.at(i)], conj&2))
		for j := it.Global().X; j < int(m.Cols); j += it.Groups().X * items {
			at := m.at(i, j)
			a[at] = plus(a[at], times(u, conjugated(y[py.at(j)], conj&1)))
		}
	}
}

// Values of the parameter form of gemm: which elements of the result are computed. Others keep
// their values.
const (
	All   = 0
	Lower = 1 // those on and below the diagonal
	Upper = 2 // those on and above the diagonal
	// Hermitian is added for results whose diagonal is real.
	Hermitian = 4
	// Triangular is added for matrices that are zero beside a triangle, and Unit if its diagonal is
	// ones. They are for expand.
	Triangular = 8
	Unit       = 16
)

// The size of the blocks of gemm: a workgroup computes side × side elements of a result, and an
// item own × own of these.
const (
	side  = 64
	own   = 4
	depth = 8
	apart = side / own // distance of an item's rows and columns
)

// gemm makes c = alpha·a·b + beta·c, with the conjugates of a if conj has bit 0, and of b if it has
// bit 1. If beta is zero, c is not read. Products are added in ascending order.
//
//gpuc:kernel workgroup=items types=float32/single,float64/double
func gemm[T float, V arithmetic[T]](it gpu.Item, left, right *[depth][side + 1][2]T, alpha, beta [2]T, conj, form int, ma, mb, mc Layout, a, b, c [][2]T) {
	l := it.LocalIndex()
	high, wide := (int(mc.Rows)+side-1)/side, (int(mc.Cols)+side-1)/side
	for n := it.Group().X; n < high*wide; n += it.Groups().X {
		row, col := n/wide*side, n%wide*side
		if form&Lower != 0 && col >= row+side || form&Upper != 0 && row >= col+side {
			continue
		}
		var sum [own][own][2]T
		for k := 0; k < int(ma.Cols); k += depth {
			var u, v [side * depth / items][2]T
			for e := range side * depth / items {
				i, j := position(e*items+l, ma.ColStride == 1, side)
				u[e] = within(a, ma, row+i, k+j)
				i, j = position(e*items+l, mb.ColStride != 1, side)
				v[e] = within(b, mb, k+j, col+i)
			}
			for e := range side * depth / items {
				i, j := position(e*items+l, ma.ColStride == 1, side)
				left[j][i] = conjugated(u[e], conj&1)
				i, j = position(e*items+l, mb.ColStride != 1, side)
				right[j][i] = conjugated(v[e], conj&2)
			}
			it.Barrier()
			for d := range depth {
				var x, y [own][2]T
				for e := range own {
					x[e], y[e] = left[d][l/apart+e*apart], right[d][l%apart+e*apart]
				}
				for r := range own {
					for s := range own {
						sum[r][s] = mulAdd[V](x[r], y[s], sum[r][s])
					}
				}
			}
			it.Barrier()
		}
		for r := range own {
			for s := range own {
				i, j := row+l/apart+r*apart, col+l%apart+s*apart
				if i >= int(mc.Rows) || j >= int(mc.Cols) || form&Lower != 0 && j > i || form&Upper != 0 && i > j {
					continue
				}
				at := mc.at(i, j)
				finishRow(alpha, sum[r][s], beta, c, at)
				if form&Hermitian != 0 && i == j {
					c[at][1] = 0
				}
			}
		}
	}
}

// position returns a row below rows and a column below depth for number n of a block. Neighbouring
// numbers are along rows, or else along columns.
func position(n int, along bool, rows int) (i, j int) {
	if along {
		return n / depth, n % depth
	}
	return n % rows, n / rows
}

// within returns an element, and zero where there is none. It loads one always.
func within[T float](a [][2]T, m Layout, i, j int) [2]T {
	v := a[m.at(min(i, int(m.Rows)-1), min(j, int(m.Cols)-1))]
	if i >= int(m.Rows) || j >= int(m.Cols) {
		v = [2]T{}
	}
	return v
}

// expand makes the whole matrix b of a triangle of a, in the form of gemm. Beside the triangle are
// zeros or the transpose's elements, which are conjugated if it is Hermitian. Imaginary parts of
// its diagonal are zero then.
//
//gpuc:kernel workgroup=items types=float32,float64
func expand[T float](it gpu.Item, form int, m, to Layout, a, b [][2]T) {
	for i := it.Group().Y; i < int(m.Rows); i += it.Groups().Y {
		for j := it.Global().X; j < int(m.Cols); j += it.Groups().X * items {
			var v [2]T
			beside := form&Lower != 0 && j > i || form&Upper != 0 && i > j
			switch {
			case form&Unit != 0 && i == j:
				v[0] = 1
			case !beside:
				v = a[m.at(i, j)]
			case form&Triangular == 0:
				v = conjugated(a[m.at(j, i)], form&Hermitian)
			}
			if form&Hermitian != 0 && i == j {
				v[1] = 0
			}
			b[to.at(i, j)] = v
		}
	}
}
