package eval

import (
	"math"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The rules that check.go's tables name. Each takes the kind of the first value
// operand and stored operands, and answers OK where it does not apply.

// lowest returns the storage of the lowest value of a signed integer kind.
func lowest(k scalar.Kind) uint64 { return 1 << (k.Bits() - 1) }

// checkDivisor: integers must not be divided by zero, even when the dividend is
// not known (WGSL §8.7).
func checkDivisor(k scalar.Kind, _, b, _, _ uint64) Problem {
	if k.IsInteger() && b == 0 {
		return DivideByZero
	}
	return OK
}

// checkQuotient: what needs both operands: lowest / -1, and x / 0 of floats,
// whose quotient is infinite or not a number.
func checkQuotient(k scalar.Kind, a, b uint64) Problem {
	switch {
	case k.IsFloat() && scalar.ToFloat64(k, b) == 0:
		return DivideByZero
	case k.IsInteger() && k.IsSigned() && a == lowest(k) && b == k.Mask():
		return Overflow
	}
	return OK
}

func checkSum(k scalar.Kind, a, b uint64) Problem {
	x, y := int64(a), int64(b)
	if sum := x + y; k == scalar.AbstractInt && (x^sum)&(y^sum) < 0 {
		return Overflow
	}
	return OK
}

func checkDifference(k scalar.Kind, a, b uint64) Problem {
	x, y := int64(a), int64(b)
	if difference := x - y; k == scalar.AbstractInt && (x^y)&(x^difference) < 0 {
		return Overflow
	}
	return OK
}

func checkProduct(k scalar.Kind, a, b uint64) Problem {
	if k != scalar.AbstractInt {
		return OK
	}
	x, y := int64(a), int64(b)
	if x == 0 || y == 0 {
		return OK
	}
	if product := x * y; product/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 {
		return Overflow
	}
	return OK
}

// checkAmount: a concrete value is shifted by less than its width. An abstract
// one may be shifted right by any amount, and left by as much as checkShiftLeft
// allows.
func checkAmount(k scalar.Kind, _, n, _, _ uint64) Problem {
	if k != scalar.AbstractInt && n >= uint64(k.Bits()) {
		return ShiftTooLarge
	}
	return OK
}

// checkShiftLeft: the n bits that an unsigned value loses are zero, the n + 1
// highest bits of a signed one are equal: shifting back restores the value.
func checkShiftLeft(k scalar.Kind, a, n uint64) Problem {
	if n >= uint64(k.Bits()) {
		if a != 0 {
			return Overflow
		}
		return OK
	}
	shifted := For(op.Shl, k)(a, n, 0, 0)
	if For(op.Shr, k)(shifted, n, 0, 0) != a {
		return Overflow
	}
	return OK
}

func checkBounds(k scalar.Kind, _, low, high, _ uint64) Problem {
	if For(op.Gt, k)(low, high, 0, 0) != 0 {
		return EmptyRange
	}
	return OK
}

func checkField(k scalar.Kind, offset, count uint64) Problem {
	if offset+count > uint64(k.Bits()) { // u32 values: the sum does not wrap
		return FieldTooWide
	}
	return OK
}

// exponentBias is that of the float's format; the largest finite value is below
// 2^(bias + 1).
func exponentBias(k scalar.Kind) int64 {
	switch k {
	case scalar.F16:
		return 15
	case scalar.F32:
		return 127
	}
	return 1023
}

func checkExponent(k scalar.Kind, _, n, _, _ uint64) Problem {
	exponent := int64(n) // an abstract int with an abstract float
	if k != scalar.AbstractFloat {
		exponent = int64(int32(n))
	}
	if exponent > exponentBias(k)+1 {
		return ExponentTooLarge
	}
	return OK
}

// checkDomain: the operands, as numbers, are not excluded from the operation's domain.
func checkDomain(excluded bool) Problem {
	if excluded {
		return OutOfDomain
	}
	return OK
}

// checkFloatRange: x does not exceed the finite range of k.
func checkFloatRange(k scalar.Kind, x float64) Problem {
	limit := math.MaxFloat64
	switch k {
	case scalar.F16:
		limit = maximumHalf
	case scalar.F32:
		limit = math.MaxFloat32
	}
	if math.Abs(x) > limit {
		return OutOfRange
	}
	return OK
}

func isFinite(k scalar.Kind, bits uint64) bool {
	x := scalar.ToFloat64(k, bits)
	return x-x == 0
}
