// Package tiles has operations on tiles that items do not execute alike.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Divergent(it gpu.Item, m gpu.Matrix[float32], n []int32) {
	if it.LocalIndex() < 32 {
		x := gpu.LoadTile[[16][16]float32](it, m, 0, 0) // want "all items of a workgroup must reach an operation on tiles"
		gpu.StoreTile(it, m, 0, 0, x)                   // want "all items of a workgroup must reach an operation on tiles"
	}
	x := gpu.LoadTile[[16][16]float32](it, m, it.LocalIndex(), 0) // want "the items of a workgroup load and store one tile"
	for range it.Index() {
		x = gpu.MulAdd(it, x, x, x) // want "all items of a workgroup must reach an operation on tiles"
	}
	gpu.StoreTile(it, m, 0, int(n[it.Index()]), x)              // want "the items of a workgroup load and store one tile"
	y := gpu.FillTile[[16][16]float32](it, float32(it.Index())) // want "the items of a workgroup fill a tile with one value, and this value may differ"
	if it.LocalIndex() < 32 {
		x = y
	}
	gpu.StoreTile(it, m, 0, 0, x) // want "the items of a workgroup have the same tiles, and which one this is may differ"
	if it.Index() > 70 {
		return
	}
	gpu.StoreTile(it, m, 0, 0, x) // want "all items of a workgroup must reach an operation on tiles"
}
