// Package unused has kernels with parameters and variables that nothing uses.
package unused

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Parameters(
	it gpu.Item,
	factor float32, // want "the kernel does not use the parameter `factor`"
	limit int, // want "the parameter `limit` is assigned to, and what the host gives is never read"
	used, _known int,
	dropped float32,
	x []float32, // want "the kernel does not use the buffer `x`"
	y []float32,
	z []float32,
	shared *[64]float32, // want "the workgroup memory `shared` is never used"
	written *[64]float32, // want "the workgroup memory `written` is assigned to and never read"
	together *[64]float32,
) {
	_ = dropped
	limit = 3
	y[0] = 1 // a buffer that is written is for the host
	_ = z
	written[it.LocalIndex()] = 1
	together[it.LocalIndex()] = 1
	it.Barrier()
	y[it.Index()] = together[63-it.LocalIndex()] + float32(used)
}

type pair struct{ a, b float32 }

// set is called, and so is what its receiver is.
func (p *pair) set(a float32) { p.a = a }

//gpuc:kernel workgroup=64
func Variables(it gpu.Item, n int, x []float32) {
	var table [4]float32 // want "the variable `table` is assigned to and never read"
	table[n&3] = 1
	p := pair{} // want "the variable `p` is assigned to and never read"
	p.a = 2
	count := 0 // want "the variable `count` is assigned to and never read"
	count++
	var sums [4]float32
	sums[0] += x[0]
	var q pair
	q.set(3)
	through := pair{}
	to := &through
	to.b = 4
	part := x[1:]
	part[0] = 5
	var _scratch [2]float32
	_scratch[0] = 6
	x[it.Index()] = sums[n&3] + through.b
}

// helper has a parameter that it does not use, as others of its signature do.
func helper(a, b float32) float32 { return a }

//gpuc:kernel workgroup=64
func Calls(it gpu.Item, a float32, x []float32) {
	x[it.Index()] = helper(a, 1)
}

// everywhere is the same for all items, and needs none.
//
//gpuc:kernel workgroup=1
func everywhere(it gpu.Item, x []float32) { x[0] = 1 }

// unneeded is called by no kernel.
func unneeded(x [4]float32) {
	var y [4]float32
	y[0] = x[0]
}
