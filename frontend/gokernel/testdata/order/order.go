// Package order indexes what a call makes.
package order

import "github.com/gpuc/gpuc/runtime/gpu"

func four(n int) (a [4]float32) {
	a[n&3] = 1
	return a
}

func next(n *int) int {
	*n++
	return *n
}

//gpuc:kernel workgroup=64
func Index(it gpu.Item, n int, x []float32) { x[it.Index()] = four(n)[next(&n)] }
