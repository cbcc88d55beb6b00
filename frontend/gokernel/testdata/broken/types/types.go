// Package types has mistakes that Go's type checker finds, and others in functions that it takes.
package types

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Types(it gpu.Item, x []float32) {
	x[0] = "a" // want "cannot use \"a\""
	go helper(x)
}

func helper(x []float32) {
	x[0] = missing // want "undefined: missing"
}

//gpuc:kernel workgroup=64
func Gate(it gpu.Item, x []float32) {
	helper(x)
	for range "abc" { // want "kernels range over integers, slices and arrays, and this is a string"
	}
}

//gpuc:kernel workgroup=64 size=3 // want "the options of"
func Directive(it gpu.Item, x []float32) {
	x[0] = 1
}
