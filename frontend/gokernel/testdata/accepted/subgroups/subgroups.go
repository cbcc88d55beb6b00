// Package subgroups has subgroup operations that all items of a subgroup come to.
package subgroups

import "github.com/gpuc/gpuc/runtime/gpu"

type metre float32

type flags uint32

func total[T gpu.Number](it gpu.Item, v T) T { return gpu.SubgroupAdd(it, v) }

func last(it gpu.Item, v float32) float32 {
	return gpu.SubgroupShuffle(it, v, it.SubgroupSize()-1)
}

// Types has operations on all types that there are.
//
//gpuc:kernel workgroup=64
func Types(it gpu.Item, n int, u uint, x []int32, y []uint32, z []float32, m []metre, f []flags) {
	i := it.Index()
	x[i] = gpu.SubgroupMul(it, x[i]) + int32(gpu.SubgroupMin(it, n+i))
	y[i] = gpu.SubgroupXor(it, y[i]) + uint32(gpu.SubgroupAnd(it, u))
	z[i] = gpu.SubgroupInclusiveMul(it, z[i]) + last(it, z[i])
	m[i] = total(it, m[i]) + metre(total(it, 3))
	f[i] = gpu.SubgroupOr(it, f[i])
	if gpu.SubgroupBallot(it, x[i] > 0) == [4]uint32{1} {
		x[i] = 0
	}
}

// Branches are on what a subgroup has in common.
//
//gpuc:kernel workgroup=64
func Branches(it gpu.Item, n int, bounds []int32, x []int32) {
	i := it.Index()
	v := int32(0)
	if i < len(x) {
		v = x[i]
	}
	if n > 3 && it.Group().X < 5 {
		v = gpu.SubgroupAdd(it, v)
	}
	if it.Subgroup() == 0 {
		v = gpu.SubgroupMax(it, v)
	}
	for range it.Subgroup() {
		v += gpu.SubgroupShuffleDown(it, v, 1)
	}
	for step := it.SubgroupSize() / 2; step > 0; step /= 2 {
		v += gpu.SubgroupShuffleXor(it, v, step)
	}
	for gpu.SubgroupAny(it, v > 1000) {
		v -= gpu.SubgroupBroadcastFirst(it, v)
	}
	if gpu.SubgroupBroadcast(it, v, 0) > 3 {
		v = gpu.QuadBroadcast(it, v, 3)
	}
	for range bounds[it.Subgroup()] {
		v = gpu.SubgroupShuffleUp(it, v, int(bounds[0]))
	}
	if it.Subgroups() > 1 {
		it.Barrier()
		v = gpu.QuadSwapDiagonal(it, v)
	}
	if i < len(x) {
		x[i] = v
	}
}
