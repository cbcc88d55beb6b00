package gpu

import "math"

// This file has the floats that most devices have no arithmetic for. The compiler reads it, like
// vector.go: what runs on devices is the code below.

// BFloat16 is a float32 without the lower 16 bits of its fraction: 8 bits of precision and the
// range of float32. It has two bytes in memory and works on every device. Its methods compute in
// float32 and round once, to nearest and ties to even, so that hosts and devices have the same bits
// with -math=strict. The zero value is 0.
type BFloat16 struct{ bits uint16 }

// ToBFloat16 returns the value nearest to x.
func ToBFloat16(x float32) BFloat16 {
	b := math.Float32bits(x)
	if b&^(1<<31) > 0x7F800000 { // NaN, whose fraction must not become zero
		return BFloat16{uint16(b>>16 | 0x40)}
	}
	return BFloat16{uint16((b + 0x7FFF + b>>16&1) >> 16)} // a carry runs into the exponent
}

// BFloat16FromBits returns the value with a pattern: the upper half of a float32's.
func BFloat16FromBits(bits uint16) BFloat16 { return BFloat16{bits} }

// Bits returns the pattern.
func (x BFloat16) Bits() uint16 { return x.bits }

// Float32 returns the value.
func (x BFloat16) Float32() float32 { return math.Float32frombits(uint32(x.bits) << 16) }

// Add returns x + y.
func (x BFloat16) Add(y BFloat16) BFloat16 { return ToBFloat16(x.Float32() + y.Float32()) }

// Sub returns x - y.
func (x BFloat16) Sub(y BFloat16) BFloat16 { return ToBFloat16(x.Float32() - y.Float32()) }

// Mul returns x·y.
func (x BFloat16) Mul(y BFloat16) BFloat16 { return ToBFloat16(x.Float32() * y.Float32()) }

// Div returns x / y.
func (x BFloat16) Div(y BFloat16) BFloat16 { return ToBFloat16(x.Float32() / y.Float32()) }

// Neg returns -x.
func (x BFloat16) Neg() BFloat16 { return BFloat16{x.bits ^ 0x8000} }

// Abs returns |x|.
func (x BFloat16) Abs() BFloat16 { return BFloat16{x.bits &^ 0x8000} }

// Less reports whether x < y.
func (x BFloat16) Less(y BFloat16) bool { return x.Float32() < y.Float32() }

// LessEqual reports whether x ≤ y.
func (x BFloat16) LessEqual(y BFloat16) bool { return x.Float32() <= y.Float32() }

// Equal reports whether x and y are the same number; the two zeros are, and NaN is not.
func (x BFloat16) Equal(y BFloat16) bool { return x.Float32() == y.Float32() }

// Float8E4M3 is a float of eight bits, for storage: a sign, four bits of exponent and three of
// fraction, at most 448, without infinities (OCP 8-bit Floating Point Specification, E4M3). The
// zero value is 0.
type Float8E4M3 struct{ bits uint8 }

// ToFloat8E4M3 returns the value nearest to x, ties to even. Numbers of greater magnitude than 448
// become ±448, and NaN stays NaN.
func ToFloat8E4M3(x float32) Float8E4M3 { return Float8E4M3{toFloat8(x, 3, 7, 0x7E)} }

// Float8E4M3FromBits returns the value with a pattern.
func Float8E4M3FromBits(bits uint8) Float8E4M3 { return Float8E4M3{bits} }

// Bits returns the pattern.
func (x Float8E4M3) Bits() uint8 { return x.bits }

// Float32 returns the value.
func (x Float8E4M3) Float32() float32 {
	if x.bits&0x7F == 0x7F {
		return math.Float32frombits(0x7FC00000)
	}
	return fromFloat8(x.bits, 3, 7)
}

// Float8E5M2 is a float of eight bits, for storage: a sign, five bits of exponent and two of
// fraction, at most 57344, with infinities. It is the upper half of a Float16 (OCP 8-bit Floating
// Point Specification, E5M2). The zero value is 0.
type Float8E5M2 struct{ bits uint8 }

// ToFloat8E5M2 returns the value nearest to x, ties to even. Numbers of greater magnitude than
// 57344 become ±57344, and NaN stays NaN.
func ToFloat8E5M2(x float32) Float8E5M2 { return Float8E5M2{toFloat8(x, 2, 15, 0x7B)} }

// Float8E5M2FromBits returns the value with a pattern.
func Float8E5M2FromBits(bits uint8) Float8E5M2 { return Float8E5M2{bits} }

// Bits returns the pattern.
func (x Float8E5M2) Bits() uint8 { return x.bits }

// Float32 returns the value.
func (x Float8E5M2) Float32() float32 {
	magnitude := uint32(x.bits & 0x7F)
	if magnitude >= 0x7C { // infinite or NaN
		return math.Float32frombits(uint32(x.bits&0x80)<<24 | 0x7F800000 | magnitude&3<<21)
	}
	return fromFloat8(x.bits, 2, 15)
}

// toFloat8 rounds x to a float with so many bits of fraction and that bias of the exponent. Numbers
// above the greatest finite pattern become that one. NaN has all bits set, as in cvt.rn.satfinite
// (PTX ISA, cvt).
func toFloat8(x float32, fraction, bias, greatest uint32) uint8 {
	b := math.Float32bits(x)
	sign, magnitude := b>>24&0x80, b&^(1<<31)
	if magnitude > 0x7F800000 {
		return uint8(sign | 0x7F)
	}
	shift, significand := 23-fraction, magnitude-(127-bias)<<23
	// subnormal: the implicit bit is shifted in
	if exponent := magnitude >> 23; exponent <= 127-bias {
		shift += 128 - bias - exponent
		significand = magnitude&(1<<23-1) | 1<<23
		if shift > 24 { // less than half of the smallest
			return uint8(sign)
		}
	}
	rounded, rest, half := significand>>shift, significand&(1<<shift-1), uint32(1)<<(shift-1)
	if rest > half || rest == half && rounded&1 == 1 {
		rounded++ // a carry runs into the exponent
	}
	return uint8(sign | min(rounded, greatest))
}

// fromFloat8 returns the value of a finite pattern.
func fromFloat8(bits uint8, fraction, bias uint32) float32 {
	sign, magnitude := uint32(bits&0x80)<<24, uint32(bits&0x7F)
	if magnitude>>fraction == 0 { // subnormal: a multiple of the smallest
		return math.Float32frombits(sign|(128-bias-fraction)<<23) * float32(magnitude)
	}
	return math.Float32frombits(sign | magnitude<<(23-fraction) + (127-bias)<<23)
}
