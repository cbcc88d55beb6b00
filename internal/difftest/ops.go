package difftest

// What operators mean on scalars (WGSL §8), with the conditions under which WGSL leaves no choice.

import (
	"math"
	"math/bits"
)

func f32(x uint32) float32  { return math.Float32frombits(x) }
func word(x float32) uint32 { return math.Float32bits(x) }
func wide(x uint32) float64 { return float64(math.Float32frombits(x)) }
func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// halfBits is the f16 of a value that f16 represents.
func halfBits(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	if b<<1 == 0 {
		return sign
	}
	exponent := int(b>>23&0xff) - 127
	if exponent < -14 { // a subnormal f16
		return sign | uint16((b&0x7fffff|0x800000)>>uint(-1-exponent))
	}
	return sign | uint16(exponent+15)<<10 | uint16(b>>13&0x3ff)
}

// halfValue is the value of an f16.
func halfValue(h uint16) float32 {
	exponent, fraction := int(h>>10&31), float64(h&0x3ff)
	value := math.Ldexp(1024+fraction, exponent-25)
	switch exponent {
	case 0:
		value = math.Ldexp(fraction, -24)
	case 31:
		value = math.Inf(1)
		if fraction != 0 {
			value = math.NaN()
		}
	}
	if h&0x8000 != 0 {
		value = -value
	}
	return float32(value)
}

// representable says whether the kind has the value, as a normal number or zero.
func representable(x float64, kind Kind) bool {
	if x == 0 {
		return true
	}
	if float64(float32(x)) != x || math.IsInf(x, 0) {
		return false
	}
	low, high, digits := math.Ldexp(1, -126), math.MaxFloat32, 24
	if kind == F16 {
		low, high, digits = math.Ldexp(1, -14), 65504, 11
	}
	a := math.Abs(x)
	if a < low || a > high {
		return false
	}
	fraction, _ := math.Frexp(a)
	scaled := math.Ldexp(fraction, digits)
	return scaled == math.Trunc(scaled)
}

// settled says whether x is so small and so coarse that sums of a few such values are exact in
// any order and with any fusion. Results of arithmetic have to be.
func settled(x float64, kind Kind) bool {
	limit, grain := 16384.0, 256.0
	if kind == F16 {
		limit, grain = 128, 4
	}
	return math.Abs(x) <= limit && x*grain == math.Trunc(x*grain)
}

// floatBinary computes in double precision, where operands that are settled lose nothing.
func floatBinary(op byte, x, y float64) float64 {
	switch op {
	case '+':
		return x + y
	case '-':
		return x - y
	}
	return x * y
}

func intBinary(op string, kind Kind, x, y uint32) uint32 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return divide(kind, x, y)
	case "%":
		return remainder(kind, x, y)
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "<<":
		return x << (y & 31)
	case ">>":
		if kind == I32 {
			return uint32(int32(x) >> (y & 31))
		}
		return x >> (y & 31)
	}
	panic("no integer operator " + op)
}

func divide(kind Kind, x, y uint32) uint32 {
	if y == 0 || kind == I32 && x == 1<<31 && y == 1<<32-1 {
		return x
	}
	if kind == I32 {
		return uint32(int32(x) / int32(y))
	}
	return x / y
}

func remainder(kind Kind, x, y uint32) uint32 {
	if y == 0 || kind == I32 && x == 1<<31 && y == 1<<32-1 {
		return 0
	}
	if kind == I32 {
		return uint32(int32(x) % int32(y))
	}
	return x % y
}

// intOverflows says whether an operation on known operands is an error or wraps.
func intOverflows(op string, kind Kind, x, y uint32) bool {
	a, b := int64(x), int64(y)
	low, high := int64(0), int64(math.MaxUint32)
	if kind == I32 {
		a, b = int64(int32(x)), int64(int32(y))
		low, high = math.MinInt32, math.MaxInt32
	}
	r := int64(0)
	switch op {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		if kind == U32 {
			hi, _ := bits.Mul32(x, y)
			return hi != 0
		}
		r = a * b
	case "/", "%":
		return y == 0 || kind == I32 && a == low && b == -1
	case "<<":
		if y > 31 {
			return true
		}
		r = a << y
		if kind == U32 {
			return x<<y>>y != x
		}
	case ">>":
		return y > 31
	}
	return r < low || r > high
}

func compare[T int32 | uint32 | float32](op string, x, y T) bool {
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

func isComparison(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

func compareScalars(op string, kind Kind, x, y uint32) bool {
	switch kind {
	case I32:
		return compare(op, int32(x), int32(y))
	case F32, F16:
		return compare(op, f32(x), f32(y))
	}
	return compare(op, x, y)
}

// toInt converts a float to an integer (WGSL §15.7.6): towards zero, after clamping to the
// values that both types have.
func toInt(kind Kind, half bool, x float64) uint32 {
	low, high := -2147483648.0, 2147483520.0
	if kind == U32 {
		low, high = 0, 4294967040
	}
	if half {
		low, high = max(low, -65504), min(high, 65504)
	}
	x = math.Trunc(max(low, min(high, x)))
	if kind == U32 {
		return uint32(x)
	}
	return uint32(int32(x))
}
