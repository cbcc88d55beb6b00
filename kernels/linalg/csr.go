package linalg

import (
	"errors"
	"math/bits"

	"github.com/gpuc/gpuc/kernels/linalg/internal/sparse"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// CSR is a sparse matrix in compressed rows: row i has elements Starts[i] to Starts[i+1] − 1, whose
// columns are in Columns and whose values are in Values. Starts has Rows + 1 elements, the first
// one zero, and columns of a row ascend. The other buffers may have room for more elements, and may
// be nil if there are none.
//
// What is in the buffers is not known when a function is called. CheckCSR finds what is wrong
// there. A matrix that is not well formed makes results that are wrong, but nothing beside its
// buffers and its operands is read.
type CSR[T any] struct {
	Rows, Cols      int
	Starts, Columns *gpu.Buffer[int32]
	Values          *gpu.Buffer[T]
}

// room is for how many elements there is memory.
func (a CSR[T]) room() int { return min(a.Columns.Len(), a.Values.Len()) }

func (a CSR[T]) shape() sparse.Shape {
	return sparse.Shape{Rows: int32(a.Rows), Cols: int32(a.Cols), Room: int32(a.room())}
}

// checkSparse checks the sizes of a sparse matrix and its buffers.
func checkSparse[T any](o operation, parameter string, a CSR[T]) error {
	err := first(o.dimension(parameter, "rows", a.Rows), o.dimension(parameter, "columns", a.Cols), o.dimension(parameter, "elements", a.Values.Len()),
		o.length(parameter, "columns, as there are values", a.Columns.Len(), a.Values.Len()), o.dimension(parameter, "rows and elements", a.Rows+a.Values.Len()))
	if err == nil && a.Rows > 0 && a.Starts.Len() != a.Rows+1 {
		err = o.wrong(parameter, "starts of rows and one more", "%d for %d rows", a.Starts.Len(), a.Rows)
	}
	return err
}

// filled returns the matrix, with buffers of its own where it has no elements: launches want some.
// The caller calls emptied.
func (a CSR[T]) filled(s *gpu.Stream) (CSR[T], error) {
	if a.room() > 0 {
		return a, nil
	}
	var err1, err2 error
	a.Columns, err1 = gpu.AllocUninitialized[int32](s, 1)
	a.Values, err2 = gpu.AllocUninitialized[T](s, 1)
	return a, errors.Join(err1, err2)
}

// emptied closes what filled has made for a matrix.
func (a CSR[T]) emptied(filled CSR[T]) error {
	if a.Values == filled.Values {
		return nil
	}
	return errors.Join(closed(filled.Columns), closed(filled.Values))
}

// MulVec makes y = alpha·a·x + beta·y for a sparse matrix. If beta is zero, y is not read. If alpha
// is zero, neither a nor x is.
//
// All workgroups have as many elements, however uneven rows are (Merrill and Garland, "Merge-based
// Parallel Sparse Matrix-Vector Multiplication", 2016). The order of additions depends on the sizes
// and the starts of rows alone. For products with the transpose, TransposeCSR makes that once.
func MulVec[T Real](s *gpu.Stream, alpha T, a CSR[T], x Vector[T], beta T, y Vector[T]) error {
	const o = operation("MulVec")
	if err := first(checkSparse(o, "a", a), checkVector(o, "x", x, false), checkVector(o, "y", y, true),
		o.length("x", "elements, as a has columns", x.Len, a.Cols), o.length("y", "elements, as a has rows", y.Len, a.Rows),
		apart(o, y.Buffer, a.Values, x.Buffer)); err != nil || a.Rows == 0 {
		return err
	}
	if alpha == 0 || a.Cols == 0 || a.room() == 0 {
		if beta == 1 {
			return nil
		}
		return launchScale(s, groups(y.Len, block), y.Len, beta, y.Buffer, y.line())
	}
	m := a.shape()
	tiles := (a.Rows + a.room() + sparse.PathTile - 1) / sparse.PathTile
	rows, err1 := gpu.AllocUninitialized[int32](s, tiles+1)
	parts, err2 := gpu.AllocUninitialized[T](s, 2*tiles)
	err := errors.Join(err1, err2)
	px, py := sparse.Line(x.line()), sparse.Line(y.line())
	if err == nil {
		err = sparse.LaunchPathRows(s, groups(tiles+1, items), m, a.Starts, tiles, rows)
	}
	if err == nil {
		err = sparse.LaunchPathSums(s, groups(tiles, 1), m, a.Starts, a.Columns, a.Values, tiles, rows, alpha, x.Buffer, px, beta, y.Buffer, py, parts)
	}
	if err == nil {
		err = sparse.LaunchJoinSums(s, groups(tiles, rowsAtOnce), m, a.Starts, tiles, rows, alpha, beta, y.Buffer, py, parts)
	}
	return errors.Join(err, closed(rows), closed(parts))
}

// MulMat makes c = alpha·a·b + beta·c for a sparse matrix a, and dense ones b and c. If beta is
// zero, c is not read. If alpha is zero, neither a nor b is. Products are added in the order of a
// row's elements. It is fast where rows of b and c are contiguous.
func MulMat[T Real](s *gpu.Stream, alpha T, a CSR[T], b gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T]) error {
	const o = operation("MulMat")
	if err := first(checkSparse(o, "a", a), checkMatrix(o, "b", b, false), checkMatrix(o, "c", c, true),
		o.length("b", "rows, as a has columns", b.Rows, a.Cols), o.length("c", "rows, as a has", c.Rows, a.Rows), o.length("c", "columns, as b has", c.Cols, b.Cols),
		apart(o, c.Buffer, a.Values, b.Buffer)); err != nil || c.Rows == 0 || c.Cols == 0 {
		return err
	}
	if alpha == 0 || a.Cols == 0 || a.room() == 0 {
		if beta == 1 {
			return nil
		}
		return launchScaleMatrix(s, updateGrid(c.MatrixLayout), beta, c)
	}
	g := gpu.D2(groups(c.Cols, lanes).X, groups(c.Rows, rowsAtOnce).X)
	return sparse.LaunchTimes(s, g, a.shape(), a.Starts, a.Columns, a.Values, alpha, b, beta, c)
}

// TransposeCSR makes t the transpose of a, whose buffers have room for as many elements as a's
// have. Elements are sorted by columns in log₂² n steps for n elements, so that it takes as long as
// some tens of products. Rows of t have their elements in the order of a's rows.
func TransposeCSR[T Real](s *gpu.Stream, a, t CSR[T]) error {
	const o = operation("TransposeCSR")
	if err := first(checkSparse(o, "a", a), checkSparse(o, "t", t), o.length("t", "rows, as a has columns", t.Rows, a.Cols), o.length("t", "columns, as a has rows", t.Cols, a.Rows),
		o.length("t", "elements, as a has room for", t.room(), a.room()), apart(o, t.Starts, a.Starts, a.Columns, t.Columns), apart(o, t.Columns, a.Starts, a.Columns), apart(o, t.Values, a.Values)); err != nil || t.Rows == 0 {
		return err
	}
	if a.Rows > 0 && a.room() > 0 {
		if err := usable(s, o, t.Starts, t.Columns, t.Values, a.Starts, a.Columns, a.Values); err != nil {
			return err
		}
	}
	n := block << bits.Len(uint((a.room()-1)/block))
	keys, err1 := gpu.AllocUninitialized[sparse.Key](s, n)
	rows, err2 := gpu.AllocUninitialized[int32](s, max(a.room(), 1))
	err := errors.Join(err1, err2)
	if err == nil {
		err = sparse.LaunchFillKeys(s, groups(n, block), n, keys)
	}
	if err == nil && a.Rows > 0 && a.room() > 0 {
		err = sparse.LaunchKeys(s, gpu.D2(1, groups(a.Rows, rowsAtOnce).X), a.shape(), a.Starts, a.Columns, keys, rows)
		if err == nil {
			err = sortKeys(s, n, keys)
		}
		if err == nil {
			err = sparse.LaunchTakeKeys(s, groups(a.room(), block), a.room(), keys, rows, a.Values, t.Columns, t.Values)
		}
	}
	if err == nil {
		err = sparse.LaunchKeyStarts(s, groups(t.Rows+1, items), t.Rows, n, keys, t.Starts)
	}
	return errors.Join(err, closed(keys), closed(rows))
}

// sortKeys sorts n keys, a power of two of blocks.
func sortKeys(s *gpu.Stream, n int, keys *gpu.Buffer[sparse.Key]) error {
	err := sparse.LaunchSortBlocks(s, groups(n, block), n, 2, keys)
	for size := 2 * block; size <= n && err == nil; size *= 2 {
		for step := size / 2; step >= block && err == nil; step /= 2 {
			err = sparse.LaunchExchangeKeys(s, groups(n/2, items), n, size, step, keys)
		}
		if err == nil {
			err = sparse.LaunchSortBlocks(s, groups(n, block), n, size, keys)
		}
	}
	return err
}

// CSROf makes a sparse matrix of the elements of a dense one that are not zero. NaN is not zero.
// Elements that the buffers of a have no room for are left out, but a.Starts counts all of them:
// its last element is how many there are.
func CSROf[T Real](s *gpu.Stream, b gpu.MatrixBuffer[T], a CSR[T]) error {
	const o = operation("CSROf")
	if err := first(checkMatrix(o, "b", b, false), checkSparse(o, "a", a), o.length("a", "rows, as b has", a.Rows, b.Rows), o.length("a", "columns, as b has", a.Cols, b.Cols),
		apart(o, a.Values, b.Buffer), apart(o, a.Starts, a.Columns)); err != nil || b.Rows == 0 {
		return err
	}
	if b.Cols == 0 {
		return launchClearNumbers(s, groups(b.Rows+1, items), b.Rows+1, a.Starts)
	}
	m, g := a.shape(), groups(b.Rows, rowsAtOnce)
	to, err := a.filled(s)
	if err == nil {
		err = usable(s, o, b.Buffer, a.Starts, to.Columns, to.Values)
	}
	if err == nil {
		err = sparse.LaunchCountRows(s, g, b, a.Starts)
	}
	if err == nil {
		err = sparse.LaunchSumStarts(s, gpu.D1(1), b.Rows, a.Starts)
	}
	if err == nil {
		err = sparse.LaunchFromDense(s, g, m, b, a.Starts, to.Columns, to.Values)
	}
	return errors.Join(err, a.emptied(to))
}

// DenseOf makes b the dense matrix of a sparse one. Of elements of a row with one column, which one
// counts is not said.
func DenseOf[T Real](s *gpu.Stream, a CSR[T], b gpu.MatrixBuffer[T]) error {
	const o = operation("DenseOf")
	if err := first(checkSparse(o, "a", a), checkMatrix(o, "b", b, true), o.length("b", "rows, as a has", b.Rows, a.Rows), o.length("b", "columns, as a has", b.Cols, a.Cols),
		apart(o, b.Buffer, a.Values)); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if a.room() > 0 {
		if err := usable(s, o, b.Buffer, a.Starts, a.Columns, a.Values); err != nil {
			return err
		}
	}
	if err := launchScaleMatrix(s, updateGrid(b.MatrixLayout), 0, b); err != nil || a.room() == 0 {
		return err
	}
	return sparse.LaunchToDense(s, gpu.D2(1, groups(a.Rows, rowsAtOnce).X), a.shape(), a.Starts, a.Columns, a.Values, b)
}

// CheckCSR writes to the first element of info which row is the first that is not well formed,
// counted from one, and zero if there is none. Elements of a row are behind those of the row
// before, and in the buffers. Their columns ascend, and are some of the matrix.
func CheckCSR[T Real](s *gpu.Stream, a CSR[T], info *gpu.Buffer[int32]) error {
	const o = operation("CheckCSR")
	if err := first(checkSparse(o, "a", a), checkScalar(o, "info", info), apart(o, info, a.Starts, a.Columns)); err != nil {
		return err
	}
	if a.Rows == 0 {
		return launchClearNumbers(s, gpu.D1(1), 1, info)
	}
	g := gpu.D1(min(groups(a.Rows, items).X, maxStates))
	of, err1 := a.filled(s)
	faults, err2 := gpu.AllocUninitialized[int32](s, int(g.X))
	err := errors.Join(err1, err2)
	if err == nil { // no launch has the values
		err = usable(s, o, of.Values)
	}
	if err == nil {
		err = sparse.LaunchFaults(s, g, a.shape(), a.Starts, of.Columns, faults)
	}
	if err == nil {
		err = sparse.LaunchFirstFault(s, gpu.D1(1), int32(a.Rows), int(g.X), faults, info)
	}
	return errors.Join(err, closed(faults), a.emptied(of))
}
