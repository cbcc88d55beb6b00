// Package gokernels holds kernels written in Go that are, or compute, what those of
// testdata/exec do, so that both front ends are held against the same references.
package gokernels

import (
	"github.com/gpuc/gpuc/runtime/gpu"
)

type SaxpyParameters struct {
	A float32
	N uint32
}

//gpuc:kernel workgroup=64
func Saxpy(it gpu.Item, parameters SaxpyParameters, x, y []float32) {
	i := it.Index()
	if i < int(parameters.N) {
		y[i] = parameters.A*x[i] + y[i]
	}
}

//gpuc:kernel workgroup=32
func VectorAdd(it gpu.Item, a, b, c []float32) {
	stride := it.Groups().X * 32
	for i := it.Index(); i < len(c); i += stride {
		c[i] = a[i] + b[i]
	}
}
