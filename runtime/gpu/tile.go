package gpu

import (
	"fmt"
	"reflect"
)

// This file has what a workgroup computes with tiles. Each operation is a function that all items
// call together; tilework.go has them meet, and tilenumbers.go has the arithmetic of elements.

// Tile is a value of a workgroup: rows and columns of elements. A is its array type, as in
// Tile[[64][32]float32]. The elements are Float16, BFloat16, Float8E4M3, Float8E5M2, float32,
// float64, int8, uint8, int32 or uint32. Tiles are values: nothing changes one. The zero value has
// zeros.
//
// All items of a workgroup call an operation on tiles together, in uniform control flow and with
// the same arguments. LoadTile, LoadWindows and StoreTile order accesses to the memory of their
// matrix as a barrier does. Other operations order nothing. As plain Go operations panic if items
// call different ones, or one with different arguments. They also panic for shapes or elements that
// they do not have.
type Tile[A any] struct {
	_    [0]*A
	made *elements // by an operation, for all items; nil for zeros
}

// NewMatrix returns a slice as a matrix whose rows are consecutive. It panics if rows or cols is
// negative or the slice is too short. Elements behind the last row are not part of the matrix.
func NewMatrix[T any](data []T, rows, cols int) Matrix[T] {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("gpu: NewMatrix: %d rows of %d columns; neither is negative", rows, cols))
	}
	if cols > 0 && rows > len(data)/cols {
		panic(fmt.Sprintf("gpu: NewMatrix: a slice of %d elements is too short for %d rows of %d columns", len(data), rows, cols))
	}
	return Matrix[T]{data, 0, rows, cols, cols, 1}
}

// LoadTile returns the part of a matrix that begins at (row, col), which may be negative. Elements
// outside of the matrix are zero. T is the element of A.
func LoadTile[A, T any](it Item, m Matrix[T], row, col int) Tile[A] {
	call := tileCall{name: "LoadTile", matrix: viewOf(m), row: row, col: col, result: shapeOf[A](it)}
	checkElement[T](&call, call.result)
	w := begin(it, &call)
	made := w.result.values.([]T)
	for i := range w.share(it) {
		r, c := w.position(i)
		if m.has(row+r, col+c) {
			made[i] = m.At(row+r, col+c)
		}
	}
	w.end(it)
	return Tile[A]{made: w.result}
}

// LoadWindows returns the part of the matrix of a tensor's windows that begins at (row, col), which
// may be negative. Elements outside of the matrix are zero. T is the element of A.
func LoadWindows[A, T any](it Item, m Windows[T], row, col int) Tile[A] {
	call := tileCall{name: "LoadWindows", matrix: windowsViewOf(m), row: row, col: col, result: shapeOf[A](it)}
	checkElement[T](&call, call.result)
	w := begin(it, &call)
	made := w.result.values.([]T)
	rows, cols := m.Rows(), m.Cols()
	for i := range w.share(it) {
		r, c := w.position(i)
		if r, c = row+r, col+c; r >= 0 && r < rows && c >= 0 && c < cols {
			made[i] = m.At(r, c)
		}
	}
	w.end(it)
	return Tile[A]{made: w.result}
}

// StoreTile writes a tile to the part of a matrix that begins at (row, col), which may be negative.
// Elements outside of the matrix are not stored. T is the element of A.
func StoreTile[A, T any](it Item, m Matrix[T], row, col int, x Tile[A]) {
	call := tileCall{name: "StoreTile", matrix: viewOf(m), row: row, col: col}
	checkElement[T](&call, operandOf(&call, it, 0, x))
	w := begin(it, &call)
	values := w.operands[0].values.([]T)
	for i := range w.share(it) {
		r, c := w.position(i)
		if m.has(row+r, col+c) {
			m.Set(row+r, col+c, values[i])
		}
	}
	w.end(it)
}

// FillTile returns a tile whose elements are all v. T is the element of A.
func FillTile[A, T any](it Item, v T) Tile[A] {
	call := tileCall{name: "FillTile", value: v, result: shapeOf[A](it)}
	checkElement[T](&call, call.result)
	w := begin(it, &call)
	made := w.result.values.([]T)
	for i := range w.share(it) {
		made[i] = v
	}
	w.end(it)
	return Tile[A]{made: w.result}
}

// MulAdd returns the matrix product a·b plus c. It is M × N if a is M × K and b is K × N, as c is.
//
// The sum begins with the element of c, and the products follow in ascending order. Factors of
// Float16, of BFloat16, of Float8E4M3 and Float8E5M2, which may be mixed, or of float32 have c of
// float32. Those of float64 have c of float64. There each x·y + z is rounded once. Factors of int8
// and uint8, which may be mixed, have c of int32, where sums wrap. Other elements panic.
//
// Devices may choose another order, and round otherwise, without -math=strict.
func MulAdd[A, B, C any](it Item, a Tile[A], b Tile[B], c Tile[C]) Tile[C] {
	call := tileCall{name: "MulAdd"}
	left, right, sum := operandOf(&call, it, 0, a), operandOf(&call, it, 1, b), operandOf(&call, it, 2, c)
	if left.cols != right.rows || left.rows != sum.rows || right.cols != sum.cols {
		panic(fmt.Sprintf("gpu: MulAdd: %v · %v + %v: a tile of M × K by one of K × N needs a sum of M × N", left, right, sum))
	}
	call.result, call.product = sum, findProduct(left, right, sum)
	w := begin(it, &call)
	for row := it.number; row < sum.rows; row += it.group.launch.items() {
		call.product.row(w, row, left.cols, sum.cols)
	}
	w.end(it)
	return Tile[C]{made: w.result}
}

// MapTile returns a tile of the values of f for each element. R has the rows and columns of A. T is
// the element of A, and U that of R. f may read memory that items share, and writes none.
//
// f is called once for each element: by item number i modulo the size of the workgroup for the
// element number i in the order of rows. Devices may choose other items.
func MapTile[R, A, T, U any](it Item, x Tile[A], f func(row, col int, x T) U) Tile[R] {
	call := mapping[R, U](it, "MapTile")
	from := mapped[T](&call, it, 0, x)
	call.checkShapes(from.rows == call.result.rows && from.cols == call.result.cols, from, "both have the same rows and columns")
	w := begin(it, &call)
	made, xs := w.result.values.([]U), w.operands[0].values.([]T)
	for i := range w.share(it) {
		row, col := w.position(i)
		made[i] = f(row, col, xs[i])
	}
	w.end(it)
	return Tile[R]{made: w.result}
}

// MapTile2 is MapTile for two tiles. Each has the rows of R or one, which is used for all of them,
// and likewise the columns.
func MapTile2[R, A, B, T, U, V any](it Item, x Tile[A], y Tile[B], f func(row, col int, x T, y U) V) Tile[R] {
	call := mapping[R, V](it, "MapTile2")
	mapped[T](&call, it, 0, x)
	mapped[U](&call, it, 1, y)
	w := begin(it, &call)
	made, xs, ys := w.result.values.([]V), spreadOf[T](w, 0), spreadOf[U](w, 1)
	for i := range w.share(it) {
		row, col := w.position(i)
		made[i] = f(row, col, xs.at(row, col), ys.at(row, col))
	}
	w.end(it)
	return Tile[R]{made: w.result}
}

// MapTile3 is MapTile for three tiles, whose shapes are as for MapTile2.
func MapTile3[R, A, B, C, T, U, V, W any](it Item, x Tile[A], y Tile[B], z Tile[C], f func(row, col int, x T, y U, z V) W) Tile[R] {
	call := mapping[R, W](it, "MapTile3")
	mapped[T](&call, it, 0, x)
	mapped[U](&call, it, 1, y)
	mapped[V](&call, it, 2, z)
	w := begin(it, &call)
	made, xs, ys, zs := w.result.values.([]W), spreadOf[T](w, 0), spreadOf[U](w, 1), spreadOf[V](w, 2)
	for i := range w.share(it) {
		row, col := w.position(i)
		made[i] = f(row, col, xs.at(row, col), ys.at(row, col), zs.at(row, col))
	}
	w.end(it)
	return Tile[R]{made: w.result}
}

// ConvertTile returns a tile with the elements of x converted to those of R, which has the rows and
// columns of A. Numbers round to float32 and float64 to nearest even, and to smaller floats by way
// of float32. Floats are truncated to int32 and uint32: to the nearest number that both types have,
// and to 0 for NaN (WGSL §17.1.2). They become int8 and uint8 by way of int32. Integers wrap.
func ConvertTile[R, A any](it Item, x Tile[A]) Tile[R] {
	call := tileCall{name: "ConvertTile", result: shapeOf[R](it)}
	from := operandOf(&call, it, 0, x)
	call.checkShapes(from.rows == call.result.rows && from.cols == call.result.cols, from, "both have the same rows and columns")
	w := begin(it, &call)
	for i := range w.share(it) {
		if from.element == call.result.element {
			from.element.move(w.result.values, i, w.operands[0].values, i)
		} else {
			call.result.element.put(w.result.values, i, from.element.get(w.operands[0].values, i))
		}
	}
	w.end(it)
	return Tile[R]{made: w.result}
}

// SumTile returns the sum of each row, if R has the rows of A and one column. If R has one row and
// the columns of A, it returns the sum of each column. The elements of both are float32, float64,
// int32 or uint32, and others panic. Elements are added in ascending order, from the first one on.
// Devices may choose another order without -math=strict.
func SumTile[R, A any](it Item, x Tile[A]) Tile[R] {
	call := reduction[R](it, "SumTile", x)
	w := begin(it, &call)
	w.reduce(it, call.result.element.sum)
	w.end(it)
	return Tile[R]{made: w.result}
}

// MaxTile returns the maximum of each row or column; R and the elements are as for SumTile. Where
// one of the elements is NaN, the result may be any of them.
func MaxTile[R, A any](it Item, x Tile[A]) Tile[R] {
	call := reduction[R](it, "MaxTile", x)
	w := begin(it, &call)
	w.reduce(it, call.result.element.max)
	w.end(it)
	return Tile[R]{made: w.result}
}

// MinTile returns the minimum of each row or column; R and the elements are as for SumTile. Where
// one of the elements is NaN, the result may be any of them.
func MinTile[R, A any](it Item, x Tile[A]) Tile[R] {
	call := reduction[R](it, "MinTile", x)
	w := begin(it, &call)
	w.reduce(it, call.result.element.min)
	w.end(it)
	return Tile[R]{made: w.result}
}

// TransposeTile returns the transpose of x. R has the columns of A as rows, its rows as columns,
// and the same elements.
func TransposeTile[R, A any](it Item, x Tile[A]) Tile[R] {
	call := tileCall{name: "TransposeTile", result: shapeOf[R](it)}
	from := operandOf(&call, it, 0, x)
	call.checkShapes(from.rows == call.result.cols && from.cols == call.result.rows && from.element == call.result.element, from,
		"one has the rows of the other as columns, and the same elements")
	w := begin(it, &call)
	for i := range w.share(it) {
		row, col := w.position(i)
		from.element.move(w.result.values, i, w.operands[0].values, col*from.cols+row)
	}
	w.end(it)
	return Tile[R]{made: w.result}
}

// has reports whether an element is inside of the matrix.
func (m Matrix[T]) has(row, col int) bool {
	return row >= 0 && row < m.rows && col >= 0 && col < m.cols
}

// shapeOf returns the shape of tiles. It panics if A is no type of theirs.
func shapeOf[A any](it Item) *tileShape {
	return it.in().launch.tileShape(reflect.TypeFor[A]())
}

// operandOf gives a tile to a call, and returns its shape.
func operandOf[A any](call *tileCall, it Item, n int, x Tile[A]) *tileShape {
	call.operands[n], call.shapes[n] = x.made, shapeOf[A](it)
	return call.shapes[n]
}

// mapping returns a call whose result has elements U.
func mapping[R, U any](it Item, name string) tileCall {
	call := tileCall{name: name, result: shapeOf[R](it)}
	checkElement[U](&call, call.result)
	return call
}

// mapped gives a tile with elements T to such a call, and returns its shape.
func mapped[T, A any](call *tileCall, it Item, n int, x Tile[A]) *tileShape {
	from, to := operandOf(call, it, n, x), call.result
	checkElement[T](call, from)
	call.checkShapes((from.rows == to.rows || from.rows == 1) && (from.cols == to.cols || from.cols == 1), from,
		"an operand has the rows of the result or one, and its columns or one")
	return from
}

// spread is an operand as a tile of the result's size. row and col are how far apart its rows and
// columns are; 0 if there is only one.
type spread[T any] struct {
	values   []T
	row, col int
}

func spreadOf[T any](w *tileWork, n int) spread[T] {
	s := spread[T]{values: w.operands[n].values.([]T)}
	from := w.call.shapes[n]
	if from.rows > 1 {
		s.row = from.cols
	}
	if from.cols > 1 {
		s.col = 1
	}
	return s
}

func (s spread[T]) at(row, col int) T { return s.values[row*s.row+col*s.col] }

// reduction returns a call that makes one number of each row or of each column.
func reduction[R, A any](it Item, name string, x Tile[A]) tileCall {
	call := tileCall{name: name, result: shapeOf[R](it)}
	from := operandOf(&call, it, 0, x)
	to := call.result
	call.checkShapes(from.element == to.element && (to.rows == from.rows && to.cols == 1 || to.rows == 1 && to.cols == from.cols), from,
		"the result has one column or one row, otherwise the size of the operand, and the same elements")
	if to.element.sum == nil {
		panic(fmt.Sprintf("gpu: %s of %v: the elements can be float32, float64, int32 and uint32", name, from))
	}
	return call
}

// checkElement panics unless tiles of a shape have elements T.
func checkElement[T any](call *tileCall, s *tileShape) {
	if s.element.of != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("gpu: %s: the elements of %v are not %v", call.name, s, reflect.TypeFor[T]()))
	}
}
