package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// checkProduct checks the vectors of y = a·x, and that y is apart.
func checkProduct[T any](o operation, a gpu.MatrixBuffer[T], x, y Vector[T]) error {
	return first(checkVector(o, "x", x, false), checkVector(o, "y", y, true),
		o.length("x", "elements, as a has columns", x.Len, a.Cols), o.length("y", "elements, as a has rows", y.Len, a.Rows),
		apart(o, y.Buffer, a.Buffer, x.Buffer))
}

// checkTriangle checks a triangular matrix and the vector that it changes.
func checkTriangle[T any](o operation, diag Diag, a gpu.MatrixBuffer[T], x Vector[T]) error {
	return first(valid(o, "diag", diag, Unit), checkSquare(o, "a", a), checkVector(o, "x", x, true),
		o.length("x", "elements, as a has rows", x.Len, a.Rows), apart(o, x.Buffer, a.Buffer))
}

// Gemv makes y = alpha·a·x + beta·y. If beta is zero, y is not read. If alpha is zero, neither a
// nor x is.
func Gemv[T Real](s *gpu.Stream, alpha T, a gpu.MatrixBuffer[T], x Vector[T], beta T, y Vector[T]) error {
	const o = operation("Gemv")
	if err := first(checkMatrix(o, "a", a, false), checkProduct(o, a, x, y)); err != nil {
		return err
	}
	return multiplyVector(s, alpha, a, span{int32(-a.Rows), int32(a.Cols)}, x, beta, y)
}

// multiplyVector makes y = alpha·a·x + beta·y for the elements of a in a span.
//
// The columns are split where rows alone are too few for a large device. The sizes alone say how,
// and whether rows or columns are closer in memory.
func multiplyVector[T Real](s *gpu.Stream, alpha T, a gpu.MatrixBuffer[T], d span, x Vector[T], beta T, y Vector[T]) error {
	const enough = 512 // workgroups
	switch {
	case a.Rows == 0:
		return nil
	case a.Cols == 0 || alpha == 0:
		if beta == 1 {
			return nil
		}
		return launchScale(s, groups(y.Len, block), y.Len, beta, y.Buffer, y.line())
	}
	byColumns := magnitude(a.RowStride) < magnitude(a.ColStride)
	rows, unit, least := rowsAtOnce, each*lanes, 4*each*lanes
	if byColumns {
		rows, unit, least = items, each, 8*each
	}
	g := groups(a.Rows, rows)
	parts := 1
	if wide := min(a.Cols, int(d.High)-int(d.Low)+1); wide == a.Cols {
		parts = max(min(enough/int(g.X), a.Cols/least), 1)
	}
	width := (a.Cols + parts - 1) / parts
	width = (width + unit - 1) / unit * unit
	parts = (a.Cols + width - 1) / width
	launch := func(beta T, y Vector[T]) error {
		g := gpu.D2(g.X, uint32(parts))
		if byColumns {
			return launchGemvColumns(s, g, alpha, a.Buffer, layoutOf(a.MatrixLayout), d, width, x.Buffer, x.line(), beta, y.Buffer, y.line())
		}
		return launchGemvRows(s, g, alpha, a.Buffer, layoutOf(a.MatrixLayout), d, width, x.Buffer, x.line(), beta, y.Buffer, y.line())
	}
	if parts == 1 {
		return launch(beta, y)
	}
	if whole := int(d.High)-int(d.Low) >= a.Rows+a.Cols; byColumns && whole && g.X <= maxBlocks {
		if c := chainOf(s); c != nil {
			return gemvOf(s, c, gpu.D2(g.X, uint32(parts)), alpha, a, width, x, beta, y)
		}
	}
	sums, err := gpu.AllocUninitialized[T](s, parts*a.Rows)
	if err != nil {
		return err
	}
	scale := alpha
	alpha = 1
	if err = launch(0, VectorOf(sums)); err == nil {
		err = launchAddParts(s, groups(a.Rows, items), a.Rows, parts, scale, sums, beta, y.Buffer, y.line())
	}
	return errors.Join(err, sums.Close())
}

// Symv makes y = alpha·a·x + beta·y for a symmetric matrix, of which one triangle is read. If beta
// is zero, y is not read.
func Symv[T Real](s *gpu.Stream, uplo Uplo, alpha T, a gpu.MatrixBuffer[T], x Vector[T], beta T, y Vector[T]) error {
	const o = operation("Symv")
	if err := first(valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a, false), checkSquare(o, "a", a), checkProduct(o, a, x, y)); err != nil {
		return err
	}
	return multiplySymmetric(s, alpha, a, uplo.span(a.Rows), x, beta, y)
}

// multiplySymmetric makes y = alpha·a·x + beta·y for the symmetric matrix with a triangle in a
// span.
func multiplySymmetric[T Real](s *gpu.Stream, alpha T, a gpu.MatrixBuffer[T], d span, x Vector[T], beta T, y Vector[T]) error {
	if err := multiplyVector(s, alpha, a, d, x, beta, y); err != nil || alpha == 0 {
		return err
	}
	return multiplyVector(s, alpha, a.T(), d.strict().transposed(), x, 1, y)
}

// Ger adds alpha·x·yᵀ to a.
func Ger[T Real](s *gpu.Stream, alpha T, x, y Vector[T], a gpu.MatrixBuffer[T]) error {
	const o = operation("Ger")
	if err := first(checkVector(o, "x", x, false), checkVector(o, "y", y, false), checkMatrix(o, "a", a, true),
		o.length("x", "elements, as a has rows", x.Len, a.Rows), o.length("y", "elements, as a has columns", y.Len, a.Cols),
		apart(o, a.Buffer, x.Buffer, y.Buffer)); err != nil {
		return err
	}
	return addRank1(s, alpha, x, y, a, span{int32(-a.Rows), int32(a.Cols)})
}

// Syr adds alpha·x·xᵀ to a triangle of a.
func Syr[T Real](s *gpu.Stream, uplo Uplo, alpha T, x Vector[T], a gpu.MatrixBuffer[T]) error {
	if err := checkUpdate("Syr", uplo, x, x, a); err != nil {
		return err
	}
	return addRank1(s, alpha, x, x, a, uplo.span(a.Rows))
}

// Syr2 adds alpha·x·yᵀ + alpha·y·xᵀ to a triangle of a.
func Syr2[T Real](s *gpu.Stream, uplo Uplo, alpha T, x, y Vector[T], a gpu.MatrixBuffer[T]) error {
	if err := checkUpdate("Syr2", uplo, x, y, a); err != nil || a.Rows == 0 || alpha == 0 {
		return err
	}
	d := uplo.span(a.Rows)
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		a, d = a.T(), d.transposed()
	}
	return launchRank2(s, updateGrid(a.MatrixLayout), alpha, x.Buffer, x.line(), y.Buffer, y.line(), a, d)
}

// checkUpdate checks the operands of an update of a triangle.
func checkUpdate[T any](o operation, uplo Uplo, x, y Vector[T], a gpu.MatrixBuffer[T]) error {
	return first(valid(o, "uplo", uplo, Upper), checkVector(o, "x", x, false), checkVector(o, "y", y, false), checkMatrix(o, "a", a, true), checkSquare(o, "a", a),
		o.length("x", "elements, as a has rows", x.Len, a.Rows), o.length("y", "elements, as a has rows", y.Len, a.Rows), apart(o, a.Buffer, x.Buffer, y.Buffer))
}

// addRank1 adds alpha·x·yᵀ to the elements of a in a span.
func addRank1[T Real](s *gpu.Stream, alpha T, x, y Vector[T], a gpu.MatrixBuffer[T], d span) error {
	if a.Rows == 0 || a.Cols == 0 || alpha == 0 {
		return nil
	}
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		x, y, a, d = y, x, a.T(), d.transposed()
	}
	return launchRank1(s, updateGrid(a.MatrixLayout), alpha, x.Buffer, x.line(), y.Buffer, y.line(), a, d)
}

// updateGrid is the grid of kernels whose workgroups have items of a row, and several rows.
func updateGrid(l gpu.MatrixLayout) gpu.Grid {
	return gpu.D2(groups(l.Cols, items).X, groups(l.Rows, each).X)
}

// Trmv makes x = a·x for a triangular matrix.
func Trmv[T Real](s *gpu.Stream, uplo Uplo, diag Diag, a gpu.MatrixBuffer[T], x Vector[T]) error {
	const o = operation("Trmv")
	if err := first(valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a, false), checkTriangle(o, diag, a, x)); err != nil {
		return err
	}
	return multiplyTriangle(s, diag, a, uplo.span(a.Rows), x)
}

// multiplyTriangle makes x = a·x for the triangular matrix in a span.
func multiplyTriangle[T Real](s *gpu.Stream, diag Diag, a gpu.MatrixBuffer[T], d span, x Vector[T]) error {
	if x.Len == 0 {
		return nil
	}
	copied, err := gpu.AllocUninitialized[T](s, x.Len)
	if err != nil {
		return err
	}
	old, keep := VectorOf(copied), T(0)
	if diag == Unit {
		d, keep = d.strict(), 1
	}
	if err = Copy(s, x, old); err == nil {
		err = multiplyVector(s, 1, a, d, old, keep, x)
	}
	return errors.Join(err, copied.Close())
}

// Trsv solves a·x = b for a triangular matrix, where x has b before. A zero on the diagonal makes
// infinities and NaN.
func Trsv[T Real](s *gpu.Stream, uplo Uplo, diag Diag, a gpu.MatrixBuffer[T], x Vector[T]) error {
	const o = operation("Trsv")
	if err := first(valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a, false), checkTriangle(o, diag, a, x)); err != nil {
		return err
	}
	return solveTriangle(s, diag, a, uplo.span(a.Rows), x)
}

// solveTriangle solves a·x = b for the triangular matrix in a span, by blocks: a workgroup solves
// one, and what it contributes to the others is a product.
func solveTriangle[T Real](s *gpu.Stream, diag Diag, a gpu.MatrixBuffer[T], d span, x Vector[T]) error {
	n := x.Len
	if n == 0 {
		return nil
	}
	copied, err := gpu.AllocUninitialized[T](s, n)
	if err != nil {
		return err
	}
	lower := d.High == 0
	width := int(max(-d.Low, d.High))
	for done := 0; done < n && err == nil; done += solved {
		count := min(solved, n-done)
		// The block's first unknown in memory, that which is solved first, and the others.
		low, from, step := done, done, 1
		rest, others := done+count, min(n-done-count, width)
		if !lower {
			low, from, step = n-done-count, n-1-done, -1
			others = min(low, width)
			rest = low - others
		}
		err = launchSolveVector(s, gpu.D1(1), a, from, step, count, width, int(diag), x.Buffer, x.line(), copied)
		if err == nil && others > 0 {
			err = multiplyVector(s, -1, a.Sub(rest, low, others, count), d.sub(rest, low), VectorOf(copied).sub(low, count), 1, x.sub(rest, others))
		}
	}
	return errors.Join(err, copied.Close())
}
