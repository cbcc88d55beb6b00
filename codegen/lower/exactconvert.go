package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The rest of strict arithmetic: sums and products with a constant zero, min and max of zeros and
// NaN, and the rounding to f16.

// withZero makes a rule for operations with a constant zero operand, by components. Some drivers
// fold x + 0 to x and x * 0 to 0 in strict modules, too (workaround.Choices).
func withZero(rule rewrite.Rule) rewrite.Rule {
	return func(r *rewrite.Rewriter) ir.Value {
		if !r.Kind.IsFloat() || !hasZero(r, r.X[0]) && !hasZero(r, r.X[1]) {
			return ir.NoValue
		}
		if r.M.IsVector(r.Type) {
			return rewrite.Componentwise(r)
		}
		return rule(r)
	}
}

// hasZero reports whether a value is a constant with a component that is a zero of either sign.
func hasZero(r *rewrite.Rewriter, v ir.Value) bool {
	zero, negative := zeros(r, v)
	return zero || negative
}

// zeros reports whether a constant has components that are zero, or -0.
func zeros(r *rewrite.Rewriter, v ir.Value) (positive, negative bool) {
	if !v.IsConst() {
		return false, false
	}
	sign := uint64(1) << (r.Kind.Bits() - 1)
	for k := range max(r.M.Components(r.M.TypeOf(v)), 1) {
		part := v
		if r.M.IsVector(r.M.TypeOf(v)) {
			part = r.M.ConstPart(v, uint32(k))
		}
		bits := r.M.ConstBits(part)
		positive, negative = positive || bits == 0, negative || bits == sign
	}
	return positive, negative
}

// plusZero builds x + 0, which differs from x for -0.
func plusZero(r *rewrite.Rewriter, x ir.Value) ir.Value {
	zero := number(r, 0)
	return r.Select(r.Op(op.Eq, x, zero), zero, x)
}

func exactSum(r *rewrite.Rewriter) ir.Value {
	for n, x := range [...]ir.Value{r.X[1], r.X[0]} {
		switch positive, negative := zeros(r, r.X[n]); {
		case negative:
			return x
		case positive:
			return plusZero(r, x)
		}
	}
	return ir.NoValue
}

func exactDifference(r *rewrite.Rewriter) ir.Value {
	switch positive, negative := zeros(r, r.X[1]); {
	case positive:
		return r.X[0]
	case negative:
		return plusZero(r, r.X[0])
	}
	opposite := r.Op(op.Neg, r.X[1])
	if _, negative := zeros(r, r.X[0]); negative {
		return opposite
	}
	return plusZero(r, opposite)
}

// exactProduct leaves products with -0, which nothing simplifies.
func exactProduct(r *rewrite.Rewriter) ir.Value {
	for n, x := range [...]ir.Value{r.X[1], r.X[0]} {
		if positive, _ := zeros(r, r.X[n]); positive {
			return r.Op(op.Neg, mul(r, x, number(r, negativeZero)))
		}
	}
	return ir.NoValue
}

var negativeZero = math.Copysign(0, -1)

func exactMin(r *rewrite.Rewriter) ir.Value {
	return choice(r, op.Lt, r.Select(isNegative(r, r.X[0]), r.X[0], r.X[1]))
}

func exactMax(r *rewrite.Rewriter) ir.Value {
	return choice(r, op.Gt, r.Select(isNegative(r, r.X[0]), r.X[1], r.X[0]))
}

// choice builds min or max by a comparison. Of a value and a NaN it is the value. Values that
// compare equal may still differ: zeros by sign and, on a device that flushes, subnormal values.
func choice(r *rewrite.Rewriter, compare op.Op, equal ir.Value) ir.Value {
	x, y := r.X[0], r.X[1]
	other := r.Select(r.Op(op.Eq, x, y), equal, r.Select(r.Op(op.Eq, y, y), y, x))
	ordered := r.Select(r.Op(compare, y, x), y, r.Select(r.Op(op.Eq, x, x), other, y))
	return r.Select(r.Op(compare, x, y), x, ordered)
}

// isNegative tests the sign bit of a float, of f16 after a conversion to f32.
func isNegative(r *rewrite.Rewriter, x ir.Value) ir.Value {
	if r.Kind == scalar.F16 {
		x = r.B.Convert(scalar.F32, x)
	}
	k := signedOf(formatOf(r.Kind).word)
	return r.Op(op.Lt, r.Cast(k, x), r.Integer(ir.Type(k), 0))
}

func exactClamp(r *rewrite.Rewriter) ir.Value {
	return r.Op(op.Min, r.Op(op.Max, r.X[0], r.X[1]), r.X[2])
}

func exactSign(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	zero := number(r, 0)
	return r.Select(r.Op(op.Gt, x, zero), number(r, 1), r.Select(r.Op(op.Lt, x, zero), number(r, -1), x))
}

func exactFract(r *rewrite.Rewriter) ir.Value { return r.Op(op.Sub, r.X[0], r.Op(op.Floor, r.X[0])) }

// halfBits rounds an f32 to f16, in the lower half of a word.
func halfBits(r *rewrite.Rewriter, x ir.Value) ir.Value {
	w := exactWords{r, &singleFormat}
	v := w.decode(x)
	const more = 24 - 11 - 2 // bits that encode has no room for
	lost := w.and(v.significand, w.c(1<<more-1))
	significand := w.or(w.Rewriter.Shr(v.significand, more), w.unit(w.Op(op.Ne, lost, w.c(0))))
	narrow := exactWords{r, &halfInWord}
	bits := narrow.encode(add(w.Rewriter, v.exponent, w.i32(halfInWord.bias-singleFormat.bias)), significand)
	bits = w.Select(w.isZero(v.magnitude), w.c(0), bits)
	bits = w.Select(w.Op(op.Gt, v.magnitude, w.c(w.infinity())), w.c(halfInWord.quiet()), bits)
	return w.or(bits, w.Rewriter.Shr(v.sign, 16))
}

// exactConvert rounds f32 to f16 to nearest even, where Vulkan leaves the rounding open.
func exactConvert(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.F32 || r.M.ScalarOf(r.Type) != scalar.F16 {
		return ir.NoValue
	}
	if n := r.M.Components(r.Type); n > 1 {
		var parts [4]ir.Value
		for k := range n {
			parts[k] = r.B.Convert(scalar.F16, r.Component(r.X[0], k))
		}
		return r.Construct(r.Type, parts[:n])
	}
	return r.B.Extract(r.B.Bitcast(r.M.VectorOf(ir.F16, 2), halfBits(r, r.X[0])), 0)
}

// exactQuantize keeps subnormal values of f16, which devices may flush.
func exactQuantize(r *rewrite.Rewriter) ir.Value { return halfToFloat(r, halfBits(r, r.X[0])) }

func exactPackHalves(r *rewrite.Rewriter) ir.Value {
	low, high := halfBits(r, r.Component(r.X[0], 0)), halfBits(r, r.Component(r.X[0], 1))
	return r.Op(op.Or, low, r.Shl(high, 16))
}

func exactUnpackHalves(r *rewrite.Rewriter) ir.Value {
	low, high := r.Op(op.And, r.X[0], r.Bits(ir.U32, 0xffff)), r.Shr(r.X[0], 16)
	return r.Construct(r.Type, []ir.Value{halfToFloat(r, low), halfToFloat(r, high)})
}

// halfToFloat converts the f16 in the lower half of a word to f32.
func halfToFloat(r *rewrite.Rewriter, bits ir.Value) ir.Value {
	u := func(x uint64) ir.Value { return r.Bits(ir.U32, x) }
	magnitude := r.Op(op.And, bits, u(0x7fff))
	subnormal := mul(r, r.B.Convert(scalar.F32, magnitude), r.Float(ir.F32, 0x1p-24))
	const rebias = (exponentBias - 15) << fractionBits
	normal := r.Cast(scalar.F32, add(r, r.Shl(magnitude, 13), u(rebias)))
	infinite := r.Cast(scalar.F32, r.Op(op.Or, r.Shl(magnitude, 13), u(infinityBits)))
	v := r.Select(r.Op(op.Lt, magnitude, u(0x400)), subnormal, normal)
	v = r.Select(r.Op(op.Ge, magnitude, u(0x7c00)), infinite, v)
	sign := r.Shl(r.Op(op.And, bits, u(0x8000)), 16)
	return r.Cast(scalar.F32, r.Op(op.Or, r.Cast(scalar.U32, v), sign))
}
