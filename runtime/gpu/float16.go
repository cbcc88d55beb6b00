package gpu

import "github.com/gpuc/gpuc/ir/scalar"

// Float16 is a number of IEEE 754 binary16: 11 bits of precision, at most 65504. It has two bytes
// in memory. GPUs of the last ten years have instructions for it; the CPU device computes in
// float32 and rounds. Devices without 16-bit floats refuse the kernel when it is loaded
// (abi.Float16).
//
// Go has no operators for it. Its methods round once, to nearest and ties to even, on hosts and on
// devices. With -math=strict a sum of products has the same bits everywhere. The zero value is 0.
type Float16 struct{ bits uint16 }

// ToFloat16 returns the value nearest to x. Numbers from 65520 on become infinite.
func ToFloat16(x float32) Float16 { return Float16{scalar.HalfFromFloat64(float64(x))} }

// Float16FromBits returns the value with a pattern: sign, five bits of exponent, ten of fraction.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// Bits returns the IEEE 754 bit pattern. That of a NaN differs between devices.
func (x Float16) Bits() uint16 { return x.bits }

// Float32 returns the value, which every float32 can hold.
func (x Float16) Float32() float32 { return float32(scalar.HalfToFloat64(x.bits)) }

// The operations below compute in float32 on the host, FMA in float64, and round the result again.
// That is as good as rounding once, since 24 bits are enough for two roundings of 11 (Figueroa,
// "When is double rounding innocuous?", 1995).

// Add returns x + y.
func (x Float16) Add(y Float16) Float16 { return ToFloat16(x.Float32() + y.Float32()) }

// Sub returns x - y.
func (x Float16) Sub(y Float16) Float16 { return ToFloat16(x.Float32() - y.Float32()) }

// Mul returns x·y.
func (x Float16) Mul(y Float16) Float16 { return ToFloat16(x.Float32() * y.Float32()) }

// Div returns x / y. Devices may round it otherwise without -math=strict (WGSL §15.7.4).
func (x Float16) Div(y Float16) Float16 { return ToFloat16(x.Float32() / y.Float32()) }

// FMA returns x·y + z, rounded once. Devices may round the product, too, without -math=strict.
func (x Float16) FMA(y, z Float16) Float16 {
	product := float64(x.Float32()) * float64(y.Float32()) // exact
	return Float16{scalar.HalfFromFloat64(product + float64(z.Float32()))}
}

// Neg returns -x.
func (x Float16) Neg() Float16 { return Float16{x.bits ^ 0x8000} }

// Abs returns |x|.
func (x Float16) Abs() Float16 { return Float16{x.bits &^ 0x8000} }

// Sqrt returns the square root of x.
func (x Float16) Sqrt() Float16 { return ToFloat16(Sqrt(x.Float32())) }

// Min returns the smaller of x and y. Where one is NaN, devices may return the other.
func (x Float16) Min(y Float16) Float16 { return ToFloat16(min(x.Float32(), y.Float32())) }

// Max returns the larger of x and y. Where one is NaN, devices may return the other.
func (x Float16) Max(y Float16) Float16 { return ToFloat16(max(x.Float32(), y.Float32())) }

// Less reports whether x < y.
func (x Float16) Less(y Float16) bool { return x.Float32() < y.Float32() }

// LessEqual reports whether x ≤ y.
func (x Float16) LessEqual(y Float16) bool { return x.Float32() <= y.Float32() }

// Equal reports whether x and y are the same number; the two zeros are, and NaN is not.
func (x Float16) Equal(y Float16) bool { return x.Float32() == y.Float32() }
