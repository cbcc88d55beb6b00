// Package clashes has instances of kernels with names that others have.
package clashes

import "github.com/gpuc/gpuc/runtime/gpu"

type a_b float32

type b float32

//gpuc:kernel workgroup=64
func Scale_float32(it gpu.Item, x []float32) {}

//gpuc:kernel workgroup=64 types=int32,float32
func Scale[E gpu.Number](it gpu.Item, x []E) {} // want "Scale_float32 and Scale\[float32\] would both be called Scale_float32, and kernels are told apart by their names"

//gpuc:kernel workgroup=64 types=a_b
func K[E gpu.Number](it gpu.Item, x []E) {}

//gpuc:kernel workgroup=64 types=b
func K_a[E gpu.Number](it gpu.Item, x []E) {} // want "K\[a_b\] and K_a\[b\] would both be called K_a_b"

// Those that differ in the case of letters are told apart, in all but file names.
//
//gpuc:kernel workgroup=64 types=b
func k_a[E gpu.Number](it gpu.Item, x []E) {}
