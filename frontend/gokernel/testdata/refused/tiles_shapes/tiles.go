// Package tiles has operations on tiles of the wrong shapes and elements.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Shapes(it gpu.Item, m gpu.Matrix[float32], h gpu.Matrix[gpu.Float16]) {
	a := gpu.LoadTile[[16][8]float32](it, m, 0, 0)
	b := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	_ = gpu.MulAdd(it, a, a, b)                      // want "gpu.MulAdd of tiles of 16×8 and 16×8 adds no tile of 16×16"
	_ = gpu.TransposeTile[[16][8]float32](it, a)     // want "gpu.TransposeTile makes no tile of 16×8 of one of 16×8"
	_ = gpu.TransposeTile[[8][16]int32](it, a)       // want "gpu.TransposeTile"
	_ = gpu.ConvertTile[[8][16]gpu.Float16](it, a)   // want "gpu.ConvertTile makes no tile of 8×16 of one of 16×8"
	_ = gpu.SumTile[[16][16]float32](it, a)          // want "a tile of 16×8 is not reduced to one of 16×16"
	_ = gpu.SumTile[[8][1]float32](it, a)            // want "a tile of 16×8 is not reduced to one of 8×1"
	_ = gpu.MaxTile[[16][1]int32](it, a)             // want "a tile of 16×8 is not reduced to one of 16×1"
	_ = gpu.MapTile[[16][16]float32](it, a, relu)    // want "a tile of 16×8 has no element for each of 16×16"
	_ = gpu.MapTile2[[16][16]float32](it, b, a, sum) // want "a tile of 16×8 has no element for each of 16×16"
	gpu.StoreTile(it, m, 0, 0, b)
}

func relu(row, col int, x float32) float32 { return max(x, 0) }

func sum(row, col int, x, y float32) float32 { return x + y }

//gpuc:kernel workgroup=64
func Elements(it gpu.Item, m gpu.Matrix[float32], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], s gpu.Matrix[int8]) {
	_ = gpu.LoadTile[[16][16]gpu.Float16](it, m, 0, 0) // want "a tile of gpu.Float16 is not one of a matrix of float32"
	x := gpu.LoadTile[[16][16]gpu.Float16](it, h, 0, 0)
	y := gpu.LoadTile[[16][16]gpu.BFloat16](it, b, 0, 0)
	z := gpu.LoadTile[[16][16]int8](it, s, 0, 0)
	var f gpu.Tile[[16][16]float32]
	gpu.StoreTile(it, m, 0, 0, x)                 // want "a tile of gpu.Float16 is not one of a matrix of float32"
	_ = gpu.FillTile[[16][16]float32](it, 1)      // want "gpu.FillTile fills a tile of float32 with int"
	_ = gpu.MulAdd(it, x, y, f)                   // want "gpu.MulAdd has no product of gpu.Float16 and gpu.BFloat16 in float32"
	_ = gpu.MulAdd(it, x, x, x)                   // want "gpu.MulAdd has no product of gpu.Float16 and gpu.Float16 in gpu.Float16"
	_ = gpu.MulAdd(it, z, z, f)                   // want "gpu.MulAdd has no product of int8 and int8 in float32"
	_ = gpu.SumTile[[16][1]gpu.Float16](it, x)    // want "tiles of gpu.Float16 are not reduced"
	_ = gpu.MinTile[[1][16]int8](it, z)           // want "tiles of int8 are not reduced"
	_ = gpu.MapTile[[16][16]float32](it, x, relu) // want "the function takes float32, and the tile has elements of gpu.Float16"
	_ = gpu.MapTile[[16][16]int32](it, f, relu)   // want "the function returns float32, and the tile has elements of int32"
	gpu.StoreTile(it, m, 0, 0, f)
}
