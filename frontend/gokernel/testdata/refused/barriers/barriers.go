// Package barriers has barriers that only a part of a workgroup comes to.
package barriers

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func sync(it gpu.Item) { it.Barrier() } // want "all items of a workgroup must reach a barrier"

func early(it gpu.Item, x []float32) bool { return it.Index() >= len(x) }

//gpuc:kernel workgroup=64
func If(it gpu.Item, x []float32) {
	if it.LocalIndex() < 32 {
		x[it.Index()] = 1
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Else(it gpu.Item, x []float32) {
	if it.Local().X == 0 {
		x[0] = 1
	} else {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func BothArms(it gpu.Item, x []float32) {
	if it.Local().X == 0 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	} else {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Return(it gpu.Item, x []float32) {
	if it.Index() >= len(x) {
		return
	}
	it.Barrier() // want "all items of a workgroup must reach a barrier"
	x[it.Index()] = 1
}

//gpuc:kernel workgroup=64
func ReturnOfHelper(it gpu.Item, x []float32) {
	if early(it, x) {
		return
	}
	it.Barrier() // want "all items of a workgroup must reach a barrier"
}

//gpuc:kernel workgroup=64
func Loop(it gpu.Item, x []float32) {
	for i := it.LocalIndex(); i < len(x); i += 64 {
		x[i] = 1
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Break(it gpu.Item, x []float32) {
	for i := range 8 {
		if it.LocalIndex() == i {
			break
		}
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Continue(it gpu.Item, x []float32) {
	for i := range 8 {
		if it.LocalIndex()&1 == i&1 {
			continue
		}
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func ContinueOuter(it gpu.Item, x []float32) {
outer:
	for i := range 8 {
		for j := range 4 {
			if x[it.LocalIndex()] > float32(i*j) {
				continue outer
			}
		}
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Switch(it gpu.Item, x []float32) {
	switch it.LocalIndex() % 3 {
	case 0:
		x[0] = 1
	case 1:
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Helper(it gpu.Item, x []float32) {
	if it.LocalIndex() == 0 {
		sync(it)
	}
}

//gpuc:kernel workgroup=64
func Data(it gpu.Item, shared *[64]int32, x []int32, bounds []int32) {
	if x[0] > 3 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	x[1] = 1
	if shared[0] > 3 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	shared[it.LocalIndex()] = 1
	for range bounds[it.LocalIndex()] {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	if atomic.AddInt32(&x[2], 1) == 5 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Variables(it gpu.Item, n int, x []int32) {
	limit := n
	if it.LocalIndex() == 0 {
		limit++
	}
	for range limit {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	going := true
	for going {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
		going = x[it.LocalIndex()] > 0
	}
	var a [4]int
	a[it.LocalIndex()&3] = n
	if a[n&3] > 0 {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=64
func Short(it gpu.Item, n int, x []int32) {
	if n > 3 && it.LocalIndex() < n {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
	if n > 3 || it.LocalIndex() < n {
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}

//gpuc:kernel workgroup=8,8
func Global(it gpu.Item, width, height int, x []float32) {
	at := it.Global()
	if at.X < width && at.Y < height {
		x[at.Y*width+at.X] = 1
		it.Barrier() // want "all items of a workgroup must reach a barrier"
	}
}
