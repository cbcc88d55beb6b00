package main

import "github.com/gpuc/gpuc/runtime/gpu"

// The tiles of Convolution: a workgroup computes Pixels pixels with Features channels of the
// result, Taps elements of each window at a time.
const (
	Pixels   = 128
	Features = 128 //gpuc:tune 64 128
	Taps     = 64
)

// Convolution makes y the convolution of images x with weights of 3 × 3 pixels. Row
// (3·ky + kx)·C + c of the weights is for channel c of the pixel (ky, kx) of a window. The rows
// of y are the pixels of the result, whose images are as large as those of x.
//
// It is the product of the windows and the weights. The matrix of windows is nowhere in memory.
//
//gpuc:kernel workgroup=256
func Convolution(it gpu.Item, x gpu.Tensor[gpu.Float16], weights, y gpu.Matrix[gpu.Float16]) {
	windows := x.Windows(gpu.Window{H: 3, W: 3, PadH: 1, PadW: 1})
	for n := it.Group().X; n < y.Tiles(Pixels, Features); n += it.Groups().X {
		row, col := y.TileAt(n, Pixels, Features)
		var sum gpu.Tile[[Pixels][Features]float32]
		for k := 0; k < windows.Cols(); k += Taps {
			a := gpu.LoadWindows[[Pixels][Taps]gpu.Float16](it, windows, row, k) // padding is zero
			b := gpu.LoadTile[[Taps][Features]gpu.Float16](it, weights, k, col)
			sum = gpu.MulAdd(it, a, b, sum)
		}
		gpu.StoreTile(it, y, row, col, gpu.ConvertTile[[Pixels][Features]gpu.Float16](it, sum))
	}
}
