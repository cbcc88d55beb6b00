package main

import "github.com/gpuc/gpuc/runtime/gpu"

// The next line has `go generate` compile the kernels of this package and write the functions that
// launch them, gpuc_gen.go.
//
//go:generate go tool gpuc gen .

// Add is a kernel: the GPU runs it once for each element, as many at a time as it can. Which one
// a run is for is what the item knows. Items come in workgroups, of 256 here, so the last ones may
// be beyond the end, and do nothing.
//
// It is a plain Go function, too: it can be called, tested and stepped through.
//
//gpuc:kernel workgroup=256
func Add(it gpu.Item, a, b, sum []float32) {
	if i := it.Index(); i < len(sum) {
		sum[i] = a[i] + b[i]
	}
}
