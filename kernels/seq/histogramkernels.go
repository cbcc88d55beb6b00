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

const (
	// onceItems is the size of workgroups that count in one launch.
	onceItems = 512
	// onceBins is how many counters such a workgroup has in its memory, and onceCopies how many
	// there are of a bin at most. With one for each lane, lanes never wait for each other. It
	// is two to the power of copyBits.
	onceBins, onceCopies, copyBits = 8192, 1 << copyBits, 5
)

// copiesOf returns how many copies a workgroup has of the counters of so many bins, a power of two.
func copiesOf(bins int) int {
	copies := onceCopies
	for copies > 1 && copies*bins > onceBins {
		copies /= 2
	}
	return copies
}

// addOnce adds the counters of a workgroup to those of all, of which there is one for each bin. Its
// low half is a count, and the high half how many workgroups have added theirs. The last of these
// knows the sum, writes it to the result, and makes the counter zero for the next launch.
func addOnce(it gpu.Item, shared *[onceBins]uint32, bins, copies int, all []uint64, counts []uint32) {
	it.Barrier()
	for bin := it.LocalIndex(); bin < bins; bin += onceItems {
		sum := uint32(0)
		for k := range copies { // neighbours begin with different copies, which are in other banks
			sum += atomic.LoadUint32(&shared[(bin*copies+(k+bin)&(copies-1))%onceBins])
		}
		after := atomic.AddUint64(&all[bin], 1<<32|uint64(sum))
		if int(after>>32) == it.Groups().X {
			counts[bin] = uint32(after)
			atomic.StoreUint64(&all[bin], 0)
		}
	}
}

// countEvenOnce is countEven without a launch before it that clears the result.
//
//gpuc:kernel workgroup=onceItems resident=3 types=float32,float64
func countEvenOnce[T Float](it gpu.Item, shared *[onceBins]uint32, n, whole, bins, copies int, low, high, scale T, quads [][4]T, x []T, all []uint64, counts []uint32) {
	start, stride := it.SubgroupLane()&(copies-1), it.Groups().X*onceItems
	for i := it.Index(); i < whole; i += binLoads * stride {
		var loaded [binLoads][4]T
		for k := range loaded {
			loaded[k] = quads[min(i+k*stride, whole-1)]
		}
		for k := range loaded {
			for _, v := range loaded[k] {
				countInCopy(shared, start, copies, v, low, high, scale, bins, i+k*stride < whole)
			}
		}
	}
	if i := whole*4 + it.Index(); i < n {
		countInCopy(shared, start, copies, x[i], low, high, scale, bins, true)
	}
	addOnce(it, shared, bins, copies, all, counts)
}

// countInCopy is countOne with copies of counters next to each other. It adds 0 to any for what is
// not counted, since that takes no branches.
func countInCopy[T Float](shared *[onceBins]uint32, start, copies int, v, low, high, scale T, bins int, isElement bool) {
	at, count := start+min(int((v-low)*scale), bins-1)*copies, uint32(0)
	if isElement && v >= low && v < high {
		count = 1
	}
	atomic.AddUint32(&shared[uint32(at)%onceBins], count)
}

// countBytesOnce is countBytes without a launch before it that clears the result.
//
//gpuc:kernel workgroup=onceItems resident=3
func countBytesOnce(it gpu.Item, shared *[onceBins]uint32, n, whole int, quads [][4]uint32, x []uint8, all []uint64, counts []uint32) {
	const counters = 255 * onceCopies // bits of the indices of counters, above those of copies
	start, stride := uint32(it.SubgroupLane()%onceCopies), it.Groups().X*onceItems
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
				atomic.AddUint32(&shared[word*onceCopies&counters|start], 1)
				for b := 1; b < 4; b++ { // a shift instead of one and a product
					atomic.AddUint32(&shared[word>>(8*b-copyBits)&counters|start], 1)
				}
			}
		}
	}
	if i := whole*16 + it.Index(); i < n {
		atomic.AddUint32(&shared[uint32(x[i])*onceCopies+start], 1)
	}
	addOnce(it, shared, 256, onceCopies, all, counts)
}
