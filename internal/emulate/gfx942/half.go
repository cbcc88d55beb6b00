package gfx942

import "math"

// This file converts numbers of 16 bits, and rounds sums of products once.

// halfValue returns the number that 16 bits are.
func halfValue(bits uint64) float64 {
	sign, exponent, fraction := bits>>15&1, int(bits>>10&31), float64(bits&1023)
	var x float64
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if sign != 0 {
		return -x
	}
	return x
}

// halfBits returns the nearest number of 16 bits, the even one of two.
func halfBits(x float64) uint64 {
	sign := math.Float64bits(x) >> 48 & 0x8000
	x = math.Abs(x)
	switch {
	case math.IsNaN(x):
		return sign | 0x7E00
	case x > 1<<17:
		return sign | 0x7C00
	case x == 0:
		return sign
	}
	_, exponent := math.Frexp(x)
	unit := max(exponent-11, -24) // of the last place
	// a number that rounds up to the next power of two carries into the exponent, whose bits are
	// above those of the fraction
	n := uint64(math.RoundToEven(math.Ldexp(x, -unit)))
	return sign | min(n+uint64(unit+24)<<10, 0x7C00)
}

// oddSum returns a + b, and if that is no number of 64 bits, that neighbour whose last bit is one,
// so that rounding it to fewer bits is as if the exact sum were rounded.
func oddSum(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	t := s - a
	rest := (a - (s - t)) + (b - t)
	if rest == 0 || math.Float64bits(s)&1 != 0 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(math.Float64bits(s) + 1)
	}
	return math.Float64frombits(math.Float64bits(s) - 1)
}

// fused returns a·b + c of numbers of 32 bits, rounded once.
func fused(a, b, c float32) float32 { return float32(oddSum(float64(a)*float64(b), float64(c))) }
