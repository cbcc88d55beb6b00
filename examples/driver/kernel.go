package main

import "github.com/gpuc/gpuc/runtime/gpu"

// The driver of this example takes no code, so any target will do whose code it knows by name.
//
//go:generate go tool gpuc gen -target wgsl .

// Saxpy adds a times x to y.
//
//gpuc:kernel workgroup=64
func Saxpy(it gpu.Item, a float32, x, y []float32) {
	if i := it.Index(); i < len(y) {
		y[i] += a * x[i]
	}
}
