package seq

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// scanItems is the size of workgroups that scan, and chainItems that of workgroups that wait
	// for others: large ones, of which fewer wait.
	scanItems, chainItems = 256, 1024
	// warp is how many items have a row of a quad each. It is that on all devices, so that the
	// order of additions is, whatever the size of subgroups and workgroups.
	warp = 32
	// scanRows is how many rows a tile has of elements of four bytes. Of eight it has half as many.
	scanRows = chainItems / warp * 8
	// scanQuads is how many quads come as one array, and scanBlock how many elements.
	scanQuads = 512
	scanBlock = 4 * scanQuads
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

// rowsOf returns how many quads an item has: 8 of four bytes or 4 of eight.
func rowsOf[W packer[T], T any]() int {
	var w W
	if w.wide() {
		return 4
	}
	return 8
}

// scanMemory is what the items of a scan share.
type scanMemory[T any] struct {
	// Rows are the totals of the rows of a tile, and Starts what comes before each in the tile.
	Rows, Starts [scanRows]T
	// Within is what comes before a tile in its block, before that in the next larger one, ...
	Within [levels]T
}

// exchange is memory for what items of a warp pass to each other where subgroups are smaller than a
// warp. Where none is, it is not used, and takes no memory. It has four values for each item.
type exchange[T any] interface {
	~[4 * scanItems]T | ~[4 * chainItems]T
}

// itemsOf returns how many items a workgroup has.
func itemsOf[T any, M exchange[T]]() int {
	var none M
	return len(none) / 4
}

// indexOf counts the items of a workgroup in the order of subgroups and their lanes.
func indexOf(it gpu.Item) int { return it.Subgroup()*it.SubgroupSize() + it.SubgroupLane() }

// fromLane returns the value of a lane of the subgroup.
func fromLane[W packer[T], T any](it gpu.Item, v T, lane int) T {
	var w W
	low, high := w.pack(v)
	low = gpu.SubgroupShuffle(it, low, lane)
	if w.wide() {
		high = gpu.SubgroupShuffle(it, high, lane)
	}
	return w.unpack(low, high)
}

// fromItems returns the values of an item of the same warp, of which the rows first are meant.
func fromItems[W packer[T], T any, M exchange[T]](it gpu.Item, memory *M, rows, item int, v [8]T) [8]T {
	size := it.SubgroupSize()
	if size >= warp {
		for k := range rows {
			v[k] = fromLane[W, T](it, v[k], item%size)
		}
		return v
	}
	at, items := indexOf(it), itemsOf[T, M]()
	for first := 0; first < rows; first += 4 {
		it.Barrier()
		for k := range min(rows, 4) {
			(*memory)[k*items+at%items] = v[first+k]
		}
		it.Barrier()
		for k := range min(rows, 4) {
			v[first+k] = (*memory)[k*items+item%items]
		}
	}
	return v
}

// scanWarp combines the values of each row up to an item, in its warp.
func scanWarp[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, rows int, options uint32, v [8]T) [8]T {
	return scanLanes[O, W, T, M](it, memory, 5, rows, options, v)
}

// scanLanes combines values of 2^levels neighbouring lanes: pairs of lanes, then pairs of these, as
// Sklansky, "Conditional-Sum Addition Logic" (1960).
func scanLanes[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, levels, rows int, options uint32, v [8]T) [8]T {
	var o O
	at := indexOf(it)
	for level := range levels {
		half := 1 << level
		lower := fromItems[W, T, M](it, memory, rows, at&^(2*half-1)|(half-1), v)
		if at&half != 0 {
			for k := range rows {
				v[k] = o.apply(lower[k], v[k], options)
			}
		}
	}
	return v
}

// beforeInWarp returns what scanWarp made of the lanes before an item.
func beforeInWarp[W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, rows int, identity T, v [8]T) [8]T {
	at := indexOf(it)
	v = fromItems[W, T, M](it, memory, rows, max(at-1, 0), v)
	if at%warp == 0 {
		for k := range rows {
			v[k] = identity
		}
	}
	return v
}

// foldWarp combines the values of a warp as a tree, of lanes l and l+16, l and l+8, ... The first
// lane gets the result.
func foldWarp[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, options uint32, v T) T {
	var o O
	at := indexOf(it)
	for step := warp / 2; step > 0; step /= 2 {
		upper := fromItems[W, T, M](it, memory, 1, at+step, [8]T{v})
		v = o.apply(v, upper[0], options)
	}
	return v
}

// rowOf returns the first of the rows of a tile that an item has a quad of. A workgroup has part of
// a tile at a time.
func rowOf[W packer[T], T any, M exchange[T]](it gpu.Item, part int) int {
	return (part*itemsOf[T, M]() + indexOf(it)) / warp * rowsOf[W, T]()
}

// blockOf returns the block that has a row of a tile, and the index of the item's quad in it. The
// quads of the next rows follow at a distance of a warp.
func blockOf[W packer[T], T any](it gpu.Item, tile, row int) (block, first int) {
	const rows = scanQuads / warp // of a block
	return (tile*(scanRows/8*rowsOf[W, T]()) + row) / rows, row%rows*warp + indexOf(it)%warp
}

// loadRows loads an item's quads of part of a tile, and scans each quad, and each row of quads. So
// v are the results of what comes up to a quad in its row.
func loadRows[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, n, tile, part int, identity T, options uint32,
	blocks [][scanQuads][4]T, x []T) (quads [8][4]T, v [8]T) {
	var o O
	rows := rowsOf[W, T]()
	block, first := blockOf[W, T](it, tile, rowOf[W, T, M](it, part))
	if block < n/scanBlock {
		for k := range rows {
			quads[k] = blocks[block][(first+k*warp)%scanQuads]
		}
	} else {
		for k := range rows {
			for j := range 4 {
				i := block*scanBlock + (first+k*warp)*4 + j
				quads[k][j] = x[min(i, n-1)]
				if i >= n {
					quads[k][j] = identity
				}
			}
		}
	}
	for k := range rows {
		for j := 1; j < 4; j++ {
			quads[k][j] = o.apply(quads[k][j-1], quads[k][j], options)
		}
		v[k] = quads[k][3]
	}
	return quads, scanWarp[O, W, T, M](it, memory, rows, options, v)
}

// keepRows makes known the totals of an item's rows, if it is the last one in them.
func keepRows[W packer[T], T Number, M exchange[T]](it gpu.Item, shared *scanMemory[T], part int, v [8]T) {
	if row := rowOf[W, T, M](it, part); indexOf(it)%warp == warp-1 {
		for k := range rowsOf[W, T]() {
			shared.Rows[(row+k)%scanRows] = v[k]
		}
	}
}

// combineRows combines the totals of the rows of a tile to what comes before each. It returns the
// total of the tile, which the last lane of each warp has.
func combineRows[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, shared *scanMemory[T], identity T, options uint32) (total T) {
	var o O
	at := indexOf(it)
	it.Barrier()
	each := scanRows / 8 * rowsOf[W, T]() / warp
	var own, up [8]T
	for j := range each { // the same in each warp
		own[j] = shared.Rows[at%warp*each+j]
		if j > 0 {
			own[j] = o.apply(own[j-1], own[j], options)
		}
	}
	up[0] = own[each-1]
	up = scanWarp[O, W, T, M](it, memory, 1, options, up)
	total = up[0]
	up = beforeInWarp[W, T, M](it, memory, 1, identity, up)
	if at < warp {
		shared.Starts[at*each] = up[0]
		for j := 1; j < each; j++ {
			shared.Starts[at*each+j] = o.apply(up[0], own[j-1], options)
		}
	}
	it.Barrier()
	return total
}

// storeRows writes the results of part of a tile, which follows a prefix: whole blocks to out, and
// elements of the last one to rest.
func storeRows[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, shared *scanMemory[T], n, tile, part int, prefix, identity T, options uint32,
	quads [8][4]T, v [8]T, out [][scanQuads][4]T, rest []T) {
	var o O
	rows, row := rowsOf[W, T](), rowOf[W, T, M](it, part)
	before := beforeInWarp[W, T, M](it, memory, rows, identity, v)
	for k := range rows {
		start := o.apply(shared.Starts[(row+k)%scanRows], before[k], options)
		start = o.apply(prefix, start, options)
		for j := range 4 {
			quads[k][j] = o.apply(start, quads[k][j], options)
		}
		if options&exclusive != 0 {
			quads[k] = [4]T{start, quads[k][0], quads[k][1], quads[k][2]}
		}
	}
	block, first := blockOf[W, T](it, tile, row)
	if block < n/scanBlock {
		for k := range rows {
			out[block][(first+k*warp)%scanQuads] = quads[k]
		}
		return
	}
	for k := range rows {
		for j := range 4 {
			i := (block-n/scanBlock)*scanBlock + (first+k*warp)*4 + j
			if i < n%scanBlock && i < len(rest) {
				rest[i] = quads[k][j]
			}
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

// foldLevels combines what comes before a tile in each level, of which the first lanes of the first
// warps have one: from the largest blocks to the tiles. So the prefix depends on the index of the
// tile alone.
func foldLevels[O combiner[T], T Number](it gpu.Item, shared *scanMemory[T], options uint32, v T) (prefix T) {
	var o O
	if at := indexOf(it); at < levels*warp && at%warp == 0 {
		shared.Within[at/warp] = v
	}
	it.Barrier()
	prefix = shared.Within[levels-1]
	for k := levels - 2; k >= 0; k-- {
		prefix = o.apply(prefix, shared.Within[k], options)
	}
	return prefix
}

// scanTiles scans each tile, and puts it behind the totals of the tiles before it, which an earlier
// launch with totalsOnly has written, and launches of scanUp have combined. It loads the tile in
// parts, and again once it knows what comes before each row.
//
//gpuc:kernel workgroup=scanItems types=int32/packInt32,uint32/packUint32,int64/packInt64,uint64/packUint64,float32/packFloat32,float64/packFloat64
func scanTiles[T Number, W packer[T]](it gpu.Item, memory *[4 * scanItems]T, shared *scanMemory[T], n, tiles int, options uint32, identity T,
	blocks [][scanQuads][4]T, x, totals []T, out [][scanQuads][4]T, rest []T) {
	tile, at := it.Group().X, indexOf(it)
	for part := range chainItems / scanItems {
		_, v := loadRows[either[T], W, T](it, memory, n, tile, part, identity, options, blocks, x)
		keepRows[W, T, [4 * scanItems]T](it, shared, part, v)
	}
	total := combineRows[either[T], W, T](it, memory, shared, identity, options)
	if options&totalsOnly != 0 {
		if at == warp-1 && tile < len(totals) {
			totals[tile] = total
		}
		return
	}
	value := identity
	if at < levels*warp {
		if entry, needed := neighbour(tiles, tile, at); needed {
			value = totals[entry]
		}
	}
	value = foldWarp[either[T], W, T](it, memory, options, value)
	prefix := foldLevels[either[T], T](it, shared, options, value)
	for part := range chainItems / scanItems {
		quads, v := loadRows[either[T], W, T](it, memory, n, tile, part, identity, options, blocks, x)
		storeRows[either[T], W, T](it, memory, shared, n, tile, part, prefix, identity, options, quads, v, out, rest)
	}
}

// scanUp computes the totals of blocks of 32 from those that they consist of, of which an item has
// one. It adds them in the order of foldWarp, and the last one to their sum.
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

// Status words of chained kernels: a counter of tickets, and one or two for each total.
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
	if !w.wide() {
		atomic.StoreUint64(&status[statusTotals+entry], uint64(epoch)<<32|uint64(low))
		return
	}
	atomic.StoreUint64(&status[statusTotals+2*entry], uint64(epoch)<<32|uint64(low))
	atomic.StoreUint64(&status[statusTotals+2*entry+1], uint64(epoch)<<32|uint64(high))
}

// await waits for a total that another workgroup publishes.
func await[W packer[T], T Number](status []uint64, entry int, epoch uint32) T {
	var w W
	if !w.wide() {
		return w.unpack(awaitWord(status, statusTotals+entry, epoch), 0)
	}
	return w.unpack(awaitWord(status, statusTotals+2*entry, epoch), awaitWord(status, statusTotals+2*entry+1, epoch))
}

func awaitWord(status []uint64, at int, epoch uint32) uint32 {
	word := atomic.LoadUint64(&status[at])
	for uint32(word>>32) != epoch {
		word = atomic.LoadUint64(&status[at])
	}
	return uint32(word)
}

// publishTile makes the total of a tile known to others, which the last lane of the first warp has.
func publishTile[W packer[T], T Number](it gpu.Item, tile int, epoch uint32, total T, status []uint64) {
	if indexOf(it) == warp-1 {
		publish[W, T](status, tile, epoch, total)
	}
}

// awaitBefore returns what comes before a tile, after publishTile. The last tile of a block makes
// the total of the block known, too. It does so before it waits itself, since otherwise blocks
// would wait for each other in a row.
func awaitBefore[O combiner[T], W packer[T], T Number, M exchange[T]](it gpu.Item, memory *M, shared *scanMemory[T], tiles, tile int, options, epoch uint32, identity, total T, status []uint64) (prefix T) {
	var o O
	at := indexOf(it)
	value := identity
	if at < levels*warp {
		if entry, needed := neighbour(tiles, tile, at); needed {
			value = await[W, T](status, entry, epoch)
		}
	}
	value = foldWarp[O, W, T](it, memory, options, value)
	k := tile / fanOut
	if tile%fanOut == fanOut-1 {
		within := fromItems[W, T](it, memory, 1, at/warp*warp, [8]T{value})
		total = o.apply(within[0], total, options)
		if at == warp-1 {
			publish[W, T](status, levelStart(tiles, 1)+k, epoch, total)
		}
	}
	prefix = foldLevels[O, T](it, shared, options, value)
	if at == warp-1 && tile%fanOut == fanOut-1 {
		for level := 1; level < levels-1 && k%fanOut == fanOut-1; level++ {
			total = o.apply(shared.Within[level], total, options)
			k /= fanOut
			publish[W, T](status, levelStart(tiles, level+1)+k, epoch, total)
		}
	}
	return prefix
}

// scanChained is a scan in one pass, for devices on which a workgroup that waits does not keep
// another one from going on. It is Merrill and Garland's, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back" (2016), but for what a tile waits for. These are the totals of at most 31
// tiles, 31 blocks of 32 tiles, and so on. They are always the same, and so the order of additions
// is. The last tile of a block publishes that block's total.
//
//gpuc:kernel workgroup=chainItems types=sum[int32]/packInt32/int32,sum[uint32]/packUint32/uint32,sum[int64]/packInt64/int64,sum[uint64]/packUint64/uint64,sum[float32]/packFloat32/float32,sum[float64]/packFloat64/float64,limit[int32]/packInt32/int32,limit[uint32]/packUint32/uint32,limit[int64]/packInt64/int64,limit[uint64]/packUint64/uint64,limit[float32]/packFloat32/float32,limit[float64]/packFloat64/float64
func scanChained[O combiner[T], W packer[T], T Number](it gpu.Item, memory *[4 * chainItems]T, shared *scanMemory[T], ticket *uint32,
	n, tiles int, options, epoch, base uint32, identity T, blocks [][scanQuads][4]T, x []T, status []uint64, out [][scanQuads][4]T, rest []T) {
	tile := takeTicket(it, ticket, base, status)
	quads, v := loadRows[O, W, T](it, memory, n, tile, 0, identity, options, blocks, x)
	keepRows[W, T, [4 * chainItems]T](it, shared, 0, v)
	total := combineRows[O, W, T](it, memory, shared, identity, options)
	publishTile[W](it, tile, epoch, total, status)
	prefix := awaitBefore[O, W, T](it, memory, shared, tiles, tile, options, epoch, identity, total, status)
	storeRows[O, W, T](it, memory, shared, n, tile, 0, prefix, identity, options, quads, v, out, rest)
}
