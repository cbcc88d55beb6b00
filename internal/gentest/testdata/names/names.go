// Package names has names that launchers use themselves, as those of types, variables and parameters.
package names

import g2 "github.com/gpuc/gpuc/runtime/gpu"

type gpu struct{ context, embed int }

type math = gpu

var context, embed int

type tile [64]float32

//gpuc:kernel workgroup=64
func _x(it g2.Item, gpu float32, x []float32, launch_x int) {
	if i := it.Index(); i < len(x) {
		x[i] *= gpu
	}
}

//gpuc:kernel workgroup=64
func Größe(it g2.Item, Größe float32, g, d, ctx, s, err, values, words, failure []float32, p gpu, bound math) {
	if i := it.Index(); i < len(g) {
		g[i] *= Größe
	}
}

//gpuc:kernel workgroup=64
func Tiled(it g2.Item, shared *tile, more *tile, tile float32, nil_, nil, new []float32, gpucOfTiled int) {
	shared[it.LocalIndex()] = tile
	it.Barrier()
	nil_[it.Index()] = shared[3] + more[2]
}
