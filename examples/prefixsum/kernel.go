package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Block is the number of elements that a workgroup scans, one for each item.
const Block = 256

// ScanBlocks replaces the numbers of each block by their prefix sums: each becomes the sum of
// itself and all numbers before it in the block. It writes the sum of each block to totals.
//
// A loop needs only one addition for each number, but each addition waits for the previous one.
// Here all items work in parallel (Hillis and Steele). Each adds to its sum the one that is 1 item
// to the left, then 2, then 4 and so on. Each step doubles the count of numbers in a sum, so 256
// numbers need eight steps. These are the three steps for eight numbers:
//
//	        3   1   4   1   5   9   2   6
//	1 left  3   4   5   5   6  14  11   8
//	2 left  3   4   8   9  11  19  17  22
//	4 left  3   4   8   9  14  23  25  31
//
//gpuc:kernel workgroup=Block
func ScanBlocks(it gpu.Item, shared *[Block]uint32, numbers, totals []uint32) {
	i, local := it.Index(), it.LocalIndex()
	sum := uint32(0) // items beyond the end add zeros
	if i < len(numbers) {
		sum = numbers[i]
	}
	shared[local] = sum
	for left := 1; left < Block; left *= 2 {
		it.Barrier() // wait until all sums are stored
		if local >= left {
			sum += shared[local-left]
		}
		it.Barrier() // wait until all sums are read
		shared[local] = sum
	}
	if i < len(numbers) {
		numbers[i] = sum
	}
	if local == Block-1 {
		totals[it.Group().X] = sum
	}
}

// AddTotals adds to each block the sum of all blocks before it. totals has been replaced by its
// prefix sums, so this is the total of the previous block.
//
//gpuc:kernel workgroup=Block
func AddTotals(it gpu.Item, totals, numbers []uint32) {
	if i, block := it.Index(), it.Group().X; block > 0 && i < len(numbers) {
		numbers[i] += totals[block-1]
	}
}

// Mark writes 1 for each reading above a limit, and 0 for the others.
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

// Keep copies the readings above the limit, without gaps and in their order (stream compaction).
// The prefix sum of the marks is the number of readings that are kept up to this one, and so its
// position. With an atomic counter the order would be random.
//
//gpuc:kernel workgroup=Block
func Keep(it gpu.Item, limit uint32, readings, sums, kept []uint32) {
	if i := it.Index(); i < len(readings) && readings[i] > limit {
		kept[sums[i]-1] = readings[i]
	}
}
