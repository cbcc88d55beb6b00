// Package b has a kernel of a name that another package has, too.
package b

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Same(it gpu.Item, x []float32) { x[0] = 1 } // want "Same is the name of another kernel, too"
