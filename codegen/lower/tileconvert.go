package lower

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file converts elements of tiles, which an invocation holds as the patterns of small floats.

// smallFloat is a float of 8 bits, which devices have no arithmetic for.
type smallFloat struct {
	fraction, bias uint32
	// greatest is the pattern that numbers above the finite ones become; nan is the least pattern
	// of a NaN.
	greatest, nan uint32
}

// smallFloats are the floats of 8 bits (OCP 8-bit Floating Point Specification). Other kinds have
// no fraction here.
var smallFloats = [scalar.Count]smallFloat{
	scalar.E4M3: {fraction: 3, bias: 7, greatest: 0x7E, nan: 0x7F},
	scalar.E5M2: {fraction: 2, bias: 15, greatest: 0x7B, nan: 0x7D},
}

// convertElement converts an element between kinds, each as an invocation holds it.
func convertElement(b *ir.Builder, to, from scalar.Kind, x ir.Value) ir.Value {
	if to == from {
		return x
	}
	x = widenElement(b, from, x)
	switch small := smallFloats[to]; {
	case to == scalar.BF16:
		return b.Convert(scalar.U16, roundToBFloat16(b, b.Convert(scalar.F32, x)))
	case small.fraction > 0:
		return b.Convert(scalar.U8, small.round(b, b.Convert(scalar.F32, x)))
	case to.IsNarrow() && b.F.Module.ScalarOf(b.F.TypeOf(x)).IsFloat():
		return b.Convert(to, b.Convert(scalar.I32, x))
	case to == scalar.F16:
		return b.Convert(to, b.Convert(scalar.F32, x))
	}
	return b.Convert(to, x)
}

// widenElement converts an element to a kind that there is arithmetic for.
func widenElement(b *ir.Builder, from scalar.Kind, x ir.Value) ir.Value {
	switch small := smallFloats[from]; {
	case from == scalar.BF16:
		return b.Bitcast(ir.F32, b.Op(op.Shl, b.Convert(scalar.U32, x), b.F.Module.ConstU32(16)))
	case small.fraction > 0:
		return small.widen(b, b.Convert(scalar.U32, x))
	case from.IsNarrow() && from.IsSigned():
		return b.Convert(scalar.I32, x)
	case from.IsNarrow():
		return b.Convert(scalar.U32, x)
	}
	return x
}

// roundToBFloat16 returns the pattern of the bfloat16 nearest to an f32, ties to even.
func roundToBFloat16(b *ir.Builder, x ir.Value) ir.Value {
	m := b.F.Module
	u := func(n uint32) ir.Value { return m.ConstU32(n) }
	bits := b.Bitcast(ir.U32, x)
	upper := b.Op(op.Shr, bits, u(16))
	odd := b.Op(op.And, upper, u(1))
	rounded := b.Op(op.Shr, b.Op(op.Add, bits, b.Op(op.Add, odd, u(0x7FFF))), u(16))
	isNaN := b.Op(op.Gt, b.Op(op.And, bits, u(0x7FFFFFFF)), u(0x7F800000))
	return b.Op(op.Select, isNaN, b.Op(op.Or, upper, u(0x40)), rounded)
}

// widen returns the f32 of a pattern. Subnormal numbers are computed, as devices may flush those of
// f32.
func (s smallFloat) widen(b *ir.Builder, x ir.Value) ir.Value {
	m := b.F.Module
	u := func(n uint32) ir.Value { return m.ConstU32(n) }
	magnitude := b.Op(op.And, x, u(0x7F))
	sign := b.Op(op.Shl, b.Op(op.And, x, u(0x80)), u(24))
	normal := b.Op(op.Add, b.Op(op.Shl, magnitude, u(23-s.fraction)), u((127-s.bias)<<23))
	unit := m.ConstScalar(ir.F32, uint64((127-s.bias+1-s.fraction)<<23)) // the least subnormal
	subnormal := b.Bitcast(ir.U32, b.Op(op.Mul, b.Convert(scalar.F32, magnitude), unit))
	bits := b.Op(op.Select, b.Op(op.Lt, magnitude, u(1<<s.fraction)), subnormal, normal)
	if s.nan > s.greatest+1 { // infinity is between
		bits = b.Op(op.Select, b.Op(op.Eq, magnitude, u(s.greatest+1)), u(0x7F800000), bits)
	}
	bits = b.Op(op.Select, b.Op(op.Ge, magnitude, u(s.nan)), u(0x7FC00000), bits)
	return b.Bitcast(ir.F32, b.Op(op.Or, bits, sign))
}

// round returns the pattern nearest to an f32, ties to even, with saturation (OCP 8-bit Floating
// Point Specification).
func (s smallFloat) round(b *ir.Builder, x ir.Value) ir.Value {
	m := b.F.Module
	u := func(n uint32) ir.Value { return m.ConstU32(n) }
	bits := b.Bitcast(ir.U32, x)
	magnitude := b.Op(op.And, bits, u(0x7FFFFFFF))
	sign := b.Op(op.And, b.Op(op.Shr, bits, u(24)), u(0x80))
	// a subnormal result has the implicit bit shifted in
	exponent := b.Op(op.Shr, magnitude, u(23))
	least := 127 - s.bias + 1 // the exponent of the least normal number
	isSmall := b.Op(op.Lt, exponent, u(least))
	missing := b.Op(op.Min, b.Op(op.Sub, u(least), exponent), u(8))
	shift := b.Op(op.Select, isSmall, b.Op(op.Add, missing, u(23-s.fraction)), u(23-s.fraction))
	full := b.Op(op.Or, b.Op(op.And, magnitude, u(1<<23-1)), u(1<<23))
	significand := b.Op(op.Select, isSmall, full, b.Op(op.Sub, magnitude, u((least-1)<<23)))
	odd := b.Op(op.And, b.Op(op.Shr, significand, shift), u(1))
	half := b.Op(op.Sub, b.Op(op.Shl, u(1), b.Op(op.Sub, shift, u(1))), u(1))
	rounded := b.Op(op.Shr, b.Op(op.Add, b.Op(op.Add, significand, half), odd), shift)
	rounded = b.Op(op.Min, rounded, u(s.greatest))
	rounded = b.Op(op.Select, b.Op(op.Gt, magnitude, u(0x7F800000)), u(0x7F), rounded)
	return b.Op(op.Or, rounded, sign)
}

// leastOf and mostOf return the least and the greatest number of a kind, infinities of floats.
func leastOf(m *ir.Module, k scalar.Kind) ir.Value {
	switch {
	case k.IsFloat():
		return m.ConstScalar(ir.Type(k), scalar.FromFloat64(k, math.Inf(-1)))
	case k.IsSigned():
		return m.ConstScalar(ir.Type(k), 1<<(k.Bits()-1))
	}
	return m.ConstScalar(ir.Type(k), 0)
}

func mostOf(m *ir.Module, k scalar.Kind) ir.Value {
	switch {
	case k.IsFloat():
		return m.ConstScalar(ir.Type(k), scalar.FromFloat64(k, math.Inf(1)))
	case k.IsSigned():
		return m.ConstScalar(ir.Type(k), 1<<(k.Bits()-1)-1)
	}
	return m.ConstScalar(ir.Type(k), k.Mask())
}
