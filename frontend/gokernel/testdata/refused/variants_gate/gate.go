// Package gate has values of tuned constants with which a kernel is no part of the dialect.
package gate

import "github.com/gpuc/gpuc/runtime/gpu"

const side = 16 //gpuc:tune 16 64 // want "Square cannot have side = 64: a workgroup has 1024 items at most, and side,side makes 4096"

//gpuc:kernel workgroup=side,side
func Square(it gpu.Item, x []float32) { x[it.Index()] = 1 }

const width = 4 //gpuc:tune 2 4 // want "Values cannot have width = 2: the type of weights depends on a tuned constant, and the host gives all variants the same"

type weights struct{ W [width]float32 }

//gpuc:kernel workgroup=64
func Values(it gpu.Item, w []float32, weights weights) { w[it.Index()] = weights.W[1] }

const pitch = 4 //gpuc:tune 2 4 // want "Elements cannot have pitch = 2: the type of x depends on a tuned constant, and the host gives all variants the same"

//gpuc:kernel workgroup=64
func Elements(it gpu.Item, x [][pitch]float32) { x[it.Index()][0] = 1 }

const huge = 4 //gpuc:tune 4 100000 // want "Local cannot have huge = 100000: .*"

//gpuc:kernel workgroup=64
func Local(it gpu.Item, x []float32) {
	var a [huge]float32
	a[it.LocalIndex()%4] = 1
	x[it.Index()] = a[0]
}
