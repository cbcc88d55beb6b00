package gokernels

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	bitonicSize  = 128
	bitonicBlock = 2 * bitonicSize
)

// keyOrLast returns an element, or the largest key after the end.
func keyOrLast(data []uint32, i int) uint32 {
	if i < len(data) {
		return data[i]
	}
	return 0xffffffff
}

//gpuc:kernel workgroup=bitonicSize
func SortBitonic(it gpu.Item, keys *[bitonicBlock]uint32, data []uint32) {
	local := it.LocalIndex()
	base := it.Group().X * bitonicBlock
	keys[local], keys[local+bitonicSize] = keyOrLast(data, base+local), keyOrLast(data, base+local+bitonicSize)
	it.Barrier()
	for run := 2; run <= bitonicBlock; run *= 2 {
		for gap := run / 2; gap > 0; gap /= 2 {
			low := 2*local - local&(gap-1)
			high := low + gap
			if upward := low&run == 0; keys[low] > keys[high] == upward {
				keys[low], keys[high] = keys[high], keys[low]
			}
			it.Barrier()
		}
	}
	if i := base + local; i < len(data) {
		data[i] = keys[local]
	}
	if i := base + local + bitonicSize; i < len(data) {
		data[i] = keys[local+bitonicSize]
	}
}

type Stage struct{ Run, Gap uint32 }

//gpuc:kernel workgroup=32
func SortBitonicGlobalCompare(it gpu.Item, data []int32, stage []Stage) {
	i, gap := it.Index(), int(stage[0].Gap)
	low := 2*i - i&(gap-1)
	high := low + gap
	if high >= len(data) {
		return
	}
	a, b := data[low], data[high]
	if a > b == (low&int(stage[0].Run) == 0) {
		data[low], data[high] = b, a
	}
}

//gpuc:kernel workgroup=1
func SortBitonicGlobalAdvance(it gpu.Item, stage []Stage) {
	s := &stage[0]
	s.Gap >>= 1
	if s.Gap == 0 {
		s.Run <<= 1
		s.Gap = s.Run >> 1
	}
}

const (
	radixSize  = 64
	radix      = 16
	radixShift = 20
)

func digit(key uint32) uint32 { return key >> radixShift % radix }

//gpuc:kernel workgroup=radixSize
func SortRadixCount(it gpu.Item, counts *[radix]uint32, keys, places []uint32) {
	local := it.LocalIndex()
	if i := it.Index(); i < len(keys) {
		atomic.AddUint32(&counts[digit(keys[i])], 1)
	}
	it.Barrier()
	if local < radix {
		places[local*it.Groups().X+it.Group().X] = atomic.LoadUint32(&counts[local])
	}
}

//gpuc:kernel workgroup=1
func SortRadixPlace(it gpu.Item, places []uint32) {
	sum := uint32(0)
	for i, n := range places {
		places[i] = sum
		sum += n
	}
}

//gpuc:kernel workgroup=radixSize
func SortRadixScatter(it gpu.Item, digits *[radixSize]uint32, keys, sorted, places []uint32) {
	i, local := it.Index(), it.LocalIndex()
	mine := uint32(radix)
	if i < len(keys) {
		mine = digit(keys[i])
	}
	digits[local] = mine
	it.Barrier()
	if i >= len(keys) {
		return
	}
	rank := uint32(0)
	for _, d := range digits[:local] {
		if d == mine {
			rank++
		}
	}
	sorted[places[int(mine)*it.Groups().X+it.Group().X]+rank] = keys[i]
}

const compactionSize = 32

func passes(x uint32) bool { return x%3 != 0 && x&4 == 0 }

//gpuc:kernel workgroup=compactionSize
func CompactionCompact(it gpu.Item, data, kept, unordered, ordered []uint32) {
	i := it.Index()
	if i >= len(data) || !passes(data[i]) {
		return
	}
	unordered[atomic.AddUint32(&kept[0], 1)-1] = data[i]
	place := 0
	for _, x := range data[:i] {
		if passes(x) {
			place++
		}
	}
	ordered[place] = data[i]
}

//gpuc:kernel workgroup=compactionSize
func CompactionSort(it gpu.Item, kept, unordered, sorted []uint32) {
	i, n := it.Index(), int(atomic.LoadUint32(&kept[0]))
	if i >= n {
		return
	}
	mine := unordered[i]
	rank := 0
	for j, other := range unordered[:n] {
		if other < mine || other == mine && j < i {
			rank++
		}
	}
	sorted[rank] = mine
}

// CompactionClear clears what is in the order of arrival.
//
//gpuc:kernel workgroup=compactionSize
func CompactionClear(it gpu.Item, unordered []uint32) {
	if i := it.Index(); i < len(unordered) {
		unordered[i] = 0
	}
}
