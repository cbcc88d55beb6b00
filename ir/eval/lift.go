package eval

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Lifting a function on float64 to a float kind: read the operands, which is
// exact, compute in float64, round once to the kind.
//
// For + - × ÷ and sqrt that gives the correctly rounded result of the narrow kind, although the
// float64 result was rounded before. The reason is that 53 bits are at least twice 24 plus two
// (Figueroa, "When is double rounding innocuous?", 1995). Functions whose exact result needs more
// care, such as fma, round to odd (multiplyAddToOdd).

// The quiet NaN of each kind.
const (
	quietNaN16 = 0x7E00
	quietNaN32 = 0x7FC00000
	quietNaN64 = 0x7FF8000000000000
)

// single returns the bits of an f32 result.
func single(x float32) uint64 {
	if x != x {
		return quietNaN32
	}
	return uint64(math.Float32bits(x))
}

// double returns the bits of an abstract float result.
func double(x float64) uint64 {
	if x != x {
		return quietNaN64
	}
	return math.Float64bits(x)
}

// half returns the bits of an f16 result, rounding x.
func half(x float64) uint64 {
	if x != x {
		return quietNaN16
	}
	return uint64(scalar.HalfFromFloat64(x))
}

func fromSingle(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func fromDouble(a uint64) float64 { return math.Float64frombits(a) }
func fromHalf(a uint64) float64   { return scalar.HalfToFloat64(uint16(a)) }

func unary32(f func(float64) float64) Function {
	return func(a, _, _, _ uint64) uint64 { return single(float32(f(float64(fromSingle(a))))) }
}

func unary16(f func(float64) float64) Function {
	return func(a, _, _, _ uint64) uint64 { return half(f(fromHalf(a))) }
}

func unary64(f func(float64) float64) Function {
	return func(a, _, _, _ uint64) uint64 { return double(f(fromDouble(a))) }
}

func binary32(f func(x, y float64) float64) Function {
	return func(a, b, _, _ uint64) uint64 {
		return single(float32(f(float64(fromSingle(a)), float64(fromSingle(b)))))
	}
}

func binary16(f func(x, y float64) float64) Function {
	return func(a, b, _, _ uint64) uint64 { return half(f(fromHalf(a), fromHalf(b))) }
}

func binary64(f func(x, y float64) float64) Function {
	return func(a, b, _, _ uint64) uint64 { return double(f(fromDouble(a), fromDouble(b))) }
}

func ternary32(f func(x, y, z float64) float64) Function {
	return func(a, b, c, _ uint64) uint64 {
		return single(float32(f(float64(fromSingle(a)), float64(fromSingle(b)), float64(fromSingle(c)))))
	}
}

func ternary16(f func(x, y, z float64) float64) Function {
	return func(a, b, c, _ uint64) uint64 { return half(f(fromHalf(a), fromHalf(b), fromHalf(c))) }
}

func ternary64(f func(x, y, z float64) float64) Function {
	return func(a, b, c, _ uint64) uint64 { return double(f(fromDouble(a), fromDouble(b), fromDouble(c))) }
}

func compare32(f func(x, y float64) bool) Function {
	return func(a, b, _, _ uint64) uint64 { return truth(f(float64(fromSingle(a)), float64(fromSingle(b)))) }
}

func compare16(f func(x, y float64) bool) Function {
	return func(a, b, _, _ uint64) uint64 { return truth(f(fromHalf(a), fromHalf(b))) }
}

func compare64(f func(x, y float64) bool) Function {
	return func(a, b, _, _ uint64) uint64 { return truth(f(fromDouble(a), fromDouble(b))) }
}
