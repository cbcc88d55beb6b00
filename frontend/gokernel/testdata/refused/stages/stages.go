// Package stages has mistakes that different stages find.
package stages

import "github.com/gpuc/gpuc/runtime/gpu"

func deferred(x []float32) {
	defer func() {}() // want "kernels defer no calls"
	x[0] = 1
}

//gpuc:kernel workgroup=64
func Gate(it gpu.Item, x []float32) {
	deferred(x)
}

// Behind calls what has been refused, and is not translated.
//
//gpuc:kernel workgroup=64
func Behind(it gpu.Item, a, b []float32) {
	deferred(a)
}

//gpuc:kernel workgroup=64
func Translation(it gpu.Item, a, b []float32) {
	q := a // want "q may name b or a"
	if it.Index() > 3 {
		q = b
	}
	q[0] = 1
}

//gpuc:kernel workgroup=64
func Divergence(it gpu.Item, shared *[64]float32, x []float32) {
	if it.Index() > 3 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	x[0] = shared[0]
}

//gpuc:kernel workgroup=64
func Right(it gpu.Item, x []float32) {
	x[0] = 1
}
