package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// nowhere is the span without elements.
var nowhere = span{1, 0}

// Inverse makes inverse the inverse of the square matrix a, by LU, whose info it writes: 0, or the
// number of the first pivot that is zero, counted from one. The inverse has infinities or NaN then,
// and so it has, with 0 as info, if a has NaN. To solve systems, LUSolve is faster and more exact.
func Inverse[T Real](s *gpu.Stream, a, inverse gpu.MatrixBuffer[T], info *gpu.Buffer[int32], o ...Option) error {
	const op = operation("Inverse")
	n := a.Rows
	if err := first(checkMatrix(op, "a", a, false), checkSquare(op, "a", a), checkMatrix(op, "inverse", inverse, true), op.length("inverse", "rows, as a has", inverse.Rows, n),
		op.length("inverse", "columns, as a has", inverse.Cols, n), checkScalar(op, "info", info)); err != nil {
		return err
	}
	if n == 0 {
		return noFailures(s, 1, info)
	}
	if err := checkOperands(op, s, a.Buffer, inverse.Buffer, info); err != nil {
		return err
	}
	m := &memory{s: s}
	factors, pivots := factored(m, a, info, o)
	m.do(func() error {
		return launchExpand(s, rowGrid(inverse.MatrixLayout), factors, nowhere, unitTriangular, inverse)
	})
	m.do(func() error { return LUSolve(s, factors, pivots, inverse, o...) })
	return m.close()
}

// factored returns the factors of a matrix, and its pivots.
func factored[T Real](m *memory, a gpu.MatrixBuffer[T], info *gpu.Buffer[int32], o []Option) (gpu.MatrixBuffer[T], *gpu.Buffer[int32]) {
	n := a.Rows
	factors, pivots := rowsOf(temporary[T](m, n*n), n, n), temporary[int32](m, n)
	m.do(func() error { return move(m.s, a, factors) })
	m.do(func() error { return LU(m.s, factors, pivots, info, o...) })
	return factors, pivots
}

// Det writes the determinant of the square matrix a to the first element of result, by LU. It is 1
// if there are no rows, 0 if a pivot is zero, and infinite or NaN if a has infinities or NaN. No
// product on the way overflows or underflows.
func Det[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], result *gpu.Buffer[T], o ...Option) error {
	const op = operation("Det")
	if err := first(checkMatrix(op, "a", a, false), checkSquare(op, "a", a), checkScalar(op, "result", result)); err != nil {
		return err
	}
	if err := checkOperands(op, s, boundOf(a), result); err != nil {
		return err
	}
	m := &memory{s: s}
	info := temporary[int32](m, 1)
	factors, pivots := factored(m, a, info, o)
	m.do(func() error { return launchDeterminant(s, gpu.D1(1), a.Rows, factors, pivots, result) })
	return m.close()
}

// Cond writes the condition number of a to the first element of result: its greatest singular
// value divided by the least one. It is infinite if that is zero, 0 if a has no elements, and NaN
// if a has infinities or NaN.
func Cond[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], result *gpu.Buffer[T], o ...Option) error {
	const op = operation("Cond")
	batch, k := Batch[T]{a, 1, 0}, min(a.Rows, a.Cols)
	if err := first(checkMatrix(op, "a", a, false), checkTemporary(op, batch), checkScalar(op, "result", result)); err != nil {
		return err
	}
	if err := checkOperands(op, s, boundOf(a), result); err != nil {
		return err
	}
	m := &memory{s: s}
	values, info := temporary[T](m, k), temporary[int32](m, 1)
	if k == 0 {
		m.do(func() error { return launchScale(s, gpu.D1(1), 1, 0, result, line{0, 1}) })
		return m.close()
	}
	m.do(func() error { return svd(op, s, batch, Batch[T]{}, values, Batch[T]{}, info, o) })
	m.do(func() error { return jacobi.LaunchCondition(s, gpu.D1(1), k, values, result) })
	return m.close()
}

// truncated makes v·diag(1/values) and u of the singular values of a and their vectors, without
// those of values that are at most limit times the greatest one.
func truncated[T Real](m *memory, op operation, a gpu.MatrixBuffer[T], limit T, rank *gpu.Buffer[int32], o []Option) (u, v gpu.MatrixBuffer[T]) {
	k := min(a.Rows, a.Cols)
	if limit < 0 {
		limit = ulp[T]() * T(max(a.Rows, a.Cols))
	}
	values, info := temporary[T](m, k), temporary[int32](m, 1)
	u = rowsOf(temporary[T](m, a.Rows*k), a.Rows, k)
	v = rowsOf(temporary[T](m, a.Cols*k), a.Cols, k)
	m.do(func() error {
		return svd(op, m.s, Batch[T]{a, 1, 0}, Batch[T]{u, 1, 0}, values, Batch[T]{v, 1, 0}, info, o)
	})
	m.do(func() error {
		return jacobi.LaunchReciprocals(m.s, groups(a.Cols*k, items), limit, values, info, v, rank)
	})
	return u, v
}

// checkLimit returns an error unless a limit for singular values is finite.
func checkLimit[T Real](o operation, rcond T) error {
	if rcond-rcond != 0 {
		return o.wrong("rcond", "a finite number", "%v", rcond)
	}
	return nil
}

// PseudoInverse makes inverse the pseudo-inverse of a (Moore, Penrose), of n × m elements for a of
// m × n: v·diag(1/values)·uᵀ by SVD. Singular values of at most rcond times the greatest one count
// as zero. A negative rcond is one ulp times the greater one of m and n; infinities and NaN are
// errors. It writes to the first element of rank how many values do not count as zero. That is −1
// if a has infinities or NaN, and the inverse has only NaN then. It is −1, too, if the SVD has not
// converged.
func PseudoInverse[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], rcond T, inverse gpu.MatrixBuffer[T], rank *gpu.Buffer[int32], o ...Option) error {
	const op = operation("PseudoInverse")
	if err := first(checkMatrix(op, "a", a, false), checkTemporary(op, Batch[T]{a, 1, 0}), checkLimit(op, rcond), checkMatrix(op, "inverse", inverse, true),
		op.length("inverse", "rows, as a has columns", inverse.Rows, a.Cols), op.length("inverse", "columns, as a has rows", inverse.Cols, a.Rows), checkScalar(op, "rank", rank)); err != nil {
		return err
	}
	if a.Rows == 0 || a.Cols == 0 {
		return noFailures(s, 1, rank)
	}
	if err := checkOperands(op, s, a.Buffer, inverse.Buffer, rank); err != nil {
		return err
	}
	m := &memory{s: s}
	u, v := truncated(m, op, a, rcond, rank, o)
	m.do(func() error { return multiply(s, 1, v, u.T(), 0, inverse, product.All, joined(o)) })
	return m.close()
}

// Lstsq finds, for each column of b, the x of least Euclidean norm among those for which a·x − b
// has the least one. For a of m × n elements, b has m rows and x has n. The columns of a may
// depend on each other, and it may have fewer rows than columns. Singular values count, and rank
// is written, as for PseudoInverse. If a has infinities or NaN, x has only NaN; if a column of b
// has some, that of x has. LeastSquares is faster where columns are independent.
func Lstsq[T Real](s *gpu.Stream, a, b gpu.MatrixBuffer[T], rcond T, x gpu.MatrixBuffer[T], rank *gpu.Buffer[int32], o ...Option) error {
	const op = operation("Lstsq")
	if err := first(checkMatrix(op, "a", a, false), checkTemporary(op, Batch[T]{a, 1, 0}), checkLimit(op, rcond), checkMatrix(op, "b", b, false), checkMatrix(op, "x", x, true),
		op.length("b", "rows, as a has", b.Rows, a.Rows), op.length("x", "rows, as a has columns", x.Rows, a.Cols), op.length("x", "columns, as b has", x.Cols, b.Cols), checkScalar(op, "rank", rank)); err != nil {
		return err
	}
	if err := checkOperands(op, s, boundOf(a), boundOf(b), boundOf(x), rank); err != nil {
		return err
	}
	if a.Rows == 0 || a.Cols == 0 {
		return first(noFailures(s, 1, rank), scaled(s, 0, x))
	}
	m := &memory{s: s}
	u, v := truncated(m, op, a, rcond, rank, o)
	k := u.Cols
	between := rowsOf(temporary[T](m, k*b.Cols), k, b.Cols)
	m.do(func() error { return multiply(s, 1, u.T(), b, 0, between, product.All, joined(o)) })
	m.do(func() error { return multiply(s, 1, v, between, 0, x, product.All, joined(o)) })
	return m.close()
}
