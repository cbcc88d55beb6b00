package seq

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// binItems is the size of workgroups that count.
	binItems = 256
	// binLoads is how many loads an item has under way.
	binLoads = 4
	// sharedBins is how many counters a workgroup has in its memory. Fewer bins have copies, so
	// that subgroups seldom wait for each other.
	sharedBins = 2048
)

// A counter counts in the memory of workgroups, for up to sharedBins bins, or in the result.
type counter interface {
	add(shared *[sharedBins]uint32, counts []uint32, at int)
	// start returns what to add to a bin.
	start(it gpu.Item, bins int) int
}

type (
	fewBins  struct{}
	manyBins struct{}
)

func (fewBins) start(it gpu.Item, bins int) int { return it.Subgroup() % (sharedBins / bins) * bins }

func (fewBins) add(shared *[sharedBins]uint32, _ []uint32, at int) {
	atomic.AddUint32(&shared[uint32(at)%sharedBins], 1)
}

func (manyBins) start(gpu.Item, int) int { return 0 }

func (manyBins) add(_ *[sharedBins]uint32, counts []uint32, at int) { atomic.AddUint32(&counts[at], 1) }

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

// countOne counts a number in bins of equal width, if it is in one.
func countOne[T Float, C counter](shared *[sharedBins]uint32, counts []uint32, start int, v, low, high, scale T, bins int) {
	var c C
	if v >= low && v < high {
		c.add(shared, counts, start+min(int((v-low)*scale), bins-1))
	}
}

// countEven counts numbers in bins of equal width. Whole is how many arrays of four there are.
//
//gpuc:kernel workgroup=binItems types=float32/fewBins,float64/fewBins,float32/manyBins,float64/manyBins
func countEven[T Float, C counter](it gpu.Item, shared *[sharedBins]uint32, n, whole, bins int, low, high, scale T, quads [][4]T, x []T, counts []uint32) {
	var c C
	start, stride := c.start(it, bins), it.Groups().X*binItems
	for i := it.Index(); i < whole; i += binLoads * stride {
		var loaded [binLoads][4]T
		for k := range loaded {
			loaded[k] = quads[min(i+k*stride, whole-1)]
		}
		for k := range loaded {
			if i+k*stride < whole {
				for _, v := range loaded[k] {
					countOne[T, C](shared, counts, start, v, low, high, scale, bins)
				}
			}
		}
	}
	if i := whole*4 + it.Index(); i < n {
		countOne[T, C](shared, counts, start, x[i], low, high, scale, bins)
	}
	addCounts(it, shared, bins, counts)
}

// countRanges counts numbers between edges, which ascend; there is one more than bins.
//
//gpuc:kernel workgroup=binItems types=int32,uint32,int64,uint64,float32,float64
func countRanges[T Number](it gpu.Item, shared *[sharedBins]uint32, n, bins int, x, edges []T, counts []uint32) {
	start := 0
	if bins <= sharedBins {
		start = fewBins{}.start(it, bins)
	}
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
		if low >= bins {
			continue
		}
		if bins <= sharedBins {
			fewBins{}.add(shared, counts, start+low)
		} else {
			manyBins{}.add(shared, counts, low)
		}
	}
	addCounts(it, shared, bins, counts)
}

// byteCopies is how often a workgroup has the counters of bytes.
const byteCopies = sharedBins / 256

// countBytes counts bytes, 16 at a time. Whole is how many arrays of 16 there are.
//
//gpuc:kernel workgroup=binItems
func countBytes(it gpu.Item, shared *[byteCopies][256]uint32, n, whole int, quads [][4]uint32, x []uint8, counts []uint32) {
	own, stride := it.Subgroup()%byteCopies, it.Groups().X*binItems
	for i := it.Index(); i < whole; i += binLoads * stride {
		var loaded [binLoads][4]uint32
		for k := range loaded {
			loaded[k] = quads[min(i+k*stride, whole-1)]
		}
		for k := range loaded {
			if i+k*stride >= whole {
				break
			}
			for _, word := range loaded[k] {
				for b := range 4 {
					atomic.AddUint32(&shared[own][word>>(8*b)%256], 1)
				}
			}
		}
	}
	if i := whole*16 + it.Index(); i < n {
		atomic.AddUint32(&shared[own][x[i]], 1)
	}
	it.Barrier()
	sum := uint32(0)
	for k := range byteCopies {
		sum += atomic.LoadUint32(&shared[k][it.LocalIndex()])
	}
	if sum > 0 {
		atomic.AddUint32(&counts[it.LocalIndex()], sum)
	}
}
