package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands the functions that take f32 numbers apart and put them
// together, on their bits (IEEE 754 binary32: sign, 8 bits of exponent with
// bias 127, 23 of fraction).

const (
	exponentBias  = 127
	fractionBits  = 23
	exponentField = 0xFF
	infinityBits  = exponentField << fractionBits
)

// power builds 2^n for n in [-126, 127].
func (r *rewriter) power(n ir.Value) ir.Value {
	t := r.f.TypeOf(n)
	biased := r.cast(scalar.U32, r.op(op.Add, n, r.integer(t, exponentBias)))
	return r.cast(scalar.F32, r.shl(biased, fractionBits))
}

// expandLdexp multiplies by powers of two in up to three steps, so that each is
// a normal number. Steps down are by 2^-102 only and only for n < -126: a
// product that this rounds is below 2^-150 in the end and becomes zero, so that
// nothing rounds twice.
func expandLdexp(r *rewriter) ir.Value {
	const down, up = -102, exponentBias
	x, n := r.x[0], r.x[1]
	t := r.f.TypeOf(n)
	lowest, highest := r.integer(t, 1-exponentBias), r.integer(t, exponentBias)
	for range 2 {
		step := r.choose(r.op(op.Lt, n, lowest), r.integer(t, down), r.integer(t, 0))
		step = r.choose(r.op(op.Gt, n, highest), r.integer(t, up), step)
		x = r.mul(x, r.power(step))
		n = r.op(op.Sub, n, step)
	}
	return r.mul(x, r.power(r.op(op.Clamp, n, lowest, highest)))
}

// normalised returns the bits of a number that is scaled up by 2^24 if it is
// subnormal, and whether it is.
func (r *rewriter) normalised(x ir.Value) (bits, subnormal ir.Value) {
	subnormal = r.op(op.Lt, r.op(op.Abs, x), r.number(0x1p-126))
	scaled := r.choose(subnormal, r.mul(x, r.number(0x1p24)), x)
	return r.cast(scalar.U32, scaled), subnormal
}

// ordinary builds whether a number is neither zero, infinite nor NaN: those are
// their own significand with exponent 0.
func (r *rewriter) ordinary(x ir.Value) ir.Value {
	u := r.with(r.f.TypeOf(x), scalar.U32)
	magnitude := r.op(op.And, r.cast(scalar.U32, x), r.bits(u, 1<<31-1))
	// below infinity and above zero, in one unsigned comparison
	return r.op(op.Lt, r.op(op.Sub, magnitude, r.bits(u, 1)), r.bits(u, infinityBits-1))
}

func expandFrexpSignificand(r *rewriter) ir.Value {
	x := r.x[0]
	bits, _ := r.normalised(x)
	u := r.f.TypeOf(bits)
	rest := r.op(op.And, bits, r.bits(u, 1<<31|1<<fractionBits-1))
	half := r.op(op.Or, rest, r.bits(u, (exponentBias-1)<<fractionBits))
	return r.choose(r.ordinary(x), r.cast(scalar.F32, half), x)
}

func expandFrexpExponent(r *rewriter) ir.Value {
	x := r.x[0]
	bits, subnormal := r.normalised(x)
	u := r.f.TypeOf(bits)
	field := r.op(op.And, r.shr(bits, fractionBits), r.bits(u, exponentField))
	i := r.with(u, scalar.I32)
	bias := r.choose(subnormal, r.integer(i, exponentBias-1+24), r.integer(i, exponentBias-1))
	exponent := r.op(op.Sub, r.cast(scalar.I32, field), bias)
	return r.choose(r.ordinary(x), exponent, r.integer(i, 0))
}
