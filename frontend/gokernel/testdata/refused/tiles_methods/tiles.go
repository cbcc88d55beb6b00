// Package tiles has kernels that call methods of gpu, whose bodies an analyzer does not have.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Sets(it gpu.Item, m gpu.Matrix[float32]) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	x = gpu.MapTile[[16][16]float32](it, x, func(row, col int, v float32) float32 {
		m.Set(row, col, v) // want "a function for the elements of a tile writes no memory that items share"
		return v
	})
	gpu.StoreTile(it, m, 0, 0, x)
}

//gpuc:kernel workgroup=64
func Views(it gpu.Item, m gpu.Matrix[float32]) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	gpu.StoreTile(it, m.Sub(it.LocalIndex(), 0, 8, 8), 0, 0, x) // want "the items of a workgroup load and store one tile"
}

//gpuc:kernel workgroup=64
func Windows(it gpu.Item, m gpu.Matrix[float32], x gpu.Tensor[float32]) {
	y := gpu.LoadWindows[[16][16]float32](it, x.Windows(gpu.Window{H: it.LocalIndex(), W: 1}), 0, 0) // want "the items of a workgroup load and store one tile"
	gpu.StoreTile(it, m, 0, 0, y)                                                                    // want "the items of a workgroup have the same tiles, and which one this is may differ"
}

//gpuc:kernel workgroup=64
func Halves(it gpu.Item, x gpu.Tensor[float32]) {
	_ = gpu.LoadWindows[[16][16]gpu.Float16](it, x.Windows(gpu.Window{}), 0, 0) // want "a tile of gpu.Float16 is not one of a tensor of float32"
}
