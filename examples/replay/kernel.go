package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Relu replaces negative numbers by zeros.
//
//gpuc:kernel workgroup=256
func Relu(it gpu.Item, x, y []float32) {
	if i := it.Index(); i < len(y) {
		y[i] = max(x[i], 0)
	}
}

// Scale multiplies all numbers by a factor.
//
//gpuc:kernel workgroup=256
func Scale(it gpu.Item, factor float32, y []float32) {
	if i := it.Index(); i < len(y) {
		y[i] *= factor
	}
}
