package scalar

import "math"

// IEEE 754 binary16 conversion. f16 arithmetic is done in float64 and rounded once. float64 holds
// every f16 sum and product exactly and has more than twice its precision plus two bits. So
// division and square root rounded through it are right too (Figueroa, "When is double rounding
// innocuous?", 1995).

// HalfToFloat64 returns the value of a binary16 pattern. NaN payloads are kept.
func HalfToFloat64(h uint16) float64 {
	sign := uint64(h>>15) << 63
	exponent, fraction := int(h>>10)&31, uint64(h&1023)
	switch exponent {
	case 0: // zero and subnormal numbers: fraction · 2^-24
		x := float64(fraction) * 0x1p-24
		return math.Float64frombits(math.Float64bits(x) | sign)
	case 31:
		return math.Float64frombits(sign | 0x7FF<<52 | fraction<<42)
	}
	return math.Float64frombits(sign | uint64(exponent-15+1023)<<52 | fraction<<42)
}

// HalfFromFloat64 returns the binary16 pattern nearest to x, ties to even.
func HalfFromFloat64(x float64) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b >> 48 & 0x8000)
	exponent := int(b>>52) & 0x7FF
	fraction := b & (1<<52 - 1)
	if exponent == 0x7FF {
		if fraction != 0 {
			return sign | 0x7E00 | uint16(fraction>>42)
		}
		return sign | 0x7C00
	}
	e := exponent - 1023 + 15
	if e >= 31 {
		return sign | 0x7C00
	}
	if e < -10 { // below half the smallest subnormal: rounds to zero
		return sign
	}
	shift := uint(42)
	significand := fraction | 1<<52
	if e <= 0 { // subnormal: shift the implicit bit in
		shift += uint(1 - e)
		e = 0
	} else {
		significand &^= 1 << 52
	}
	half := uint64(1) << (shift - 1)
	rounded := significand >> shift
	if rest := significand & (1<<shift - 1); rest > half || rest == half && rounded&1 == 1 {
		rounded++ // a carry runs into the exponent, which is what it should do
	}
	return sign | (uint16(e)<<10 + uint16(rounded))
}
