// Package atomics has atomic accesses that devices do not have.
package atomics

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type counts struct{ total, rest int32 }

var weights = [...]int32{1, 2}

//gpuc:kernel workgroup=64
func Local(it gpu.Item, x []int32) {
	var n int32
	atomic.AddInt32(&n, 1) // want "atomic accesses are to memory that items share, and this is a variable of one"
	a := [4]uint32{}
	atomic.StoreUint32(&a[1], 3) // want "atomic accesses are to memory that items share, and this is a variable of one"
	c := counts{}
	x[0] = atomic.LoadInt32(&c.total)         // want "atomic accesses are to memory that items share, and this is a variable of one"
	x[1] = gpu.AtomicMin(&n, 3)               // want "atomic accesses are to memory that items share, and this is a variable of one"
	if atomic.CompareAndSwapInt32(&n, 1, 2) { // want "atomic accesses are to memory that items share, and this is a variable of one"
		x[2] = int32(a[0])
	}
}

//gpuc:kernel workgroup=64
func Whole(it gpu.Item, shared *counts, x []counts) {
	atomic.AddInt32(&shared.total, 1)
	x[0] = *shared // want "a variable with parts that are accessed atomically cannot be read as one value"
	atomic.AddInt32(&x[1].total, 1)
	y := x[2] // want "a variable with parts that are accessed atomically cannot be read as one value"
	x[3].total = y.rest
	*shared = counts{}  // want "a variable with parts that are accessed atomically cannot be assigned as one value"
	x[4] = counts{1, 2} // want "a variable with parts that are accessed atomically cannot be assigned as one value"
}
