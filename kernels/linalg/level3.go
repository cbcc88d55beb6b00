package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Transpose makes b = aᵀ.
func Transpose[T Element](s *gpu.Stream, a, b gpu.MatrixBuffer[T]) error {
	const o = operation("Transpose")
	if err := first(checkMatrix(o, "a", a, false), checkMatrix(o, "b", b, true),
		o.length("b", "rows, as a has columns", b.Rows, a.Cols), o.length("b", "columns, as a has rows", b.Cols, a.Rows), apart(o, b.Buffer, a.Buffer)); err != nil {
		return err
	}
	return move(s, a.T(), b)
}

// move makes b = a, by a kernel that reads and writes elements side by side.
func move[T Element](s *gpu.Stream, a, b gpu.MatrixBuffer[T]) error {
	if b.Rows == 0 || b.Cols == 0 {
		return nil
	}
	if magnitude(b.RowStride) < magnitude(b.ColStride) {
		a, b = a.T(), b.T()
	}
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		a = a.T()
		return launchTranspose(s, gpu.D1(uint32(min(tile{square, square}.count(a.MatrixLayout), maxGroups))), a, b)
	}
	return launchCopyMatrix(s, fewGrid(b.MatrixLayout), a, b)
}

// rowGrid is the grid of kernels whose workgroups have items of one row at a time.
func rowGrid(l gpu.MatrixLayout) gpu.Grid {
	return gpu.D2(groups(l.Cols, items).X, groups(l.Rows, 1).X)
}

// fewGrid is the grid of kernels whose workgroups have items of a few rows at a time.
func fewGrid(l gpu.MatrixLayout) gpu.Grid {
	return gpu.D2(groups(l.Cols, items).X, groups(l.Rows, few).X)
}

// scaled makes a = alpha·a.
func scaled[T Real](s *gpu.Stream, alpha T, a gpu.MatrixBuffer[T]) error {
	if a.Rows == 0 || a.Cols == 0 || alpha == 1 {
		return nil
	}
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		a = a.T()
	}
	return launchScaleMatrix(s, fewGrid(a.MatrixLayout), alpha, a)
}

// expanded returns a new matrix with a triangle of a and what the form says beside it.
func expanded[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], d span, form int) (m gpu.MatrixBuffer[T], err error) {
	b, err := gpu.AllocUninitialized[T](s, a.Rows*a.Cols)
	if err != nil {
		return m, err
	}
	m = gpu.MatrixOf(b, a.Rows, a.Cols)
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		// The new matrix has the order of the old one.
		m = m.T()
		err = launchExpand(s, rowGrid(a.MatrixLayout), a.T(), d.transposed(), form, m.T())
	} else {
		err = launchExpand(s, rowGrid(a.MatrixLayout), a, d, form, m)
	}
	if err != nil {
		return m, errors.Join(err, b.Close())
	}
	return m, nil
}

// checkSides checks the operands of products with a matrix that has a triangle, on a side of b.
func checkSides[T any](o operation, side Side, uplo Uplo, a, b gpu.MatrixBuffer[T], written bool) error {
	n := b.Rows
	what := "rows, as b has"
	if side == Right {
		n, what = b.Cols, "rows, as b has columns"
	}
	return first(valid(o, "side", side, Right), valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a, false), checkSquare(o, "a", a),
		checkMatrix(o, "b", b, written), o.length("a", what, a.Rows, n))
}

// Symm makes c = alpha·a·b + beta·c for a symmetric matrix a, of which one triangle is read, or
// c = alpha·b·a + beta·c if a is on the right. If beta is zero, c is not read.
func Symm[T Real](s *gpu.Stream, side Side, uplo Uplo, alpha T, a, b gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Symm")
	if err := first(checkSides(op, side, uplo, a, b, false), checkMatrix(op, "c", c, true),
		op.length("c", "rows, as b has", c.Rows, b.Rows), op.length("c", "columns, as b has", c.Cols, b.Cols), apart(op, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if alpha == 0 {
		return scaled(s, beta, c)
	}
	whole, err := expanded(s, a, uplo.span(a.Rows), symmetric)
	if err != nil {
		return err
	}
	if side == Left {
		err = multiply(s, float64(alpha), whole, b, float64(beta), c, product.All, joined(o))
	} else {
		err = multiply(s, float64(alpha), b, whole, float64(beta), c, product.All, joined(o))
	}
	return errors.Join(err, whole.Buffer.Close())
}

// part returns the parameter of the kernels for a triangle.
func (u Uplo) part() int {
	if u == Lower {
		return product.Lower
	}
	return product.Upper
}

// Syrk makes a triangle of c = alpha·a·aᵀ + beta·c. If beta is zero, c is not read.
func Syrk[T Real](s *gpu.Stream, uplo Uplo, alpha T, a gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Syrk")
	if err := first(valid(op, "uplo", uplo, Upper), checkMatrix(op, "a", a, false), checkMatrix(op, "c", c, true), checkSquare(op, "c", c),
		op.length("c", "rows, as a has", c.Rows, a.Rows), apart(op, c.Buffer, a.Buffer)); err != nil {
		return err
	}
	return multiply(s, float64(alpha), a, a.T(), float64(beta), c, uplo.part(), joined(o))
}

// Syr2k makes a triangle of c = alpha·a·bᵀ + alpha·b·aᵀ + beta·c. If beta is zero, c is not read.
func Syr2k[T Real](s *gpu.Stream, uplo Uplo, alpha T, a, b gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Syr2k")
	if err := first(valid(op, "uplo", uplo, Upper), checkMatrix(op, "a", a, false), checkMatrix(op, "b", b, false), checkMatrix(op, "c", c, true), checkSquare(op, "c", c),
		op.length("c", "rows, as a has", c.Rows, a.Rows), op.length("b", "rows, as a has", b.Rows, a.Rows), op.length("b", "columns, as a has", b.Cols, a.Cols),
		apart(op, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	if err := multiply(s, float64(alpha), a, b.T(), float64(beta), c, uplo.part(), joined(o)); err != nil || alpha == 0 || a.Cols == 0 {
		return err
	}
	return multiply(s, float64(alpha), b, a.T(), 1, c, uplo.part(), joined(o))
}

// checkTriangular checks the operands of products and solutions with a triangular matrix.
func checkTriangular[T any](o operation, side Side, uplo Uplo, diag Diag, a, b gpu.MatrixBuffer[T]) error {
	return first(checkSides(o, side, uplo, a, b, true), valid(o, "diag", diag, Unit), apart(o, b.Buffer, a.Buffer))
}

// strip is how many rows of a triangular product are computed together. What is zero in all of them
// is not multiplied.
const strip = 256

// Trmm makes b = alpha·a·b for a triangular matrix a, or b = alpha·b·a if a is on the right. The
// transpose of a lower triangular matrix is an upper one.
func Trmm[T Real](s *gpu.Stream, side Side, uplo Uplo, diag Diag, alpha T, a, b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Trmm")
	if err := checkTriangular(op, side, uplo, diag, a, b); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if alpha == 0 {
		return scaled(s, 0, b)
	}
	if side == Right {
		a, b, uplo = a.T(), b.T(), uplo.other()
	}
	n := a.Rows
	form, d := triangular, uplo.span(n)
	if diag == Unit {
		form = unitTriangular
	}
	whole, err := expanded(s, a, d, form)
	if err != nil {
		return err
	}
	old, err := duplicate(s, b)
	if err == nil {
		for low := 0; low < n && err == nil; low += strip {
			high := min(low+strip, n)
			from, to := 0, high
			if uplo == Upper {
				from, to = low, n
			}
			err = multiply(s, float64(alpha), whole.Sub(low, from, high-low, to-from), old.Sub(from, 0, to-from, b.Cols), 0, b.Sub(low, 0, high-low, b.Cols), product.All, joined(o))
		}
		err = errors.Join(err, old.Buffer.Close())
	}
	return errors.Join(err, whole.Buffer.Close())
}

// duplicate returns a new matrix with the elements of m, in the same order in memory.
func duplicate[T Real](s *gpu.Stream, m gpu.MatrixBuffer[T]) (gpu.MatrixBuffer[T], error) {
	c, err := like(s, m)
	if err != nil {
		return c, err
	}
	if err := move(s, m, c); err != nil {
		return c, errors.Join(err, c.Buffer.Close())
	}
	return c, nil
}

// like returns a new matrix with the size of m, and the same order in memory.
func like[T Element](s *gpu.Stream, m gpu.MatrixBuffer[T]) (c gpu.MatrixBuffer[T], err error) {
	b, err := gpu.AllocUninitialized[T](s, m.Rows*m.Cols)
	if err != nil {
		return c, err
	}
	if magnitude(m.RowStride) < magnitude(m.ColStride) {
		return gpu.MatrixOf(b, m.Cols, m.Rows).T(), nil
	}
	return gpu.MatrixOf(b, m.Rows, m.Cols), nil
}

// Trsm solves a·x = alpha·b for a triangular matrix a, or x·a = alpha·b if a is on the right, and
// writes x to b. The transpose of a lower triangular matrix is an upper one. A zero on the diagonal
// makes infinities and NaN.
//
// The matrix is halved until workgroups solve what is left, so that most of the work is products.
func Trsm[T Real](s *gpu.Stream, side Side, uplo Uplo, diag Diag, alpha T, a, b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Trsm")
	if err := checkTriangular(op, side, uplo, diag, a, b); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if alpha == 0 {
		return scaled(s, 0, b)
	}
	if side == Right {
		a, b, uplo = a.T(), b.T(), uplo.other()
	}
	x, err := like(s, b)
	if err != nil {
		return err
	}
	if err = solve(s, uplo, diag, a, b, x, joined(o)); err == nil {
		err = scaled(s, alpha, b)
	}
	return errors.Join(err, x.Buffer.Close())
}

// solve solves a·x = b, and writes x to x and to b. A kernel cannot read x from b while it writes
// to other rows of b, so that there are two.
func solve[T Real](s *gpu.Stream, uplo Uplo, diag Diag, a, b, x gpu.MatrixBuffer[T], o Option) error {
	n := a.Rows
	if n <= unknowns {
		from, step := 0, 1
		if uplo == Upper {
			from, step = n-1, -1
		}
		return launchSolveColumns(s, groups(b.Cols, sides), a, from, step, n, int(diag), b, x)
	}
	half := (n/2 + unknowns - 1) / unknowns * unknowns
	begin, end := [2]int{0, half}, [2]int{half, n} // what is solved first, and what follows
	if uplo == Upper {
		begin, end = end, begin
	}
	rows := func(m gpu.MatrixBuffer[T], r [2]int) gpu.MatrixBuffer[T] { return m.Sub(r[0], 0, r[1]-r[0], m.Cols) }
	diagonal := func(r [2]int) gpu.MatrixBuffer[T] { return a.Sub(r[0], r[0], r[1]-r[0], r[1]-r[0]) }
	if err := solve(s, uplo, diag, diagonal(begin), rows(b, begin), rows(x, begin), o); err != nil {
		return err
	}
	beside := a.Sub(end[0], begin[0], end[1]-end[0], begin[1]-begin[0])
	if err := multiply(s, -1, beside, rows(x, begin), 1, rows(b, end), product.All, o); err != nil {
		return err
	}
	return solve(s, uplo, diag, diagonal(end), rows(b, end), rows(x, end), o)
}
