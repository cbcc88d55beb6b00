package image

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Bins is how many bins a histogram has for each channel.
const Bins = 256

// clearCounts makes counts zero.
//
//gpuc:kernel workgroup=items
func clearCounts(it gpu.Item, counts []uint32) {
	if i := it.Index(); i < len(counts) {
		counts[i] = 0
	}
}

// countRows is how many rows of an image a workgroup counts.
const countRows = 16

// countBins adds the samples of an image to the bins of their channels.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func countBins[F format[W, V], V run[V], W word](it gpu.Item, bins *[4 * Bins]uint32, src view, from []W, counts []uint32) {
	var v V
	n := it.Global().X
	s := n * v.count()
	if s < src.samples() {
		for y := it.Group().Y * countRows; y < min(src.height(), it.Group().Y*countRows+countRows); y++ {
			v := load[F](from, src.row(y), n)
			for k := range v.count() {
				if s+k < src.samples() {
					c := uint32(s+k) % uint32(src.channels())
					atomic.AddUint32(&bins[c*Bins+binOf[F](v.get(k))], 1)
				}
			}
		}
	}
	it.Barrier()
	for i := it.LocalIndex(); i < Bins*src.channels(); i += items {
		if bins[i] != 0 {
			atomic.AddUint32(&counts[i], bins[i])
		}
	}
}

// binOf returns the bin of a sample: equal parts of the range of its type, and of 0 to 1.
func binOf[F format[W, V], V any, W word](v float32) uint32 {
	var f F
	if f.full() == 1 {
		v *= Bins
	} else {
		v *= Bins / (f.full() + 1)
	}
	return uint32(min(max(v, 0), Bins-1))
}

// prefix makes the sums of each channel's counts up to each bin, with one workgroup for each.
//
//gpuc:kernel workgroup=Bins
func prefix(it gpu.Item, sums *[Bins]uint32, counts []uint32) {
	l := it.LocalIndex()
	at := it.Group().X*Bins + l
	sum := counts[at]
	sums[l] = sum
	for left := 1; left < Bins; left *= 2 {
		it.Barrier()
		if l >= left {
			sum += sums[l-left]
		}
		it.Barrier()
		sums[l] = sum
	}
	counts[at] = sum
}

// equalizing makes a table of intensities from sums of counts. The first bin with any sample has 0,
// the last one 255.
//
//gpuc:kernel workgroup=Bins
func equalizing(it gpu.Item, sums []uint32, table []uint32) {
	first := it.Group().X * Bins
	least := uint32(0)
	for i := range Bins {
		if least == 0 {
			least = sums[first+i]
		}
	}
	all, at := sums[first+Bins-1], first+it.LocalIndex()
	v := uint32(it.LocalIndex())
	if all != least {
		v = uint32(gpu.Round(float32(max(sums[at], least)-least) / float32(all-least) * 255))
	}
	table[at] = v
}

// otsu makes a table with 0 up to the level that separates the samples of a channel best, and 255
// above it. The variance between both classes, ω₀·ω₁·(μ₀-μ₁)², is the largest, and the level the
// first such one. (Otsu, "A threshold selection method from gray-level histograms", 1979)
//
//gpuc:kernel workgroup=Bins
func otsu(it gpu.Item, shared *[Bins]uint32, counts []uint32, table []uint32) {
	l := it.LocalIndex()
	at := it.Group().X*Bins + l
	shared[l] = counts[at]
	it.Barrier()
	var all, moments float32
	for i := range Bins {
		all += float32(shared[i])
		moments += float32(i) * float32(shared[i])
	}
	var best, below, moment float32
	level := 0
	for i := range Bins {
		below += float32(shared[i])
		moment += float32(i) * float32(shared[i])
		if above := all - below; below > 0 && above > 0 {
			d := moment/below - (moments-moment)/above
			if v := (below / all) * (above / all) * d * d; v > best {
				best, level = v, i
			}
		}
	}
	table[at] = 0
	if l > level {
		table[at] = 255
	}
}

// look makes each sample of 8 bits what the table of its channel has.
//
//gpuc:kernel workgroup=items
func look(it gpu.Item, dst, src view, to, from []uint32, table []uint32) {
	n, y := it.Global().X, it.Group().Y
	s := 4 * n
	if s >= dst.samples() {
		return
	}
	v := load[bytes](from, src.row(y), n)
	v = four{entry(table, src, s, v.A), entry(table, src, s+1, v.B), entry(table, src, s+2, v.C), entry(table, src, s+3, v.D)}
	store[bytes](to, dst.row(y), n, v, dst.samples()-s)
}

// entry returns what the table has for the sample at position s of a row.
func entry(table []uint32, v view, s int, sample float32) float32 {
	return float32(table[uint32(s)%uint32(v.channels())*Bins+uint32(sample)])
}

// threshold writes high where a sample is above the level, and low where not.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func threshold[F format[W, V], V run[V], W word](it gpu.Item, level, low, high float32, dst, src view, to, from []W) {
	var v V
	n, y := it.Global().X, it.Group().Y
	s := n * v.count()
	if s >= dst.samples() {
		return
	}
	v = load[F, V](from, src.row(y), n)
	v = v.of(step(v.get(0), level, low, high), step(v.get(1), level, low, high), step(v.get(2), level, low, high), step(v.get(3), level, low, high))
	store[F](to, dst.row(y), n, v, dst.samples()-s)
}

func step(v, level, low, high float32) float32 {
	if v > level {
		return high
	}
	return low
}
