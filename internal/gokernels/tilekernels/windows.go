package tilekernels

import "github.com/gpuc/gpuc/runtime/gpu"

// convolve makes z the convolution of x with weights of which each column is one channel's, in
// tiles with the shape of C.
func convolve[A, B, C, T, U, V any](it gpu.Item, x gpu.Tensor[T], window gpu.Window, weights gpu.Matrix[U], z gpu.Matrix[V], rows, depth, cols int) {
	windows := x.Windows(window)
	row, col := z.TileAt(it.Group().X, rows, cols)
	var sum gpu.Tile[C]
	for k := 0; k < windows.Cols(); k += depth {
		sum = gpu.MulAdd(it, gpu.LoadWindows[A](it, windows, row, k), gpu.LoadTile[B](it, weights, k, col), sum)
	}
	gpu.StoreTile(it, z, row, col, sum)
}

// Convolution has windows of 3 × 3 and one pixel of padding.
//
//gpuc:kernel workgroup=32
func Convolution(it gpu.Item, x gpu.Tensor[float32], weights, z gpu.Matrix[float32]) {
	convolve[[16][8]float32, [8][16]float32, [16][16]float32](it, x, gpu.Window{H: 3, W: 3, PadH: 1, PadW: 1}, weights, z, 16, 8, 16)
}

//gpuc:kernel workgroup=32
func ConvolutionF16(it gpu.Item, x gpu.Tensor[gpu.Float16], window gpu.Window, weights gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	convolve[[16][16]gpu.Float16, [16][8]gpu.Float16, [16][8]float32](it, x, window, weights, z, 16, 16, 8)
}

//gpuc:kernel workgroup=32
func ConvolutionI8(it gpu.Item, x gpu.Tensor[int8], window gpu.Window, weights gpu.Matrix[uint8], z gpu.Matrix[int32]) {
	convolve[[16][32]int8, [32][8]uint8, [16][8]int32](it, x, window, weights, z, 16, 32, 8)
}

//gpuc:kernel workgroup=24
func ConvolutionF64(it gpu.Item, x gpu.Tensor[float64], window gpu.Window, weights, z gpu.Matrix[float64]) {
	convolve[[9][7]float64, [7][5]float64, [9][5]float64](it, x, window, weights, z, 9, 7, 5)
}

// Gradient makes z the gradient of the weights: windows are the second operand. The tensor has the
// channels from one on.
//
//gpuc:kernel workgroup=16
func Gradient(it gpu.Item, first, channels int, x gpu.Tensor[float32], window gpu.Window, y, z gpu.Matrix[float32]) {
	windows := x.Channels(first, channels).Windows(window)
	row, col := z.TileAt(it.Group().X, 8, 12)
	var sum gpu.Tile[[8][12]float32]
	for k := 0; k < windows.Rows(); k += 160 {
		sum = gpu.MulAdd(it, gpu.LoadTile[[8][160]float32](it, y.T(), row, k), gpu.LoadWindows[[160][12]float32](it, windows, k, col), sum)
	}
	gpu.StoreTile(it, z, row, col, sum)
}

// Unfold stores the matrix of windows as tiles, from a row and a column on that may be negative.
// Each item stores one element of it, too.
//
//gpuc:kernel workgroup=32
func Unfold(it gpu.Item, row, col int, x gpu.Tensor[gpu.BFloat16], window gpu.Window, z gpu.Matrix[gpu.BFloat16], elements []float32) {
	windows := x.Windows(window)
	first := 16 * it.Group().X
	gpu.StoreTile(it, z, first, 0, gpu.LoadWindows[[16][24]gpu.BFloat16](it, windows, row+first, col))
	if n := it.Index(); n < min(len(elements), windows.Rows()*windows.Cols()) {
		elements[n] = windows.At(n/windows.Cols(), n%windows.Cols()).Float32()
	}
}
