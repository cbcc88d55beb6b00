// Package misspelt has no kernel, and was to have one.
package misspelt

import "github.com/gpuc/gpuc/runtime/gpu"

func kernel(it gpu.Item, x []float32) {} /* want "the directive of kernels is //gpuc:kernel" */ // gpuc:kernel workgroup=64
