package ptx

import (
	"math"
	"strings"
)

// This file has what floating-point instructions compute (PTX ISA, Floating Point
// Instructions and cvt). Approximate instructions give the nearest value: any
// result within their error is right, and the tests of programs allow for it.

const (
	singleSign = 1 << 31
	singleNaN  = 0x7FFFFFFF // what instructions on f32 give
	halfNaN    = 0x7FFF
	doubleSign = 1 << 63
)

// values gives the value of a float's bits by the width of its type.
var values = map[int]func(uint64) float64{16: halfValue, 32: singleValue, 64: doubleValue}

func singleOf(a uint64) float32    { return math.Float32frombits(uint32(a)) }
func singleValue(a uint64) float64 { return float64(singleOf(a)) }
func singleBits(v float64) uint64  { return bitsOfSingle(float32(v)) }

// flushSubnormal makes a subnormal number a zero of its sign.
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

// halfValue returns an f16's value.
func halfValue(a uint64) float64 {
	exponent, digits := int(a>>10&31), float64(a&1023)
	v := math.Ldexp(digits, -24)
	switch {
	case exponent == 31 && digits != 0:
		return math.NaN()
	case exponent == 31:
		v = math.Inf(1)
	case exponent > 0:
		v = math.Ldexp(1024+digits, exponent-25)
	}
	return math.Copysign(v, 1-float64(a>>15&1)*2)
}

// halfBits returns the f16 nearest to a value, the even one of two.
func halfBits(v float64) uint64 {
	if v != v {
		return halfNaN
	}
	sign := math.Float64bits(v) >> 63 << 15
	v = math.Abs(v)
	if v >= 65520 { // halfway between the largest f16 and the next power of two
		return sign | 0x7C00
	}
	exponent := -14 // of the lowest normal numbers, whose step subnormal ones have
	if v >= 0x1p-14 {
		_, exponent = math.Frexp(v)
		exponent--
	}
	steps := uint64(math.RoundToEven(math.Ldexp(v, 10-exponent))) // up to 2048, which carries
	return sign | (uint64(exponent+14)<<10 + steps)
}

func ofSingles(f func(a, b float32) float32) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return bitsOfSingle(f(singleOf(a), singleOf(b))) }
}

// ofSingle makes an evaluation of a function that is exact enough in float64.
func ofSingle(f func(float64) float64) evaluation {
	return func(_ *instruction, a, _, _ uint64) uint64 { return singleBits(f(singleValue(a))) }
}

// ofHalves makes an evaluation of a function whose result is exact in float64.
func ofHalves(f func(a, b float64) float64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return halfBits(f(halfValue(a), halfValue(b))) }
}

func doubleValue(a uint64) float64 { return math.Float64frombits(a) }

// doubleBits returns an f64's bits. Instructions on f64 keep the payloads of NaNs
// (PTX ISA, Floating Point Instructions), as a host's do.
func doubleBits(v float64) uint64 { return math.Float64bits(v) }

func ofDoubles(f func(a, b float64) float64) evaluation {
	return func(_ *instruction, a, b, _ uint64) uint64 { return doubleBits(f(doubleValue(a), doubleValue(b))) }
}

func ofDouble(f func(float64) float64) evaluation {
	return func(_ *instruction, a, _, _ uint64) uint64 { return doubleBits(f(doubleValue(a))) }
}

// flushed makes subnormal sources and results zeros of their sign (.ftz).
func flushed(f evaluation) evaluation {
	return func(x *instruction, a, b, c uint64) uint64 {
		return flushSubnormal(f(x, flushSubnormal(a), flushSubnormal(b), c))
	}
}

func inverseSquareRoot(a float64) float64 { return 1 / math.Sqrt(a) }

// approximateQuotient is div.approx, which multiplies by a reciprocal that
// vanishes for the largest divisors.
func approximateQuotient(_ *instruction, a, b, _ uint64) uint64 {
	n, d := singleOf(a), singleOf(b)
	if size := math.Abs(float64(d)); size > 0x1p126 && !math.IsInf(size, 0) {
		return bitsOfSingle(n * float32(math.Copysign(0, float64(d))))
	}
	return bitsOfSingle(n / d)
}

// sumToOdd returns a + b rounded to odd: what is lost shows in the last bit, so
// that rounding once more to fewer digits goes as if from the exact sum (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func sumToOdd(a, b float64) float64 {
	sum := a + b
	if math.IsInf(sum, 0) || sum != sum {
		return sum
	}
	part := sum - a
	lost := (a - (sum - part)) + (b - part) // exactly (Knuth's TwoSum)
	if bits := math.Float64bits(sum); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (sum > 0) {
			return math.Float64frombits(bits + 1)
		}
		return math.Float64frombits(bits - 1)
	}
	return sum
}

// fusedSingle is fma.rn.f32. The product of two f32 is exact in float64.
func fusedSingle(_ *instruction, a, b, c uint64) uint64 {
	return singleBits(sumToOdd(float64(singleValue(a)*singleValue(b)), singleValue(c)))
}

// fusedSingleDown is fma.rm.f32, which rounds towards -∞.
func fusedSingleDown(_ *instruction, a, b, c uint64) uint64 {
	product, other := float64(singleValue(a)*singleValue(b)), singleValue(c)
	sum := sumToOdd(product, other)
	if sum == 0 && math.Signbit(product) != math.Signbit(other) {
		return singleSign // what an exact sum of zero is, rounded down (IEEE 754, 6.3)
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
	return halfBits(sumToOdd(float64(halfValue(a)*halfValue(b)), halfValue(c)))
}

// lesserFloat is min.f32: of a number and a NaN the number, and -0 is less than +0.
func lesserFloat(_ *instruction, a, b, _ uint64) uint64 {
	x, y := singleOf(a), singleOf(b)
	switch {
	case x != x && y != y:
		return singleNaN
	case x != x:
		return b
	case y != y:
		return a
	case x < y || x == y && a&singleSign != 0:
		return a
	}
	return b
}

// greaterFloat is max.f32.
func greaterFloat(_ *instruction, a, b, _ uint64) uint64 {
	x, y := singleOf(a), singleOf(b)
	switch {
	case x != x && y != y:
		return singleNaN
	case x != x:
		return b
	case y != y:
		return a
	case x > y || x == y && b&singleSign != 0:
		return a
	}
	return b
}

// lesserDouble is min.f64.
func lesserDouble(_ *instruction, a, b, _ uint64) uint64 {
	x, y := doubleValue(a), doubleValue(b)
	if y != y || x < y || x == y && a&doubleSign != 0 {
		return a
	}
	return b
}

// greaterDouble is max.f64.
func greaterDouble(_ *instruction, a, b, _ uint64) uint64 {
	x, y := doubleValue(a), doubleValue(b)
	if y != y || x > y || x == y && b&doubleSign != 0 {
		return a
	}
	return b
}

// compareFloats returns setp on floats. A relation with u holds of NaNs too.
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

// roundings are the roundings to whole numbers.
var roundings = map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}

// roundToInteger returns cvt to a whole number of the same type.
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

// convertToInteger returns cvt from a float, held at the ends of the integer's
// range. A NaN gives 0, or where either type has 64 bits the highest bit alone
// (PTX ISA, cvt).
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

// convertFromInteger returns cvt to a float, to the nearest.
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
	return func(x *instruction, a, _, _ uint64) uint64 { // exact in float64 as far as f16 reaches
		if negative {
			return halfBits(float64(x.signed(a)))
		}
		return halfBits(float64(a))
	}
}
