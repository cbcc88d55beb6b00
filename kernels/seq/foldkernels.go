package seq

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	// foldItems is the size of workgroups that fold.
	foldItems = 256
	// foldTile is how many elements a workgroup loads at a time.
	foldTile = 4 * foldQuads
	// foldQuads is the same in loads of four elements, of which each item has four.
	foldQuads = 4 * foldItems
	// partialLoads is how many loads of partial results an item has under way.
	partialLoads = 8
)

// foldTiles folds the elements of one vector, whose whole tiles come as arrays, which need no
// guards and are loaded in quads. Workgroup g has tiles g*each to g*each+each-1, and the last one
// also the rest of x.
//
// An item has four states, of which each takes one element of a quad. They are merged in pairs,
// and then those of the items as a tree.
//
//gpuc:kernel workgroup=foldItems types=total[int32]/int32/int32,total[uint32]/uint32/uint32,total[int64]/int64/int64,total[uint64]/uint64/uint64,total[float32]/float32/float32,total[float64]/float64/float64,finder[int32]/int32/best[int32],finder[uint32]/uint32/best[uint32],finder[int64]/int64/best[int64],finder[uint64]/uint64/best[uint64],finder[float32]/float32/best[float32],finder[float64]/float64/best[float64]
func foldTiles[O folder[E, S], E Number, S any](it gpu.Item, shared *[foldItems]S, n, whole, each int, options uint32, divisor E,
	tiles [][foldQuads][4]E, x []E, partial []S, values []E, indices []int32) {
	var o O
	l := it.LocalIndex()
	group := it.Group().X
	first := group * each // which is a tile
	var states [4]S
	quad := tiles[first][l]
	for k := range states {
		states[k] = o.begin(quad[k], first*foldTile+l*4+k)
	}
	for t := first; t < min(first+each, whole); t++ {
		tile := &tiles[t]
		for k := range foldQuads / foldItems {
			quad := tile[k*foldItems+l]
			at := t*foldTile + (k*foldItems+l)*4
			for j := range states {
				states[j] = o.add(states[j], quad[j], at+j, options)
			}
		}
	}
	if group == it.Groups().X-1 {
		for i := whole*foldTile + l; i < n; i += foldItems {
			states[0] = o.add(states[0], x[i], i, options)
		}
	}
	s := o.merge(o.merge(states[0], states[1], options), o.merge(states[2], states[3], options), options)
	s = foldShared[O, E, S](it, shared, l, foldItems, s, options)
	if l == 0 {
		writeFolded[O, E, S](s, group, options, divisor, partial, values, indices)
	}
}

// foldShared merges the states of all items whose number has the same remainder by foldItems/lanes,
// as a tree: 0 with lanes/2, and so on. The item with lane 0 gets the result. All items call it.
func foldShared[O folder[E, S], E, S any](it gpu.Item, shared *[foldItems]S, at, lanes int, s S, options uint32) S {
	var o O
	shared[at] = s
	for step := foldItems / 2; step > 0; step /= 2 {
		it.Barrier()
		if step >= foldItems/lanes && at < step {
			shared[at] = o.merge(shared[at], shared[at+step], options)
		}
	}
	it.Barrier()
	return shared[at]
}

// writeFolded writes one result to what the options name.
func writeFolded[O folder[E, S], E, S any](s S, at int, options uint32, divisor E, partial []S, values []E, indices []int32) {
	var o O
	if options&toPartial != 0 && at < len(partial) {
		partial[at] = s
	}
	if options&toValues != 0 && at < len(values) {
		values[at] = o.value(s, divisor)
	}
	if options&toIndices != 0 && at < len(indices) {
		indices[at] = o.index(s)
	}
}

// axis says which elements the outputs of a reduction have: x has outer × n × inner elements, and
// there are outer × inner outputs.
type axis struct {
	N, Inner, Outputs int32
	// Columns is how many outputs a workgroup has, a power of two. Its other items are lanes: they
	// share the elements of an output.
	Columns int32
	// Chunk is how many elements of an output a workgroup folds.
	Chunk int32
}

// share returns the item's lane and output. With lanesFirst, neighbouring items are lanes, which is
// for elements that are consecutive along the axis.
func (a axis) share(it gpu.Item, options uint32) (lane, lanes, column, output int) {
	l, columns := it.LocalIndex(), int(a.Columns)
	lanes = foldItems / columns
	lane, column = l/columns, l%columns
	if options&lanesFirst != 0 {
		lane, column = l%lanes, l/lanes
	}
	return lane, lanes, column, it.Group().X*columns + column
}

// foldAxis folds a chunk of each output's elements. Lane k has elements k, k+lanes and so on, in
// four states that take them in rotation.
//
//gpuc:kernel workgroup=foldItems types=total[int32]/int32/int32,total[uint32]/uint32/uint32,total[int64]/int64/int64,total[uint64]/uint64/uint64,total[float32]/float32/float32,total[float64]/float64/float64,finder[int32]/int32/best[int32],finder[uint32]/uint32/best[uint32],finder[int64]/int64/best[int64],finder[uint64]/uint64/best[uint64],finder[float32]/float32/best[float32],finder[float64]/float64/best[float64],spread[float32]/float32/moments[float32],spread[float64]/float64/moments[float64]
func foldAxis[O folder[E, S], E Number, S any](it gpu.Item, shared *[foldItems]S, a axis, options uint32, divisor E,
	x []E, partial []S, values []E, indices []int32) {
	var o O
	lane, lanes, column, output := a.share(it, options)
	inner, outputs := int(a.Inner), int(a.Outputs)
	first := it.Group().Y * int(a.Chunk)
	end := min(first+int(a.Chunk), int(a.N))
	if output >= outputs {
		end = first
	}
	at := output/inner*int(a.N)*inner + output%inner
	var states [4]S
	for k := range states {
		states[k] = o.start()
	}
	i := first + lane
	if i < end {
		for k := range states {
			states[k] = o.begin(x[at+i*inner], i)
		}
	}
	for ; i+3*lanes < end; i += 4 * lanes {
		for k := range states {
			states[k] = o.add(states[k], x[at+(i+k*lanes)*inner], i+k*lanes, options)
		}
	}
	for ; i < end; i += lanes {
		states[0] = o.add(states[0], x[at+i*inner], i, options)
	}
	s := o.merge(o.merge(states[0], states[1], options), o.merge(states[2], states[3], options), options)
	s = foldShared[O, E, S](it, shared, lane*int(a.Columns)+column, lanes, s, options)
	if lane == 0 && output < outputs {
		writeFolded[O, E, S](s, it.Group().Y*outputs+output, options, divisor, partial, values, indices)
	}
}

// foldPartial folds partial results, of which chunk k of each output follows chunk k-1 of all of
// them. It is foldAxis of states.
//
//gpuc:kernel workgroup=foldItems types=total[int32]/int32/int32,total[uint32]/uint32/uint32,total[int64]/int64/int64,total[uint64]/uint64/uint64,total[float32]/float32/float32,total[float64]/float64/float64,finder[int32]/int32/best[int32],finder[uint32]/uint32/best[uint32],finder[int64]/int64/best[int64],finder[uint64]/uint64/best[uint64],finder[float32]/float32/best[float32],finder[float64]/float64/best[float64],spread[float32]/float32/moments[float32],spread[float64]/float64/moments[float64]
func foldPartial[O folder[E, S], E Number, S any](it gpu.Item, shared *[foldItems]S, a axis, options uint32, divisor E,
	partial []S, values []E, indices []int32) {
	var o O
	lane, lanes, column, output := a.share(it, options)
	outputs := int(a.Outputs)
	s := o.start()
	if output < outputs {
		for first := lane; first < int(a.N); first += partialLoads * lanes {
			var loaded [partialLoads]S
			for k := range loaded {
				loaded[k] = partial[min(first+k*lanes, int(a.N)-1)*outputs+output]
			}
			for k := range loaded {
				if first+k*lanes < int(a.N) {
					s = o.merge(s, loaded[k], options)
				}
			}
		}
	}
	s = foldShared[O, E, S](it, shared, lane*int(a.Columns)+column, lanes, s, options)
	if lane == 0 && output < outputs {
		writeFolded[O, E, S](s, output, options, divisor, partial, values, indices)
	}
}
