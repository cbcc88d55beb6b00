// Package signature has kernels whose signatures a test knows, and calls launchers that there are not.
package signature

import "github.com/gpuc/gpuc/runtime/gpu"

type pair struct {
	A [3]float32
	B int
}

//gpuc:kernel workgroup=8,4
func Mixed(it gpu.Item, n int, in []float32, shared *[32]float32, p pair, out []int32, last float32) {
	if it.Index() < len(out) {
		out[it.Index()] = int32(in[n])
	}
}

//gpuc:kernel workgroup=64
func Alone(it gpu.Item, factor uint32, x []uint32) {
	it.Barrier()
	x[it.Index()] *= factor
}

// A subgroup's items wait for each other, too.
//
//gpuc:kernel workgroup=64
func total(it gpu.Item, x []int32) { x[it.Index()] = gpu.SubgroupAdd(it, x[it.Index()]) }

// What an item is in its subgroup it knows by itself.
//
//gpuc:kernel workgroup=64
func lane(it gpu.Item, x []int32) { x[it.Index()] = int32(it.SubgroupLane()) }

//gpuc:kernel workgroup=1
func nothing(it gpu.Item, x []uint32) {}

// An instance has the name of its types, and an offset that depends on them.
//
//gpuc:kernel workgroup=64 types=pair/int32,uint32/float32
func Pick[A any, B gpu.Number](it gpu.Item, a A, last B, x []B) { x[it.Index()] = last }

var launch func(*gpu.Stream, gpu.Grid, uint32, *gpu.Buffer[uint32]) error = LaunchAlone
