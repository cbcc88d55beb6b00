// Package late has values of tuned constants with which a subgroup operation is in divergent control flow.
package late

import "github.com/gpuc/gpuc/runtime/gpu"

const lanes = 1 //gpuc:tune 1 2 // want "Late cannot have lanes = 2: all items of a subgroup must reach gpu.SubgroupAdd, and only a part of them may reach this one"

// Late asks for what lane 0 has, or for what lane 1 has, which need not be there.
//
//gpuc:kernel workgroup=64
func Late(it gpu.Item, x []float32) {
	v := x[it.Index()]
	if gpu.SubgroupBroadcast(it, v, lanes-1) > 0 {
		v = gpu.SubgroupAdd(it, v)
	}
	x[it.Index()] = v
}
