package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen -target wgsl,spirv,ptx,cpu .

// Collatz counts the steps from each number to 1: an even number is halved, an odd one tripled and
// increased by 1.
//
//gpuc:kernel workgroup=64
func Collatz(it gpu.Item, steps []uint32) {
	if i := it.Index(); i < len(steps) {
		count := uint32(0)
		for n := uint32(i + 1); n != 1; count++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
		steps[i] = count
	}
}
