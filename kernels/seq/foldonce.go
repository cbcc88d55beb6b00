package seq

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// A gatherer is a folder that takes quads of elements, for a reduction in one launch. Indices of
// its states are those of quads.
type gatherer[E, S any] interface {
	folder[E, S]
	// from is the state of no elements. The next quad has the index at. No element is worse than
	// worst.
	from(at int, worst E) S
	// quad returns the states of an item with one more quad, which is in a row of the tile.
	quad(s [4]S, row int, v [4]E, at int, options uint32, worst E) [4]S
	// found returns the final state: with an element, and its index.
	found(s S, n int, x []E, options uint32) S
	// join is merge of states that have an element.
	join(a, b S, options uint32) S
	// indexed says that states have an index, and of makes a state of a number and that.
	indexed() bool
	of(v E, at int32) S
}

func (total[T]) from(int, T) T                       { return 0 }
func (total[T]) found(s T, _ int, _ []T, _ uint32) T { return s }
func (total[T]) indexed() bool                       { return false }
func (total[T]) of(v T, _ int32) T                   { return v }
func (finder[T]) from(at int, worst T) best[T]       { return best[T]{worst, int32(at)} }
func (finder[T]) indexed() bool                      { return true }
func (finder[T]) of(v T, at int32) best[T]           { return best[T]{v, at} }

func (total[T]) quad(s [4]T, _ int, v [4]T, _ int, _ uint32, _ T) [4]T {
	for k := range s {
		s[k] += v[k]
	}
	return s
}

func (total[T]) join(a, b T, _ uint32) T { return a + b }

func (finder[T]) join(a, b best[T], options uint32) best[T] {
	earlier := b.At < a.At && !isBetter(a.V, b.V, options)
	if isBetter(b.V, a.V, options) || earlier {
		a = b
	}
	return a
}

// quad compares the best element of the quad alone.
func (f finder[T]) quad(s [4]best[T], row int, v [4]T, at int, options uint32, worst T) [4]best[T] {
	m := min(min(v[0], v[1]), min(v[2], v[3]))
	if options&wantLargest != 0 {
		m = max(max(v[0], v[1]), max(v[2], v[3]))
	}
	if v[0] != v[0] || v[1] != v[1] || v[2] != v[2] || v[3] != v[3] {
		m = worst - worst // which is a NaN: floats have infinities as the worst
	}
	s[row] = f.add(s[row], m, at, options)
	return s
}

// found looks at the elements of the quad.
func (f finder[T]) found(s best[T], n int, x []T, options uint32) best[T] {
	first := int(s.At) * 4
	s = f.begin(x[first], first)
	for i := first + 1; i < min(first+4, n); i++ {
		s = f.add(s, x[i], i, options)
	}
	return s
}

// foldQuadTiles folds whole tiles from first on, before end. An item has its quads of a tile under
// way at once.
func foldQuadTiles[O gatherer[E, S], E Number, S any](it gpu.Item, first, end int, options uint32, worst E, tiles [][foldQuads][4]E) (states [4]S) {
	var o O
	l := it.LocalIndex()
	for k := range states {
		states[k] = o.from(first*foldQuads+k*foldItems+l, worst)
	}
	for t := first; t < end; t++ {
		var loaded [foldQuads / foldItems][4]E
		for k := range loaded {
			loaded[k] = tiles[t][k*foldItems+l]
		}
		for k := range loaded {
			states = o.quad(states, k, loaded[k], t*foldQuads+k*foldItems+l, options, worst)
		}
	}
	return states
}

// foldOnce is foldTiles and foldPartial in one launch, for devices on which workgroups may wait for
// others. They publish their states, and the one that is last to do so merges them in the order of
// foldPartial. Sums have the bits of two launches.
//
// A word of a state has an epoch: see publish. Worst is the divisor of sums.
//
//gpuc:kernel workgroup=foldItems types=total[uint32]/packUint32/uint32/uint32,total[uint64]/packUint64/uint64/uint64,total[float32]/packFloat32/float32/float32,total[float64]/packFloat64/float64/float64,finder[int32]/packInt32/int32/best[int32],finder[uint32]/packUint32/uint32/best[uint32],finder[float32]/packFloat32/float32/best[float32],finder[float64]/packFloat64/float64/best[float64]
func foldOnce[O gatherer[E, S], W packer[E], E Number, S any](it gpu.Item, shared *[foldItems]S, last *uint32, n, whole, each int, options, epoch, base uint32, worst E,
	tiles [][foldQuads][4]E, x []E, status []uint64, values []E, indices []int32) {
	var o O
	l, group, groups := it.LocalIndex(), it.Group().X, it.Groups().X
	first := group * each // which is a tile
	end := min(first+each, whole)
	var states [4]S
	if o.indexed() && options&wantLargest != 0 { // loops that know what they look for
		states = foldQuadTiles[O, E, S](it, first, end, wantLargest, worst, tiles)
	} else {
		states = foldQuadTiles[O, E, S](it, first, end, 0, worst, tiles)
	}
	if group == groups-1 {
		for i := whole*foldTile + l; i < n; i += foldItems {
			states[0] = o.add(states[0], x[i], i/4, options)
		}
	}
	s := o.join(o.join(states[0], states[1], options), o.join(states[2], states[3], options), options)
	s = foldGroup[O, W, E, S](it, shared, s, options)
	if l == 0 {
		publishState[O, W, E, S](status, group, groups, epoch, s)
		*last = uint32(atomic.AddUint64(&status[statusTickets], 1)) - base
	}
	if int(gpu.UniformLoad(it, last)) != groups {
		return
	}
	s = o.from(0, worst)
	for first := l; first < groups; first += onceLoads * foldItems {
		var loaded [onceLoads][stateWords]uint64
		for k := range loaded {
			for j := range wordsOfState[O, W, E, S]() {
				loaded[k][j] = atomic.LoadUint64(&status[statusTotals+j*groups+min(first+k*foldItems, groups-1)])
			}
		}
		for k := range loaded {
			if at := first + k*foldItems; at < groups {
				s = o.join(s, awaitState[O, W, E, S](status, at, groups, epoch, loaded[k]), options)
			}
		}
	}
	s = foldGroup[O, W, E, S](it, shared, s, options)
	if l != 0 {
		return
	}
	s = o.found(s, n, x, options)
	if options&toValues != 0 && len(values) > 0 {
		values[0] = o.value(s, worst)
	}
	if options&toIndices != 0 && len(indices) > 0 {
		indices[0] = o.index(s)
	}
}

const (
	// stateWords is how many words a state has at most.
	stateWords = 3
	// onceLoads is how many states of other workgroups an item has under way.
	onceLoads = 4
)

// wordsOfState returns how many words a state has: those of its number, and one for its index.
func wordsOfState[O gatherer[E, S], W packer[E], E, S any]() (count int) {
	var o O
	var w W
	count = 1
	if w.wide() {
		count++
	}
	if o.indexed() {
		count++
	}
	return count
}

// publishState makes the state of a workgroup known. Words with the same number are neighbours.
func publishState[O gatherer[E, S], W packer[E], E Number, S any](status []uint64, group, groups int, epoch uint32, s S) {
	var o O
	var w W
	low, high := w.pack(o.value(s, 1))
	list := [stateWords]uint32{low, uint32(o.index(s)), uint32(o.index(s))}
	if w.wide() {
		list[1] = high
	}
	for j := range wordsOfState[O, W, E, S]() {
		atomic.StoreUint64(&status[statusTotals+j*groups+group], uint64(epoch)<<32|uint64(list[j]))
	}
}

// awaitState returns a state that has been published or is about to be, of which words were loaded.
func awaitState[O gatherer[E, S], W packer[E], E, S any](status []uint64, group, groups int, epoch uint32, words [stateWords]uint64) S {
	var o O
	var w W
	var list [stateWords]uint32
	count := wordsOfState[O, W, E, S]()
	for j := range count {
		list[j] = uint32(words[j])
		if uint32(words[j]>>32) != epoch {
			list[j] = awaitWord(status, statusTotals+j*groups+group, epoch)
		}
	}
	return o.of(w.unpack(list[0], list[1]), int32(list[count-1]))
}

// foldGroup merges the states of all items in the order of foldShared. The first lane of each warp
// gets the result.
func foldGroup[O gatherer[E, S], W packer[E], E Number, S any](it gpu.Item, shared *[foldItems]S, s S, options uint32) S {
	var o O
	at := indexOf(it)
	if it.SubgroupSize() < warp {
		return foldShared[O, E, S](it, shared, at, foldItems, s, options)
	}
	shared[at%foldItems] = s
	it.Barrier()
	var v [foldItems / warp]S
	for k := range v {
		v[k] = shared[k*warp+at%warp]
	}
	for step := len(v) / 2; step > 0; step /= 2 {
		for k := range step {
			v[k] = o.join(v[k], v[k+step], options)
		}
	}
	s = v[0]
	for step := warp / 2; step > 0; step /= 2 {
		lane := (at + step) % it.SubgroupSize()
		upper := fromLane[W](it, o.value(s, 1), lane)
		index := int32(0)
		if o.indexed() {
			index = gpu.SubgroupShuffle(it, o.index(s), lane)
		}
		s = o.join(s, o.of(upper, index), options)
	}
	return s
}
