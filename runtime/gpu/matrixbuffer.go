package gpu

import "fmt"

// This file has matrices as hosts give them to kernels: the functions that gpuc gen writes pass a
// kernel the elements and a MatrixLayout.

// MatrixLayout says where the elements of a matrix are: element (row, col) is element Offset +
// row·RowStride + col·ColStride of its memory.
type MatrixLayout struct{ Offset, Rows, Cols, RowStride, ColStride int }

// Layout returns where the matrix's elements are in Data.
func (m Matrix[T]) Layout() MatrixLayout {
	return MatrixLayout{m.offset, m.rows, m.cols, m.rowStride, m.colStride}
}

// Data returns the slice with the matrix's elements.
func (m Matrix[T]) Data() []T { return m.data }

// MatrixBuffer is a matrix in the memory of a device: what the launcher of a kernel takes for a
// parameter of type Matrix. MatrixOf makes one; T and Sub make others of the same elements.
type MatrixBuffer[T any] struct {
	Buffer *Buffer[T]
	MatrixLayout
}

// MatrixOf returns a buffer as a matrix whose rows are consecutive. It panics if rows or cols is
// negative, the buffer is nil or too short. Elements behind the last row are not part of the
// matrix.
func MatrixOf[T any](b *Buffer[T], rows, cols int) MatrixBuffer[T] {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("gpu: MatrixOf: %d rows of %d columns; neither is negative", rows, cols))
	}
	if n := b.Len(); cols > 0 && rows > n/cols {
		panic(fmt.Sprintf("gpu: MatrixOf: a buffer of %d elements is too short for %d rows of %d columns", n, rows, cols))
	}
	return MatrixBuffer[T]{b, MatrixLayout{0, rows, cols, cols, 1}}
}

// Layout returns where the matrix's elements are in the buffer.
func (m MatrixBuffer[T]) Layout() MatrixLayout { return m.MatrixLayout }

// T returns the transpose: element (row, col) of m is its element (col, row).
func (m MatrixBuffer[T]) T() MatrixBuffer[T] {
	return m.as(Matrix[T]{nil, m.Offset, m.Rows, m.Cols, m.RowStride, m.ColStride}.T())
}

// Sub returns the part of so many rows and columns that begins at (row, col). What is outside of m
// is left out. A part that begins outside is empty.
func (m MatrixBuffer[T]) Sub(row, col, rows, cols int) MatrixBuffer[T] {
	return m.as(Matrix[T]{nil, m.Offset, m.Rows, m.Cols, m.RowStride, m.ColStride}.Sub(row, col, rows, cols))
}

// as returns the buffer with the layout of a view.
func (m MatrixBuffer[T]) as(view Matrix[T]) MatrixBuffer[T] {
	return MatrixBuffer[T]{m.Buffer, view.Layout()}
}
