// Package made has a kernel whose launchers were made.
package made

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64 types=float32,float64
func Clear[T float32 | float64](it gpu.Item, x []T) { x[it.Index()] = 0 }

// One is a function for the kernels of others, which are loaded with this package then.
func One() float32 { return 1 }
