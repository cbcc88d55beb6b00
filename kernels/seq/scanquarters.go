package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// quarters is how many workgroups share a tile when there are few, and quarterLanes how many lanes
// of a warp have the rows of one.
const quarters, quarterLanes = chainItems / scanItems, warp / quarters

// quarterTiles is how many tiles are few. More of them are about as many as large devices have
// multiprocessors, and need no quarters.
const quarterTiles = 2 * fanOut

// scanQuarters is scanChained of few tiles, which would leave much of a device idle: a workgroup
// has a quarter of a tile. It waits for all quarters before its own. The order of
// additions is that of whole tiles. Sums of signed integers are those of unsigned ones.
//
//gpuc:kernel workgroup=scanItems types=sum[uint32]/packUint32/uint32,sum[uint64]/packUint64/uint64,sum[float32]/packFloat32/float32,sum[float64]/packFloat64/float64
func scanQuarters[O combiner[T], W packer[T], T Number](it gpu.Item, memory *[4 * scanItems]T, shared *scanMemory[T], ticket *uint32,
	n int, options, epoch, base uint32, identity T, blocks [][scanQuads][4]T, x []T, status []uint64, out [][scanQuads][4]T, rest []T) {
	var o O
	quarter, at := takeTicket(it, ticket, base, status), indexOf(it)
	tile, part := quarter/quarters, quarter%quarters
	quads, v := loadRows[O, W, T](it, memory, n, tile, part, identity, options, blocks, x)
	keepRows[W, T, [4 * scanItems]T](it, shared, part, v)
	it.Barrier()
	each := scanRows / 8 * rowsOf[W, T]() / warp
	own := ownRows[O, W, T](it, shared, part*quarterLanes+at%quarterLanes, options)
	up := scanLanes[O, W, T](it, memory, 3, 1, options, [8]T{own[each-1]})
	if at == quarterLanes-1 {
		publish[W, T](status, quarter, epoch, up[0])
	}
	prefix := awaitQuarters[O, W, T](it, memory, shared, quarter, each, options, epoch, identity, status)
	start := startQuarter[O](shared, part, options, identity, &up[0])
	up = fromItems[W, T](it, memory, 1, max(at-1, 0), up)
	if at%quarterLanes != 0 {
		start = up[0]
	}
	if row := (part*quarterLanes + at) * each; at < quarterLanes {
		shared.Starts[row%scanRows] = start
		for j := 1; j < each; j++ {
			shared.Starts[(row+j)%scanRows] = o.apply(start, own[j-1], options)
		}
	}
	it.Barrier()
	storeRows[O, W, T](it, memory, shared, n, tile, part, prefix, identity, options, quads, v, out, rest)
}

// awaitQuarters returns what comes before a tile, from the totals of all quarters before one. Those
// in the same tile go to Within.
func awaitQuarters[O combiner[T], W packer[T], T Number](it gpu.Item, memory *[4 * scanItems]T, shared *scanMemory[T], quarter, each int, options, epoch uint32, identity T, status []uint64) T {
	var o O
	at, tile, part := indexOf(it), quarter/quarters, quarter%quarters
	within, blocks := identity, identity // a lane has the total of a block
	for block := 0; block <= tile/fanOut; block++ {
		value, entry := identity, block*fanOut*quarters+at
		if at < fanOut*quarters && entry < quarter {
			value = await[W, T](status, entry, epoch)
		}
		if entry < quarter && entry/quarters == tile {
			shared.Within[entry%quarters] = value
			value = identity
		}
		for step := 1; step < quarters; step *= 2 { // to the totals of tiles
			next := fromItems[W, T](it, memory, 1, at+step, [8]T{value})
			value = o.apply(value, next[0], options)
		}
		// Rows of other workgroups are free. Those of the block before may still be read.
		free := (part + 1 + block%2) % quarters * quarterLanes * each
		if at < fanOut*quarters && at%quarters == 0 {
			shared.Rows[(free+at/quarters)%scanRows] = value
		}
		it.Barrier()
		value = shared.Rows[(free+at%warp)%scanRows]
		last := value // of the last lane, of which there is none in the block of the tile
		if at%warp == fanOut-1 {
			value = identity
		}
		first := fromItems[W, T](it, memory, 1, at/warp*warp, [8]T{foldWarp[O, W, T](it, memory, options, value)})
		within = first[0]
		ends := fromItems[W, T](it, memory, 1, at/warp*warp+warp-1, [8]T{last})
		if block < tile/fanOut && at%warp == block {
			blocks = o.apply(within, ends[0], options)
		}
	}
	larger := fromItems[W, T](it, memory, 1, at/warp*warp, [8]T{foldWarp[O, W, T](it, memory, options, blocks)})
	return o.apply(o.apply(identity, larger[0], options), within, options)
}

// ownRows returns the totals of rows that a lane has, up to each.
func ownRows[O combiner[T], W packer[T], T Number](it gpu.Item, shared *scanMemory[T], lane int, options uint32) (own [8]T) {
	var o O
	each := scanRows / 8 * rowsOf[W, T]() / warp
	for j := range each {
		own[j] = shared.Rows[(lane*each+j)%scanRows]
		if j > 0 {
			own[j] = o.apply(own[j-1], own[j], options)
		}
	}
	return own
}

// startQuarter returns what comes before a quarter in its tile, and puts it before up, in the order
// of scanWarp: pairs of quarters, then all four.
func startQuarter[O combiner[T], T Number](shared *scanMemory[T], part int, options uint32, identity T, up *T) T {
	var o O
	first, third := shared.Within[0], shared.Within[2]
	pair := o.apply(first, shared.Within[1], options)
	switch part {
	case 1:
		*up = o.apply(first, *up, options)
		return first
	case 2:
		*up = o.apply(pair, *up, options)
		return pair
	case 3:
		*up = o.apply(pair, o.apply(third, *up, options), options)
		return o.apply(pair, third, options)
	}
	return identity
}
