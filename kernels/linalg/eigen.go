package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// SymmetricEigen finds the eigenvalues of the symmetric matrix a, of which one triangle is read,
// and its eigenvectors: a = vectors·diag(values)·vectorsᵀ. Values ascend, and there are as many as
// rows. Their vectors are the columns of an orthogonal matrix. It may be the zero MatrixBuffer, and
// is not computed then.
//
// It writes to the first element of info 0, or 1 if sweeps have not converged (so that results are
// less exact), or −1 if a has infinities or NaN. All results are NaN then. Errors are a few ulp of
// the greatest absolute value.
//
// Columns are made orthogonal as SVD does it, after so much was added to the diagonal that no
// eigenvalue is negative and no column short. So unit vectors of columns are the eigenvectors. On
// the processor without Strict, a workgroup diagonalises a matrix of up to 32 rows (Jacobi 1846).
func SymmetricEigen[T Real](s *gpu.Stream, uplo Uplo, a gpu.MatrixBuffer[T], values *gpu.Buffer[T], vectors gpu.MatrixBuffer[T], info *gpu.Buffer[int32], o ...Option) error {
	return symmetricEigen("SymmetricEigen", s, uplo, Batch[T]{a, 1, 0}, values, Batch[T]{vectors, 1, 0}, info, o)
}

// SymmetricEigenBatch is SymmetricEigen for each of the matrices. Values of a matrix follow those
// of the one before, and info has an element for each.
func SymmetricEigenBatch[T Real](s *gpu.Stream, uplo Uplo, a Batch[T], values *gpu.Buffer[T], vectors Batch[T], info *gpu.Buffer[int32], o ...Option) error {
	return symmetricEigen("SymmetricEigenBatch", s, uplo, a, values, vectors, info, o)
}

// symmetricEigen checks arguments, and finds eigenvalues of the lower triangle.
func symmetricEigen[T Real](op operation, s *gpu.Stream, uplo Uplo, a Batch[T], values *gpu.Buffer[T], vectors Batch[T], info *gpu.Buffer[int32], o []Option) error {
	if err := first(valid(op, "uplo", uplo, Upper), checkBatch(op, "a", a, false), checkSquare(op, "a", a.MatrixBuffer), checkVectors(op, "vectors", a.Count, a.Rows, a.Rows, vectors),
		checkValues(op, a.Count*a.Rows, values), checkInfo(op, a, info), checkTemporary(op, a)); err != nil {
		return err
	}
	if a.Count == 0 {
		return nil
	}
	if a.Rows == 0 {
		return noFailures(s, a.Count, info)
	}
	if err := checkOperands(op, s, a.Buffer, values, info, boundOf(vectors.MatrixBuffer)); err != nil {
		return err
	}
	if uplo == Upper {
		a = a.T()
	}
	if a.Rows > columnsUpTo[T](s, joined(o), 0) {
		m := &memory{s: s}
		if a.Rows > jacobi.Order {
			shifted(m, a, values, vectors, info, joined(o))
			return m.close()
		}
		wanted := 1
		if vectors.Buffer == nil {
			wanted, vectors = 0, written(m, vectors)
		}
		m.do(func() error {
			return jacobi.LaunchEigenSmall(s, groups(a.Count, 1), a.Count, a.MatrixBuffer, a.Stride, ulp[T]()/8, values, wanted, vectors.MatrixBuffer, vectors.Stride, info)
		})
		return m.close()
	}
	if _, ok := any(a.Buffer).(*gpu.Buffer[float32]); ok {
		return symmetricColumns[float32, columns.Single](s, asBatch[float32](a), any(values).(*gpu.Buffer[float32]), asBatch[float32](vectors), info, joined(o))
	}
	return symmetricColumns[float64, columns.Double](s, asBatch[float64](a), any(values).(*gpu.Buffer[float64]), asBatch[float64](vectors), info, joined(o))
}

// shifted finds eigenvalues of large matrices.
//
// The eighth root of the Frobenius norm of the eighth power bounds absolute eigenvalues. It is at
// most too large by the sixteenth root of the number of rows. Three times the bound and one time
// are those of eigenvalues of a matrix with twice the bound added to the diagonal.
func shifted[T Real](m *memory, a Batch[T], values *gpu.Buffer[T], vectors Batch[T], info *gpu.Buffer[int32], o Option) {
	s, count, n := m.s, a.Count, a.Rows
	shape := shapeOf(count, n, n)
	all := groups(elementsOf(shape), items)
	scales, bounds, done, order := temporary[T](m, count), temporary[T](m, count), temporary[int32](m, count), temporary[int32](m, count*n)
	whole, x, y := temporary[T](m, elementsOf(shape)), temporary[T](m, elementsOf(shape)), temporary[T](m, elementsOf(shape))
	norms := temporary[T](m, count*n)
	load := func(w *gpu.Buffer[T]) func() error {
		return func() error {
			return jacobi.LaunchLoad(s, all, shape, a.MatrixBuffer, a.Stride, jacobi.Symmetric, scales, w)
		}
	}
	measure(m, a, jacobi.Symmetric, scales)
	pieces := jacobi.Pieces(n * widthOf(shape))
	sums := temporary[T](m, count*pieces)
	m.do(load(whole))
	m.do(load(x))
	for step := range 4 {
		if step > 0 {
			m.do(func() error { return squareProduct(s, shape, x, x, y, o) })
			x, y = y, x
		}
		m.do(func() error { return jacobi.LaunchSquares(s, groups(count*pieces, 1), shape, pieces, x, sums) })
		m.do(func() error {
			return jacobi.LaunchPower(s, groups(count*pieces, 1), shape, step, pieces, sums, x, bounds)
		})
	}
	m.do(load(x))
	m.do(func() error { return jacobi.LaunchShift(s, groups(count*n, items), shape, bounds, x) })
	orthogonalise(m, shape, x, nil, done, o)
	m.do(func() error { return jacobi.LaunchNorms(s, groups(count*n, items), shape, 1, x, norms) })
	m.do(func() error { return squareProduct(s, shape, whole, x, y, o) })
	m.do(func() error { return jacobi.LaunchQuotients(s, groups(count*n, items), shape, x, y, norms) })
	m.do(func() error {
		return jacobi.LaunchSort(s, groups(count*n, items), shape, 0, norms, scales, done, values, order, info)
	})
	if vectors.Buffer != nil {
		m.do(func() error {
			return jacobi.LaunchGather(s, groups(count*n*n, items), shape, n, x, order, vectors.MatrixBuffer, vectors.Stride)
		})
	}
}

// squareProduct makes c = a·b for square matrices of a shape, with the columns that are too many.
func squareProduct[T Real](s *gpu.Stream, shape jacobi.Shape, a, b, c *gpu.Buffer[T], o Option) error {
	left, right, to := view(shape, a), view(shape, b), view(shape, c)
	right.Cols, to.Cols = widthOf(shape), widthOf(shape)
	if left.Count == 1 {
		return multiply(s, 1, left.MatrixBuffer, right.MatrixBuffer, 0, to.MatrixBuffer, product.All, o)
	}
	return launchBatch(s, 1, left, right, 0, to, o)
}
