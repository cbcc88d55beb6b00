package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Tile is the width of a workgroup and of the tiles of the matrices. The directive lists the values
// that tuning tries.
const Tile = 16 //gpuc:tune 8 16 32

// tiles is workgroup memory, which the items of a workgroup share. It is small, and much faster
// than slices.
type tiles struct{ A, B [Tile][Tile]float32 }

// MatMul computes c = a·b for square matrices of n rows, stored row by row. n is a multiple of
// Tile.
//
// Each item computes one element of c, and each workgroup a tile of Tile by Tile elements. For that
// it needs Tile rows of a and Tile columns of b. If each item read its row and column, the
// workgroup would read every element Tile times. So the items together load a tile of each matrix
// to workgroup memory, one element each. They wait for each other at a barrier, and then all use
// the whole tiles.
//
//gpuc:kernel workgroup=Tile,Tile
func MatMul(it gpu.Item, shared *tiles, n int, a, b, c []float32) {
	local, at := it.Local(), it.Global()
	var sum float32
	for t := range n / Tile {
		shared.A[local.Y][local.X] = a[at.Y*n+t*Tile+local.X]
		shared.B[local.Y][local.X] = b[(t*Tile+local.Y)*n+at.X]
		it.Barrier() // wait until the tiles are loaded
		for k := range Tile {
			sum += shared.A[local.Y][k] * shared.B[k][local.X]
		}
		it.Barrier() // wait until the tiles are used
	}
	c[at.Y*n+at.X] = sum
}
