package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Cholesky replaces a triangle of the symmetric matrix a by its factor: L with a = L·Lᵀ, or U with
// a = Uᵀ·U. The other triangle is not read, and keeps its values. It writes to the first element of
// info 0, or the order of the first leading minor that is not positive (LAPACK's POTRF). The factor
// is then undefined.
//
// The matrix is halved until a workgroup factors what is left, so that most of the work is
// products.
func Cholesky[T Real](s *gpu.Stream, uplo Uplo, a gpu.MatrixBuffer[T], info *gpu.Buffer[int32], o ...Option) error {
	const op = operation("Cholesky")
	if err := first(valid(op, "uplo", uplo, Upper), checkMatrix(op, "a", a, true), checkSquare(op, "a", a), checkScalar(op, "info", info)); err != nil {
		return err
	}
	if uplo == Upper {
		a = a.T()
	}
	if a.Rows == 0 {
		return noFailures(s, 1, info)
	}
	return factorCholesky(s, a, 0, info, joined(o))
}

// factorCholesky factors the lower triangle of a, which begins at row base of the whole matrix.
func factorCholesky[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], base int, info *gpu.Buffer[int32], o Option) error {
	n := a.Rows
	if n <= order {
		return launchCholesky(s, gpu.D1(1), 1, a, 0, base, info)
	}
	half := (n/2 + order - 1) / order * order
	upper, beside, rest := a.Sub(0, 0, half, half), a.Sub(half, 0, n-half, half), a.Sub(half, half, n-half, n-half)
	if err := factorCholesky(s, upper, base, info, o); err != nil {
		return err
	}
	// The rows below are L·x = aᵀ, transposed. They and L are in the buffer of a, which the kernels
	// write, so that both are copied.
	l, err := duplicate(s, upper)
	if err != nil {
		return err
	}
	x, err := like(s, beside)
	if err == nil {
		if err = solve(s, Lower, NonUnit, l, beside.T(), x.T(), o); err == nil {
			err = multiply(s, -1, x, x.T(), 1, rest, product.Lower, o)
		}
		err = errors.Join(err, x.Buffer.Close())
	}
	if err = errors.Join(err, l.Buffer.Close()); err != nil {
		return err
	}
	return factorCholesky(s, rest, base+half, info, o)
}

// CholeskySolve solves a·x = b by the factor that Cholesky made of a, and writes x to b.
func CholeskySolve[T Real](s *gpu.Stream, uplo Uplo, factor, b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("CholeskySolve")
	if err := checkTriangular(op, Left, uplo, NonUnit, factor, b); err != nil {
		return err
	}
	if uplo == Upper {
		factor = factor.T()
	}
	if err := Trsm(s, Left, Lower, NonUnit, 1, factor, b, o...); err != nil {
		return err
	}
	return Trsm(s, Left, Upper, NonUnit, 1, factor.T(), b, o...)
}

// CholeskyBatch is Cholesky for each of the matrices, which have up to 64 rows. Info has an element
// for each.
func CholeskyBatch[T Real](s *gpu.Stream, uplo Uplo, a Batch[T], info *gpu.Buffer[int32]) error {
	const op = operation("CholeskyBatch")
	if err := first(valid(op, "uplo", uplo, Upper), checkBatch(op, "a", a, true), checkSquare(op, "a", a.MatrixBuffer), checkSmall(op, a), checkInfo(op, a, info)); err != nil {
		return err
	}
	if uplo == Upper {
		a = a.T()
	}
	if a.Count == 0 || a.Rows == 0 {
		return noFailures(s, a.Count, info)
	}
	return launchCholesky(s, groups(a.Count, 1), a.Count, a.MatrixBuffer, a.Stride, 0, info)
}

// noFailures makes n numbers of info zero.
func noFailures(s *gpu.Stream, n int, info *gpu.Buffer[int32]) error {
	if n == 0 {
		return nil
	}
	return launchClearNumbers(s, groups(n, items), n, info)
}

// checkSmall returns an error unless a workgroup factors each of the matrices.
func checkSmall[T any](o operation, a Batch[T]) error {
	if a.Rows > order || a.Cols > order {
		return o.wrong("a", "matrices of up to 64 rows and columns", "%d rows of %d columns", a.Rows, a.Cols)
	}
	return nil
}

// checkInfo returns an error unless there is an element of info for each matrix.
func checkInfo[T any](o operation, a Batch[T], info *gpu.Buffer[int32]) error {
	if n := info.Len(); a.Count > 0 && n < a.Count {
		return o.wrong("info", "an element for each matrix", "%d for %d", n, a.Count)
	}
	return nil
}
