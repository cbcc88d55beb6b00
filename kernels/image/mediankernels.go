package image

import "github.com/gpuc/gpuc/runtime/gpu"

// median3 writes the median of 3 × 3 samples. The network of 19 exchanges is that of Paeth,
// "Median finding on a 3x3 grid", Graphics Gems (1990), without the exchanges that the median does
// not need.
//
//gpuc:kernel workgroup=items types=orderedBytes/keys4/uint32,orderedHalves/keys2/uint32,orderedFloats/floatKey/float32
func median3[F format[W, V], V keyed[V], W word](it gpu.Item, b border, dst, src view, to, from []W) {
	var v V
	n, y := it.Global().X, it.Group().Y
	s := n * v.count()
	if s >= dst.samples() {
		return
	}
	v = medianOf[F, V](from, src, b, true, y, n)
	if nearEdge(src, b, s, v.count(), y, 1, 1) {
		v = medianOf[F, V](from, src, b, false, y, n)
	}
	store[F](to, dst.row(y), n, v, dst.samples()-s)
}

func medianOf[F format[W, V], V keyed[V], W word](from []W, src view, b border, fast bool, y, n int) V {
	var low, middle, lower, high V
	for j := -1; j <= 1; j++ {
		row := b.inside(y+j, src.height())
		p := tap[F, V](from, src, b, fast, row, n, -src.channels())
		q := tap[F, V](from, src, b, fast, row, n, 0)
		r := tap[F, V](from, src, b, fast, row, n, src.channels())
		// Sort the three samples of a row.
		p, q = p.min(q), p.max(q)
		q, r = q.min(r), q.max(r)
		p, q = p.min(q), p.max(q)
		// The largest of the smallest, the median of the medians, the smallest of the largest.
		switch j {
		case -1:
			low, middle, high = p, q, r
		case 0:
			low, high = low.max(p), high.min(r)
			lower, middle = middle.min(q), middle.max(q)
		case 1:
			low, high = low.max(p), high.min(r)
			middle = lower.max(middle.min(q))
		}
	}
	// The median of these three is that of all nine.
	least, most := low.min(middle), low.max(middle)
	return least.max(most.min(high))
}

// rank writes the sample of this number, from 0 on, among the sorted samples of a square. It finds
// the bits of its number among all values, from the highest on: the value is the largest one that
// no more than rank samples are below of.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func rank[F format[W, V], V run[V], W word](it gpu.Item, radius int, number float32, b border, dst, src view, to, from []W) {
	var v V
	n, y := it.Global().X, it.Group().Y
	s := n * v.count()
	if s >= dst.samples() {
		return
	}
	v = rankOf[F, V](from, src, radius, number, b, true, y, n)
	if nearEdge(src, b, s, v.count(), y, radius, radius) {
		v = rankOf[F, V](from, src, radius, number, b, false, y, n)
	}
	store[F](to, dst.row(y), n, v, dst.samples()-s)
}

func rankOf[F format[W, V], V run[V], W word](from []W, src view, radius int, number float32, b border, fast bool, y, n int) (v V) {
	var f F
	var k0, k1, k2, k3 uint32 // the bits that are known of each sample of the run
	for i := f.bits() - 1; i >= 0; i-- {
		bit := uint32(1) << uint(i)
		limit := v.of(f.ordered(k0|bit), f.ordered(k1|bit), f.ordered(k2|bit), f.ordered(k3|bit))
		below := v.fill(0)
		for j := -radius; j <= radius; j++ {
			row := b.inside(y+j, src.height())
			for i := -radius; i <= radius; i++ {
				below = below.add(tap[F, V](from, src, b, fast, row, n, i*src.channels()).less(limit))
			}
		}
		k0 |= selected(below.get(0) <= number, bit)
		k1 |= selected(below.get(1) <= number, bit)
		k2 |= selected(below.get(2) <= number, bit)
		k3 |= selected(below.get(3) <= number, bit)
	}
	return v.of(f.ordered(k0), f.ordered(k1), f.ordered(k2), f.ordered(k3))
}

func selected(condition bool, bit uint32) uint32 {
	if condition {
		return bit
	}
	return 0
}
