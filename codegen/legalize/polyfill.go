package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Polyfill returns the pass that expresses the given operations by simpler
// ones, for targets whose language has f16. An expansion may use operations
// that are themselves in the list; they are then expanded too. An operation
// without an expansion is a mistake in the target's declaration and panics.
//
// The pass stands before Totalise: expansions shift by, and convert, what the
// IR defines and a machine may not. It adds no vector operations to a module
// that has none.
func Polyfill(ops ...op.Op) opt.Pass { return polyfill(ops, true) }

// PolyfillWithoutHalf is Polyfill for targets without f16: halves in memory and
// quantize_f16 become integer arithmetic on the bits.
func PolyfillWithoutHalf(ops ...op.Op) opt.Pass { return polyfill(ops, false) }

// Expandable reports whether Polyfill has an expansion of an operation.
func Expandable(o op.Op) bool { return len(expansions[o]) > 0 }

func polyfill(ops []op.Op, half bool) opt.Pass {
	var listed [op.Count]bool
	for _, o := range ops {
		listed[o] = true
	}
	table := new(rules)
	for _, o := range ops {
		table[o] = choose(expansions[o], &listed, half)
		if table[o] == nil {
			panic("legalize: no expansion of " + o.String())
		}
	}
	return opt.Pass{
		Name:   "polyfill",
		Doc:    "express operations that the target lacks by simpler ones",
		Gives:  ir.Expanded,
		Breaks: ir.Total,
		Run:    func(c *opt.Context, m *ir.Module) { table.run(c, m) },
	}
}

// expansion is one way to express an operation.
type expansion struct {
	formula string // in x, y, z, w for the operands
	reason  string // why this one; empty if it is the definition
	rule    rule
	// by is an operation that the target must have for this way, if not 0; half
	// says that it must have f16.
	by   op.Op
	half bool
}

// choose returns the first expansion that the target can use.
func choose(ways []expansion, listed *[op.Count]bool, half bool) rule {
	for _, e := range ways {
		if (e.by == op.Invalid || !listed[e.by]) && (half || !e.half) {
			return e.rule
		}
	}
	return nil
}

// expansions lists the ways to express each operation, the best first. On the
// kinds for which a rule is not meant it leaves the instruction alone.
var expansions = [op.Count][]expansion{
	op.Sign:  {{formula: "x > 0 ? 1 : x < 0 ? -1 : x; min(max(x, -1), 1) for integers", rule: expandSign}},
	op.Clamp: {{formula: "min(max(x, y), z)", rule: expandClamp}},
	op.Fma: {{formula: "x·y + z", rule: expandFma,
		reason: "two roundings, which WGSL §15.7.4 allows: the error is that of x·y + z"}},
	op.Rem: {{formula: "x - y·trunc(x / y), floats only", rule: expandRem,
		reason: "WGSL's own bound (§15.7.4): where the quotient exceeds 2^24 no digit of the result need be right, while the evaluator's is exact"}},

	op.CountOneBits: {{formula: "sums of neighbouring fields, doubled until they are bytes; a multiplication adds the bytes", rule: expandCountOneBits}},
	op.CountLeadingZeros: {
		{formula: "width-1 - first_leading_bit(unsigned x)", by: op.FirstLeadingBit, rule: leadingZerosByFirst,
			reason: "-1 for 0 gives the width"},
		{formula: "width - count_one_bits(x | x>>1 | … | x>>width-1)", rule: leadingZerosByCount,
			reason: "all bits below the highest are set in log₂ width steps"},
	},
	op.CountTrailingZeros: {
		{formula: "min(unsigned first_trailing_bit(x), width)", by: op.FirstTrailingBit, rule: trailingZerosByFirst,
			reason: "-1 for 0 is above the width"},
		{formula: "count_one_bits(¬x & (x-1))", rule: trailingZerosByCount},
	},
	op.FirstLeadingBit: {{formula: "width-1 - count_leading_zeros(x ^ sign(x))", rule: expandFirstLeadingBit,
		reason: "the first bit that differs from the sign is the first one bit after the sign is taken out; the width gives -1"}},
	op.FirstTrailingBit: {{formula: "x = 0 ? -1 : count_trailing_zeros(x)", rule: expandFirstTrailingBit}},
	op.ReverseBits:      {{formula: "neighbouring fields of 1, 2, 4, … bits exchanged", rule: expandReverseBits}},
	op.ExtractBits: {{formula: "z = 0 ? 0 : x << (width-y-z) >> (width-z), y and z clamped", rule: expandExtractBits,
		reason: "the second shift extends the sign; no amount reaches the width unless z is 0"}},
	op.InsertBits: {{formula: "(x & ¬mask) | (y << z & mask), mask = w = 0 ? 0 : ones >> (width-w) << z, clamped", rule: expandInsertBits}},

	op.Select:  {{formula: "select by component, of vectors with a vector of conditions", rule: expandSelect}},
	op.All:     {{formula: "x₀ & x₁ & …", rule: func(r *rewriter) ir.Value { return r.reduce(op.And) }}},
	op.Any:     {{formula: "x₀ | x₁ | …", rule: func(r *rewriter) ir.Value { return r.reduce(op.Or) }}},
	op.Shuffle: {{formula: "construct(x_a, x_b, …)", rule: expandShuffle}},
	op.Splat:   {{formula: "construct(x, x, …)", rule: expandSplat}},
	op.Dot: {{formula: "x₀·y₀ + x₁·y₁ + …, in order", rule: expandDot,
		reason: "the order of the evaluator; products may be contracted as the flags say"}},

	op.Fract:       {{formula: "x - floor(x)", rule: expandFract}},
	op.InverseSqrt: {{formula: "1 / sqrt(x)", rule: expandInverseSqrt, reason: "within 2 ULP if the division and root are WGSL's"}},
	op.Tan:         {{formula: "sin(x) / cos(x)", rule: inSingle(op.Tan), reason: inBounds}},
	op.Sinh:        {{formula: "(e^|x| - e^-|x|)/2 with x's sign; a polynomial below 1", rule: inSingle(op.Sinh), reason: inBounds}},
	op.Cosh:        {{formula: "(e^|x| + e^-|x|)/2", rule: inSingle(op.Cosh), reason: inBounds}},
	op.Tanh:        {{formula: "1 - 2/(e^2|x| + 1) with x's sign; a polynomial near 0", rule: inSingle(op.Tanh), reason: inBounds}},
	op.Asinh:       {{formula: "log(|x| + √(x²+1)) with x's sign; a polynomial near 0", rule: inSingle(op.Asinh), reason: inBounds}},
	op.Acosh:       {{formula: "log(x + √(x²-1))", rule: inSingle(op.Acosh), reason: inBounds}},
	op.Atanh:       {{formula: "log((1+x)/(1-x))/2; a polynomial near 0", rule: inSingle(op.Atanh), reason: inBounds}},
	op.Ldexp: {{formula: "x times powers of two in three steps", rule: inSingle(op.Ldexp),
		reason: "the exponents of floats span more than twice those of a power; nothing rounds twice"}},
	op.FrexpSignificand: {{formula: "the exponent bits replaced by those of ½, subnormals scaled before", rule: inSingle(op.FrexpSignificand)}},
	op.FrexpExponent:    {{formula: "the exponent bits - 126, subnormals scaled before", rule: inSingle(op.FrexpExponent)}},
	op.QuantizeF16: {
		{formula: "f32(f16(x))", half: true, rule: quantizeByConversion},
		{formula: "by the bits, as pack and unpack do", rule: quantizeByBits},
	},

	op.Dot4I8:          {{formula: "the sum of the products of the bytes, sign-extended by shifts", rule: expandDot4}},
	op.Dot4U8:          {{formula: "the sum of the products of the bytes", rule: expandDot4}},
	op.Pack4x8Snorm:    {{formula: "⌊½ + 127·clamp(x, -1, 1)⌋ by byte", rule: expandPack, reason: exactFloor}},
	op.Pack4x8Unorm:    {{formula: "⌊½ + 255·clamp(x, 0, 1)⌋ by byte", rule: expandPack, reason: exactFloor}},
	op.Pack4xI8:        {{formula: "x & 255, shifted and joined", rule: expandPack}},
	op.Pack4xU8:        {{formula: "x & 255, shifted and joined", rule: expandPack}},
	op.Pack4xI8Clamp:   {{formula: "clamp(x, -128, 127) & 255, shifted and joined", rule: expandPack}},
	op.Pack4xU8Clamp:   {{formula: "min(x, 255), shifted and joined", rule: expandPack}},
	op.Pack2x16Snorm:   {{formula: "⌊½ + 32767·clamp(x, -1, 1)⌋ by halfword", rule: expandPack, reason: exactFloor}},
	op.Pack2x16Unorm:   {{formula: "⌊½ + 65535·clamp(x, 0, 1)⌋ by halfword", rule: expandPack, reason: exactFloor}},
	op.Unpack4x8Snorm:  {{formula: "max(f32(byte) / 127, -1)", rule: expandUnpack}},
	op.Unpack4x8Unorm:  {{formula: "f32(byte) / 255", rule: expandUnpack}},
	op.Unpack4xI8:      {{formula: "x << (24-s) >> 24", rule: expandUnpack}},
	op.Unpack4xU8:      {{formula: "x >> s & 255", rule: expandUnpack}},
	op.Unpack2x16Snorm: {{formula: "max(f32(halfword) / 32767, -1)", rule: expandUnpack}},
	op.Unpack2x16Unorm: {{formula: "f32(halfword) / 65535", rule: expandUnpack}},
	op.Pack2x16Float: {
		{formula: "bitcast(vec2<f16>(x))", half: true, rule: packHalfByConversion},
		{formula: "rounding by integer addition; subnormals by adding ½ as a float", rule: packHalfByBits,
			reason: "no subnormal f32 is an operand or result, so machines that flush them agree"},
	},
	op.Unpack2x16Float: {
		{formula: "vec2<f32>(bitcast<vec2<f16>>(x))", half: true, rule: unpackHalfByConversion},
		{formula: "the exponent rebiased; subnormals as integer · 2^-24", rule: unpackHalfByBits},
	},
}

// exactFloor is why packing takes one more comparison than its formula.
const exactFloor = "the sum may round up to an integer; the sign of its exact distance, an fma, says so"

// inBounds is why a transcendental function has the expansion it has.
const inBounds = "as in pass transcendental, within WGSL §15.7.4"

// inSingle is the expansion that pass transcendental has of an operation, which
// it computes in f32. A target that has exp and log natively lists it here
// without those.
func inSingle(o op.Op) rule {
	rule := transcendentals[o]
	return func(r *rewriter) ir.Value {
		if r.kind == scalar.F16 {
			return r.inSingle()
		}
		return rule(r)
	}
}

func expandSign(r *rewriter) ir.Value {
	x, one, minus := r.x[0], r.integer(r.t, 1), r.integer(r.t, -1)
	if !r.kind.IsFloat() {
		return r.op(op.Min, r.op(op.Max, x, minus), one)
	}
	zero := r.integer(r.t, 0)
	return r.choose(r.op(op.Gt, x, zero), one, r.choose(r.op(op.Lt, x, zero), minus, x))
}

func expandClamp(r *rewriter) ir.Value {
	return r.op(op.Min, r.op(op.Max, r.x[0], r.x[1]), r.x[2])
}

func expandFma(r *rewriter) ir.Value {
	return r.op(op.Add, r.op(op.Mul, r.x[0], r.x[1]), r.x[2])
}

func expandRem(r *rewriter) ir.Value {
	if !r.kind.IsFloat() {
		return ir.NoValue
	}
	if r.kind == scalar.F16 {
		return r.inSingle()
	}
	x, y := r.x[0], r.x[1]
	return r.op(op.Sub, x, r.op(op.Mul, y, r.op(op.Trunc, r.op(op.Div, x, y))))
}

func expandFract(r *rewriter) ir.Value {
	return r.op(op.Sub, r.x[0], r.op(op.Floor, r.x[0]))
}

func expandInverseSqrt(r *rewriter) ir.Value {
	return r.op(op.Div, r.integer(r.t, 1), r.op(op.Sqrt, r.x[0]))
}

// parts returns the number of components of an operand.
func (r *rewriter) parts(x ir.Value) int { return r.m.Components(r.f.TypeOf(x)) }

// reduce joins the components of the operand, in order.
func (r *rewriter) reduce(join op.Op) ir.Value {
	x := r.x[0]
	n := r.parts(x)
	if n == 1 {
		return x
	}
	v := r.part(x, 0)
	for c := 1; c < n; c++ {
		v = r.op(join, v, r.part(x, uint32(c)))
	}
	return v
}

func expandDot(r *rewriter) ir.Value {
	x, y := r.x[0], r.x[1]
	v := r.op(op.Mul, r.part(x, 0), r.part(y, 0))
	for c := 1; c < r.parts(x); c++ {
		v = r.op(op.Add, v, r.op(op.Mul, r.part(x, uint32(c)), r.part(y, uint32(c))))
	}
	return v
}

func expandSelect(r *rewriter) ir.Value {
	condition, x, y := r.x[0], r.x[1], r.x[2]
	n := r.parts(condition)
	if n == 1 {
		return ir.NoValue
	}
	var parts [4]ir.Value
	for c := range n {
		k := uint32(c)
		parts[c] = r.choose(r.part(condition, k), r.part(x, k), r.part(y, k))
	}
	return r.emit(op.Construct, r.t, 0, parts[:n]...)
}

func expandShuffle(r *rewriter) ir.Value {
	var parts [4]ir.Value
	n := r.m.Components(r.t)
	for c := range n {
		parts[c] = r.part(r.x[0], op.SwizzleComponent(r.f.Aux(r.i), c))
	}
	return r.emit(op.Construct, r.t, 0, parts[:n]...)
}

func expandSplat(r *rewriter) ir.Value {
	x := r.x[0]
	parts := [4]ir.Value{x, x, x, x}
	return r.emit(op.Construct, r.t, 0, parts[:r.m.Components(r.t)]...)
}
