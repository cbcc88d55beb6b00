package ptx

import (
	"math"
	"strings"

	"github.com/gpuc/gpuc/internal/emulate"
)

// Floating-point instructions (PTX ISA, Floating Point Instructions and cvt). Approximate
// instructions return the nearest value. Devices may return any value within the error bound, and
// tests of kernels have tolerances for it.

const (
	singleSign = 1 << 31
	singleNaN  = 0x7FFFFFFF // the NaN of instructions on f32
	halfNaN    = 0x7FFF
	doubleSign = 1 << 63
)

// values decode a float by its bits.
var values = map[int]func(uint64) float64{16: halfValue, 32: singleValue, 64: doubleValue}

func singleOf(a uint64) float32    { return math.Float32frombits(uint32(a)) }
func singleValue(a uint64) float64 { return float64(singleOf(a)) }
func singleBits(v float64) uint64  { return bitsOfSingle(float32(v)) }

// flushSubnormal replaces a subnormal number by zero with its sign.
func flushSubnormal(a uint64) uint64 {
	if a&0x7F800000 == 0 {
		return a & singleSign
	}
	return a
}

func bitsOfSingle(v float32) uint64 {
	if v != v {
		return singleNaN
	}
	return uint64(math.Float32bits(v))
}

func halfValue(a uint64) float64 { return emulate.HalfValue(a) }
func halfBits(v float64) uint64  { return emulate.HalfBits(v, halfNaN) }

func ofSingles(f func(a, b float32) float32) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return bitsOfSingle(f(singleOf(a), singleOf(b))) }
}

// ofSingle returns the evaluation of a function that is computed in float64.
func ofSingle(f func(float64) float64) evaluation {
	return func(_ *instruction, a, _, _ uint64) uint64 { return singleBits(f(singleValue(a))) }
}

// ofHalves returns the evaluation of a function whose result is exact in float64.
func ofHalves(f func(a, b float64) float64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return halfBits(f(halfValue(a), halfValue(b))) }
}

func doubleValue(a uint64) float64 { return math.Float64frombits(a) }

// doubleBits encodes an f64. Instructions on f64 preserve NaN payloads (PTX ISA, Floating Point
// Instructions), like those of the host.
func doubleBits(v float64) uint64 { return math.Float64bits(v) }

func ofDoubles(f func(a, b float64) float64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return doubleBits(f(doubleValue(a), doubleValue(b))) }
}

func ofDouble(f func(float64) float64) evaluation {
	return func(_ *instruction, a, _, _ uint64) uint64 { return doubleBits(f(doubleValue(a))) }
}

// flushed flushes subnormal sources and results to zero (.ftz).
func flushed(f evaluation) evaluation {
	return func(x *instruction, a, b, c uint64) uint64 {
		return flushSubnormal(f(x, flushSubnormal(a), flushSubnormal(b), c))
	}
}

func inverseSquareRoot(a float64) float64 { return 1 / math.Sqrt(a) }

// approximateQuotient is div.approx, which multiplies by the reciprocal. That is 0 for divisors
// above 2^126.
func approximateQuotient(_ *instruction, a, b, _ uint64) uint64 {
	n, d := singleOf(a), singleOf(b)
	if size := math.Abs(float64(d)); size > 0x1p126 && !math.IsInf(size, 0) {
		return bitsOfSingle(n * float32(math.Copysign(0, float64(d))))
	}
	return bitsOfSingle(n / d)
}

// fusedSingle is fma.rn.f32. The product of two f32 is exact in float64.
func fusedSingle(_ *instruction, a, b, c uint64) uint64 {
	return singleBits(emulate.SumToOdd(float64(singleValue(a)*singleValue(b)), singleValue(c)))
}

// fusedSingleDown is fma.rm.f32, which rounds towards -∞.
func fusedSingleDown(_ *instruction, a, b, c uint64) uint64 {
	product, other := float64(singleValue(a)*singleValue(b)), singleValue(c)
	sum := emulate.SumToOdd(product, other)
	if sum == 0 && math.Signbit(product) != math.Signbit(other) {
		return singleSign // an exact sum of zero, rounded down (IEEE 754, 6.3)
	}
	v := float32(sum)
	if float64(v) > sum {
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return bitsOfSingle(v)
}

// fusedDouble is fma.rn.f64.
func fusedDouble(_ *instruction, a, b, c uint64) uint64 {
	return doubleBits(math.FMA(doubleValue(a), doubleValue(b), doubleValue(c)))
}

func fusedHalf(_ *instruction, a, b, c uint64) uint64 {
	return halfBits(emulate.SumToOdd(float64(halfValue(a)*halfValue(b)), halfValue(c)))
}

// minimum returns the evaluation of min on a float type, which prefers a number to a NaN and orders
// -0 before +0.
func minimum(value func(uint64) float64, sign uint64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 {
		x, y := value(a), value(b)
		if y != y || x < y || x == y && a&sign != 0 {
			return a
		}
		return b
	}
}

// maximum returns the evaluation of max on a float type.
func maximum(value func(uint64) float64, sign uint64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 {
		x, y := value(a), value(b)
		if y != y || x > y || x == y && b&sign != 0 {
			return a
		}
		return b
	}
}

// canonical replaces a NaN by that of f32 instructions.
func canonical(f evaluation) evaluation {
	return func(x *instruction, a, b, c uint64) uint64 { return bitsOfSingle(singleOf(f(x, a, b, c))) }
}

// compareFloats returns the evaluation of setp on floats. An unordered relation holds for NaNs.
func compareFloats(f *form) evaluation {
	r, value := relation(f), values[f.t.bits]
	unordered := len(r) == 3 && r[2] == 'u' || r == "nan"
	holds := map[string]func(a, b float64) bool{
		"eq": func(a, b float64) bool { return a == b },
		"ne": func(a, b float64) bool { return a != b },
		"lt": func(a, b float64) bool { return a < b },
		"le": func(a, b float64) bool { return a <= b },
		"gt": func(a, b float64) bool { return a > b },
		"ge": func(a, b float64) bool { return a >= b },
		"nu": func(_, _ float64) bool { return true },  // num
		"na": func(_, _ float64) bool { return false }, // nan
	}[r[:2]]
	return func(_ *instruction, a, b, _ uint64) uint64 {
		v, w := value(a), value(b)
		if v != v || w != w {
			return truth(unordered)
		}
		return truth(holds(v, w))
	}
}

// roundings are the roundings to integers.
var roundings = map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}

// roundToInteger returns the evaluation of cvt that rounds a float to an integer in the same type.
func roundToInteger(f *form) evaluation {
	round := roundings[strings.Split(f.name, ".")[1]]
	switch f.t.bits {
	case 16:
		return func(_ *instruction, a, _, _ uint64) uint64 { return halfBits(round(halfValue(a))) }
	case 64:
		return ofDouble(round)
	}
	return ofSingle(round)
}

// convertToInteger returns the evaluation of cvt from a float, which saturates. A NaN gives 0, or
// if either type has 64 bits only the highest bit (PTX ISA, cvt).
func convertToInteger(f *form) evaluation {
	round, value, to := roundings[strings.Split(f.name, ".")[1]], values[f.t.bits], f.u
	ofNaN := uint64(0)
	if to.bits == 64 || f.t.bits == 64 {
		ofNaN = 1 << (to.bits - 1)
	}
	low, high := 0.0, math.Ldexp(1, to.bits)
	if to.letter == 's' {
		low, high = -math.Ldexp(1, to.bits-1), math.Ldexp(1, to.bits-1)
	}
	return func(_ *instruction, a, _, _ uint64) uint64 {
		switch v := round(value(a)); {
		case v != v:
			return ofNaN
		case v < low:
			return uint64(int64(low))
		case v >= high && to.letter == 's':
			return 1<<(to.bits-1) - 1
		case v >= high:
			return to.mask()
		case v < 0:
			return uint64(int64(v))
		default:
			return uint64(v)
		}
	}
}

// convertFromInteger returns the evaluation of cvt.rn to a float.
func convertFromInteger(f *form) evaluation {
	negative := f.t.letter == 's'
	switch f.u.bits {
	case 64:
		return func(x *instruction, a, _, _ uint64) uint64 {
			if negative {
				return doubleBits(float64(x.signed(a)))
			}
			return doubleBits(float64(a))
		}
	case 32:
		return func(x *instruction, a, _, _ uint64) uint64 {
			if negative {
				return bitsOfSingle(float32(x.signed(a)))
			}
			return bitsOfSingle(float32(a))
		}
	}
	return func(x *instruction, a, _, _ uint64) uint64 { // exact in float64 within the range of f16
		if negative {
			return halfBits(float64(x.signed(a)))
		}
		return halfBits(float64(a))
	}
}

// brainBits encodes an f32 as a bf16, rounded to the nearest, ties to even.
func brainBits(a uint64) uint64 {
	if v := singleOf(a); v != v {
		return 0x7FFF
	}
	return (a + 0x7FFF + a>>16&1) >> 16
}
