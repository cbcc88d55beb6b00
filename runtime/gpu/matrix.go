package gpu

// Matrices: slices as rows and columns. The compiler reads this file, like vector.go: what runs on
// devices is the code below.

// Matrix is a view of a slice as rows and columns. NewMatrix makes one; T and Sub make others of
// the same elements. The zero value has no rows and no columns.
type Matrix[T any] struct {
	data                                     []T
	offset, rows, cols, rowStride, colStride int
}

// Rows returns how many rows there are.
func (m Matrix[T]) Rows() int { return m.rows }

// Cols returns how many columns there are.
func (m Matrix[T]) Cols() int { return m.cols }

// T returns the transpose: element (row, col) of m is its element (col, row).
func (m Matrix[T]) T() Matrix[T] {
	return Matrix[T]{m.data, m.offset, m.cols, m.rows, m.colStride, m.rowStride}
}

// Sub returns the part of so many rows and columns that begins at (row, col). What is outside of m
// is left out. A part that begins outside is empty.
func (m Matrix[T]) Sub(row, col, rows, cols int) Matrix[T] {
	if row < 0 || row >= m.rows || col < 0 || col >= m.cols {
		return Matrix[T]{m.data, m.offset, 0, 0, m.rowStride, m.colStride}
	}
	return Matrix[T]{m.data, m.offset + row*m.rowStride + col*m.colStride,
		max(min(rows, m.rows-row), 0), max(min(cols, m.cols-col), 0), m.rowStride, m.colStride}
}

// Skip returns a matrix of the same form whose elements are n elements behind those of m in its
// slice, or before them if n is negative. It has one matrix of many that are at equal distances.
func (m Matrix[T]) Skip(n int) Matrix[T] {
	return Matrix[T]{m.data, m.offset + n, m.rows, m.cols, m.rowStride, m.colStride}
}

// At returns an element. It must be inside of the matrix: At does not compare row and col with its
// size.
func (m Matrix[T]) At(row, col int) T {
	return m.data[m.offset+row*m.rowStride+col*m.colStride]
}

// Set sets an element, which must be inside of the matrix, as for At.
func (m Matrix[T]) Set(row, col int, v T) {
	m.data[m.offset+row*m.rowStride+col*m.colStride] = v
}

// Tiles returns how many tiles of a size cover the matrix. The last ones of its rows and columns
// may reach beyond it.
func (m Matrix[T]) Tiles(rows, cols int) int {
	return (m.rows + rows - 1) / rows * ((m.cols + cols - 1) / cols)
}

// tileGroup is how many rows of tiles TileAt visits together.
const tileGroup = 8

// TileAt returns where tile n of those that Tiles counts begins. Tiles come in groups of eight rows
// of tiles; in a group a column of tiles follows the other. So tiles that workgroups compute at the
// same time share rows and columns, which caches keep. From Tiles on, n is a tile outside of the
// matrix.
func (m Matrix[T]) TileAt(n, rows, cols int) (row, col int) {
	high, wide := (m.rows+rows-1)/rows, max((m.cols+cols-1)/cols, 1)
	first := n / (tileGroup * wide) * tileGroup
	height := max(min(high-first, tileGroup), 1)
	n = n % (tileGroup * wide)
	return (first + n%height) * rows, n / height * cols
}
