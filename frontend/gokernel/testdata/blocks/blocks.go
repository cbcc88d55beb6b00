// Package blocks has kernels of which a test counts the branches.
package blocks

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=8
func Guarded(it gpu.Item, y []int32) {
	if i := it.Index(); i < len(y) {
		y[i] = 1
	}
}

//gpuc:kernel workgroup=8
func Unguarded(it gpu.Item, y []int32) { y[it.Index()] = 1 }

//gpuc:kernel workgroup=8,4
func GuardedTwice(it gpu.Item, width int, y []int32) {
	at := it.Global()
	if at.X >= width || at.Y >= 9 {
		return
	}
	y[at.Y*width+at.X] = 1
}

// GuardedByHalf asks for one of two dimensions.
//
//gpuc:kernel workgroup=8,4
func GuardedByHalf(it gpu.Item, width int, y []int32) {
	if at := it.Global(); at.X < width {
		y[at.Y*width+at.X] = 1
	}
}

// GuardedLate has done something before it asks.
//
//gpuc:kernel workgroup=8
func GuardedLate(it gpu.Item, y, count []int32) {
	atomic.AddInt32(&count[0], 1)
	if i := it.Index(); i < len(y) {
		y[i] = 1
	}
}

// GuardedByContent reads at a place that depends on the item before it asks.
//
//gpuc:kernel workgroup=8
func GuardedByContent(it gpu.Item, x, y []int32) {
	if i := it.Index(); x[i] > 0 {
		y[i] = 1
	}
}

// GuardedByFirst reads what is always there.
//
//gpuc:kernel workgroup=8
func GuardedByFirst(it gpu.Item, x, y []int32) {
	if i := it.Index(); i < int(x[0]) {
		y[i] = 1
	}
}

// GuardedByWritten asks what it also writes: an item beyond the extent would race with the one that does.
//
//gpuc:kernel workgroup=8
func GuardedByWritten(it gpu.Item, y []uint32) {
	i := it.Index()
	if i >= int(y[0]) {
		return
	}
	y[0] = 7
}

//gpuc:kernel workgroup=8
func Both(it gpu.Item, n, m int32, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	if n > 3 && m < 9 {
		y[i] = 1
	}
}

//gpuc:kernel workgroup=8
func OneOfThree(it gpu.Item, n int32, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	if n == 3 || n == 5 || n == 8 {
		y[i] = 1
	}
}

// Careful reads where it has asked before.
//
//gpuc:kernel workgroup=8
func Careful(it gpu.Item, n int, x, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	if n < len(x) && x[n] > 0 {
		y[i] = 1
	}
}

//gpuc:kernel workgroup=8
func Value(it gpu.Item, n, m int32, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	either := n > 3 || m > 3
	if y[i] = 2; either {
		y[i] = 1
	}
}

//gpuc:kernel workgroup=8
func Assigned(it gpu.Item, n int32, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	m := n
	if n > 5 {
		m = 5
	} else if n < -5 {
		m = -5
	}
	y[i] = m
}

func distance(a, b int32) int32 {
	if a < b {
		return b - a
	}
	return a - b
}

//gpuc:kernel workgroup=8
func Returned(it gpu.Item, n, m int32, y []int32) {
	if i := it.Index(); i < len(y) {
		y[i] = distance(n, m)
	}
}

// Costly computes more than a choice may.
//
//gpuc:kernel workgroup=8
func Costly(it gpu.Item, n int32, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	m := n
	if n > 5 {
		m = n*n*n + n*n*3 + n*7 + 5
	}
	y[i] = m
}

//gpuc:kernel workgroup=8
func Repeated(it gpu.Item, n int, y []int32) {
	i := it.Index()
	if i >= len(y) {
		return
	}
	sum := int32(1)
	for k := range n {
		sum = sum*3 + int32(k)
	}
	y[i] = sum
}

// first returns where x has a value, from within a loop.
func first(x []int32, value int32) int {
	for k, v := range x {
		if v == value {
			return k
		}
	}
	return -1
}

//gpuc:kernel workgroup=8
func Found(it gpu.Item, n int32, x, y []int32) {
	if i := it.Index(); i < len(y) {
		y[i] = int32(first(x, n))
	}
}
