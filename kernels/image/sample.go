package image

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file says how samples are in memory. Kernels read and write words of 32 bits, with four
// samples of 8 bits, two of 16 bits, or a float32. So they need no memory with narrow accesses, and
// an item computes as many samples as its store writes.

// word is what a buffer consists of, as kernels see it.
type word interface{ uint32 | float32 }

// format says how a word W consists of samples. Kernels compute with a V, a run of samples.
type format[W, V any] interface {
	perWord() int // a power of two
	// shifted returns the word that begins with sample n of low and goes on with those of high.
	shifted(low, high W, n int) W
	// sample returns sample n of a word.
	sample(w W, n int) float32
	unpack(w W) V
	// full is the sample of full intensity.
	full() float32
	// ordered returns number n of all values in ascending order, and bits how many there are, as a
	// power of two.
	ordered(n uint32) float32
	bits() int
	// put writes run n of a buffer, with samples rounded as the format demands.
	put(dst []W, n int, v V)
	// set writes sample n of a word alone. Other items may write others.
	set(p *W, n int, v float32)
}

// The formats, by the Go type of their samples.
type (
	bytes  struct{} // uint8
	halves struct{} // uint16
	floats struct{} // float32
	// The results of kernels that read bytes or halves, and write float32.
	fromBytes  struct{ floats }
	fromHalves struct{ floats }
)

func (bytes) perWord() int  { return 4 }
func (halves) perWord() int { return 2 }
func (floats) perWord() int { return 1 }

func (bytes) full() float32  { return 255 }
func (halves) full() float32 { return 65535 }
func (floats) full() float32 { return 1 }

func (bytes) ordered(n uint32) float32  { return float32(n) }
func (halves) ordered(n uint32) float32 { return float32(n) }

func (floats) ordered(n uint32) float32 {
	if n>>31 != 0 {
		return math.Float32frombits(n ^ 1<<31)
	}
	return math.Float32frombits(^n)
}

func (bytes) bits() int  { return 8 }
func (halves) bits() int { return 16 }
func (floats) bits() int { return 32 }

func (bytes) shifted(low, high uint32, n int) uint32 {
	return low>>(8*uint32(n)) | high<<1<<(31-8*uint32(n))
}

func (bytes) sample(w uint32, n int) float32 { return whole(w >> (8 * uint32(n)) & 0xff) }

func (bytes) unpack(w uint32) four {
	return four{whole(w & 0xff), whole(w >> 8 & 0xff), whole(w >> 16 & 0xff), whole(w >> 24)}
}

func (f bytes) put(dst []uint32, n int, v four) { dst[n] = f.pack(v) }

// pack returns the word of four samples.
func (bytes) pack(v four) uint32 {
	return rounded(v.A, 255) | rounded(v.B, 255)<<8 | rounded(v.C, 255)<<16 | rounded(v.D, 255)<<24
}

func (bytes) set(p *uint32, n int, v float32) {
	atomic.AndUint32(p, ^(0xff << (8 * uint32(n))))
	atomic.OrUint32(p, rounded(v, 255)<<(8*uint32(n)))
}

func (halves) shifted(low, high uint32, n int) uint32 {
	return low>>(16*uint32(n)) | high<<1<<(31-16*uint32(n))
}

func (halves) sample(w uint32, n int) float32 { return whole(w >> (16 * uint32(n)) & 0xffff) }
func (halves) unpack(w uint32) two            { return two{whole(w & 0xffff), whole(w >> 16)} }

func (halves) put(dst []uint32, n int, v two) {
	dst[n] = rounded(v.A, 65535) | rounded(v.B, 65535)<<16
}

func (halves) set(p *uint32, n int, v float32) {
	atomic.AndUint32(p, ^(0xffff << (16 * uint32(n))))
	atomic.OrUint32(p, rounded(v, 65535)<<(16*uint32(n)))
}

func (floats) shifted(low, _ float32, _ int) float32 { return low }
func (floats) sample(w float32, _ int) float32       { return w }
func (floats) unpack(w float32) single               { return single{w} }
func (floats) put(dst []float32, n int, v single)    { dst[n] = v.A }
func (floats) set(p *float32, _ int, v float32)      { *p = v }

func (fromBytes) put(dst []float32, n int, v four) {
	dst[4*n], dst[4*n+1], dst[4*n+2], dst[4*n+3] = v.A, v.B, v.C, v.D
}

func (fromHalves) put(dst []float32, n int, v two) { dst[2*n], dst[2*n+1] = v.A, v.B }

func (fromBytes) unpack(w float32) four { return four{A: w} }
func (fromHalves) unpack(w float32) two { return two{A: w} }

// whole returns a number below 2³¹, by way of int32, which processors convert faster.
func whole(w uint32) float32 { return float32(int32(w)) }

// rounded returns the integer from 0 to top that is nearest to v, the even one of two, and 0 for
// NaN.
func rounded(v, top float32) uint32 {
	// The mantissa of such a sum has no bits for fractions.
	const units = 1 << 23
	return math.Float32bits(min(max(v, 0), top)+units) & (units - 1)
}

// samples is the samples of a word, one behind the other.
type samples[V any] interface {
	count() int // a power of two
	get(n int) float32
	with(n int, s float32) V
}

// run is samples that kernels compute with.
type run[V any] interface {
	samples[V]
	fill(s float32) V
	// of is a run of the first ones of four samples.
	of(a, b, c, d float32) V
	add(V) V
	scale(float32) V
	// less is 1 for each sample below one of w, and 0 for others.
	less(w V) V
	// save writes the samples to a row of a tile, stride elements apart, and restore reads them.
	save(p *tile, row, at, stride int)
	restore(p *tile, row, at int, from [4]int) V
	// keep writes the samples to a row of a band, stride elements apart, and fetch reads them.
	keep(p *band, row, at, stride int)
	fetch(p *band, row, at int, from [4]int) V
	// join is as many samples from sample k on, of these and the next ones.
	join(next V, k int) V
}

type (
	four   struct{ A, B, C, D float32 }
	two    struct{ A, B float32 }
	single struct{ A float32 }
)

func (four) count() int   { return 4 }
func (two) count() int    { return 2 }
func (single) count() int { return 1 }

func (v four) get(n int) float32 {
	low, high := v.A, v.C
	if n&1 != 0 {
		low, high = v.B, v.D
	}
	if n&2 != 0 {
		return high
	}
	return low
}

func (v two) get(n int) float32 {
	if n&1 != 0 {
		return v.B
	}
	return v.A
}

func (v single) get(int) float32 { return v.A }

func (four) of(a, b, c, d float32) four     { return four{a, b, c, d} }
func (two) of(a, b, _, _ float32) two       { return two{a, b} }
func (single) of(a, _, _, _ float32) single { return single{a} }

func (four) fill(s float32) four     { return four{s, s, s, s} }
func (two) fill(s float32) two       { return two{s, s} }
func (single) fill(s float32) single { return single{s} }

func (v four) with(n int, s float32) four {
	switch n {
	case 0:
		v.A = s
	case 1:
		v.B = s
	case 2:
		v.C = s
	case 3:
		v.D = s
	}
	return v
}

func (v two) with(n int, s float32) two {
	if n == 0 {
		v.A = s
	} else {
		v.B = s
	}
	return v
}

func (v single) with(_ int, s float32) single { return single{s} }

func (v four) add(w four) four       { return four{v.A + w.A, v.B + w.B, v.C + w.C, v.D + w.D} }
func (v two) add(w two) two          { return two{v.A + w.A, v.B + w.B} }
func (v single) add(w single) single { return single{v.A + w.A} }

func (v four) less(w four) four {
	return four{below(v.A, w.A), below(v.B, w.B), below(v.C, w.C), below(v.D, w.D)}
}

func (v two) less(w two) two          { return two{below(v.A, w.A), below(v.B, w.B)} }
func (v single) less(w single) single { return single{below(v.A, w.A)} }

func below(v, w float32) float32 {
	if v < w {
		return 1
	}
	return 0
}

func (v four) scale(s float32) four     { return four{v.A * s, v.B * s, v.C * s, v.D * s} }
func (v two) scale(s float32) two       { return two{v.A * s, v.B * s} }
func (v single) scale(s float32) single { return single{v.A * s} }

func (v four) save(p *tile, row, at, stride int) {
	p[row][at] = v.A
	p[row][at+stride] = v.B
	p[row][at+2*stride] = v.C
	p[row][at+3*stride] = v.D
}

func (v two) save(p *tile, row, at, stride int) {
	p[row][at] = v.A
	p[row][at+stride] = v.B
}

func (v single) save(p *tile, row, at, stride int) { p[row][at] = v.A }

func (v four) restore(p *tile, row, at int, from [4]int) four {
	return four{p[row][at+from[0]], p[row][at+from[1]], p[row][at+from[2]], p[row][at+from[3]]}
}

func (v two) restore(p *tile, row, at int, from [4]int) two {
	return two{p[row][at+from[0]], p[row][at+from[1]]}
}

func (v single) restore(p *tile, row, at int, from [4]int) single {
	return single{p[row][at+from[0]]}
}

// view is where an image is in a buffer, in samples.
type view struct{ Offset, Stride, Width, Height, Channels int32 }

func (v view) width() int    { return int(v.Width) }
func (v view) height() int   { return int(v.Height) }
func (v view) channels() int { return int(v.Channels) }

// row returns where row y begins.
func (v view) row(y int) int { return int(v.Offset) + y*int(v.Stride) }

// samples returns how many samples a row has.
func (v view) samples() int { return int(v.Width * v.Channels) }

// log2 returns the logarithm of 1, 2 or 4.
func log2(n int) uint { return uint(n) >> 1 }

// one returns the sample at an index.
func one[F format[W, V], V any, W word](src []W, at int) float32 {
	var f F
	return f.sample(src[at>>log2(f.perWord())], at&(f.perWord()-1))
}

// load returns consecutive samples from index at on, and n runs further. What is outside of the
// buffer is undefined. If at is the same for all items and n counts them, items read consecutive
// words.
func load[F format[W, V], V any, W word](src []W, at, n int) V {
	var f F
	i, last := uint32(at>>log2(f.perWord())+n), uint32(len(src)-1)
	w := src[min(i, last)]
	if first := at & (f.perWord() - 1); first != 0 {
		w = f.shifted(w, src[min(i+1, last)], first)
	}
	return f.unpack(w)
}

// store writes the first count of consecutive samples from index at on, and n runs further.
func store[G format[X, V], V samples[V], X word](dst []X, at, n int, v V, count int) {
	var g G
	if at&(v.count()-1) == 0 && count >= v.count() {
		g.put(dst, at>>log2(v.count())+n, v)
		return
	}
	storeEach[G](dst, at, n, v, count)
}

// storeEach does what store does by one sample after another.
func storeEach[G format[X, V], V samples[V], X word](dst []X, at, n int, v V, count int) {
	var g G
	per := g.perWord()
	for k := range min(count, v.count()) {
		at := at + n*v.count() + k
		g.set(&dst[at>>log2(per)], at&(per-1), v.get(k))
	}
}

// nothing returns sums without terms.
func nothing[V run[V]]() (v V) { return v.fill(minusZero()) }

// scratchpad has the samples of the pixels that the items of a workgroup compute, one each.
type scratchpad [4*items + 3]float32

// put has a pixel of the item stored by deposit.
func (pad *scratchpad) put(it gpu.Item, dst view, v four) {
	at := it.LocalIndex() * dst.channels()
	pad[at] = v.A
	if dst.channels() > 1 {
		pad[at+1] = v.B
	}
	if dst.channels() > 2 {
		pad[at+2] = v.C
	}
	if dst.channels() > 3 {
		pad[at+3] = v.D
	}
}

// deposit makes the workgroup store what its items have in the scratchpad: the pixels from x on of
// row y. All items of the workgroup call it.
func deposit[G format[X, V], V run[V], X word](it gpu.Item, pad *scratchpad, to []X, dst view, x, y int) {
	it.Barrier()
	var v V
	count := min(dst.width()-x, items) * dst.channels()
	for i := it.LocalIndex(); i*v.count() < count; i += items {
		at := i * v.count()
		v = v.of(pad[at], pad[at+1], pad[at+2], pad[at+3])
		store[G](to, dst.row(y)+x*dst.channels(), i, v, count-at)
	}
}
