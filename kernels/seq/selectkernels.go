package seq

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// selectItems is the size of workgroups that select, of which an item has selectEach elements.
	selectItems = 256
	selectEach  = 16
	selectTile  = selectItems * selectEach
)

// Options of countFlags and moveFlagged, as bits.
const (
	moveRejected uint32 = 1 << iota // what is not selected comes behind what is
	moveIndices                     // indices are written, and not elements
	flagFirst                       // the first element is selected, whatever its flag
)

// isFlagged reports whether an element is selected.
func isFlagged(flags []uint8, i, n int, options uint32) bool {
	if i >= n || i >= len(flags) {
		return false
	}
	return flags[i] != 0 || i == 0 && options&flagFirst != 0
}

// markIf flags the elements for which a comparison with a value holds.
//
//gpuc:kernel workgroup=256 types=int32,uint32,int64,uint64,float32,float64
func markIf[T Number](it gpu.Item, n int, comparison uint32, value T, x []T, flags []uint8) {
	i := it.Index()
	if i >= n || i >= len(x) || i >= len(flags) {
		return
	}
	v := x[i]
	var holds bool
	switch Comparison(comparison) {
	case Less:
		holds = v < value
	case LessEqual:
		holds = v <= value
	case Greater:
		holds = v > value
	case GreaterEqual:
		holds = v >= value
	case Equal:
		holds = v == value
	case NotEqual:
		holds = v != value
	}
	flags[i] = 0
	if holds {
		flags[i] = 1
	}
}

// markRuns flags the elements that differ from the one before.
//
//gpuc:kernel workgroup=256 types=int32,uint32,int64,uint64,float32,float64
func markRuns[T Number](it gpu.Item, n int, x []T, flags []uint8) {
	i := it.Index()
	if i >= n || i >= len(x) || i >= len(flags) {
		return
	}
	flags[i] = 1
	if i > 0 && x[i] == x[i-1] {
		flags[i] = 0
	}
}

// countFlags counts the flags of each tile, and writes a 0 behind the last count.
//
//gpuc:kernel workgroup=selectItems
func countFlags(it gpu.Item, total *uint32, n int, options uint32, flags []uint8, counts []uint32) {
	l, tile := it.LocalIndex(), it.Group().X
	count := uint32(0)
	for k := range selectEach {
		if isFlagged(flags, tile*selectTile+k*selectItems+l, n, options) {
			count++
		}
	}
	count = gpu.SubgroupAdd(it, count)
	if gpu.SubgroupElect(it) {
		atomic.AddUint32(total, count)
	}
	it.Barrier()
	if l == 0 && tile < len(counts) {
		counts[tile] = atomic.LoadUint32(total)
		if tile == it.Groups().X-1 && tile+1 < len(counts) {
			counts[tile+1] = 0
		}
	}
}

// moveFlagged writes the flagged elements of each tile behind those of the tiles before, whose
// number is in offsets. The first item writes the number of all, which is the last offset.
//
//gpuc:kernel workgroup=selectItems types=uint32,uint64
func moveFlagged[W uint32 | uint64](it gpu.Item, sums *[2 * selectItems]uint32, n int, options uint32, flags []uint8, offsets []uint32, x, result []W, number []uint32) {
	l, tile := it.LocalIndex(), it.Group().X
	first := tile*selectTile + l*selectEach
	set := uint32(0)
	count := uint32(0)
	for k := range selectEach {
		if isFlagged(flags, first+k, n, options) {
			set |= 1 << k
			count++
		}
	}
	before, _ := scanDigits(it, sums, count)
	at := int(offsets[tile] + before)
	all := int(offsets[it.Groups().X])
	for k := range selectEach {
		i := first + k
		if i >= n {
			break
		}
		to, move := at, true
		if set>>k&1 != 0 {
			at++
		} else {
			to, move = all+i-at, options&moveRejected != 0
		}
		if !move || to >= len(result) {
			continue
		}
		if options&moveIndices != 0 {
			result[to] = W(i)
		} else if i < len(x) {
			result[to] = x[i]
		}
	}
	if tile == 0 && l == 0 {
		number[0] = uint32(all)
	}
}

// runLengths writes how long the runs are that begin at starts.
//
//gpuc:kernel workgroup=256
func runLengths(it gpu.Item, n int, number, starts, lengths []uint32) {
	i := it.Index()
	count := int(number[0])
	if i >= count || i >= len(starts) || i >= len(lengths) {
		return
	}
	end := uint32(n)
	if i+1 < count {
		end = starts[i+1]
	}
	lengths[i] = end - starts[i]
}
