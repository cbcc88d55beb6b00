// Package tuned has kernels with tuned constants, and calls what is generated for them.
package tuned

import (
	"context"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Constants that kernels depend on, one of which other packages do not see.
const (
	Tile   = 16        //gpuc:tune 8 16 32
	unroll = uint32(2) //gpuc:tune 1 2
)

type tiles struct{ A, B [Tile][Tile]float32 }

// MatMul multiplies matrices.
//
//gpuc:kernel workgroup=Tile,Tile
func MatMul(it gpu.Item, shared *tiles, n int, a, b, c []float32) {
	local, at := it.Local(), it.Global()
	var sum float32
	for t := range n / Tile {
		shared.A[local.Y][local.X] = a[at.Y*n+t*Tile+local.X]
		shared.B[local.Y][local.X] = b[(t*Tile+local.Y)*n+at.X]
		it.Barrier()
		for k := range Tile {
			sum += shared.A[local.Y][k] * shared.B[k][local.X]
		}
		it.Barrier()
	}
	c[at.Y*n+at.X] = sum
}

// Which writes what the variant is made with.
//
//gpuc:kernel workgroup=32
func Which(it gpu.Item, variant, x []uint32) {
	if i := it.Index(); i < len(variant) {
		variant[i] = 100*Tile + unroll + x[0]
	}
}

// first is generic, and no other package launches it.
//
//gpuc:kernel workgroup=1 types=int32,uint32
func first[E gpu.Number](it gpu.Item, chosen E, x []E) { x[it.Index()] = E(unroll) + chosen }

// Plain depends on none.
//
//gpuc:kernel workgroup=64
func Plain(it gpu.Item, x []int32) { x[it.Index()]++ }

// use calls launchers before there are any.
func use(ctx context.Context, s *gpu.Stream, u *gpu.Buffer[uint32], f *gpu.Buffer[float32]) (*gpu.Tuning, error) {
	v := MatMulVariant{Tile: 8}
	if err := LaunchMatMul(s, gpu.Items2(32, 32), 32, f, f, f, v); err != nil {
		return nil, err
	}
	if err := launchFirst(s, gpu.D1(1), 1, u, firstVariant{Unroll: 1}); err != nil {
		return nil, err
	}
	best, why, err := TuneWhich(ctx, s, func(v WhichVariant) gpu.Grid { return gpu.D1(1) }, u, u)
	if err != nil {
		return nil, err
	}
	return &why, LaunchWhich(s, gpu.D1(1), u, u, best)
}
