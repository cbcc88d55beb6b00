package seq

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	// segmentItems is the size of workgroups that scan segments, of which an item has segmentEach
	// elements.
	segmentItems = 256
	segmentEach  = 8
	segmentTile  = segmentItems * segmentEach
)

// countOnDevice is an option of foldSegments: the number of segments is in a buffer.
const countOnDevice uint32 = 1 << 16

// A part is what a scan of segments knows of consecutive elements: the result of those from the
// last head on, and whether there is a head.
type part[T Number] struct {
	V    T
	Head uint32
}

// join returns the part of two parts that follow each other (Schwartz 1980; Blelloch, "Prefix Sums
// and Their Applications", 1990).
func join[T Number](a, b part[T], options uint32) part[T] {
	if b.Head == 0 {
		b.V = either[T]{}.apply(a.V, b.V, options)
	}
	b.Head |= a.Head
	return b
}

// joinItems returns the part of the items before this one in the workgroup, which is empty for the
// first, and that of all.
func joinItems[T Number](it gpu.Item, memory *[2 * segmentItems]part[T], own, empty part[T], options uint32) (before, all part[T]) {
	l, from := it.LocalIndex(), 0
	memory[l] = own
	for step := 1; step < segmentItems; step *= 2 {
		it.Barrier()
		if l >= step {
			own = join(memory[from+l-step], own, options)
		}
		from = segmentItems - from
		memory[from+l] = own
	}
	it.Barrier()
	before = empty
	if l > 0 {
		before = memory[from+l-1]
	}
	return before, memory[from+segmentItems-1]
}

// scanSegments scans each tile behind the parts before it, or writes the tile's part with
// totalsOnly.
//
//gpuc:kernel workgroup=segmentItems types=int32,uint32,int64,uint64,float32,float64
func scanSegments[T Number](it gpu.Item, memory *[2 * segmentItems]part[T], n int, options uint32, identity T, flags []uint8, x []T, parts []part[T], result []T) {
	l, tile := it.LocalIndex(), it.Group().X
	first := tile*segmentTile + l*segmentEach
	var v [segmentEach]T
	own, heads, seen := part[T]{identity, 0}, uint32(0), uint32(0)
	for k := range segmentEach {
		next := part[T]{identity, 0}
		if i := first + k; i < n && i < len(x) && i < len(flags) {
			next.V = x[i]
			if i == 0 || flags[i] != 0 {
				next.Head = 1
			}
		}
		own = join(own, next, options)
		v[k] = own.V
		heads |= next.Head << k
		seen |= own.Head << k
	}
	before, all := joinItems(it, memory, own, part[T]{identity, 0}, options)
	if options&totalsOnly != 0 {
		if l == 0 && tile < len(parts) {
			parts[tile] = all
		}
		return
	}
	before = join(parts[tile], before, options)
	last := before.V
	for k := range segmentEach {
		if seen>>k&1 == 0 {
			v[k] = either[T]{}.apply(before.V, v[k], options)
		}
		value := v[k]
		if options&exclusive != 0 {
			value = last
			if heads>>k&1 != 0 {
				value = identity
			}
		}
		last = v[k]
		if i := first + k; i < n && i < len(result) {
			result[i] = value
		}
	}
}

// scanParts replaces the part of each tile by that of all tiles before it, in one workgroup.
//
//gpuc:kernel workgroup=segmentItems types=int32,uint32,int64,uint64,float32,float64
func scanParts[T Number](it gpu.Item, memory *[2 * segmentItems]part[T], carry *part[T], tiles int, options uint32, identity T, parts []part[T]) {
	l := it.LocalIndex()
	empty := part[T]{identity, 0}
	if l == 0 {
		*carry = empty
	}
	for start := 0; start < tiles; start += segmentItems {
		own := empty
		if i := start + l; i < tiles && i < len(parts) {
			own = parts[i]
		}
		before, all := joinItems(it, memory, own, empty, options)
		sum := *carry
		if i := start + l; i < tiles && i < len(parts) {
			parts[i] = join(sum, before, options)
		}
		it.Barrier()
		if l == 0 {
			*carry = join(sum, all, options)
		}
		it.Barrier()
	}
}

// foldSegments folds segments, of which offsets has the beginnings, and the end behind the last
// one. A segment has lanes items, a power of two. With countOnDevice number has how many segments
// there are, and the last one ends with x.
//
//gpuc:kernel workgroup=segmentItems types=int32,uint32,int64,uint64,float32,float64
func foldSegments[T Number](it gpu.Item, memory *[segmentItems]T, n, segments, lanes int, options uint32, identity T, x []T, offsets, number []uint32, result []T) {
	l := it.LocalIndex()
	each := segmentItems / lanes
	bounds := segments + 1
	if options&countOnDevice != 0 {
		segments = int(number[0])
		bounds = segments
	}
	if it.Group().X*each >= segments {
		return
	}
	segment, lane := it.Group().X*each+l/lanes, l%lanes
	v := identity
	if segment < segments && segment < len(offsets) {
		start, end := int(offsets[segment]), n
		if segment+1 < bounds {
			end = min(int(offsets[segment+1]), n)
		}
		for i := start + lane; i < end; i += lanes {
			v = either[T]{}.apply(v, x[i], options)
		}
	}
	at := lane*each + l/lanes
	memory[at] = v
	for step := segmentItems / 2; step > 0; step /= 2 {
		it.Barrier()
		if step >= each && at < step {
			memory[at] = either[T]{}.apply(memory[at], memory[at+step], options)
		}
	}
	it.Barrier()
	if lane == 0 && segment < segments && segment < len(result) {
		result[segment] = memory[at]
	}
}

// markOffsets flags where segments begin.
//
//gpuc:kernel workgroup=256
func markOffsets(it gpu.Item, count int, offsets []uint32, flags []uint8) {
	if i := it.Index(); i < count && i < len(offsets) {
		if at := int(offsets[i]); at < len(flags) {
			flags[at] = 1
		}
	}
}
