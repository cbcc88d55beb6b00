package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Polyfill returns the pass that expands the given operations to simpler ones (Tint:
// BuiltinPolyfill). An expansion may use operations that are in the list, which are then expanded
// too. An operation without an expansion is a mistake in the target's declaration and panics.
//
// The pass comes before DefineArithmetic, since expansions may shift and convert values that only
// the IR defines. It adds no vector operations to a module that has none.
func Polyfill(ops ...op.Op) opt.Pass {
	for _, o := range ops {
		if !Expandable(o) {
			panic("lower: no expansion of " + o.String())
		}
	}
	return opt.Pass{
		Name:   "polyfill",
		Doc:    "express operations that the target lacks by simpler ones",
		Gives:  ir.Expanded,
		Breaks: ir.Total,

		Replaces: op.SetOf(ops...),
		Run: rewrite.Lazy(func() *rewrite.Rules {
			table := new(rewrite.Rules)
			for _, o := range ops {
				table[o] = expansions[o].rule
			}
			return table
		}),
	}
}

// Expandable reports whether Polyfill has an expansion of an operation.
func Expandable(o op.Op) bool { return expansions[o].rule != nil }

// expansion is the expansion of an operation, and its documentation.
type expansion struct {
	formula string // in x, y, z for the operands
	reason  string // why it is exact; empty if it is the definition
	rule    rewrite.Rule
}

// expansions lists the operations that some target lacks, which a test checks.
var expansions = [op.Count]expansion{
	op.MulHigh: {formula: "the sum of four products of halves, without its lower half", rule: expandMulHigh,
		reason: "neither sum in the middle exceeds the width"},
	op.CountLeadingZeros: {formula: "width-1 - first_leading_bit(unsigned x)", rule: expandCountLeadingZeros,
		reason: "-1 for 0 gives the width"},
	op.CountTrailingZeros: {formula: "min(unsigned first_trailing_bit(x), width)", rule: expandCountTrailingZeros,
		reason: "-1 for 0 is above the width"},

	// a target that has exp and log natively lists these here, and not with pass transcendental
	op.Ldexp: {formula: "x times powers of two in three steps", rule: transcendentalInSingle,
		reason: "the exponents of floats span more than twice those of a power; nothing rounds twice"},
	op.FrexpSignificand: {formula: "the exponent bits replaced by those of ½, subnormals scaled before", rule: transcendentalInSingle},
	op.FrexpExponent:    {formula: "the exponent bits - 126, subnormals scaled before", rule: transcendentalInSingle},

	op.Dot4I8:          {formula: "the sum of the products of the bytes, sign-extended by shifts", rule: expandDot4},
	op.Dot4U8:          {formula: "the sum of the products of the bytes", rule: expandDot4},
	op.Pack4x8Snorm:    {formula: "⌊½ + 127·clamp(x, -1, 1)⌋ by byte", rule: expandPack, reason: exactFloor},
	op.Pack4x8Unorm:    {formula: "⌊½ + 255·clamp(x, 0, 1)⌋ by byte", rule: expandPack, reason: exactFloor},
	op.Pack4xI8:        {formula: "x & 255, shifted and joined", rule: expandPack},
	op.Pack4xU8:        {formula: "x & 255, shifted and joined", rule: expandPack},
	op.Pack4xI8Clamp:   {formula: "clamp(x, -128, 127) & 255, shifted and joined", rule: expandPack},
	op.Pack4xU8Clamp:   {formula: "min(x, 255), shifted and joined", rule: expandPack},
	op.Pack2x16Snorm:   {formula: "⌊½ + 32767·clamp(x, -1, 1)⌋ by halfword", rule: expandPack, reason: exactFloor},
	op.Pack2x16Unorm:   {formula: "⌊½ + 65535·clamp(x, 0, 1)⌋ by halfword", rule: expandPack, reason: exactFloor},
	op.Unpack4x8Snorm:  {formula: "max(f32(byte) / 127, -1)", rule: expandUnpack},
	op.Unpack4x8Unorm:  {formula: "f32(byte) / 255", rule: expandUnpack},
	op.Unpack4xI8:      {formula: "x << (24-s) >> 24", rule: expandUnpack},
	op.Unpack4xU8:      {formula: "x >> s & 255", rule: expandUnpack},
	op.Unpack2x16Snorm: {formula: "max(f32(halfword) / 32767, -1)", rule: expandUnpack},
	op.Unpack2x16Unorm: {formula: "f32(halfword) / 65535", rule: expandUnpack},
}

// exactFloor is why packing needs one more comparison than its formula.
const exactFloor = "the sum may round up to an integer; the sign of its exact distance, an fma, says so"

// expandMulHigh is long multiplication with halves as digits.
func expandMulHigh(r *rewrite.Rewriter) ir.Value {
	half := r.Kind.Bits() / 2
	mask := r.Integer(r.Type, 1<<half-1)
	low := func(x ir.Value) ir.Value { return r.Op(op.And, x, mask) }
	high := func(x ir.Value) ir.Value { return r.Shr(x, half) }
	if r.Kind == scalar.U64 { // drivers recognise the product of two words by the conversions
		low = func(x ir.Value) ir.Value { return r.B.Convert(scalar.U64, r.B.Convert(scalar.U32, x)) }
		high = func(x ir.Value) ir.Value { return low(r.Shr(x, half)) }
	}
	xl, xh, yl, yh := low(r.X[0]), high(r.X[0]), low(r.X[1]), high(r.X[1])
	middle := r.Op(op.Add, r.Op(op.Mul, xh, yl), r.Shr(r.Op(op.Mul, xl, yl), half))
	other := r.Op(op.Add, r.Op(op.Mul, xl, yh), low(middle))
	return r.Op(op.Add, r.Op(op.Add, r.Op(op.Mul, xh, yh), r.Shr(middle, half)), r.Shr(other, half))
}

func expandCountLeadingZeros(r *rewrite.Rewriter) ir.Value {
	x := Unsigned(r, r.X[0])
	first := r.Op(op.FirstLeadingBit, x)
	return r.Cast(r.Kind, r.Op(op.Sub, r.Integer(r.F.TypeOf(x), int64(r.Kind.Bits())-1), first))
}

func expandCountTrailingZeros(r *rewrite.Rewriter) ir.Value {
	first := r.Op(op.FirstTrailingBit, Unsigned(r, r.X[0]))
	return r.Cast(r.Kind, r.Op(op.Min, first, r.Integer(r.F.TypeOf(first), int64(r.Kind.Bits()))))
}
