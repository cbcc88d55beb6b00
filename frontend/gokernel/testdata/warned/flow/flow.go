// Package flow has statements that nothing reaches, and barriers that order nothing.
package flow

import "github.com/gpuc/gpuc/runtime/gpu"

const debug = false

//gpuc:kernel workgroup=64
func Unreachable(it gpu.Item, n int, x []float32) {
	if debug { // is a setting
		x[0] = 1
	}
	for i := range n {
		if i > 3 {
			break
			x[i] = 2 // want "nothing reaches this statement"
		}
		continue
		x[i] = 3 // want "nothing reaches this statement"
		x[i] = 4
	}
	for i := 0; i < n; i++ { // want "nothing reaches this statement"
		x[i] = 5
		break
	}
	for i := 0; i < n; i++ {
		if x[i] > 0 {
			continue
		}
		break
	}
	switch n {
	case 1:
		return
		x[1] = 6 // want "nothing reaches this statement"
	case 2:
		x[2] = 7
	}
	if n > 7 {
		return
	} else {
		x[3] = first(x)
		return
	}
	for { // want "nothing reaches this statement"
		x[4] = 8
	}
}

// first has a last return behind a loop that it never leaves otherwise.
func first(x []float32) float32 {
	for i := 0; ; i++ {
		if x[i] > 0 {
			return x[i]
		}
	}
	return 0
}

//gpuc:kernel workgroup=64
func Cases(it gpu.Item, x []uint32) {
	switch b := x[0] & 3; b & 3 {
	case 3:
		x[1] = 1
	case 4: // want "the switch never chooses this case"
		x[1] = 2
	}
	switch x[0] % 4 {
	case 0, 3:
		x[1] = 3
	case 2, 4: // want "the switch never chooses this case"
		x[1] = 4
	}
	switch x[0] {
	case 4:
		x[1] = 5
	}
}

//gpuc:kernel workgroup=64
func Barriers(it gpu.Item, x, y []float32) {
	y[it.Index()] = x[it.Index()]
	it.Barrier() // want "this barrier orders no memory"
	meet(it)
	alone(it)
}

// meet is called by a kernel without memory of the workgroup, and by one with some.
func meet(it gpu.Item) { it.Barrier() }

func alone(it gpu.Item) {
	it.Barrier() // want "this barrier orders no memory"
}

//gpuc:kernel workgroup=64
func Shared(it gpu.Item, shared *[64]float32, x []float32) {
	shared[it.LocalIndex()] = x[it.Index()]
	meet(it)
	x[it.Index()] = shared[63-it.LocalIndex()]
	it.Barrier()
	it.Barrier() // want "this barrier follows another with nothing between them"
	x[it.Index()] += shared[it.LocalIndex()]
	it.Barrier()
	x[it.Index()] += shared[it.LocalIndex()]
	it.Barrier()
}

// Buffers has a buffer that items write and read.
//
//gpuc:kernel workgroup=64
func Buffers(it gpu.Item, x, y []float32) {
	x[it.Index()] = 1
	it.Barrier()
	y[it.Index()] = x[it.Index()^1]
}
