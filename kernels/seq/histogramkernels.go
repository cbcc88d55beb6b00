package seq

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// binItems is the size of workgroups that count.
	binItems = 256
	// sharedBins is how many counters a workgroup has in its memory. Fewer bins have copies, so
	// that subgroups seldom wait for each other.
	sharedBins = 2048
)

// copyOf returns where the item's copy of the counters begins, or -1 if they are the result's.
func copyOf(it gpu.Item, bins int) int {
	if bins > sharedBins {
		return -1
	}
	return it.Subgroup() % (sharedBins / bins) * bins
}

// count counts one element, if its bin is one.
func count(shared *[sharedBins]uint32, copied, bin, bins int, counts []uint32) {
	if bin < 0 || bin >= bins {
		return
	}
	if copied < 0 {
		atomic.AddUint32(&counts[bin], 1)
	} else {
		atomic.AddUint32(&shared[(copied+bin)%sharedBins], 1)
	}
}

// addCounts adds the counters of a workgroup to the result.
func addCounts(it gpu.Item, shared *[sharedBins]uint32, bins int, counts []uint32) {
	it.Barrier()
	if bins > sharedBins {
		return
	}
	for bin := it.LocalIndex(); bin < bins; bin += binItems {
		sum := uint32(0)
		for at := bin; at < sharedBins/bins*bins; at += bins {
			sum += atomic.LoadUint32(&shared[at%sharedBins])
		}
		if sum > 0 {
			atomic.AddUint32(&counts[bin], sum)
		}
	}
}

// evenBin returns the bin of a number, or -1.
func evenBin[T Float](v, low, high, scale T, bins int) int {
	if !(v >= low && v < high) {
		return -1
	}
	return min(int((v-low)*scale), bins-1)
}

// countEven counts numbers in bins of equal width. Whole is how many arrays of four there are.
//
//gpuc:kernel workgroup=binItems types=float32,float64
func countEven[T Float](it gpu.Item, shared *[sharedBins]uint32, n, whole, bins int, low, high, scale T, quads [][4]T, x []T, counts []uint32) {
	copied := copyOf(it, bins)
	for i := it.Index(); i < whole && i < len(quads); i += it.Groups().X * binItems {
		quad := quads[i]
		for k := range quad {
			count(shared, copied, evenBin(quad[k], low, high, scale, bins), bins, counts)
		}
	}
	if i := whole*4 + it.Index(); i < n && i < len(x) {
		count(shared, copied, evenBin(x[i], low, high, scale, bins), bins, counts)
	}
	addCounts(it, shared, bins, counts)
}

// countRanges counts numbers between edges, which ascend; there is one more than bins.
//
//gpuc:kernel workgroup=binItems types=int32,uint32,int64,uint64,float32,float64
func countRanges[T Number](it gpu.Item, shared *[sharedBins]uint32, n, bins int, x, edges []T, counts []uint32) {
	copied := copyOf(it, bins)
	for i := it.Index(); i < n && i < len(x); i += it.Groups().X * binItems {
		v := x[i]
		if !(v >= edges[0]) {
			continue
		}
		low, high := 0, bins // edges[low] <= v
		for low < high {
			if middle := (low + high + 1) / 2; v >= edges[middle] {
				low = middle
			} else {
				high = middle - 1
			}
		}
		count(shared, copied, low, bins, counts)
	}
	addCounts(it, shared, bins, counts)
}

// countBytes counts bytes, 16 at a time. Equal ones in a row are added at once.
//
//gpuc:kernel workgroup=binItems
func countBytes(it gpu.Item, shared *[sharedBins]uint32, n, whole int, quads [][4]uint32, x []uint8, counts []uint32) {
	copied := copyOf(it, 256)
	last, run := uint32(0), uint32(0)
	for i := it.Index(); i < whole && i < len(quads); i += it.Groups().X * binItems {
		quad := quads[i]
		for k := range quad {
			for b := range 4 {
				bin := quad[k] >> (8 * b) % 256
				if bin != last {
					if run > 0 {
						atomic.AddUint32(&shared[(copied+int(last))%sharedBins], run)
					}
					last, run = bin, 0
				}
				run++
			}
		}
	}
	if run > 0 {
		atomic.AddUint32(&shared[(copied+int(last))%sharedBins], run)
	}
	if i := whole*16 + it.Index(); i < n && i < len(x) {
		count(shared, copied, int(x[i]), 256, counts)
	}
	addCounts(it, shared, 256, counts)
}
