package seq

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// scanItems is the size of workgroups that scan.
	scanItems = 256
	// scanBlock is how many elements come as one array of quads.
	scanBlock = 256
	// fanOut is how many tiles make a block, and blocks a larger one.
	fanOut = 32
	// levels is how many sizes of blocks there are, tiles included: 32⁴ tiles are enough.
	levels = 4
)

// Options of the kernels that scan, as bits beside wantLargest.
const (
	exclusive  uint32 = 1 << (iota + 8) // of the elements before one, without itself
	totalsOnly                          // tiles have no result but their total
	wantSum                             // not the smallest or largest
)

// A combiner is the operation of a scan, which is associative but for rounding.
type combiner[T any] interface {
	apply(a, b T, options uint32) T
}

type sum[T Number] struct{}

func (sum[T]) apply(a, b T, _ uint32) T { return a + b }

// limit is the smaller or the larger of two numbers, and a NaN if there is one.
type limit[T Number] struct{}

func (limit[T]) apply(a, b T, options uint32) T {
	switch {
	case a != a:
		return a
	case b != b:
		return b
	case options&wantLargest != 0:
		return max(a, b)
	}
	return min(a, b)
}

// either is sum with wantSum, and otherwise limit: for kernels that need not be as fast, of which
// there are fewer then.
type either[T Number] struct{}

func (either[T]) apply(a, b T, options uint32) T {
	if options&wantSum != 0 {
		return a + b
	}
	return limit[T]{}.apply(a, b, options)
}

// A packer makes words of a number, for chained kernels: a status word has an epoch and half of a
// number of 64 bits, or all of a smaller one.
type packer[T any] interface {
	pack(v T) (low, high uint32)
	unpack(low, high uint32) T
	// wide says that the high word counts.
	wide() bool
}

type (
	packInt32   struct{}
	packUint32  struct{}
	packInt64   struct{}
	packUint64  struct{}
	packFloat32 struct{}
	packFloat64 struct{}
)

func (packInt32) pack(v int32) (low, high uint32)     { return uint32(v), 0 }
func (packUint32) pack(v uint32) (low, high uint32)   { return v, 0 }
func (packInt64) pack(v int64) (low, high uint32)     { return uint32(v), uint32(v >> 32) }
func (packUint64) pack(v uint64) (low, high uint32)   { return uint32(v), uint32(v >> 32) }
func (packFloat32) pack(v float32) (low, high uint32) { return math.Float32bits(v), 0 }
func (packFloat64) pack(v float64) (low, high uint32) {
	b := math.Float64bits(v)
	return uint32(b), uint32(b >> 32)
}

func (packInt32) unpack(low, _ uint32) int32      { return int32(low) }
func (packUint32) unpack(low, _ uint32) uint32    { return low }
func (packInt64) unpack(low, high uint32) int64   { return int64(uint64(high)<<32 | uint64(low)) }
func (packUint64) unpack(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }
func (packFloat32) unpack(low, _ uint32) float32  { return math.Float32frombits(low) }
func (packFloat64) unpack(low, high uint32) float64 {
	return math.Float64frombits(uint64(high)<<32 | uint64(low))
}

func (packInt32) wide() bool   { return false }
func (packUint32) wide() bool  { return false }
func (packInt64) wide() bool   { return true }
func (packUint64) wide() bool  { return true }
func (packFloat32) wide() bool { return false }
func (packFloat64) wide() bool { return true }

// A slab is a tile in workgroup memory. An item's elements are consecutive, 16 of four bytes or 8
// of eight. They are followed by one that is not used, so that items which read theirs use
// different banks. Some more at the end save guards of quads.
type slab[T any] interface {
	~[scanItems*17 + 4]T | ~[scanItems*9 + 4]T
}

// rowsOf returns how many elements an item has. (The length of *memory would read it, for the race
// detector.)
func rowsOf[T Number, S slab[T]]() int {
	var none S
	return len(none)/scanItems - 1
}

// inSlab returns where element e of a tile is.
func inSlab(e, rows int) int {
	n, r := uint32(e), uint32(rows)
	return int(n/r*(r+1) + n%r)
}

// scanMemory is what scans need besides.
type scanMemory[T any] struct {
	Totals [2 * scanItems]T
	Before [fanOut * levels]T
}

// scanTile loads a tile, and scans the elements of each item and the items. It returns the item's
// inclusive results, the total of the items before it, and the total of the tile. The
// order of additions depends on n alone. An item adds its elements in a row. Items are added as by
// Hillis and Steele, "Data Parallel Algorithms" (1986).
func scanTile[O combiner[T], T Number, S slab[T]](it gpu.Item, memory *S, totals *[2 * scanItems]T, n, tile int, identity T, options uint32,
	blocks [][scanBlock / 4][4]T, x []T) (v [16]T, before, total T) {
	var o O
	l := it.LocalIndex()
	rows := rowsOf[T, S]()
	base := tile * rows * scanItems
	if base+rows*scanItems <= n {
		for k := range rows / 4 {
			quad := blocks[tile*rows+k*4+l/64][l%64]
			first := inSlab((k*scanItems+l)*4, rows)
			for j := range 4 {
				(*memory)[first+j] = quad[j]
			}
		}
	} else {
		for k := range rows {
			e := k*scanItems + l
			value := x[min(base+e, n-1)]
			if base+e >= n {
				value = identity
			}
			(*memory)[inSlab(e, rows)] = value
		}
	}
	it.Barrier()
	v[0] = (*memory)[l*(rows+1)]
	for k := 1; k < rows; k++ {
		v[k] = o.apply(v[k-1], (*memory)[l*(rows+1)+k], options)
	}
	own := v[rows-1]
	from := 0
	totals[l] = own
	for step := 1; step < scanItems; step *= 2 {
		it.Barrier()
		own = totals[from+l]
		if l >= step {
			own = o.apply(totals[from+l-step], own, options)
		}
		from = scanItems - from
		totals[from+l] = own
	}
	it.Barrier()
	before = identity
	if l > 0 {
		before = totals[from+l-1]
	}
	return v, before, totals[from+scanItems-1]
}

// storeTile writes the results of a tile, which follows a prefix.
func storeTile[O combiner[T], T Number, S slab[T]](it gpu.Item, memory *S, n, tile int, prefix T, options uint32, v [16]T, before T, out []T) {
	var o O
	l := it.LocalIndex()
	rows := rowsOf[T, S]()
	base := tile * rows * scanItems
	before = o.apply(prefix, before, options)
	last := before
	for k := range rows {
		value := o.apply(before, v[k], options)
		if options&exclusive != 0 {
			(*memory)[l*(rows+1)+k] = last
		} else {
			(*memory)[l*(rows+1)+k] = value
		}
		last = value
	}
	it.Barrier()
	for k := range rows {
		e := k*scanItems + l
		if i := base + e; i < n && i < len(out) {
			out[i] = (*memory)[inSlab(e, rows)]
		}
	}
}

// levelStart returns where the totals of a level begin: those of tiles, then of blocks of 32 tiles,
// of 32 blocks, and of 32 of these. Only complete blocks have one.
func levelStart(tiles, level int) (at int) {
	for k := range level {
		at += tiles >> (5 * k)
	}
	return at
}

// neighbour says which total an item of the first 128 has to get for the prefix of a tile. Each
// level has 32 items, of which some need none.
func neighbour(tiles, tile, l int) (entry int, needed bool) {
	level, k := l/fanOut, l%fanOut
	at := tile >> (5 * level)
	return levelStart(tiles, level) + at/fanOut*fanOut + k, level < levels && k < at%fanOut
}

// foldBefore combines the totals in memory: those of a level as a tree, and the levels from the
// largest blocks to the tiles. It returns the prefix, and what comes before the tile in its block,
// before that block in the next larger one, and so on. It depends on the index of the tile alone.
func foldBefore[O combiner[T], T Number](it gpu.Item, before *[fanOut * levels]T, options uint32) (prefix T, within [levels]T) {
	var o O
	l := it.LocalIndex()
	for step := fanOut / 2; step > 0; step /= 2 {
		it.Barrier()
		if l < len(before) && l%fanOut < step {
			before[l] = o.apply(before[l], before[l+step], options)
		}
	}
	it.Barrier()
	for k := range levels {
		within[k] = before[k*fanOut]
	}
	prefix = within[levels-1]
	for k := levels - 2; k >= 0; k-- {
		prefix = o.apply(prefix, within[k], options)
	}
	return prefix, within
}

// scanTiles scans each tile, and puts it behind the totals of the tiles before it, which an earlier
// launch with totalsOnly has written, and launches of scanUp have combined.
//
//gpuc:kernel workgroup=scanItems types=int32/[4356]int32,uint32/[4356]uint32,int64/[2308]int64,uint64/[2308]uint64,float32/[4356]float32,float64/[2308]float64
func scanTiles[T Number, S slab[T]](it gpu.Item, memory *S, shared *scanMemory[T], n, tiles int, options uint32, identity T,
	blocks [][scanBlock / 4][4]T, x, totals, out []T) {
	tile, l := it.Group().X, it.LocalIndex()
	v, before, total := scanTile[either[T], T, S](it, memory, &shared.Totals, n, tile, identity, options, blocks, x)
	if options&totalsOnly != 0 {
		if l == 0 && tile < len(totals) {
			totals[tile] = total
		}
		return
	}
	if l < len(shared.Before) {
		value := identity
		if entry, needed := neighbour(tiles, tile, l); needed {
			value = totals[entry]
		}
		shared.Before[l] = value
	}
	prefix, _ := foldBefore[either[T], T](it, &shared.Before, options)
	storeTile[either[T], T, S](it, memory, n, tile, prefix, options, v, before, out)
}

// scanUp computes the totals of blocks of 32 from those that they consist of, of which an item has
// one. It adds them in the order of foldBefore, and the last one to their sum.
//
//gpuc:kernel workgroup=scanItems types=int32,uint32,int64,uint64,float32,float64
func scanUp[T Number](it gpu.Item, memory *[scanItems]T, from, to, count int, options uint32, identity T, totals []T) {
	var o either[T]
	l := it.LocalIndex()
	value := identity
	if it.Index() < count*fanOut {
		value = totals[from+it.Index()]
	}
	memory[l] = value
	if l%fanOut == fanOut-1 {
		memory[l] = identity
	}
	for step := fanOut / 2; step > 0; step /= 2 {
		it.Barrier()
		if l%fanOut < step {
			memory[l] = o.apply(memory[l], memory[l+step], options)
		}
	}
	it.Barrier()
	if l%fanOut == fanOut-1 && it.Index() < count*fanOut {
		totals[to+it.Index()/fanOut] = o.apply(memory[l-fanOut+1], value, options)
	}
}

// Status words of chained kernels: a counter of tickets, and two for each total.
const statusTickets, statusTotals = 0, 2

// takeTicket gives workgroups the tiles in the order in which they begin, so that a workgroup waits
// only for some that have begun.
func takeTicket(it gpu.Item, ticket *uint32, base uint32, status []uint64) int {
	if it.LocalIndex() == 0 {
		*ticket = uint32(atomic.AddUint64(&status[statusTickets], 1)) - 1 - base
	}
	return int(gpu.UniformLoad(it, ticket))
}

// publish makes a total known to other workgroups, under an epoch that no earlier launch had. The
// words need no order among themselves: each has the epoch.
func publish[W packer[T], T Number](status []uint64, entry int, epoch uint32, v T) {
	var w W
	low, high := w.pack(v)
	atomic.StoreUint64(&status[statusTotals+2*entry], uint64(epoch)<<32|uint64(low))
	if w.wide() {
		atomic.StoreUint64(&status[statusTotals+2*entry+1], uint64(epoch)<<32|uint64(high))
	}
}

// await waits for a total that another workgroup publishes.
func await[W packer[T], T Number](status []uint64, entry int, epoch uint32) T {
	var w W
	low := awaitWord(status, statusTotals+2*entry, epoch)
	high := uint32(0)
	if w.wide() {
		high = awaitWord(status, statusTotals+2*entry+1, epoch)
	}
	return w.unpack(low, high)
}

func awaitWord(status []uint64, at int, epoch uint32) uint32 {
	word := atomic.LoadUint64(&status[at])
	for uint32(word>>32) != epoch {
		word = atomic.LoadUint64(&status[at])
	}
	return uint32(word)
}

// scanChained is a scan in one pass, for devices on which a workgroup that waits does not keep
// another one from going on. It is Merrill and Garland's, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back" (2016), but for what a tile waits for. These are the totals of at most 31
// tiles, 31 blocks of 32 tiles, and so on. They are always the same, and so the order of additions
// is. The last tile of a block publishes that block's total.
//
//gpuc:kernel workgroup=scanItems types=sum[int32]/packInt32/int32/[4356]int32,sum[uint32]/packUint32/uint32/[4356]uint32,sum[int64]/packInt64/int64/[2308]int64,sum[uint64]/packUint64/uint64/[2308]uint64,sum[float32]/packFloat32/float32/[4356]float32,sum[float64]/packFloat64/float64/[2308]float64,limit[int32]/packInt32/int32/[4356]int32,limit[uint32]/packUint32/uint32/[4356]uint32,limit[int64]/packInt64/int64/[2308]int64,limit[uint64]/packUint64/uint64/[2308]uint64,limit[float32]/packFloat32/float32/[4356]float32,limit[float64]/packFloat64/float64/[2308]float64
func scanChained[O combiner[T], W packer[T], T Number, S slab[T]](it gpu.Item, memory *S, shared *scanMemory[T], ticket *uint32,
	n, tiles int, options, epoch, base uint32, identity T, blocks [][scanBlock / 4][4]T, x []T, status []uint64, out []T) {
	var o O
	l := it.LocalIndex()
	tile := takeTicket(it, ticket, base, status)
	v, before, total := scanTile[O, T, S](it, memory, &shared.Totals, n, tile, identity, options, blocks, x)
	if l == 0 {
		publish[W, T](status, tile, epoch, total)
	}
	if l < len(shared.Before) {
		value := identity
		if entry, needed := neighbour(tiles, tile, l); needed {
			value = await[W, T](status, entry, epoch)
		}
		shared.Before[l] = value
	}
	prefix, within := foldBefore[O, T](it, &shared.Before, options)
	if l == 0 {
		// the totals of the blocks that end with this tile
		for level, at := 0, tile; level < levels-1 && at%fanOut == fanOut-1; level++ {
			total = o.apply(within[level], total, options)
			at /= fanOut
			publish[W, T](status, levelStart(tiles, level+1)+at, epoch, total)
		}
	}
	storeTile[O, T, S](it, memory, n, tile, prefix, options, v, before, out)
}
