package seq

import (
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// selectItems is the size of workgroups that select, and selectChain that of those that wait
	// for others. An item has quads of elements, whose flags are a word.
	selectItems, selectChain = 256, 512
	// selectQuads is how many quads come as one array, and selectBlock how many elements.
	selectQuads = 256
	selectBlock = 4 * selectQuads
	// selectRows is how many quads an item has at most: of four bytes, and half as many of eight.
	selectRows = 4
)

// Options of kernels that select, as bits.
const (
	moveRejected uint32 = 1 << iota // what is not selected comes behind what is
	moveIndices                     // indices are written, and not elements
	flagFirst                       // the first element is selected, whatever its flag
	waitForAll                      // tiles wait for all before them, at most one an item
)

// selected is a tile in workgroup memory.
type selected[W any] interface {
	~[selectRows * 4 * selectItems]W | ~[selectRows / 2 * 4 * selectItems]W | ~[selectRows * 4 * selectChain]W
}

// shape is what items have of a tile.
type shape struct{ rows, items int }

// shapeOfTile returns the shape of a tile: it has the same number of bytes for elements of four and
// of eight.
func shapeOfTile[W uint32 | uint64, S selected[W]]() shape {
	var none S
	rows := selectRows
	if ^W(0)>>31 != 1 {
		rows /= 2
	}
	return shape{rows, len(none) / (4 * rows)}
}

// isWhole reports whether a tile consists of whole blocks.
func (s shape) isWhole(tile, n int) bool {
	return (tile+1)*s.rows*s.items <= n/selectBlock*selectQuads
}

// quad returns the index of a quad of an item. A subgroup has rows of consecutive ones.
func (s shape) quad(it gpu.Item, tile, row int) int {
	size := it.SubgroupSize()
	return tile*s.rows*s.items + (it.Subgroup()*s.rows+row)*size + it.SubgroupLane()
}

// flagsOf returns the flags of a quad of elements as the highest bits of bytes.
func flagsOf(quad int, blocks [][selectQuads]uint32) uint32 {
	const high, others = 0x80808080, 0x7f7f7f7f
	word := blocks[quad/selectQuads][uint32(quad)%selectQuads]
	return (word&others + others | word) & high
}

// lastFlags is flagsOf behind the last whole block. Elements behind the end have no flag.
func lastFlags(quad, n int, flags []uint8) (set uint32) {
	for j := range 4 {
		if i := quad*4 + j; i < n && flags[i] != 0 {
			set |= 0x80 << (8 * j)
		}
	}
	return set
}

// flagged returns the flags of an item's quads.
func flagged(it gpu.Item, s shape, n, tile int, options uint32, blocks [][selectQuads]uint32, flags []uint8) (set [selectRows]uint32) {
	if s.isWhole(tile, n) {
		for k := range s.rows {
			set[k] = flagsOf(s.quad(it, tile, k), blocks)
		}
	} else {
		for k := range s.rows {
			set[k] = lastFlags(s.quad(it, tile, k), n, flags)
		}
	}
	if options&flagFirst != 0 && s.quad(it, tile, 0) == 0 {
		set[0] |= 0x80
	}
	return set
}

// loadTile returns an item's quads of elements, or of their indices.
func loadTile[W uint32 | uint64](it gpu.Item, s shape, n, tile int, options uint32, blocks [][selectQuads][4]W, x []W) (quads [selectRows][4]W) {
	switch {
	case options&moveIndices != 0:
		for k := range s.rows {
			for j := range 4 {
				quads[k][j] = W(s.quad(it, tile, k)*4 + j)
			}
		}
	case s.isWhole(tile, n):
		for k := range s.rows {
			quad := s.quad(it, tile, k)
			quads[k] = blocks[quad/selectQuads][uint32(quad)%selectQuads]
		}
	default:
		for k := range s.rows {
			for j := range 4 {
				quads[k][j] = x[min(s.quad(it, tile, k)*4+j, n-1)]
			}
		}
	}
	return quads
}

// selectMemory has the number of selected elements of each subgroup.
type selectMemory [selectItems]uint32

// rankFlags returns how many elements of the tile are selected before each of an item's quads, and
// how many in all.
func rankFlags(it gpu.Item, shared *selectMemory, s shape, set [selectRows]uint32) (rank [selectRows]uint32, all uint32) {
	var counts [2]uint32 // of two rows each, in halves of a word
	for k := range s.rows {
		counts[k/2] += uint32(bits.OnesCount32(set[k])) << (k % 2 * 16)
	}
	last := it.SubgroupSize() - 1
	own := uint32(0) // of the subgroup
	for k := range s.rows / 2 {
		upTo := gpu.SubgroupInclusiveAdd(it, counts[k])
		both := gpu.SubgroupShuffle(it, upTo, last)
		before := upTo - counts[k]
		rank[2*k] = own + before&0xffff
		rank[2*k+1] = own + both&0xffff + before>>16
		own += both&0xffff + both>>16
	}
	if it.SubgroupLane() == 0 {
		shared[it.Subgroup()%selectItems] = own
	}
	it.Barrier()
	before := uint32(0)
	for g := range it.Subgroups() {
		count := shared[g%selectItems]
		if g < it.Subgroup() {
			before += count
		}
		all += count
	}
	for k := range s.rows {
		rank[k] += before
	}
	return rank, all
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

// countFlags counts the flags of each tile, of which an item has some quads, and writes a 0 behind
// the last count.
//
//gpuc:kernel workgroup=selectItems
func countFlags(it gpu.Item, total *uint32, n, rows int, options uint32, blocks [][selectQuads]uint32, flags []uint8, counts []uint32) {
	l, tile := it.LocalIndex(), it.Group().X
	count := uint32(0)
	for k := range rows {
		set := uint32(0)
		if quad := (tile*rows+k)*selectItems + l; quad/selectQuads < n/selectBlock {
			set = flagsOf(quad, blocks)
		} else {
			set = lastFlags(quad, n, flags)
		}
		if options&flagFirst != 0 && it.Index() == 0 && k == 0 {
			set |= 0x80
		}
		count += uint32(bits.OnesCount32(set))
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

// compactTile writes the selected elements of a tile to its memory. With moveRejected the others
// follow.
func compactTile[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, options uint32, quads [selectRows][4]W, set, rank [selectRows]uint32, all uint32) {
	s := shapeOfTile[W, S]()
	size := 4 * s.rows * s.items
	for k := range s.rows {
		at, local := rank[k], uint32(s.quad(it, 0, k)*4)
		for j := range 4 {
			if set[k]>>(8*j+7)&1 != 0 {
				(*memory)[at%uint32(size)] = quads[k][j]
				at++
			} else if options&moveRejected != 0 {
				(*memory)[(all+local+uint32(j)-at)%uint32(size)] = quads[k][j]
			}
		}
	}
	it.Barrier()
}

// moveTile writes the selected elements of compactTile behind those of the tiles before, whose
// number is before. With moveRejected it writes the others behind the selected ones of all tiles,
// whose number is total.
func moveTile[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, n, tile int, options, all, before, total uint32, result []W) {
	s := shapeOfTile[W, S]()
	size := 4 * s.rows * s.items
	count := int(all)
	if options&moveRejected != 0 {
		count = min(n-tile*size, size)
	}
	for k := range 4 * s.rows {
		i := k*s.items + it.LocalIndex()
		to := before + uint32(i)
		if options&moveRejected != 0 && i >= int(all) {
			to = total + uint32(tile*size) - before + uint32(i) - all
		}
		if i < count && to < uint32(len(result)) {
			result[to] = (*memory)[i]
		}
	}
}

// moveFlagged writes the flagged elements of each tile. Offsets are countFlags' counts after an
// exclusive scan. The first item writes the number of all.
//
//gpuc:kernel workgroup=selectItems types=uint32/[selectRows*4*selectItems]uint32,uint64/[selectRows/2*4*selectItems]uint64
func moveFlagged[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, shared *selectMemory, n int, options uint32,
	flagBlocks [][selectQuads]uint32, flags []uint8, offsets []uint32, blocks [][selectQuads][4]W, x, result []W, number []uint32) {
	tile, s := it.Group().X, shapeOfTile[W, S]()
	set := flagged(it, s, n, tile, options, flagBlocks, flags)
	quads := loadTile(it, s, n, tile, options, blocks, x)
	rank, all := rankFlags(it, shared, s, set)
	total := offsets[it.Groups().X]
	if it.Index() == 0 {
		number[0] = total
	}
	compactTile[W, S](it, memory, options, quads, set, rank, all)
	moveTile[W, S](it, memory, n, tile, options, all, offsets[tile], total, result)
}

// moveChained is a selection in one pass, without moveRejected: see scanChained.
//
//gpuc:kernel workgroup=selectChain types=uint32/[selectRows*4*selectChain]uint32,uint64/[selectRows/2*4*selectChain]uint64
func moveChained[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, shared *selectMemory, passed *[4 * scanItems]uint32, sums *scanMemory[uint32], ticket *uint32,
	n, tiles int, options, epoch, base uint32, flagBlocks [][selectQuads]uint32, flags []uint8, blocks [][selectQuads][4]W, x []W, status []uint64, result []W, number []uint32) {
	tile, s := takeTicket(it, ticket, base, status), shapeOfTile[W, S]()
	set := flagged(it, s, n, tile, options, flagBlocks, flags)
	quads := loadTile(it, s, n, tile, options, blocks, x)
	rank, all := rankFlags(it, shared, s, set)
	publishTile[packUint32](it, tile, epoch, all, status)
	compactTile[W, S](it, memory, 0, quads, set, rank, all) // others publish meanwhile
	before := uint32(0)
	if options&waitForAll != 0 {
		before = awaitAll(it, shared, tile, epoch, status)
	} else {
		before = awaitBefore[sum[uint32], packUint32, uint32](it, passed, sums, tiles, tile, 0, epoch, 0, all, status)
	}
	if tile == tiles-1 && it.LocalIndex() == 0 {
		number[0] = before + all
	}
	moveTile[W, S](it, memory, n, tile, 0, all, before, 0, result)
}

// awaitAll returns the sum of the totals of all tiles before one, of which an item waits for one.
func awaitAll(it gpu.Item, shared *selectMemory, tile int, epoch uint32, status []uint64) (before uint32) {
	if at := it.LocalIndex(); at < tile {
		before = await[packUint32, uint32](status, at, epoch)
	}
	before = gpu.SubgroupAdd(it, before)
	if it.SubgroupLane() == 0 {
		shared[it.Subgroup()%selectItems] = before
	}
	it.Barrier()
	before = 0
	for g := range it.Subgroups() {
		before += shared[g%selectItems]
	}
	return before
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
