package linalg

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// LU factors a by rows and columns, with partial pivoting: P·a = L·U. L, without the ones on its
// diagonal, and U replace a. Row k was exchanged with row pivots[k], one after the other, which
// both count from zero; there are as many pivots as rows or columns, whichever are fewer. It writes
// to the first element of info 0, or the number of the first pivot that is zero, counted from one
// (LAPACK's GETRF). The factors are complete then, too, but U is singular. NaN is no zero: it is
// taken as the greatest element of a column, and gets into the factors.
//
// Columns are halved until a workgroup factors those that are left (Toledo, "Locality of Reference
// in LU Decomposition with Partial Pivoting", 1997), so that most of the work is products.
func LU[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], pivots, info *gpu.Buffer[int32], o ...Option) error {
	const op = operation("LU")
	n := min(a.Rows, a.Cols)
	if err := first(checkMatrix(op, "a", a, true), checkScalar(op, "info", info), checkPivots(op, n, pivots, info)); err != nil {
		return err
	}
	if n == 0 {
		return noFailures(s, 1, info)
	}
	if err := factorLU(s, a, 0, n, pivots, info, joined(o)); err != nil || n == a.Cols {
		return err
	}
	return eliminate(s, a, 0, n, a.Cols, pivots, joined(o))
}

// factorLU factors columns from to to − 1 of a, below as many rows as there are columns before.
func factorLU[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], from, to int, pivots, info *gpu.Buffer[int32], o Option) error {
	if to-from <= panel {
		return launchPanel(s, gpu.D1(1), 1, a.Sub(from, from, a.Rows-from, to-from), 0, from, pivots, info)
	}
	middle := from + ((to-from)/2+panel-1)/panel*panel
	if err := factorLU(s, a, from, middle, pivots, info, o); err != nil {
		return err
	}
	if err := eliminate(s, a, from, middle, to, pivots, o); err != nil {
		return err
	}
	if err := factorLU(s, a, middle, to, pivots, info, o); err != nil {
		return err
	}
	left := a.Sub(0, from, a.Rows, middle-from)
	return launchExchangeRows(s, groups(left.Cols, items), left, pivots, middle, to)
}

// eliminate changes columns middle to to − 1 by the factors in columns from to middle − 1. It
// exchanges their rows, solves for those of U, and subtracts what these contribute to the others.
// It copies what products read, since kernels cannot read a matrix that they write.
func eliminate[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], from, middle, to int, pivots *gpu.Buffer[int32], o Option) error {
	count := middle - from
	right := a.Sub(0, middle, a.Rows, to-middle)
	if err := launchExchangeRows(s, groups(right.Cols, items), right, pivots, from, middle); err != nil {
		return err
	}
	upper := right.Sub(from, 0, count, right.Cols)
	l, err := duplicate(s, a.Sub(from, from, a.Rows-from, count))
	if err != nil {
		return err
	}
	u, err := like(s, upper)
	if err == nil {
		if err = solve(s, Lower, Unit, l.Sub(0, 0, count, count), upper, u, o); err == nil && middle < a.Rows {
			err = multiply(s, -1, l.Sub(count, 0, l.Rows-count, count), u, 1, right.Sub(middle, 0, a.Rows-middle, right.Cols), product.All, o)
		}
		err = errors.Join(err, u.Buffer.Close())
	}
	return errors.Join(err, l.Buffer.Close())
}

// launchPanel launches the kernel that factors panels, or small matrices.
func launchPanel[T Real](s *gpu.Stream, g gpu.Grid, count int, a gpu.MatrixBuffer[T], stride, base int, pivots, info *gpu.Buffer[int32]) error {
	if _, ok := any(a.Buffer).(*gpu.Buffer[float32]); ok {
		return launchLuPanel[float32, uint32, magnitude32](s, g, count, as[float32](a), stride, base, pivots, info)
	}
	return launchLuPanel[float64, uint64, magnitude64](s, g, count, as[float64](a), stride, base, pivots, info)
}

// closed closes a buffer, which may be nil after an error.
func closed[T any](b *gpu.Buffer[T]) error {
	if b == nil {
		return nil
	}
	return b.Close()
}

// checkPivots returns an error unless there are n pivots, apart from info.
func checkPivots(o operation, n int, pivots, info *gpu.Buffer[int32]) error {
	if pivots.Len() < n {
		return o.wrong("pivots", fmt.Sprintf("%d elements", n), "%d", pivots.Len())
	}
	return apart(o, info, pivots)
}

// LUSolve solves a·x = b by the factors and pivots that LU made of a square matrix, and writes x to
// b. If U is singular, x has infinities and NaN.
func LUSolve[T Real](s *gpu.Stream, factors gpu.MatrixBuffer[T], pivots *gpu.Buffer[int32], b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("LUSolve")
	if err := first(checkTriangular(op, Left, Lower, NonUnit, factors, b), checkPivots(op, b.Rows, pivots, nil)); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if err := usable(s, op, factors.Buffer, b.Buffer); err != nil {
		return err
	}
	if err := launchExchangeRows(s, groups(b.Cols, items), b, pivots, 0, b.Rows); err != nil {
		return err
	}
	if err := Trsm(s, Left, Lower, Unit, 1, factors, b, o...); err != nil {
		return err
	}
	return Trsm(s, Left, Upper, NonUnit, 1, factors, b, o...)
}

// LUBatch is LU for each of the matrices, which have up to 64 rows and columns. Their pivots follow
// each other, and info has an element for each.
func LUBatch[T Real](s *gpu.Stream, a Batch[T], pivots, info *gpu.Buffer[int32]) error {
	const op = operation("LUBatch")
	n := min(a.Rows, a.Cols)
	if err := first(checkBatch(op, "a", a, true), checkSmall(op, a), checkInfo(op, a, info), checkPivots(op, a.Count*n, pivots, info)); err != nil {
		return err
	}
	if a.Count == 0 || n == 0 {
		return noFailures(s, a.Count, info)
	}
	return launchPanel(s, groups(a.Count, 1), a.Count, a.MatrixBuffer, a.Stride, 0, pivots, info)
}
