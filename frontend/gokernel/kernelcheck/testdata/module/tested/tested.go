// Package tested has kernels, and a file of tests that is not for devices.
package tested

import "github.com/gpuc/gpuc/runtime/gpu"

var weights = [...]float32{1, 2, 1} // which a test changes

//gpuc:kernel workgroup=64
func table(it gpu.Item, x []float32) { x[0] = weights[it.LocalIndex()&1] }

//gpuc:kernel workgroup=64
func barrier(it gpu.Item, x []float32) {
	if it.Index() < len(x) {
		it.Barrier() // want "only a part of them may reach this one"
	}
}
