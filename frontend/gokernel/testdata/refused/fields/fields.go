// Package fields has structures of which several fields are no part of the dialect.
package fields

import (
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type both struct {
	name string
	p    *float32
	v    float32
	m    inner
}

type inner struct {
	z map[int]int
	n int32
}

type even interface{ ~int32 | ~uint32 }

//gpuc:kernel workgroup=64
func Host(it gpu.Item, t *gpu.Texture, x []float32) { // want "a kernel takes .* and t is of type \*gpu\.Texture"
	x[0] = 1
}

//gpuc:kernel workgroup=64
func Once(it gpu.Item, o *sync.Once, w *sync.WaitGroup, x []float32) {
	o.Do(nil) // want "kernels do not call \(\*sync\.Once\)\.Do"
	x[0] = 1
}

//gpuc:kernel workgroup=64
func Both(it gpu.Item, s both, x []float32) { // want "a kernel takes .* and its fields name, p and z are of types string, \*float32 and map\[int\]int"
	var b both // want "kernels have no values of types string and map\[int\]int, which the fields name and z have"
	x[0] = b.v
}

//gpuc:kernel workgroup=64
func Even[E even](it gpu.Item, x []E) { // want "Even has type parameters"
	x[0] = 1
}
