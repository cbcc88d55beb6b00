package linalg

// The kernels that copy matrices, or make one of another element by element, and the one that
// solves triangular systems.

import "github.com/gpuc/gpuc/runtime/gpu"

// square is the side of the blocks that transpose exchanges through workgroup memory.
const square = 32

// transpose makes b the transpose of a, whose rows are contiguous as those of b are. Both rows and
// columns of blocks are read and written side by side.
//
//gpuc:kernel workgroup=items types=float32,float64,gpu.Float16,gpu.BFloat16
func transpose[T Element](it gpu.Item, shared *[square][square + 1]T, a, b gpu.Matrix[T]) {
	column, line := it.LocalIndex()%square, it.LocalIndex()/square
	for n := it.Group().X; n < a.Tiles(square, square); n += it.Groups().X {
		row, col := a.TileAt(n, square, square)
		for r := line; r < square; r += items / square {
			if row+r < a.Rows() && col+column < a.Cols() {
				shared[r][column] = a.At(row+r, col+column)
			}
		}
		it.Barrier()
		for r := line; r < square; r += items / square {
			if col+r < b.Rows() && row+column < b.Cols() {
				b.Set(col+r, row+column, shared[column][r])
			}
		}
		it.Barrier()
	}
}

// few is how many rows an item copies or scales at a time.
const few = 4

// copyMatrix makes b = a.
//
//gpuc:kernel workgroup=items types=float32,float64,gpu.Float16,gpu.BFloat16
func copyMatrix[T Element](it gpu.Item, a, b gpu.Matrix[T]) {
	for first := it.Group().Y * few; first < a.Rows(); first += it.Groups().Y * few {
		for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
			var old [few]T
			for e := range few {
				old[e] = a.At(min(first+e, a.Rows()-1), j)
			}
			for e := range few {
				if first+e < a.Rows() {
					b.Set(first+e, j, old[e])
				}
			}
		}
	}
}

// Values of the parameter form of expand.
const (
	triangular     = 0 // zero beside the triangle
	unitTriangular = 1 // likewise, and ones on the diagonal
	symmetric      = 2 // the triangle's transpose beside it
)

// expand makes b of the triangle of a with the elements of a span.
//
//gpuc:kernel workgroup=items types=float32,float64
func expand[T Real](it gpu.Item, a gpu.Matrix[T], d span, form int, b gpu.Matrix[T]) {
	for i := it.Group().Y; i < a.Rows(); i += it.Groups().Y {
		for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
			var v T
			switch {
			case form == unitTriangular && i == j:
				v = 1
			case d.has(i, j):
				v = a.At(i, j)
			case form == symmetric:
				v = a.At(j, i)
			}
			b.Set(i, j, v)
		}
	}
}

// scaleMatrix multiplies a by alpha. Zero makes zeros, also of infinities and NaN.
//
//gpuc:kernel workgroup=items types=float32,float64
func scaleMatrix[T Real](it gpu.Item, alpha T, a gpu.Matrix[T]) {
	for first := it.Group().Y * few; first < a.Rows(); first += it.Groups().Y * few {
		for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
			var old [few]T
			for e := range few {
				old[e] = a.At(min(first+e, a.Rows()-1), j)
			}
			for e := range few {
				if first+e < a.Rows() {
					a.Set(first+e, j, multiplied(alpha, old[e]))
				}
			}
		}
	}
}

// The unknowns and the columns of a workgroup of solveColumns.
const (
	unknowns = 32
	sides    = 64
)

// solveColumns solves triangular systems of up to unknowns unknowns within larger ones: those of
// rows and columns p(k) = from + k·step of a, for k below count. Row p(k) has its diagonal and the
// columns before it in this order. b has right sides in its columns, and gets results, which go to
// copied, too. If unit is not 0, the diagonal is ones and not read. An item solves one column.
//
//gpuc:kernel workgroup=sides types=float32,float64
func solveColumns[T Real](it gpu.Item, shared *[unknowns][unknowns + 1]T, a gpu.Matrix[T], from, step, count, unit int, b, copied gpu.Matrix[T]) {
	for e := it.LocalIndex(); e < unknowns*unknowns; e += sides {
		r, c := e/unknowns, e%unknowns
		var v T
		if r == c {
			v = 1
		}
		if r < count && (c < r || c == r && unit == 0) {
			v = a.At(from+r*step, from+c*step)
		}
		shared[r][c] = v
	}
	it.Barrier()
	for j := it.Global().X; j < b.Cols(); j += it.Groups().X * sides {
		var x [unknowns]T
		for r := range unknowns {
			if r < count {
				x[r] = b.At(from+r*step, j)
			}
		}
		for r := range unknowns {
			v := x[r]
			for c := range r {
				v -= shared[r][c] * x[c]
			}
			x[r] = v / shared[r][r]
		}
		for r := range unknowns {
			if r < count {
				b.Set(from+r*step, j, x[r])
				copied.Set(from+r*step, j, x[r])
			}
		}
	}
}
