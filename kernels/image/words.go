package image

// Some kernels of uint8 compute with integers: two samples at once, one in each half of a word.
// Their results are those of float32, which represents all of these numbers.

const (
	lowBytes = 0x00ff00ff
	ones     = 0x00010001
)

// even and odd return every second sample of a word, in halves of a word.
func even(w uint32) uint32 { return w & lowBytes }
func odd(w uint32) uint32  { return w >> 8 & lowBytes }

// The following return two halves of words, the first one below: low ones, high ones, or both.
func lowLow(a, b uint32) uint32   { return a&0xffff | b<<16 }
func lowHigh(a, b uint32) uint32  { return a&0xffff | b&0xffff0000 }
func highLow(a, b uint32) uint32  { return a>>16 | b<<16 }
func highHigh(a, b uint32) uint32 { return a>>16 | b&0xffff0000 }

// wordAt returns the word at an index, or the last one.
func wordAt(src []uint32, n int) uint32 { return src[min(uint32(n), uint32(len(src)-1))] }

// edgeWord is where four samples beyond the edge of a row are in the row.
type edgeWord [4]int

// edgeWordAt returns where samples s to s+3 are, for a border that is not constant.
func edgeWordAt(v view, b border, s int) (e edgeWord) {
	for k := range e {
		// With so many pixels more no number that is divided is negative.
		const more = 2 * tileHalo
		x := (s+k+more*v.channels())/v.channels() - more
		e[k] = s + k + (b.around(x, v.width())-x)*v.channels()
	}
	return e
}

// of returns them as a word, in the row that begins with word at.
func (e edgeWord) of(src []uint32, at int) (w uint32) {
	for k, s := range e {
		w |= wordAt(src, at+s>>2) >> (8 * uint32(s&3)) & 0xff << (8 * uint32(k))
	}
	return w
}

// storeWord writes the first count of four samples from index at on, and n words further.
func storeWord(dst []uint32, at, n int, w uint32, count int) {
	if at&3 == 0 && count >= 4 {
		dst[at>>2+n] = w
		return
	}
	var f bytes
	storeEach[bytes](dst, at, n, f.unpack(w), count)
}
