package linalg

import (
	"errors"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi"
	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// memory is temporary memory of a function, which ends with close. After an error it makes no
// further buffers. There is room for as many as a function has at most, which is those of singular:
// the list is not allocated so.
type memory struct {
	s    *gpu.Stream
	err  error
	list [20]interface{ Close() error }
	n    int
}

// temporary returns a buffer of n elements, which are not written yet, and at least one.
func temporary[T any](m *memory, n int) *gpu.Buffer[T] {
	if m.err != nil {
		return nil
	}
	b, err := gpu.AllocUninitialized[T](m.s, max(n, 1))
	if err != nil {
		m.err = err
		return nil
	}
	m.list[m.n] = b
	m.n++
	return b
}

// rowsOf returns a buffer, which is nil after an error, as a matrix whose rows are consecutive.
func rowsOf[T any](b *gpu.Buffer[T], rows, cols int) gpu.MatrixBuffer[T] {
	return gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}}
}

// do calls a function, unless there was an error before.
func (m *memory) do(call func() error) {
	if m.err == nil {
		m.err = call()
	}
}

func (m *memory) close() error {
	for _, b := range m.list[:m.n] {
		m.err = errors.Join(m.err, b.Close())
	}
	return m.err
}

// shapeOf returns the shape of matrices with so many rows and columns.
func shapeOf(count, rows, columns int) jacobi.Shape {
	blocks := (columns + jacobi.Order - 1) / jacobi.Order * 2
	return jacobi.Shape{Count: int32(count), Rows: int32(rows), Columns: int32(columns), Blocks: int32(blocks), Parts: int32((rows + jacobi.PartRows - 1) / jacobi.PartRows)}
}

// widthOf is how many elements a row has.
func widthOf(s jacobi.Shape) int { return int(s.Blocks) * jacobi.Block }

// elementsOf is how many elements all matrices have.
func elementsOf(s jacobi.Shape) int { return int(s.Count) * int(s.Rows) * widthOf(s) }

// view returns the matrices in a buffer, without the columns that are too many.
func view[T Real](s jacobi.Shape, b *gpu.Buffer[T]) Batch[T] {
	rows, width := int(s.Rows), widthOf(s)
	l := gpu.MatrixLayout{Rows: rows, Cols: int(s.Columns), RowStride: width, ColStride: 1}
	return Batch[T]{gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: l}, int(s.Count), rows * width}
}

// matrix returns one of the matrices.
func (b Batch[T]) matrix(p int) gpu.MatrixBuffer[T] {
	m := b.MatrixBuffer
	m.Offset += p * b.Stride
	return m
}

// sweeps are how often each pair of columns is rotated at most. Large matrices take about eight,
// and small ones three, since a workgroup rotates all of their columns until they are orthogonal.
const (
	sweepsOfMany = 24
	sweepsOfPair = 12
)

// Sweeps of a workgroup over the columns of a pair of blocks: few, where columns meet others
// anyway.
const (
	innerOfMany = 1
	innerOfPair = 6
)

// rowsOfPair is how many rows a matrix has at most whose columns one workgroup rotates, if they are
// those of a pair of blocks.
const rowsOfPair = 128

// measure writes the powers of two by which matrices are divided. If symmetric is not 0, the
// triangle above the diagonal is not read.
func measure[T Real](m *memory, a Batch[T], symmetric int, scales *gpu.Buffer[T]) {
	pieces := jacobi.Pieces(a.Rows * a.Cols)
	greatest := temporary[T](m, a.Count*pieces)
	m.do(func() error {
		return jacobi.LaunchMeasure(m.s, groups(a.Count*pieces, 1), a.Count, pieces, a.MatrixBuffer, a.Stride, symmetric, greatest)
	})
	m.do(func() error {
		return jacobi.LaunchScales(m.s, groups(a.Count, items), a.Count, pieces, greatest, scales)
	})
}

// ulp returns the distance from one to the next number of a type.
func ulp[T Real]() T {
	one, next := T(1), T(0.5)
	for one+next > one {
		next /= 2
	}
	return 2 * next
}

// limits returns bounds for columns that count as orthogonal. The cosine of their angle is at most
// √rows ulp, as in LAPACK's GESVJ; its square is bounded. Or their product is too small to change
// the greatest value.
func limits[T Real](rows int) (relative, floor T) {
	limit := max(4, T(math.Sqrt(float64(rows)))) * ulp[T]()
	return limit * limit, ulp[T]() * ulp[T]() / 64
}

// orthogonalise rotates the columns of matrices until they are orthogonal, or sweeps are at an end,
// which done says. It multiplies v, if there is one, by the same rotations.
//
// Limits say which columns are.
func orthogonalise[T Real](m *memory, s jacobi.Shape, w, v *gpu.Buffer[T], done *gpu.Buffer[int32], o Option) {
	relative, floor := limits[T](int(s.Rows))
	count, rows := int(s.Count), int(s.Rows)
	half, columns := count*int(s.Blocks)/2, int(s.Columns)
	sweeps, inner := sweepsOfMany, innerOfMany
	if s.Blocks == 2 {
		sweeps, inner = sweepsOfPair, innerOfPair
		if rows <= rowsOfPair {
			wanted := 0
			if v != nil {
				wanted = 1
			} else {
				v = temporary[T](m, 1)
			}
			m.do(func() error {
				return jacobi.LaunchPair(m.s, groups(count, 1), s, sweeps, inner, relative, floor, wanted, w, v, done)
			})
			return
		}
	}
	g := temporary[T](m, half*int(s.Parts)*jacobi.Order*jacobi.Order)
	changes, rotated := temporary[int32](m, half*jacobi.Order), temporary[int32](m, int(s.Count))
	if m.err != nil {
		return
	}
	chunks := func(n int) gpu.Grid { return groups(half*((n+jacobi.UpdateRows-1)/jacobi.UpdateRows), 1) }
	m.do(func() error { return launchClearNumbers(m.s, groups(count, items), count, done) })
	m.do(func() error { return launchClearNumbers(m.s, groups(count, items), count, rotated) })
	gram, update := fast.LaunchGram[T], fast.LaunchUpdate[T]
	if o.strict {
		gram, update = jacobi.LaunchGram[T], jacobi.LaunchUpdate[T]
	}
	if columns < 2 {
		sweeps = 1
	}
	for range sweeps {
		for round := range int(s.Blocks) - 1 {
			m.do(func() error { return gram(m.s, groups(half*int(s.Parts), 1), s, round, w, done, g) })
			m.do(func() error {
				return jacobi.LaunchRotate(m.s, groups(half, 1), s, round, inner, relative, floor, done, g, changes, rotated)
			})
			m.do(func() error { return update(m.s, chunks(rows), s, round, rows, done, changes, g, w) })
			if v != nil {
				m.do(func() error { return update(m.s, chunks(widthOf(s)), s, round, widthOf(s), done, changes, g, v) })
			}
			if m.err != nil {
				return
			}
		}
		m.do(func() error { return jacobi.LaunchEndSweep(m.s, groups(count, items), count, rotated, done) })
	}
}

// checkOperands returns an error unless the stream can use all buffers that are not nil, and no two
// of them overlap.
func checkOperands(o operation, s *gpu.Stream, list ...gpu.Bound) error {
	for k, b := range list {
		if b == nil {
			continue
		}
		if err := s.Usable(b); err != nil {
			return fmt.Errorf("linalg.%s: %w", o, err)
		}
		for _, other := range list[:k] {
			if gpu.Overlap(b, other) {
				return fmt.Errorf("linalg.%s: %w: two operands overlap", o, gpu.ErrAlias)
			}
		}
	}
	return nil
}

// boundOf returns the buffer of a matrix as what launches take, or nil if it has no elements.
func boundOf[T any](m gpu.MatrixBuffer[T]) gpu.Bound {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return m.Buffer
}

// checkValues returns an error unless there are n elements.
func checkValues[T any](o operation, n int, values *gpu.Buffer[T]) error {
	if values.Len() < n {
		return o.wrong("values", fmt.Sprintf("%d elements", n), "%d", values.Len())
	}
	return nil
}

// checkTemporary returns an error if temporary matrices had more elements than kernels count.
func checkTemporary[T any](o operation, a Batch[T]) error {
	greatest := max(a.Rows, a.Cols) + jacobi.Order
	if a.Count > 0 && greatest > maxLength/greatest/a.Count {
		return o.wrong("a", fmt.Sprintf("matrices whose greatest dimension has a square of at most %d/%d", maxLength, a.Count), "%d rows of %d columns", a.Rows, a.Cols)
	}
	return nil
}
