package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands ldexp and frexp of f32 by operations on the bits of IEEE 754 binary32: sign, 8
// bits of exponent with bias 127, 23 bits of fraction.

const (
	exponentBias  = 127
	fractionBits  = 23
	exponentField = 0xFF
	infinityBits  = exponentField << fractionBits
)

// power builds 2^n for n in [-126, 127].
func power(r *rewrite.Rewriter, n ir.Value) ir.Value {
	t := r.F.TypeOf(n)
	biased := r.Cast(scalar.U32, r.Op(op.Add, n, r.Integer(t, exponentBias)))
	return r.Cast(scalar.F32, r.Shl(biased, fractionBits))
}

// expandLdexp multiplies by powers of two in up to three steps, so that each is a normal value.
// Steps down are by 2^-102 and only for n < -126. If such a step rounds, the final product is below
// 2^-150 and becomes zero, so that nothing rounds twice.
func expandLdexp(r *rewrite.Rewriter) ir.Value {
	const down, up = -102, exponentBias
	x, n := r.X[0], r.X[1]
	t := r.F.TypeOf(n)
	lowest, highest := r.Integer(t, 1-exponentBias), r.Integer(t, exponentBias)
	for range 2 {
		step := r.Select(r.Op(op.Lt, n, lowest), r.Integer(t, down), r.Integer(t, 0))
		step = r.Select(r.Op(op.Gt, n, highest), r.Integer(t, up), step)
		x = mul(r, x, power(r, step))
		n = r.Op(op.Sub, n, step)
	}
	return mul(r, x, power(r, r.Op(op.Clamp, n, lowest, highest)))
}

// normalised returns the bits of x, scaled up by 2^24 if x is subnormal, and whether it is.
func normalised(r *rewrite.Rewriter, x ir.Value) (bits, subnormal ir.Value) {
	subnormal = r.Op(op.Lt, r.Op(op.Abs, x), number(r, 0x1p-126))
	scaled := r.Select(subnormal, mul(r, x, number(r, 0x1p24)), x)
	return r.Cast(scalar.U32, scaled), subnormal
}

// ordinary tests that x is neither zero, infinite nor NaN. Those are their own significand, with
// exponent 0.
func ordinary(r *rewrite.Rewriter, x ir.Value) ir.Value {
	u := r.With(r.F.TypeOf(x), scalar.U32)
	magnitude := r.Op(op.And, r.Cast(scalar.U32, x), r.Bits(u, 1<<31-1))
	// below infinity and above zero, in one unsigned comparison
	return r.Op(op.Lt, r.Op(op.Sub, magnitude, r.Bits(u, 1)), r.Bits(u, infinityBits-1))
}

func expandFrexpSignificand(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	bits, _ := normalised(r, x)
	u := r.F.TypeOf(bits)
	rest := r.Op(op.And, bits, r.Bits(u, 1<<31|1<<fractionBits-1))
	half := r.Op(op.Or, rest, r.Bits(u, (exponentBias-1)<<fractionBits))
	return r.Select(ordinary(r, x), r.Cast(scalar.F32, half), x)
}

func expandFrexpExponent(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	bits, subnormal := normalised(r, x)
	u := r.F.TypeOf(bits)
	field := r.Op(op.And, r.Shr(bits, fractionBits), r.Bits(u, exponentField))
	i := r.With(u, scalar.I32)
	bias := r.Select(subnormal, r.Integer(i, exponentBias-1+24), r.Integer(i, exponentBias-1))
	exponent := r.Op(op.Sub, r.Cast(scalar.I32, field), bias)
	return r.Select(ordinary(r, x), exponent, r.Integer(i, 0))
}
