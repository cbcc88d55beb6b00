package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// SVD finds the singular values of a, of m × n elements, and its singular vectors: a =
// u·diag(values)·vᵀ. There are k values, which is the lesser of m and n, and they descend. Their
// vectors are the columns of u, of m × k elements, and of v, of n × k elements. Both are
// orthonormal also where values are zero. If u has m columns, or v has n, further ones make it an
// orthogonal matrix, which is the unit matrix if a has no elements. Either may be the zero
// MatrixBuffer, and is not computed then. NumPy returns the transpose of v, which is v.T() here.
//
// It writes to the first element of info 0, or 1 if sweeps have not converged (so that results are
// less exact), or −1 if a has infinities or NaN. All results are NaN then. Errors are a few ulp of
// the greatest value, and grow with the root of the number of rows.
//
// Columns are rotated until they are orthogonal. One workgroup rotates those of a matrix with up to
// 64 rows and columns. A larger one is rotated by blocks (Bečka, Okša and Vajteršic, "Dynamic
// Ordering for a Parallel Block-Jacobi SVD Algorithm", 2002). Most of the work is products then. If
// it has many columns, or many more rows than columns, it is factored by QR before. All of it is
// enqueued, and what comes after the last rotation does nothing.
func SVD[T Real](s *gpu.Stream, a, u gpu.MatrixBuffer[T], values *gpu.Buffer[T], v gpu.MatrixBuffer[T], info *gpu.Buffer[int32], o ...Option) error {
	return svd("SVD", s, Batch[T]{a, 1, 0}, Batch[T]{u, 1, 0}, values, Batch[T]{v, 1, 0}, info, o)
}

// SVDBatch is SVD for each of the matrices. Values of a matrix follow those of the one before, and
// info has an element for each. Matrices of up to 8, 16, 32 or 64 rows and columns are fastest: a
// workgroup has one, or some. Of larger ones with many more rows than columns, or the reverse, each
// has a QR factorisation, one after the other.
func SVDBatch[T Real](s *gpu.Stream, a, u Batch[T], values *gpu.Buffer[T], v Batch[T], info *gpu.Buffer[int32], o ...Option) error {
	return svd("SVDBatch", s, a, u, values, v, info, o)
}

// svd checks arguments, and finds values of matrices with at least as many rows as columns.
func svd[T Real](op operation, s *gpu.Stream, a, u Batch[T], values *gpu.Buffer[T], v Batch[T], info *gpu.Buffer[int32], o []Option) error {
	k := min(a.Rows, a.Cols)
	if err := first(checkBatch(op, "a", a, false), checkTemporary(op, a), checkVectors(op, "u", a.Count, a.Rows, k, u), checkVectors(op, "v", a.Count, a.Cols, k, v),
		checkValues(op, a.Count*k, values), checkInfo(op, a, info)); err != nil {
		return err
	}
	if a.Count == 0 {
		return nil
	}
	if k == 0 {
		return first(noFailures(s, a.Count, info), unit(s, u), unit(s, v))
	}
	if err := checkOperands(op, s, a.Buffer, values, info, boundOf(u.MatrixBuffer), boundOf(v.MatrixBuffer)); err != nil {
		return err
	}
	if a.Rows < a.Cols {
		a, u, v = a.T(), v, u
	}
	if a.Rows <= columnsUpTo[T](s, joined(o), 8) {
		if _, ok := any(a.Buffer).(*gpu.Buffer[float32]); ok {
			return singularColumns[float32, columns.Single](s, asBatch[float32](a), asBatch[float32](u), any(values).(*gpu.Buffer[float32]), asBatch[float32](v), info, joined(o))
		}
		return singularColumns[float64, columns.Double](s, asBatch[float64](a), asBatch[float64](u), any(values).(*gpu.Buffer[float64]), asBatch[float64](v), info, joined(o))
	}
	return singular(s, a, u, values, v, info, o)
}

// checkVectors checks matrices of vectors that are written, unless they are not wanted.
func checkVectors[T any](o operation, parameter string, count, rows, cols int, m Batch[T]) error {
	if m.Buffer == nil && m.Rows == 0 && m.Cols == 0 {
		return nil
	}
	if m.Cols == rows {
		cols = rows
	}
	return first(checkBatch(o, parameter, m, true), o.length(parameter, "matrices, as a has", m.Count, count),
		o.length(parameter, "rows", m.Rows, rows), o.length(parameter, "columns", m.Cols, cols))
}

// unit makes matrices unit matrices, if they have elements.
func unit[T Real](s *gpu.Stream, u Batch[T]) error {
	if boundOf(u.MatrixBuffer) == nil {
		return nil
	}
	m := &memory{s: s}
	none := rowsOf(temporary[T](m, 1), 0, 0)
	m.do(func() error {
		return jacobi.LaunchSigns(s, groups(u.Count*u.Rows*u.Cols, items), u.Count, none, 0, u.MatrixBuffer, u.Stride)
	})
	return m.close()
}

// tall is how many rows a matrix has at least that is factored before, if it has twice as many as
// columns.
const tall = 65

// preconditioned is how many columns a matrix has at least whose factor R is rotated, or rather the
// transpose of that of its transpose. Its columns are closer to orthogonal, so that there are fewer
// sweeps (Drmač and Veselić, "New Fast and Accurate Jacobi SVD Algorithm", 2008). Tests change it.
var preconditioned = 512

// apartBy is the distance of slices of n elements, which begin where all devices can bind them: at
// multiples of 256 bytes (Vulkan, minStorageBufferOffsetAlignment).
func apartBy(n int) int { return (n + 63) / 64 * 64 }

// singular is svd without checks.
func singular[T Real](s *gpu.Stream, a, u Batch[T], values *gpu.Buffer[T], v Batch[T], info *gpu.Buffer[int32], o []Option) error {
	count, n := a.Count, a.Cols
	m := &memory{s: s}
	shape := shapeOf(count, a.Rows, n)
	scales, done, order := temporary[T](m, count), temporary[int32](m, count), temporary[int32](m, count*n)
	w := temporary[T](m, elementsOf(shape))
	measure(m, a, jacobi.General, scales)
	m.do(func() error {
		return jacobi.LaunchLoad(s, groups(elementsOf(shape), items), shape, a.MatrixBuffer, a.Stride, jacobi.General, scales, w)
	})
	load := func(from Batch[T], form int) {
		m.do(func() error {
			return jacobi.LaunchLoad(s, groups(elementsOf(shape), items), shape, from.MatrixBuffer, from.Stride, form, scales, w)
		})
	}
	var ofRows, ofColumns qrFactors[T] // a = ofRows·w·ofColumnsᵀ
	if a.Rows >= tall && a.Rows >= 2*n || n >= preconditioned {
		ofRows = factorise(m, view(shape, w), o)
		shape = shapeOf(count, n, n)
		w = temporary[T](m, elementsOf(shape))
		load(ofRows.Batch, jacobi.Triangle)
	}
	if n >= preconditioned {
		ofColumns = factorise(m, view(shape, w).T(), o)
		load(ofColumns.T(), jacobi.Lower)
	}
	var right *gpu.Buffer[T]
	if v.Buffer != nil {
		square := shapeOf(count, widthOf(shape), n)
		right = temporary[T](m, elementsOf(square))
		m.do(func() error { return jacobi.LaunchUnit(s, groups(elementsOf(square), items), shape, scales, right) })
	}
	orthogonalise(m, shape, w, right, done, joined(o))
	norms := temporary[T](m, count*n)
	m.do(func() error { return jacobi.LaunchNorms(s, groups(count*n, items), shape, 0, w, norms) })
	m.do(func() error {
		return jacobi.LaunchSort(s, groups(count*n, items), shape, 1, norms, scales, done, values, order, info)
	})
	if v.Buffer != nil {
		m.do(func() error {
			return jacobi.LaunchGather(s, groups(count*n*n, items), shape, widthOf(shape), right, order, v.MatrixBuffer, v.Stride)
		})
		ofColumns.multiply(m, v, o)
	}
	if u.Buffer != nil {
		rows := int(shape.Rows)
		sorted := Batch[T]{rowsOf(temporary[T](m, count*rows*n), n, rows).T(), count, rows * n}
		m.do(func() error {
			return jacobi.LaunchGather(s, groups(count*rows*n, items), shape, rows, w, order, sorted.MatrixBuffer, sorted.Stride)
		})
		orthonormal(m, sorted, u, o)
		ofRows.multiply(m, u, o)
	}
	return m.close()
}

// qrFactors are QR factorisations of matrices, or none if they have no buffer. Columns are
// contiguous, which QR is faster with.
type qrFactors[T Real] struct {
	Batch[T]
	taus *gpu.Buffer[T]
}

// tau returns the factors of matrix p that QR writes beside the matrix.
func (f *qrFactors[T]) tau(p int) (*gpu.Buffer[T], error) {
	first := p * apartBy(f.Cols)
	return f.taus.Slice(first, first+f.Cols)
}

// factorise makes QR factorisations of copies of matrices.
func factorise[T Real](m *memory, a Batch[T], o []Option) qrFactors[T] {
	each := a.Rows * a.Cols
	f := qrFactors[T]{Batch[T]{rowsOf(temporary[T](m, a.Count*each), a.Cols, a.Rows).T(), a.Count, each}, temporary[T](m, a.Count*apartBy(a.Cols))}
	for p := range a.Count {
		m.do(func() error { return move(m.s, a.matrix(p), f.matrix(p)) })
		m.do(func() error {
			tau, err := f.tau(p)
			if err != nil {
				return err
			}
			return QR(m.s, f.matrix(p), tau, o...)
		})
	}
	return f
}

// multiply makes u = q·u for the orthogonal factors q, if there are any.
func (f *qrFactors[T]) multiply(m *memory, u Batch[T], o []Option) {
	for p := 0; f.Buffer != nil && p < f.Count; p++ {
		m.do(func() error {
			tau, err := f.tau(p)
			if err != nil {
				return err
			}
			return QRMultiply(m.s, f.matrix(p), tau, false, u.matrix(p), o...)
		})
	}
}

// orthonormal makes the columns of w unit vectors in u, whose further rows and columns become
// those of a unit matrix. Columns that are zero become vectors that are orthogonal to all others.
// Those of w are orthogonal, and each is at least as long as the next one, so that they are what
// QR makes of them but for signs. It replaces w.
func orthonormal[T Real](m *memory, w, u Batch[T], o []Option) {
	count, n := w.Count, w.Cols
	if w.Rows <= order {
		tau := temporary[T](m, count*n)
		m.do(func() error { return reflectBatch(m.s, w, tau, joined(o)) })
		m.do(func() error {
			return jacobi.LaunchSigns(m.s, groups(count*u.Rows*u.Cols, items), count, w.MatrixBuffer, w.Stride, u.MatrixBuffer, u.Stride)
		})
		m.do(func() error {
			return jacobi.LaunchReflect(m.s, groups(count*u.Cols, items), count, w.MatrixBuffer, w.Stride, tau, u.MatrixBuffer, u.Stride)
		})
		return
	}
	tau := temporary[T](m, n)
	for p := range count {
		one, to := w.matrix(p), u.matrix(p)
		m.do(func() error { return QR(m.s, one, tau, o...) })
		m.do(func() error {
			return jacobi.LaunchSigns(m.s, groups(to.Rows*to.Cols, items), 1, one, 0, to, 0)
		})
		m.do(func() error { return QRMultiply(m.s, one, tau, false, to.Sub(0, 0, one.Rows, to.Cols), o...) })
	}
}
