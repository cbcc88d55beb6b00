package seq

import (
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// selectItems is the size of workgroups that select. An item has quads of elements, whose flags
	// are a word.
	selectItems = 256
	// selectBlock is how many elements come as one array of quads.
	selectBlock = 4 * selectItems
	// selectRows is how many quads an item has at most.
	selectRows = 4
)

// Options of kernels that select, as bits.
const (
	moveRejected uint32 = 1 << iota // what is not selected comes behind what is
	moveIndices                     // indices are written, and not elements
	flagFirst                       // the first element is selected, whatever its flag
)

// selected is a tile in workgroup memory: of four bytes, or half as many of eight.
type selected[W any] interface {
	~[selectRows * selectBlock]W | ~[selectRows / 2 * selectBlock]W
}

// selectRowsOf returns how many quads an item has.
func selectRowsOf[W any, S selected[W]]() int {
	var none S
	return len(none) / selectBlock
}

// flagsOf returns the flags of a quad of elements as the highest bits of bytes.
func flagsOf(quad int, blocks [][selectItems]uint32) uint32 {
	const high, others = 0x80808080, 0x7f7f7f7f
	word := blocks[quad/selectItems][uint32(quad)%selectItems]
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
func flagged(it gpu.Item, rows, n, tile int, options uint32, blocks [][selectItems]uint32, flags []uint8) (set [selectRows]uint32) {
	if (tile+1)*rows <= n/selectBlock {
		for k := range rows {
			set[k] = flagsOf(quadOf(it, tile, k, rows), blocks)
		}
	} else {
		for k := range rows {
			set[k] = lastFlags(quadOf(it, tile, k, rows), n, flags)
		}
	}
	if options&flagFirst != 0 && quadOf(it, tile, 0, rows) == 0 {
		set[0] |= 0x80
	}
	return set
}

// loadTile returns an item's quads of elements, or of their indices.
func loadTile[W uint32 | uint64](it gpu.Item, rows, n, tile int, options uint32, blocks [][selectItems][4]W, x []W) (quads [selectRows][4]W) {
	switch {
	case options&moveIndices != 0:
		for k := range rows {
			for j := range 4 {
				quads[k][j] = W(quadOf(it, tile, k, rows)*4 + j)
			}
		}
	case (tile+1)*rows <= n/selectBlock:
		for k := range rows {
			quad := quadOf(it, tile, k, rows)
			quads[k] = blocks[quad/selectItems][uint32(quad)%selectItems]
		}
	default:
		for k := range rows {
			for j := range 4 {
				quads[k][j] = x[min(quadOf(it, tile, k, rows)*4+j, n-1)]
			}
		}
	}
	return quads
}

// quadOf returns the index of a quad of an item. A subgroup has rows of consecutive ones.
func quadOf(it gpu.Item, tile, row, rows int) int {
	size := it.SubgroupSize()
	return tile*rows*selectItems + (it.Subgroup()*rows+row)*size + it.SubgroupLane()
}

// selectMemory has the number of selected elements of each subgroup.
type selectMemory [selectItems]uint32

// rankFlags returns how many elements of the tile are selected before each of an item's quads, and
// how many in all.
func rankFlags(it gpu.Item, shared *selectMemory, rows int, set [selectRows]uint32) (rank [selectRows]uint32, all uint32) {
	var counts [2]uint32 // of two rows each, in halves of a word
	for k := range rows {
		counts[k/2] += uint32(bits.OnesCount32(set[k])) << (k % 2 * 16)
	}
	last := it.SubgroupSize() - 1
	own := uint32(0) // of the subgroup
	for k := range rows / 2 {
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
	for k := range rows {
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
func countFlags(it gpu.Item, total *uint32, n, rows int, options uint32, blocks [][selectItems]uint32, flags []uint8, counts []uint32) {
	l, tile := it.LocalIndex(), it.Group().X
	count := uint32(0)
	for k := range rows {
		set := uint32(0)
		if quad := (tile*rows+k)*selectItems + l; quad/selectItems < n/selectBlock {
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

// moveTile writes the selected elements of a tile behind those of the tiles before, whose number is
// before. With moveRejected it writes the others behind the selected ones of all tiles, whose number
// is total.
func moveTile[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, n, tile int, options uint32, quads [selectRows][4]W, set, rank [selectRows]uint32, all, before, total uint32, result []W) {
	rows := selectRowsOf[W, S]()
	size := rows * selectBlock
	for k := range rows {
		at, local := rank[k], uint32(quadOf(it, 0, k, rows)*4)
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
	count := int(all)
	if options&moveRejected != 0 {
		count = min(n-tile*size, size)
	}
	for k := range 4 * rows {
		i := k*selectItems + it.LocalIndex()
		to := int(before) + i
		if options&moveRejected != 0 && i >= int(all) {
			to = int(total) + tile*size - int(before) + i - int(all)
		}
		if i < count && to < len(result) {
			result[to] = (*memory)[i]
		}
	}
}

// moveFlagged writes the flagged elements of each tile. Offsets are countFlags' counts after an
// exclusive scan. The first item writes the number of all.
//
//gpuc:kernel workgroup=selectItems types=uint32/[selectRows*selectBlock]uint32,uint64/[selectRows/2*selectBlock]uint64
func moveFlagged[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, shared *selectMemory, n int, options uint32,
	flagBlocks [][selectItems]uint32, flags []uint8, offsets []uint32, blocks [][selectItems][4]W, x, result []W, number []uint32) {
	tile, rows := it.Group().X, selectRowsOf[W, S]()
	set := flagged(it, rows, n, tile, options, flagBlocks, flags)
	quads := loadTile(it, rows, n, tile, options, blocks, x)
	rank, all := rankFlags(it, shared, rows, set)
	total := offsets[it.Groups().X]
	if it.Index() == 0 {
		number[0] = total
	}
	moveTile[W, S](it, memory, n, tile, options, quads, set, rank, all, offsets[tile], total, result)
}

// moveChained is a selection in one pass, without moveRejected: see scanChained.
//
//gpuc:kernel workgroup=selectItems types=uint32/[selectRows*selectBlock]uint32,uint64/[selectRows/2*selectBlock]uint64
func moveChained[W uint32 | uint64, S selected[W]](it gpu.Item, memory *S, shared *selectMemory, passed *[4 * scanItems]uint32, sums *scanMemory[uint32], ticket *uint32,
	n, tiles int, options, epoch, base uint32, flagBlocks [][selectItems]uint32, flags []uint8, blocks [][selectItems][4]W, x []W, status []uint64, result []W, number []uint32) {
	tile, rows := takeTicket(it, ticket, base, status), selectRowsOf[W, S]()
	set := flagged(it, rows, n, tile, options, flagBlocks, flags)
	quads := loadTile(it, rows, n, tile, options, blocks, x)
	rank, all := rankFlags(it, shared, rows, set)
	before := awaitBefore[sum[uint32], packUint32, uint32](it, passed, sums, tiles, tile, 0, epoch, 0, all, status)
	if tile == tiles-1 && it.LocalIndex() == 0 {
		number[0] = before + all
	}
	moveTile[W, S](it, memory, n, tile, 0, quads, set, rank, all, before, 0, result)
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
