package tensor

import "github.com/gpuc/gpuc/runtime/gpu"

// Convolution makes z the convolution of x with weights.
//
//gpuc:kernel workgroup=128
func Convolution(it gpu.Item, x gpu.Tensor[gpu.Float16], window gpu.Window, weights gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	const BM, BN, BK = 64, 64, 64
	windows := x.Windows(window)
	for n := it.Group().X; n < z.Tiles(BM, BN); n += it.Groups().X {
		row, column := z.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < windows.Cols(); k += BK {
			a := gpu.LoadWindows[[BM][BK]gpu.Float16](it, windows, row, k)
			b := gpu.LoadTile[[BK][BN]gpu.Float16](it, weights, k, column)
			sums = gpu.MulAdd(it, a, b, sums)
		}
		gpu.StoreTile(it, z, row, column, sums)
	}
}

// Convolution3 is Convolution with two warpgroups of consumers, and windows of 3 × 3 pixels.
//
//gpuc:kernel workgroup=128
func Convolution3(it gpu.Item, x gpu.Tensor[gpu.Float16], weights gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	const BM, BN, BK = 128, 64, 128
	windows := x.Windows(gpu.Window{H: 3, W: 3, PadH: 1, PadW: 1})
	for n := it.Group().X; n < z.Tiles(BM, BN); n += it.Groups().X {
		row, column := z.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < windows.Cols(); k += BK {
			a := gpu.LoadWindows[[BM][BK]gpu.Float16](it, windows, row, k)
			b := gpu.LoadTile[[BK][BN]gpu.Float16](it, weights, k, column)
			sums = gpu.MulAdd(it, a, b, sums)
		}
		gpu.StoreTile(it, z, row, column, sums)
	}
}

// Gradient makes z the gradient of a convolution's weights, transposed: windows are the second
// operand. Its tiles begin at a row of windows, which may be negative.
//
//gpuc:kernel workgroup=128
func Gradient(it gpu.Item, first int, x gpu.Tensor[gpu.Float16], window gpu.Window, y gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	const BM, BN, BK = 64, 64, 64
	windows := x.Windows(window)
	row, column := z.TileAt(it.Group().X, BM, BN)
	var sums gpu.Tile[[BM][BN]float32]
	for k := first; k < windows.Rows(); k += BK {
		a := gpu.LoadTile[[BM][BK]gpu.Float16](it, y.T(), row, k)
		b := gpu.LoadWindows[[BK][BN]gpu.Float16](it, windows, k, column)
		sums = gpu.MulAdd(it, a, b, sums)
	}
	gpu.StoreTile(it, z, row, column, sums)
}

// ConvolutionF32 is Convolution of float32, whose products are those of fma.
//
//gpuc:kernel workgroup=128
func ConvolutionF32(it gpu.Item, x gpu.Tensor[float32], window gpu.Window, weights, z gpu.Matrix[float32]) {
	const BM, BN, BK = 128, 64, 64
	windows := x.Windows(window)
	for n := it.Group().X; n < z.Tiles(BM, BN); n += it.Groups().X {
		row, column := z.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < windows.Cols(); k += BK {
			a := gpu.LoadWindows[[BM][BK]float32](it, windows, row, k)
			b := gpu.LoadTile[[BK][BN]float32](it, weights, k, column)
			sums = gpu.MulAdd(it, a, b, sums)
		}
		gpu.StoreTile(it, z, row, column, sums)
	}
}

// RowMajor computes c = a·b of float32, with two warpgroups of consumers.
//
//gpuc:kernel workgroup=128
func RowMajor(it gpu.Item, a, b, c gpu.Matrix[float32]) {
	const BM, BN, BK = 256, 128, 32
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < a.Cols(); k += BK {
			x := gpu.LoadTile[[BM][BK]float32](it, a, row, k)
			y := gpu.LoadTile[[BK][BN]float32](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, sums)
	}
}

// RowMajorDeep is RowMajor with tiles of two boxes.
//
//gpuc:kernel workgroup=128
func RowMajorDeep(it gpu.Item, a, b, c gpu.Matrix[float32]) {
	const BM, BN, BK = 64, 64, 96
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < a.Cols(); k += BK {
			x := gpu.LoadTile[[BM][BK]float32](it, a, row, k)
			y := gpu.LoadTile[[BK][BN]float32](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, sums)
	}
}
