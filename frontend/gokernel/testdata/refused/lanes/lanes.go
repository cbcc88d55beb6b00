// Package lanes asks for values of lanes that are no constants, or that no subgroup has.
package lanes

import "github.com/gpuc/gpuc/runtime/gpu"

const many = 128

//gpuc:kernel workgroup=64
func Computed(it gpu.Item, n int, x []int32) {
	x[0] = gpu.SubgroupBroadcast(it, x[1], n) // want "the lane of gpu.SubgroupBroadcast is a constant, and n is none"
	for lane := range 4 {
		x[1] = gpu.SubgroupBroadcast(it, x[1], lane) // want "the lane of gpu.SubgroupBroadcast is a constant, and lane is none"
		x[1] = gpu.QuadBroadcast(it, x[1], 3-lane)   // want "the index of gpu.QuadBroadcast is a constant, and 3 - lane is none"
	}
}

//gpuc:kernel workgroup=64
func Beyond(it gpu.Item, x []int32) {
	x[0] = gpu.SubgroupBroadcast(it, x[1], many)    // want "the lane of gpu.SubgroupBroadcast is from 0 to 127, and this is 128"
	x[1] = gpu.SubgroupBroadcast(it, x[1], -1)      // want "the lane of gpu.SubgroupBroadcast is from 0 to 127, and this is -1"
	x[2] = gpu.QuadBroadcast(it, x[1], 4)           // want "the index of gpu.QuadBroadcast is from 0 to 3, and this is 4"
	x[3] = gpu.SubgroupShuffle(it, x[1], 2*many)    // want "the lane of gpu.SubgroupShuffle is from 0 to 127, and this is 256"
	x[4] = gpu.SubgroupShuffleXor(it, x[1], many)   // want "the mask of gpu.SubgroupShuffleXor is from 0 to 127"
	x[5] = gpu.SubgroupShuffleUp(it, x[1], -many)   // want "the delta of gpu.SubgroupShuffleUp is from 0 to 127"
	x[6] = gpu.SubgroupShuffleDown(it, x[1], 1<<40) // want "the delta of gpu.SubgroupShuffleDown is from 0 to 127"
}
