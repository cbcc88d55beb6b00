package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Tile is the width of a workgroup, and of the squares that matrices are cut into.
const Tile = 16 //gpuc:tune 8 16 32

// tiles is memory that the items of one workgroup share: small, and much faster than slices.
type tiles struct{ A, B [Tile][Tile]float32 }

// MatMul computes c = a b for square matrices of n rows, stored one row behind the other. n is a
// multiple of Tile.
//
// Each item computes one element of c, each workgroup a square of Tile by Tile. For that it needs
// Tile rows of a and Tile columns of b. If each item read its own row and column, the workgroup
// would read every number Tile times. So its items fetch a square of each together, one number
// each, wait for each other at the barrier, and all use what all have fetched.
//
//gpuc:kernel workgroup=Tile,Tile
func MatMul(it gpu.Item, shared *tiles, n int, a, b, c []float32) {
	local, at := it.Local(), it.Global()
	var sum float32
	for t := range n / Tile {
		shared.A[local.Y][local.X] = a[at.Y*n+t*Tile+local.X]
		shared.B[local.Y][local.X] = b[(t*Tile+local.Y)*n+at.X]
		it.Barrier() // all is there
		for k := range Tile {
			sum += shared.A[local.Y][k] * shared.B[k][local.X]
		}
		it.Barrier() // nobody needs it any more
	}
	c[at.Y*n+at.X] = sum
}
