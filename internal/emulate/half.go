package emulate

import "math"

// Arithmetic that the emulators share, since Go has no binary16 and no float32 FMA.

// HalfValue decodes an IEEE 754 binary16.
func HalfValue(bits uint64) float64 {
	exponent, fraction := int(bits>>10&31), bits&1023
	var x float64
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = float64(fraction) * 0x1p-24
	default:
		x = math.Float64frombits(uint64(exponent-15+1023)<<52 | fraction<<42)
	}
	if bits>>15&1 != 0 {
		return -x
	}
	return x
}

// HalfBits rounds to the nearest binary16, ties to even. A NaN becomes nan.
func HalfBits(x float64, nan uint64) uint64 {
	if math.IsNaN(x) {
		return nan
	}
	sign := math.Float64bits(x) >> 48 & 0x8000
	x = math.Abs(x)
	switch {
	case x >= 65520: // halfway between the largest number and the next power of two
		return sign | 0x7C00
	case x < 0x1p-14: // subnormal: a multiple of 2^-24; a carry gives the smallest normal number
		return sign | uint64(math.RoundToEven(x*0x1p24))
	}
	bits := math.Float64bits(x)
	kept, rest := bits>>42-(1023-15)<<10, bits&(1<<42-1)
	if rest > 1<<41 || rest == 1<<41 && kept&1 != 0 {
		kept++ // a carry increments the exponent
	}
	return sign | kept
}

// SumToOdd returns a + b rounded to odd: an inexact sum has an odd last bit. Rounding it again to a
// narrower format then equals one rounding of the exact sum (Boldo and Melquiond, "Emulation of FMA
// and Correctly Rounded Sums").
func SumToOdd(a, b float64) float64 {
	sum := a + b
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sum
	}
	part := sum - a
	lost := (a - (sum - part)) + (b - part) // the rounding error (Knuth's TwoSum)
	if bits := math.Float64bits(sum); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (sum > 0) {
			return math.Float64frombits(bits + 1)
		}
		return math.Float64frombits(bits - 1)
	}
	return sum
}
