// Package subgroups has subgroup operations that only a part of a subgroup comes to.
package subgroups

import "github.com/gpuc/gpuc/runtime/gpu"

func total(it gpu.Item, x int32) int32 {
	return gpu.SubgroupAdd(it, x) // want "all items of a subgroup must reach gpu.SubgroupAdd, and only a part of them"
}

//gpuc:kernel workgroup=64
func If(it gpu.Item, x []int32) {
	if it.LocalIndex() < 32 {
		x[it.Index()] = gpu.SubgroupMax(it, x[it.Index()]) // want "all items of a subgroup must reach gpu.SubgroupMax"
	}
}

//gpuc:kernel workgroup=64
func Return(it gpu.Item, x []int32) {
	if it.Index() >= len(x) {
		return
	}
	if gpu.SubgroupAny(it, x[it.Index()] > 3) { // want "all items of a subgroup must reach gpu.SubgroupAny"
		x[0] = 1
	}
}

//gpuc:kernel workgroup=64
func Lane(it gpu.Item, x []uint32) {
	for i := it.SubgroupLane(); i < len(x); i += it.SubgroupSize() {
		x[i] = gpu.SubgroupBallot(it, x[i] > 3)[0] // want "all items of a subgroup must reach gpu.SubgroupBallot"
	}
}

//gpuc:kernel workgroup=64
func Elected(it gpu.Item, x []uint32) {
	if gpu.SubgroupElect(it) {
		x[it.Subgroup()] = gpu.SubgroupOr(it, 1+x[0]) // want "all items of a subgroup must reach gpu.SubgroupOr"
	}
	if gpu.SubgroupExclusiveAdd(it, 1) > 3 {
		x[it.Subgroup()] = gpu.QuadSwapX(it, x[0]) // want "all items of a subgroup must reach gpu.QuadSwapX"
	}
}

//gpuc:kernel workgroup=64
func Helper(it gpu.Item, x []int32) {
	if it.Local().X > 3 {
		x[0] = total(it, 1)
	}
}

// What a subgroup has in common is not what a workgroup has.
//
//gpuc:kernel workgroup=64
func Workgroup(it gpu.Item, x []int32) {
	if it.Subgroup() == 0 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	if gpu.SubgroupAll(it, x[0] > 3) {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Differing(it gpu.Item, n int, x []int32) {
	l := it.SubgroupLane()
	x[0] = gpu.SubgroupShuffleXor(it, x[1], l)          // want "the items of a subgroup give gpu.SubgroupShuffleXor one mask, and this one may differ between them"
	x[1] = gpu.SubgroupShuffleUp(it, x[1], l+n)         // want "the items of a subgroup give gpu.SubgroupShuffleUp one delta"
	x[2] = gpu.SubgroupShuffleDown(it, x[1], int(x[l])) // want "the items of a subgroup give gpu.SubgroupShuffleDown one delta"
}
