package linalg

import "github.com/gpuc/gpuc/runtime/gpu"

// Band is a matrix whose elements are zero but on some diagonals, and in memory there only. BandOf
// makes one.
type Band[T any] struct {
	// storage has the diagonals, and matrix their positions: an element of the band is that of
	// the matrix, whose other elements are not in memory.
	storage, matrix gpu.MatrixBuffer[T]
	below, above    int
}

// BandOf returns the matrix of so many columns whose diagonals are the columns of storage: below of
// them below the main diagonal, this, and above of them above it. Element (i, j) is element (i, j −
// i + below) of storage, whose elements outside of the matrix are not used. Rows that have no
// others need not be in the buffer.
func BandOf[T any](storage gpu.MatrixBuffer[T], cols, below, above int) Band[T] {
	b := Band[T]{storage, storage, below, above}
	b.storage.Rows = min(storage.Rows, max(cols, 0)+max(below, 0))
	b.matrix.Offset += below * storage.ColStride
	b.matrix.Cols, b.matrix.RowStride = cols, storage.RowStride-storage.ColStride
	return b
}

// T returns the transpose, of the same elements.
func (b Band[T]) T() Band[T] {
	return Band[T]{b.storage, b.matrix.T(), b.above, b.below}
}

// span returns the diagonals.
func (b Band[T]) span() span { return span{int32(-b.below), int32(b.above)} }

// checkBand checks a matrix, which has a triangle only if it is to.
func checkBand[T any](o operation, b Band[T], triangle bool) error {
	for _, n := range [...]int{b.below, b.above} {
		if n < 0 || n > maxLength {
			return o.wrong("a", "diagonals on both sides of the main one", "%d below it and %d above", b.below, b.above)
		}
	}
	if n := b.below + b.above + 1; b.storage.Cols != n {
		return o.wrong("a", "a column of the storage for each diagonal", "%d columns for %d diagonals", b.storage.Cols, n)
	}
	if triangle && b.below > 0 && b.above > 0 {
		return o.wrong("a", "diagonals on one side of the main one", "%d below it and %d above", b.below, b.above)
	}
	return first(o.dimension("a", "rows", b.matrix.Rows), o.dimension("a", "columns", b.matrix.Cols), checkMatrix(o, "a", b.storage, false))
}

// Gbmv makes y = alpha·a·x + beta·y for a matrix with few diagonals. If beta is zero, y is not
// read.
func Gbmv[T Real](s *gpu.Stream, alpha T, a Band[T], x Vector[T], beta T, y Vector[T]) error {
	const o = operation("Gbmv")
	if err := first(checkBand(o, a, false), checkProduct(o, a.matrix, x, y)); err != nil {
		return err
	}
	return multiplyVector(s, alpha, a.matrix, a.span(), x, beta, y)
}

// Sbmv makes y = alpha·a·x + beta·y for a symmetric matrix with few diagonals, of which a has those
// on one side of the main one. If beta is zero, y is not read.
func Sbmv[T Real](s *gpu.Stream, alpha T, a Band[T], x Vector[T], beta T, y Vector[T]) error {
	const o = operation("Sbmv")
	if err := first(checkBand(o, a, true), checkSquare(o, "a", a.matrix), checkProduct(o, a.matrix, x, y)); err != nil {
		return err
	}
	return multiplySymmetric(s, alpha, a.matrix, a.span(), x, beta, y)
}

// Tbmv makes x = a·x for a triangular matrix with few diagonals.
func Tbmv[T Real](s *gpu.Stream, diag Diag, a Band[T], x Vector[T]) error {
	const o = operation("Tbmv")
	if err := first(checkBand(o, a, true), checkTriangle(o, diag, a.matrix, x)); err != nil {
		return err
	}
	return multiplyTriangle(s, diag, a.matrix, a.span(), x)
}

// Tbsv solves a·x = b for a triangular matrix with few diagonals, where x has b before. A zero on
// the diagonal makes infinities and NaN.
func Tbsv[T Real](s *gpu.Stream, diag Diag, a Band[T], x Vector[T]) error {
	const o = operation("Tbsv")
	if err := first(checkBand(o, a, true), checkTriangle(o, diag, a.matrix, x)); err != nil {
		return err
	}
	return solveTriangle(s, diag, a.matrix, a.span(), x)
}
