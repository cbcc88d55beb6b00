package main

import "github.com/gpuc/gpuc/runtime/gpu"

// `go generate` compiles the kernels of this package and writes the functions that launch them to
// gpuc_gen.go.
//
//go:generate go tool gpuc gen .

// Add is a kernel. The GPU runs it once for each element, many of them in parallel. Each of these
// runs is an item, and it.Index() is its index. Items come in workgroups, here of 256, so the last
// items may be beyond the end of the slices; they do nothing.
//
// A kernel is also a plain Go function: you can call it, test it and step through it.
//
//gpuc:kernel workgroup=256
func Add(it gpu.Item, a, b, sum []float32) {
	if i := it.Index(); i < len(sum) {
		sum[i] = a[i] + b[i]
	}
}
