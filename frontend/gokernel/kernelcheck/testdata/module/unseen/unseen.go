// Package unseen has a kernel whose barrier a pass does not see through, as it calls functions of another package, and
// one that is seen.
package unseen

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func unseen(it gpu.Item, x []float32) {
	if it.Index() < len(x) {
		x[it.Index()] = gpu.V3f(1, 2, 3).Add(gpu.V3f(3, 2, 1)).X
		it.Barrier()
	}
}

//gpuc:kernel workgroup=64
func seen(it gpu.Item, a, b []float32) {
	x := a // want `x may name b or a, and the compiler has to know which it is`
	if it.Index() < len(b) {
		x = b
	}
	x[it.Index()] = 1
}
