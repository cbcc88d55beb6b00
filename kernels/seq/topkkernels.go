package seq

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// topMemory is what the items of a row share, beside the keys that they select.
type topMemory struct {
	Counts [radix]uint32
	Sums   sumMemory
	// Digit is that of the k-th key, and Left how many keys with it are wanted.
	Digit, Left uint32
	Selected    uint32
}

// topRows writes the first k keys of each row, in order, and their indices in it. A row belongs to
// a workgroup. It finds the k-th key digit by digit, from the highest: it counts the digits of the
// keys that begin as the k-th one. This is Alabi et al., "Fast k-selection Algorithms for Graphics
// Processing Units" (2012). Then it collects what is less, and as many as are needed of what is
// equal, from the first index on, and sorts these. Size is the power of two from k on.
//
//gpuc:kernel workgroup=rowItems types=uint32/[4]uint8,uint64/[8]uint8
func topRows[K uint32 | uint64, B interface{ ~[4]uint8 | ~[8]uint8 }](it gpu.Item, row *rowMemory[K], shared *topMemory, n, k, size int, options uint32, keys, values []K, indices []uint32) {
	var width B
	l, base := it.LocalIndex(), it.Group().X*n
	kth, mask := K(0), K(0)
	left := uint32(k)
	for p := len(width) - 1; p >= 0; p-- {
		shared.Counts[l] = 0
		it.Barrier()
		for i := l; i < n; i += rowItems {
			if key := encode(keys[base+i], options); key&mask == kth {
				atomic.AddUint32(&shared.Counts[uint32(key>>(8*p))%radix], 1)
			}
		}
		it.Barrier()
		digit := digitItem(it)
		count := atomic.LoadUint32(&shared.Counts[digit])
		before := sumBefore(it, &shared.Sums, count)
		if before < left && left <= before+count {
			shared.Digit, shared.Left = uint32(digit), left-before
		}
		left = gpu.UniformLoad(it, &shared.Left)
		kth |= K(gpu.UniformLoad(it, &shared.Digit)) << (8 * p)
		mask |= K(radix-1) << (8 * p)
	}
	for i := l; i < size; i += rowItems {
		row.Keys[i%sortRowMost], row.Indices[i%sortRowMost] = ^K(0), ^uint32(0)
	}
	it.Barrier()
	equal := uint32(0) // how many were found in earlier steps
	for start := 0; start < n; start += rowItems {
		i, same := start+digitItem(it), uint32(0)
		key := K(0)
		if i < n {
			key = encode(keys[base+i], options)
			if key == kth {
				same = 1
			}
		}
		to := uint32(sortRowMost)
		if i < n && key < kth {
			to = atomic.AddUint32(&shared.Selected, 1) - 1
		}
		if equal < left {
			before := sumBefore(it, &shared.Sums, same)
			if same != 0 && equal+before < left {
				to = uint32(k) - left + equal + before
			}
			equal += gpu.UniformLoad(it, &shared.Sums.All)
		}
		if to < sortRowMost {
			row.Keys[to], row.Indices[to] = key, uint32(i)
		}
	}
	it.Barrier()
	bitonic(it, row, size)
	out := it.Group().X * k
	for i := l; i < k; i += rowItems {
		if at := out + i; at < len(values) && at < len(indices) {
			values[at], indices[at] = decode(row.Keys[i%sortRowMost], options), row.Indices[i%sortRowMost]
		}
	}
}
