package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Block is how many numbers a workgroup adds up, one for each of its items.
const Block = 256

// ScanBlocks turns the numbers of each block into their prefix sums: each becomes the sum of itself
// and all before it in its block. Totals gets the sum of each block.
//
// A loop does it with one addition for each number, but each has to wait for the one before. Here
// all items at the same time add to their sum the one that is one place further left, then two,
// then four. After each step a sum is that of twice as many numbers, so eight steps do for 256.
// These are the three for eight:
//
//	        3   1   4   1   5   9   2   6
//	1 left  3   4   5   5   6  14  11   8
//	2 left  3   4   8   9  11  19  17  22
//	4 left  3   4   8   9  14  23  25  31
//
//gpuc:kernel workgroup=Block
func ScanBlocks(it gpu.Item, shared *[Block]uint32, numbers, totals []uint32) {
	i, local := it.Index(), it.LocalIndex()
	sum := uint32(0) // beyond the end are zeros, which do not change sums
	if i < len(numbers) {
		sum = numbers[i]
	}
	shared[local] = sum
	for left := 1; left < Block; left *= 2 {
		it.Barrier() // all sums are there
		if local >= left {
			sum += shared[local-left]
		}
		it.Barrier() // nobody needs them any more
		shared[local] = sum
	}
	if i < len(numbers) {
		numbers[i] = sum
	}
	if local == Block-1 {
		totals[it.Group().X] = sum
	}
}

// AddTotals adds to each block what all blocks before it come to. Totals are prefix sums by now, so
// that is the one of the block before.
//
//gpuc:kernel workgroup=Block
func AddTotals(it gpu.Item, totals, numbers []uint32) {
	if i, block := it.Index(), it.Group().X; block > 0 && i < len(numbers) {
		numbers[i] += totals[block-1]
	}
}

// Mark writes 1 for each reading that is above a limit, and 0 for the others.
//
//gpuc:kernel workgroup=Block
func Mark(it gpu.Item, limit uint32, readings, marks []uint32) {
	if i := it.Index(); i < len(readings) {
		marks[i] = 0
		if readings[i] > limit {
			marks[i] = 1
		}
	}
}

// Keep copies the readings above the limit, without gaps and in their order. The prefix sum of the
// marks says how many of these there are up to a reading, and so where it belongs. A counter that
// all items add to would mix up their order.
//
//gpuc:kernel workgroup=Block
func Keep(it gpu.Item, limit uint32, readings, sums, kept []uint32) {
	if i := it.Index(); i < len(readings) && readings[i] > limit {
		kept[sums[i]-1] = readings[i]
	}
}
