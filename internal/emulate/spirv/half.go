package spirv

import "math"

// halfToDouble decodes an IEEE 754 binary16.
func halfToDouble(bits uint64) float64 {
	sign, exponent, fraction := bits>>15&1, int(bits>>10&0x1F), bits&0x3FF
	var x float64
	switch exponent {
	case 0:
		x = float64(fraction) * 0x1p-24
	case 0x1F:
		if fraction != 0 {
			return math.NaN()
		}
		x = math.Inf(1)
	default:
		x = math.Float64frombits(uint64(exponent-15+1023)<<52 | fraction<<42)
	}
	if sign != 0 {
		return -x
	}
	return x
}

// doubleToHalf rounds to the nearest binary16 number, ties to even.
func doubleToHalf(x float64) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	x = math.Abs(x)
	switch {
	case math.IsNaN(x):
		return 0x7E00
	case x >= 65520: // half a step above the largest number
		return sign | 0x7C00
	case x < 0x1p-14: // subnormal: a multiple of 2^-24, and a carry makes it normal
		return sign | uint64(math.RoundToEven(x*0x1p24))
	}
	bits := math.Float64bits(x)
	exponent := bits>>52 - 1023 + 15
	fraction := bits & (1<<52 - 1)
	kept, rest := fraction>>42, fraction&(1<<42-1)
	half := exponent<<10 | kept
	if rest > 1<<41 || rest == 1<<41 && kept&1 != 0 {
		half++ // a carry goes on into the exponent
	}
	return sign | half
}

func singleToDouble(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
func doubleToSingle(x float64) uint64    { return uint64(math.Float32bits(float32(x))) }
