package image

import "math"

// This file has samples that kernels only compare. They are numbers of 32 bits without sign, which
// all devices compare faster than floats.

// keyed is samples as numbers in the same order.
type keyed[V any] interface {
	samples[V]
	fillKey(key uint32) V
	min(V) V
	max(V) V
}

// The formats, by the Go type of their samples.
type (
	orderedBytes  struct{ bytes }
	orderedHalves struct{ halves }
	orderedFloats struct{ floats }
)

func (orderedBytes) unpack(w uint32) keys4 {
	return keys4{w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff, w >> 24}
}

func (orderedBytes) put(dst []uint32, n int, v keys4) { dst[n] = v.A | v.B<<8 | v.C<<16 | v.D<<24 }

func (orderedHalves) unpack(w uint32) keys2            { return keys2{w & 0xffff, w >> 16} }
func (orderedHalves) put(dst []uint32, n int, v keys2) { dst[n] = v.A | v.B<<16 }

func (orderedFloats) unpack(w float32) floatKey            { return floatKey{keyOf(w)} }
func (orderedFloats) put(dst []float32, n int, v floatKey) { dst[n] = v.get(0) }

// keyOf returns the number of a float in ascending order. NaN is the last.
func keyOf(v float32) uint32 {
	key := math.Float32bits(v)
	switch {
	case v != v:
		return 1<<32 - 1
	case key>>31 != 0:
		return ^key
	}
	return key | 1<<31
}

type (
	keys4    struct{ A, B, C, D uint32 }
	keys2    struct{ A, B uint32 }
	floatKey struct{ A uint32 }
)

func (keys4) count() int    { return 4 }
func (keys2) count() int    { return 2 }
func (floatKey) count() int { return 1 }

func (v keys4) get(n int) float32 {
	return four{whole(v.A), whole(v.B), whole(v.C), whole(v.D)}.get(n)
}

func (v keys2) get(n int) float32 { return two{whole(v.A), whole(v.B)}.get(n) }

func (v floatKey) get(int) float32 { return floats{}.ordered(v.A) }

func (v keys4) with(n int, s float32) keys4 {
	switch n {
	case 0:
		v.A = rounded(s, 255)
	case 1:
		v.B = rounded(s, 255)
	case 2:
		v.C = rounded(s, 255)
	case 3:
		v.D = rounded(s, 255)
	}
	return v
}

func (v keys2) with(n int, s float32) keys2 {
	if n == 0 {
		v.A = rounded(s, 65535)
	} else {
		v.B = rounded(s, 65535)
	}
	return v
}

func (floatKey) with(_ int, s float32) floatKey { return floatKey{keyOf(s)} }

func (keys4) fillKey(key uint32) keys4       { return keys4{key, key, key, key} }
func (keys2) fillKey(key uint32) keys2       { return keys2{key, key} }
func (floatKey) fillKey(key uint32) floatKey { return floatKey{key} }

func (v keys4) min(w keys4) keys4 {
	return keys4{min(v.A, w.A), min(v.B, w.B), min(v.C, w.C), min(v.D, w.D)}
}

func (v keys4) max(w keys4) keys4 {
	return keys4{max(v.A, w.A), max(v.B, w.B), max(v.C, w.C), max(v.D, w.D)}
}

func (v keys2) min(w keys2) keys2          { return keys2{min(v.A, w.A), min(v.B, w.B)} }
func (v keys2) max(w keys2) keys2          { return keys2{max(v.A, w.A), max(v.B, w.B)} }
func (v floatKey) min(w floatKey) floatKey { return floatKey{min(v.A, w.A)} }
func (v floatKey) max(w floatKey) floatKey { return floatKey{max(v.A, w.A)} }
