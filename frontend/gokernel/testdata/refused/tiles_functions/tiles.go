// Package tiles has functions for the elements of tiles that do more than return an element.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Writes(it gpu.Item, m gpu.Matrix[float32], y []float32, n []int32, shared *[64]float32) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	var own [4]float32
	total := float32(0)
	p, q := &total, own[:]
	x = gpu.MapTile[[16][16]float32](it, x, func(row, col int, v float32) float32 {
		*p = v                  // want "a function for the elements of a tile assigns to no variable outside of it"
		q[0] = v                // want "a function for the elements of a tile assigns to no variable outside of it"
		y[row] = v              // want "a function for the elements of a tile writes no memory that items share"
		shared[col] = v         // want "a function for the elements of a tile writes no memory that items share"
		gpu.AtomicMax(&n[0], 1) // want "a function for the elements of a tile writes no memory that items share"
		write(y, row, v)
		return v
	})
	gpu.StoreTile(it, m, 0, 0, x)
	x = gpu.MapTile[[16][16]float32](it, x, func(row, col int, v float32) float32 {
		it.Barrier()                  // want "a function for the elements of a tile calls nothing that items execute together"
		return gpu.SubgroupAdd(it, v) // want "a function for the elements of a tile calls nothing that items execute together"
	})
	x = gpu.MapTile[[16][16]float32](it, x, func(row, col int, v float32) float32 {
		_ = gpu.LoadTile[[16][16]float32](it, m, 0, 0)          // want "a function for the elements of a tile calls nothing that items execute together"
		gpu.StoreTile(it, m, 0, 0, gpu.Tile[[16][16]float32]{}) // want "a function for the elements of a tile calls nothing that items execute together"
		return v
	})
	gpu.StoreTile(it, m, 0, 0, x)
}

func write(y []float32, at int, v float32) {
	y[at] = v // want "a function for the elements of a tile writes no memory that items share"
}
