package fast

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Split makes three parts of each element of x, whose sum it is: the nearest BFloat16, that of the
// rest, and that of the rest of this. Part p is by p·rows rows and p·cols columns further in parts.
// An infinity has no such parts: the others are NaN.
//
//gpuc:kernel workgroup=256
func Split(it gpu.Item, x gpu.Matrix[float32], parts gpu.Matrix[gpu.BFloat16], rows, cols int) {
	for i := it.Group().Y; i < x.Rows(); i += it.Groups().Y {
		for j := it.Global().X; j < x.Cols(); j += it.Groups().X * 256 {
			v := x.At(i, j)
			for p := range 3 {
				part := gpu.ToBFloat16(v)
				parts.Set(i+p*rows, j+p*cols, part)
				v -= part.Float32()
			}
		}
	}
}

// GemmSplit computes c = alpha·a·b + beta·c by six products of parts that Split made. Those of a
// are below each other, and those of b are beside each other. Products of two small parts are left
// out (Henry, Tang and Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For
// Higher-Precision Computations", 2019).
//
//gpuc:kernel workgroup=256
func GemmSplit(it gpu.Item, alpha float32, a gpu.Matrix[gpu.BFloat16], below int, b gpu.Matrix[gpu.BFloat16], beside int, beta float32, c gpu.Matrix[float32], part int) {
	const side, depth = 128, 64
	type (
		left  = [side][depth]gpu.BFloat16
		right = [depth][side]gpu.BFloat16
	)
	for n := it.Group().X; n < c.Tiles(side, side); n += it.Groups().X {
		row, col := c.TileAt(n, side, side)
		if !product.Touches(part, row, col, side, side) {
			continue
		}
		var sum gpu.Tile[[side][side]float32]
		for k := 0; k < a.Cols(); k += depth {
			x0 := gpu.LoadTile[left](it, a, row, k)
			x1 := gpu.LoadTile[left](it, a, row+below, k)
			x2 := gpu.LoadTile[left](it, a, row+2*below, k)
			y0 := gpu.LoadTile[right](it, b, k, col)
			y1 := gpu.LoadTile[right](it, b, k, col+beside)
			y2 := gpu.LoadTile[right](it, b, k, col+2*beside)
			sum = gpu.MulAdd(it, x2, y0, sum)
			sum = gpu.MulAdd(it, x1, y1, sum)
			sum = gpu.MulAdd(it, x0, y2, sum)
			sum = gpu.MulAdd(it, x1, y0, sum)
			sum = gpu.MulAdd(it, x0, y1, sum)
			sum = gpu.MulAdd(it, x0, y0, sum)
		}
		gpu.StoreTile(it, c, row, col, gpu.MapTile[[side][side]float32](it, sum, func(i, j int, x float32) float32 {
			return product.Joined[float32, float32, product.F32](alpha*x, beta, c, part, row+i, col+j)
		}))
	}
}

// GemmTwoParts is GemmSplit with two parts of each element, and three products: errors are about
// 2⁻¹⁶ of the products.
//
//gpuc:kernel workgroup=256
func GemmTwoParts(it gpu.Item, alpha float32, a gpu.Matrix[gpu.BFloat16], below int, b gpu.Matrix[gpu.BFloat16], beside int, beta float32, c gpu.Matrix[float32], part int) {
	const side, depth = 128, 64
	type (
		left  = [side][depth]gpu.BFloat16
		right = [depth][side]gpu.BFloat16
	)
	for n := it.Group().X; n < c.Tiles(side, side); n += it.Groups().X {
		row, col := c.TileAt(n, side, side)
		if !product.Touches(part, row, col, side, side) {
			continue
		}
		var sum gpu.Tile[[side][side]float32]
		for k := 0; k < a.Cols(); k += depth {
			x0 := gpu.LoadTile[left](it, a, row, k)
			x1 := gpu.LoadTile[left](it, a, row+below, k)
			y0 := gpu.LoadTile[right](it, b, k, col)
			y1 := gpu.LoadTile[right](it, b, k, col+beside)
			sum = gpu.MulAdd(it, x1, y0, sum)
			sum = gpu.MulAdd(it, x0, y1, sum)
			sum = gpu.MulAdd(it, x0, y0, sum)
		}
		gpu.StoreTile(it, c, row, col, gpu.MapTile[[side][side]float32](it, sum, func(i, j int, x float32) float32 {
			return product.Joined[float32, float32, product.F32](alpha*x, beta, c, part, row+i, col+j)
		}))
	}
}
