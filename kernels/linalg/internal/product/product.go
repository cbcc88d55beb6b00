// Package product has the body of the kernels that multiply matrices. Packages linalg, whose
// arithmetic is strict, and fast, whose arithmetic is not, make kernels of it.
package product

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Values of the parameter part: which elements of the result are computed. Others keep their
// values.
const (
	All   = 0
	Lower = 1 // those on and below the diagonal
	Upper = 2 // those on and above the diagonal
)

// Element is a number in a matrix.
type Element interface {
	float32 | float64 | gpu.Float16 | gpu.BFloat16
}

// Sum is a number that products are added in.
type Sum interface{ float32 | float64 }

// Arithmetic converts between elements and sums.
type Arithmetic[T, S any] interface {
	Round(S) T
	Wide(T) S
	// MulAdd returns x·y + z, which is rounded once.
	MulAdd(x, y, z S) S
}

// The arithmetics of the types of elements: F32, F64, F16 and BF16.
type (
	F32  struct{}
	F64  struct{}
	F16  struct{}
	BF16 struct{}
)

// Round returns x.
func (F32) Round(x float32) float32 { return x }

// Wide returns x.
func (F32) Wide(x float32) float32 { return x }

// MulAdd returns x·y + z.
func (F32) MulAdd(x, y, z float32) float32 { return gpu.FMA(x, y, z) }

// Round returns x.
func (F64) Round(x float64) float64 { return x }

// Wide returns x.
func (F64) Wide(x float64) float64 { return x }

// MulAdd returns x·y + z.
func (F64) MulAdd(x, y, z float64) float64 { return math.FMA(x, y, z) }

// Round returns the nearest Float16.
func (F16) Round(x float32) gpu.Float16 { return gpu.ToFloat16(x) }

// Wide returns x as a float32.
func (F16) Wide(x gpu.Float16) float32 { return x.Float32() }

// MulAdd returns x·y + z.
func (F16) MulAdd(x, y, z float32) float32 { return gpu.FMA(x, y, z) }

// Round returns the nearest BFloat16.
func (BF16) Round(x float32) gpu.BFloat16 { return gpu.ToBFloat16(x) }

// Wide returns x as a float32.
func (BF16) Wide(x gpu.BFloat16) float32 { return x.Float32() }

// MulAdd returns x·y + z.
func (BF16) MulAdd(x, y, z float32) float32 { return gpu.FMA(x, y, z) }

// Multiply makes c = alpha·a·b + beta·c. If beta is zero, c is not read. A, B, C and R are tiles of
// rows × depth, depth × cols, and twice rows × cols elements: of a, b, the sums and c. Workgroups
// take tiles of c until there are no more. If arithmetic is strict, products are added in ascending
// order.
//
// Old elements of c are read one by one: with a tile of them, the kernel would have no variant that
// copies by tensor maps.
func Multiply[A, B, C, R any, T Element, S Sum, V Arithmetic[T, S]](it gpu.Item, alpha S, a, b gpu.Matrix[T], beta S, c gpu.Matrix[T], part, rows, cols, depth int) {
	for n := it.Group().X; n < c.Tiles(rows, cols); n += it.Groups().X {
		row, col := c.TileAt(n, rows, cols)
		if !Touches(part, row, col, rows, cols) {
			continue
		}
		var sum gpu.Tile[C]
		for k := 0; k < a.Cols(); k += depth {
			x := gpu.LoadTile[A](it, a, row, k)
			y := gpu.LoadTile[B](it, b, k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		gpu.StoreTile(it, c, row, col, gpu.MapTile[R](it, sum, func(i, j int, x S) T {
			return Joined[T, S, V](alpha*x, beta, c, part, row+i, col+j)
		}))
	}
}

// MultiplyNew makes c = alpha·a·b, and is otherwise Multiply. It reads no elements of c, and lets
// the device convert tiles.
func MultiplyNew[A, B, C, R any, T Element, S Sum](it gpu.Item, alpha S, a, b, c gpu.Matrix[T], rows, cols, depth int) {
	for n := it.Group().X; n < c.Tiles(rows, cols); n += it.Groups().X {
		row, col := c.TileAt(n, rows, cols)
		var sum gpu.Tile[C]
		for k := 0; k < a.Cols(); k += depth {
			x := gpu.LoadTile[A](it, a, row, k)
			y := gpu.LoadTile[B](it, b, k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		scaled := gpu.MapTile[C](it, sum, func(_, _ int, x S) S { return alpha * x })
		gpu.StoreTile(it, c, row, col, gpu.ConvertTile[R](it, scaled))
	}
}

// MultiplyParts makes the sums of a·b, of width products each: those of part p are by p times the
// elements of sums further. Tiles are those of Multiply, with the sums' own for the result.
func MultiplyParts[A, B, C any, T Element, S Sum](it gpu.Item, a, b gpu.Matrix[T], width int, sums gpu.Matrix[S], rows, cols, depth int) {
	tiles := sums.Tiles(rows, cols)
	for n := it.Group().X; n < (a.Cols()+width-1)/width*tiles; n += it.Groups().X {
		p := n / tiles
		row, col := sums.TileAt(n-p*tiles, rows, cols)
		var sum gpu.Tile[C]
		for k := p * width; k < min((p+1)*width, a.Cols()); k += depth {
			x := gpu.LoadTile[A](it, a, row, k)
			y := gpu.LoadTile[B](it, b, k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		gpu.StoreTile(it, sums.Skip(p*sums.Rows()*sums.Cols()), row, col, sum)
	}
}

// MultiplyBatch is Multiply for count products whose matrices are at equal distances, which are
// strideA, strideB and strideC elements. The first ones are a, b and c. Results do not overlap.
func MultiplyBatch[A, B, C, R any, T Element, S Sum, V Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC, rows, cols, depth int) {
	tiles := c.Tiles(rows, cols)
	for n := it.Group().X; n < count*tiles; n += it.Groups().X {
		p := n / tiles
		row, col := c.TileAt(n-p*tiles, rows, cols)
		left, right, result := a.Skip(p*strideA), b.Skip(p*strideB), c.Skip(p*strideC)
		var sum gpu.Tile[C]
		for k := 0; k < a.Cols(); k += depth {
			x := gpu.LoadTile[A](it, left, row, k)
			y := gpu.LoadTile[B](it, right, k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		gpu.StoreTile(it, result, row, col, gpu.MapTile[R](it, sum, func(i, j int, x S) T {
			return Joined[T, S, V](alpha*x, beta, result, All, row+i, col+j)
		}))
	}
}

// MultiplySmall is MultiplyBatch for small matrices: an item computes an element of a result.
func MultiplySmall[T Element, S Sum, V Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC int) {
	var v V
	each := c.Rows() * c.Cols()
	for n := it.Index(); n < count*each; n += it.Groups().X * it.Size().X {
		p := n / each
		i := n % each / c.Cols()
		j := n % each % c.Cols()
		left, right, result := a.Skip(p*strideA), b.Skip(p*strideB), c.Skip(p*strideC)
		var sum S
		for k := range a.Cols() {
			sum = v.MulAdd(v.Wide(left.At(i, k)), v.Wide(right.At(k, j)), sum)
		}
		result.Set(i, j, Joined[T, S, V](alpha*sum, beta, result, All, i, j))
	}
}

// Touches reports whether a tile at (row, col) has elements of a part.
func Touches(part, row, col, rows, cols int) bool {
	switch part {
	case Lower:
		return col < row+rows
	case Upper:
		return row < col+cols
	}
	return true
}

// Joined returns x + beta·c[i, j], or the old element if that is not of the part.
func Joined[T Element, S Sum, V Arithmetic[T, S]](x, beta S, c gpu.Matrix[T], part, i, j int) T {
	var v V
	if i >= c.Rows() || j >= c.Cols() || beta == 0 && part == All {
		return v.Round(x)
	}
	if part == Lower && j > i || part == Upper && i > j {
		return c.At(i, j)
	}
	if beta != 0 {
		x += beta * v.Wide(c.At(i, j))
	}
	return v.Round(x)
}
