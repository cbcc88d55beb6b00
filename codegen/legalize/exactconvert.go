package legalize

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has what strict arithmetic computes besides quotients, roots and fused sums: sums and
// products with a constant zero, min and max of zeros and NaN, and the rounding to f16.

// withZero makes a rule for operations of two operands one of which is a constant zero, component
// by component. lavapipe (Mesa 22.3 and later) takes x + 0 for x and x * 0 for 0, whatever the
// modes of the module are.
func withZero(rule rule) rule {
	return func(r *rewriter) ir.Value {
		if !r.kind.IsFloat() || !r.hasZero(r.x[0]) && !r.hasZero(r.x[1]) {
			return ir.NoValue
		}
		if r.m.IsVector(r.t) {
			return componentwise(r)
		}
		return rule(r)
	}
}

// hasZero reports whether a value is a constant with a component that is a zero of either sign.
func (r *rewriter) hasZero(v ir.Value) bool {
	zero, negative := r.zeros(v)
	return zero || negative
}

// zeros reports whether a constant has components that are zero, or -0.
func (r *rewriter) zeros(v ir.Value) (positive, negative bool) {
	if !v.IsConst() {
		return false, false
	}
	sign := uint64(1) << (r.kind.Bits() - 1)
	for k := range max(r.m.Components(r.m.TypeOf(v)), 1) {
		part := v
		if r.m.IsVector(r.m.TypeOf(v)) {
			part = r.m.ConstPart(v, uint32(k))
		}
		bits := r.m.ConstBits(part)
		positive, negative = positive || bits == 0, negative || bits == sign
	}
	return positive, negative
}

// plusZero is x + 0, which differs from x for -0.
func (r *rewriter) plusZero(x ir.Value) ir.Value {
	zero := r.number(0)
	return r.choose(r.op(op.Eq, x, zero), zero, x)
}

func exactSum(r *rewriter) ir.Value {
	for n, x := range [...]ir.Value{r.x[1], r.x[0]} {
		switch positive, negative := r.zeros(r.x[n]); {
		case negative:
			return x
		case positive:
			return r.plusZero(x)
		}
	}
	return ir.NoValue
}

func exactDifference(r *rewriter) ir.Value {
	switch positive, negative := r.zeros(r.x[1]); {
	case positive:
		return r.x[0]
	case negative:
		return r.plusZero(r.x[0])
	}
	opposite := r.op(op.Neg, r.x[1])
	if _, negative := r.zeros(r.x[0]); negative {
		return opposite
	}
	return r.plusZero(opposite)
}

// exactProduct leaves products with -0, which nothing simplifies.
func exactProduct(r *rewriter) ir.Value {
	for n, x := range [...]ir.Value{r.x[1], r.x[0]} {
		if positive, _ := r.zeros(r.x[n]); positive {
			return r.op(op.Neg, r.mul(x, r.number(negativeZero)))
		}
	}
	return ir.NoValue
}

var negativeZero = math.Copysign(0, -1)

func exactMin(r *rewriter) ir.Value {
	return r.choice(op.Lt, r.choose(r.isNegative(r.x[0]), r.x[0], r.x[1]))
}

func exactMax(r *rewriter) ir.Value {
	return r.choice(op.Gt, r.choose(r.isNegative(r.x[0]), r.x[1], r.x[0]))
}

// choice chooses by a comparison, and of a number and a NaN the number. Equal numbers differ as
// zeros do, or, on a device that flushes, as subnormal numbers do.
func (r *rewriter) choice(compare op.Op, equal ir.Value) ir.Value {
	x, y := r.x[0], r.x[1]
	other := r.choose(r.op(op.Eq, x, y), equal, r.choose(r.op(op.Eq, y, y), y, x))
	ordered := r.choose(r.op(compare, y, x), y, r.choose(r.op(op.Eq, x, x), other, y))
	return r.choose(r.op(compare, x, y), x, ordered)
}

// isNegative reports whether the sign of a float is set. That of f16 is looked at in f32.
func (r *rewriter) isNegative(x ir.Value) ir.Value {
	if r.kind == scalar.F16 {
		x = r.b.Convert(scalar.F32, x)
	}
	k := signedOf(formatOf(r.kind).word)
	return r.op(op.Lt, r.cast(k, x), r.integer(ir.Type(k), 0))
}

func exactClamp(r *rewriter) ir.Value {
	return r.op(op.Min, r.op(op.Max, r.x[0], r.x[1]), r.x[2])
}

func exactSign(r *rewriter) ir.Value {
	x := r.x[0]
	zero := r.number(0)
	return r.choose(r.op(op.Gt, x, zero), r.number(1), r.choose(r.op(op.Lt, x, zero), r.number(-1), x))
}

func exactFract(r *rewriter) ir.Value { return r.op(op.Sub, r.x[0], r.op(op.Floor, r.x[0])) }

// halfBits rounds an f32 to f16, in the lower half of a word.
func (r *rewriter) halfBits(x ir.Value) ir.Value {
	w := exactWords{r, &singleFormat}
	v := w.decode(x)
	const more = 24 - 11 - 2 // bits that encode does not take
	lost := w.and(v.significand, w.c(1<<more-1))
	significand := w.or(w.rewriter.shr(v.significand, more), w.unit(w.op(op.Ne, lost, w.c(0))))
	narrow := exactWords{r, &halfInWord}
	bits := narrow.encode(w.add(v.exponent, w.i32(halfInWord.middle-singleFormat.middle)), significand)
	bits = w.choose(w.isZero(v.magnitude), w.c(0), bits)
	bits = w.choose(w.op(op.Gt, v.magnitude, w.c(w.infinity())), w.c(halfInWord.quiet()), bits)
	return w.or(bits, w.rewriter.shr(v.sign, 16))
}

// exactConvert rounds f32 to f16. Vulkan leaves open which neighbour a conversion takes.
func exactConvert(r *rewriter) ir.Value {
	if r.kind != scalar.F32 || r.m.ScalarOf(r.t) != scalar.F16 {
		return ir.NoValue
	}
	if n := r.m.Components(r.t); n > 1 {
		var parts [4]ir.Value
		for k := range n {
			parts[k] = r.b.Convert(scalar.F16, r.component(r.x[0], k))
		}
		return r.construct(r.t, parts[:n])
	}
	return r.b.Extract(r.b.Bitcast(r.m.VectorOf(ir.F16, 2), r.halfBits(r.x[0])), 0)
}

// exactQuantize keeps subnormal numbers of f16, which devices may make zero.
func exactQuantize(r *rewriter) ir.Value { return r.halfNumber(r.halfBits(r.x[0])) }

func exactPackHalves(r *rewriter) ir.Value {
	low, high := r.halfBits(r.component(r.x[0], 0)), r.halfBits(r.component(r.x[0], 1))
	return r.op(op.Or, low, r.shl(high, 16))
}

func exactUnpackHalves(r *rewriter) ir.Value {
	low, high := r.op(op.And, r.x[0], r.bits(ir.U32, 0xffff)), r.shr(r.x[0], 16)
	return r.construct(r.t, []ir.Value{r.halfNumber(low), r.halfNumber(high)})
}

// halfNumber is the f32 of an f16 in the lower half of a word.
func (r *rewriter) halfNumber(bits ir.Value) ir.Value {
	u := func(x uint64) ir.Value { return r.bits(ir.U32, x) }
	magnitude := r.op(op.And, bits, u(0x7fff))
	subnormal := r.mul(r.b.Convert(scalar.F32, magnitude), r.float(ir.F32, 0x1p-24))
	const rebias = (exponentBias - 15) << fractionBits
	normal := r.cast(scalar.F32, r.add(r.shl(magnitude, 13), u(rebias)))
	endless := r.cast(scalar.F32, r.op(op.Or, r.shl(magnitude, 13), u(infinityBits)))
	v := r.choose(r.op(op.Lt, magnitude, u(0x400)), subnormal, normal)
	v = r.choose(r.op(op.Ge, magnitude, u(0x7c00)), endless, v)
	sign := r.shl(r.op(op.And, bits, u(0x8000)), 16)
	return r.cast(scalar.F32, r.op(op.Or, r.cast(scalar.U32, v), sign))
}
