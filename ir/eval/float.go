package eval

import "math"

// The floating-point operations: first those on float64 that are lifted to
// every float kind, then those that work on the bits of one kind.

func add64(x, y float64) float64      { return x + y }
func subtract64(x, y float64) float64 { return x - y }
func multiply64(x, y float64) float64 { return x * y }
func divide64(x, y float64) float64   { return x / y }

func inverseSqrt64(x float64) float64 { return 1 / math.Sqrt(x) }

// fract64 is x - floor(x); for a small negative x the lifted result rounds to
// 1, which WGSL §17.5 (fract) allows.
func fract64(x float64) float64 { return x - math.Floor(x) }

// sign64 keeps zeros and NaN.
func sign64(x float64) float64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return x
}

// minimum64 does not depend on the order of its operands, so that passes may exchange them. -0 is
// below +0, and a number is preferred to a NaN (minimumNumber of IEEE 754-2019).
func minimum64(x, y float64) float64 {
	switch {
	case x < y:
		return x
	case y < x:
		return y
	case x == y:
		if math.Signbit(x) {
			return x
		}
		return y
	case x != x:
		return y
	}
	return x
}

// maximum64 mirrors minimum64.
func maximum64(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	case x == y:
		if math.Signbit(x) {
			return y
		}
		return x
	case x != x:
		return y
	}
	return x
}

func clamp64(x, low, high float64) float64 { return minimum64(maximum64(x, low), high) }

// pow64 is NaN outside WGSL's domain x ≥ 0 (§17.5, pow).
func pow64(x, y float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return math.Pow(x, y)
}

func significand64(x float64) float64 {
	f, _ := math.Frexp(x)
	return f
}

// multiplyAddToOdd returns x·y + z of f32 or f16 numbers rounded to odd in float64. Rounding that
// to the narrow kind gives the correctly rounded fma. See Boldo and Melquiond, "Emulation of a FMA
// and correctly-rounded sums: proved algorithms using rounding to odd", 2008. The product is exact,
// for it has at most 48 bits and float64's exponents are wide enough. Knuth's two-sum gives the
// error of the sum; when there is one, the odd neighbour of the sum on the side of the exact value
// replaces it.
func multiplyAddToOdd(x, y, z float64) float64 {
	product := float64(x * y) // the conversion forbids a fused multiply-add
	sum := product + z
	if math.IsInf(sum, 0) || sum != sum {
		return sum
	}
	virtual := sum - product
	err := (product - (sum - virtual)) + (z - virtual)
	if err == 0 {
		return sum
	}
	bits := math.Float64bits(sum)
	if bits&1 == 1 {
		return sum
	}
	if (err > 0) == (sum > 0) { // the exact value is larger in magnitude
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// fusedMultiplyAdd32 rounds the float64 sum directly where that cannot differ
// from rounding it to odd first: when it is not on a boundary between two f32
// results, a tie. The boundaries of subnormal results lie elsewhere and those
// of overflow are ties too.
func fusedMultiplyAdd32(a, b, c, _ uint64) uint64 {
	x, y, z := float64(fromSingle(a)), float64(fromSingle(b)), float64(fromSingle(c))
	sum := float64(x*y) + z
	const below = 1<<29 - 1 // the bits of float64 that f32 lacks
	if bits := math.Float64bits(sum); bits&below != 1<<28 && bits>>52&0x7FF > 1023-126 {
		return single(float32(sum))
	}
	return single(float32(multiplyAddToOdd(x, y, z)))
}

func sqrt32(a, _, _, _ uint64) uint64 { return single(float32(math.Sqrt(float64(fromSingle(a))))) }

func fusedMultiplyAdd64(a, b, c, _ uint64) uint64 {
	return double(math.FMA(fromDouble(a), fromDouble(b), fromDouble(c)))
}

// negateSign and clearSign act on the highest bit of U, the unsigned type of the
// float's width, and so on NaN as on numbers.
func negateSign[U uint16 | uint32 | uint64](a, _, _, _ uint64) uint64 {
	return uint64(U(a) ^ (^(^U(0) >> 1)))
}

func clearSign[U uint16 | uint32 | uint64](a, _, _, _ uint64) uint64 {
	return uint64(U(a) & (^U(0) >> 1))
}

// maximumScale is beyond every exponent that changes a result: it takes the
// least subnormal of float64 above the largest number and back. Bounding the
// exponent by it keeps math.Ldexp's own arithmetic from overflowing.
const maximumScale = 4096

// scale32 multiplies by a power of two. The float64 is exact unless it is below
// 2^-1022, where the rounded f32 is zero in any case; so is the f16 of scale16.
func scale32(a, n, _, _ uint64) uint64 {
	return single(float32(math.Ldexp(float64(fromSingle(a)), scaleExponent(int64(int32(n))))))
}

func scale16(a, n, _, _ uint64) uint64 {
	return half(math.Ldexp(fromHalf(a), scaleExponent(int64(int32(n)))))
}

// scale64 takes an abstract int.
func scale64(a, n, _, _ uint64) uint64 {
	return double(math.Ldexp(fromDouble(a), scaleExponent(int64(n))))
}

func scaleExponent(n int64) int { return int(min(max(n, -maximumScale), maximumScale)) }

// exponent32 returns an i32, as exponent16 does; 0 for zeros, infinities and NaN.
func exponent32(a, _, _, _ uint64) uint64 {
	_, e := math.Frexp(float64(fromSingle(a)))
	return uint64(uint32(e))
}

func exponent16(a, _, _, _ uint64) uint64 {
	_, e := math.Frexp(fromHalf(a))
	return uint64(uint32(e))
}

// exponent64 returns an abstract int.
func exponent64(a, _, _, _ uint64) uint64 {
	_, e := math.Frexp(fromDouble(a))
	return uint64(e)
}

func quantize32(a, _, _, _ uint64) uint64 {
	return single(float32(fromHalf(half(float64(fromSingle(a))))))
}

func quantize64(a, _, _, _ uint64) uint64 { return double(fromHalf(half(fromDouble(a)))) }

// The f32 operations that the host does itself.

func add32(a, b, _, _ uint64) uint64      { return single(fromSingle(a) + fromSingle(b)) }
func subtract32(a, b, _, _ uint64) uint64 { return single(fromSingle(a) - fromSingle(b)) }
func multiply32(a, b, _, _ uint64) uint64 { return single(fromSingle(a) * fromSingle(b)) }
func divide32(a, b, _, _ uint64) uint64   { return single(fromSingle(a) / fromSingle(b)) }

func equal32(a, b, _, _ uint64) uint64        { return truth(fromSingle(a) == fromSingle(b)) }
func unequal32(a, b, _, _ uint64) uint64      { return truth(fromSingle(a) != fromSingle(b)) }
func less32(a, b, _, _ uint64) uint64         { return truth(fromSingle(a) < fromSingle(b)) }
func lessEqual32(a, b, _, _ uint64) uint64    { return truth(fromSingle(a) <= fromSingle(b)) }
func greater32(a, b, _, _ uint64) uint64      { return truth(fromSingle(a) > fromSingle(b)) }
func greaterEqual32(a, b, _, _ uint64) uint64 { return truth(fromSingle(a) >= fromSingle(b)) }

// minimum32 settles the common, ordered case itself and leaves zeros and NaN to
// the general rule.
func minimum32(a, b, _, _ uint64) uint64 {
	switch x, y := fromSingle(a), fromSingle(b); {
	case x < y:
		return a
	case y < x:
		return b
	default:
		return single(float32(minimum64(float64(x), float64(y))))
	}
}

func maximum32(a, b, _, _ uint64) uint64 {
	switch x, y := fromSingle(a), fromSingle(b); {
	case x > y:
		return a
	case y > x:
		return b
	default:
		return single(float32(maximum64(float64(x), float64(y))))
	}
}
