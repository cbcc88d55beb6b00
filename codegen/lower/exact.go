package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Exact gives strict arithmetic the results of IEEE 754 on devices whose instructions promise less.
// Vulkan allows 2.5 ULP for quotients, computes roots by their reciprocals, and need not fuse an
// fma (Vulkan, "Precision and Operation of SPIR-V Instructions"). Results are computed with
// integers here. Approximations only estimate digits, and exact remainders correct them. So nothing
// depends on how a device rounds, flushes or handles NaN.
//
// Approximate instructions that an expansion uses are marked fast, which the rules leave alone. The
// pass comes before DefineArithmetic, like Polyfill.
var Exact = opt.Pass{
	Name:   "exact",
	Doc:    "with strict arithmetic, compute with integers what a device does not round correctly",
	Breaks: ir.Total,
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Math == opt.MathStrict {
			exactly(c, m)
		}
	},
}

var exactly = rewrite.Lazy(func() *rewrite.Rules {
	return &rewrite.Rules{
		op.Div: scalarFloat(exactQuotient), op.Sqrt: scalarFloat(exactRoot), op.Fma: scalarFloat(exactFma),
		op.Min: scalarFloat(exactMin), op.Max: scalarFloat(exactMax), op.Clamp: scalarFloat(exactClamp),
		op.Add: withZero(exactSum), op.Sub: withZero(exactDifference), op.Mul: withZero(exactProduct),
		op.Sign: scalarFloat(exactSign), op.Fract: scalarFloat(exactFract),
		op.QuantizeF16: scalarFloat(exactQuantize), op.Pack2x16Float: exactPackHalves, op.Unpack2x16Float: exactUnpackHalves, op.Convert: exactConvert,
	}
})

// ExactChoices is the part of Exact for targets with IEEE 754 arithmetic: their min, max and sign
// differ from the IR's for zeros and NaN.
var ExactChoices = opt.Pass{
	Name: "exact-minmax",
	Doc:  "with strict arithmetic, handle zeros and NaN in min, max and sign as the IR does",
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Math == opt.MathStrict {
			exactChoices(c, m)
		}
	},
}

var exactChoices = rewrite.Lazy(func() *rewrite.Rules {
	return &rewrite.Rules{op.Min: scalarFloat(exactMin), op.Max: scalarFloat(exactMax), op.Clamp: scalarFloat(exactClamp), op.Sign: scalarFloat(exactSign)}
})

// scalarFloat makes a rule for operations on floats, component by component.
func scalarFloat(rule rewrite.Rule) rewrite.Rule {
	return func(r *rewrite.Rewriter) ir.Value {
		switch {
		case !r.Kind.IsFloat() || r.F.Flags(r.Inst)&ir.Fast != 0:
			return ir.NoValue
		case r.M.IsVector(r.Type):
			return rewrite.Componentwise(r)
		}
		return rule(r)
	}
}

// format is a binary format of IEEE 754, and the integers that hold it.
type format struct {
	of, word         scalar.Kind
	width, precision int
	bias             int64 // of exponents
}

var (
	singleFormat = format{scalar.F32, scalar.U32, 32, 24, 127}
	doubleFormat = format{scalar.F64, scalar.U64, 64, 53, 1023}
	// halfInWord is f16 in the lower half of a u32: devices without integers of 16 bits have f16.
	halfInWord = format{scalar.F16, scalar.U32, 16, 11, 15}
)

func formatOf(k scalar.Kind) *format {
	if k == scalar.F64 {
		return &doubleFormat
	}
	return &singleFormat
}

func (f *format) fraction() int      { return f.precision - 1 }
func (f *format) hidden() uint64     { return 1 << f.fraction() }
func (f *format) sign() uint64       { return 1 << (f.width - 1) }
func (f *format) maxExponent() int64 { return 2*f.bias + 1 }
func (f *format) infinity() uint64   { return uint64(f.maxExponent()) << f.fraction() }
func (f *format) quiet() uint64      { return f.infinity() | f.hidden()>>1 }

// exactWords builds operations on words of one format.
type exactWords struct {
	*rewrite.Rewriter
	*format
}

func (w exactWords) c(x uint64) ir.Value        { return w.Bits(ir.Type(w.word), x) }
func (w exactWords) i32(x int64) ir.Value       { return w.Integer(ir.I32, x) }
func (w exactWords) and(x, y ir.Value) ir.Value { return w.Op(op.And, x, y) }
func (w exactWords) or(x, y ir.Value) ir.Value  { return w.Op(op.Or, x, y) }
func (w exactWords) sub(x, y ir.Value) ir.Value { return w.Op(op.Sub, x, y) }
func (w exactWords) int(x ir.Value) ir.Value    { return w.B.Convert(scalar.I32, x) }
func (w exactWords) float(x ir.Value) ir.Value  { return w.B.Convert(scalar.F32, x) }

// of a bool 0 or 1
func (w exactWords) unit(x ir.Value) ir.Value     { return w.B.Convert(w.word, x) }
func (w exactWords) widen(x ir.Value) ir.Value    { return w.B.Convert(w.word, x) }
func (w exactWords) signed(x ir.Value) ir.Value   { return w.Cast(signedOf(w.word), x) }
func (w exactWords) unsigned(x ir.Value) ir.Value { return w.Cast(w.word, x) }
func (w exactWords) isZero(x ir.Value) ir.Value   { return w.Op(op.Eq, x, w.c(0)) }

// negative tests the highest bit of a word.
func (w exactWords) negative(x ir.Value) ir.Value {
	return w.Op(op.Lt, w.signed(x), w.Integer(ir.Type(signedOf(w.word)), 0))
}

func signedOf(k scalar.Kind) scalar.Kind {
	if k == scalar.U64 {
		return scalar.I64
	}
	return scalar.I32
}

// amount reduces an i32 to a shift amount below the width of words.
func (w exactWords) amount(n ir.Value) ir.Value {
	return w.Op(op.And, w.Cast(scalar.U32, n), w.Integer(ir.U32, int64(w.word.Bits())-1))
}

// unpacked is a decomposed float. A finite value other than zero is
// significand·2^(exponent-bias-fraction), with the hidden bit set, of subnormal values too.
type unpacked struct {
	sign, magnitude, significand ir.Value
	exponent                     ir.Value // i32
}

func (w exactWords) decode(x ir.Value) unpacked {
	bits := w.Cast(w.word, x)
	magnitude := w.and(bits, w.c(w.format.sign()-1))
	subnormal := w.Op(op.Lt, magnitude, w.c(w.hidden()))
	first := w.int(w.Op(op.FirstLeadingBit, magnitude))
	distance := w.sub(w.i32(int64(w.fraction())), first)
	normal := w.or(w.and(magnitude, w.c(w.hidden()-1)), w.c(w.hidden()))
	return unpacked{
		sign:        w.and(bits, w.c(w.format.sign())),
		magnitude:   magnitude,
		significand: w.Select(subnormal, w.Op(op.Shl, magnitude, w.amount(distance)), normal),
		exponent:    w.Select(subnormal, w.sub(w.i32(1), distance), w.int(w.Rewriter.Shr(magnitude, w.fraction()))),
	}
}

// encode rounds to nearest even. The significand has two bits more than the format: the highest is
// set, and the lowest is the sticky bit. The biased exponent may be out of the format's range. The
// result has no sign.
func (w exactWords) encode(exponent, significand ir.Value) ir.Value {
	beyond := w.Op(op.Clamp, w.sub(w.i32(1), exponent), w.i32(0), w.i32(int64(w.precision)+3))
	amount := w.amount(beyond)
	lost := w.and(significand, w.Op(op.Not, w.Op(op.Shl, w.c(^uint64(0)&w.word.Mask()), amount)))
	s := w.or(w.Op(op.Shr, significand, amount), w.unit(w.Op(op.Ne, lost, w.c(0))))
	even := w.and(w.Rewriter.Shr(s, 2), w.c(1))
	s = w.Rewriter.Shr(add(w.Rewriter, add(w.Rewriter, s, w.c(1)), even), 2)
	// the hidden bit adds 1 to the exponent, and a subnormal value has none
	field := w.Op(op.Clamp, w.sub(exponent, w.i32(1)), w.i32(0), w.i32(w.maxExponent()-1))
	rounded := add(w.Rewriter, s, w.Rewriter.Shl(w.widen(w.Cast(scalar.U32, field)), w.fraction()))
	return w.Select(w.Op(op.Ge, exponent, w.i32(w.maxExponent())), w.c(w.infinity()), rounded)
}

// result casts a word to a float.
func (w exactWords) result(x ir.Value) ir.Value { return w.Cast(w.of, x) }

// approximate builds an operation that need not be exact.
func (w exactWords) approximate(o op.Op, args ...ir.Value) ir.Value {
	w.B.Flags |= ir.Fast
	v := w.Op(o, args...)
	w.B.Flags &^= ir.Fast
	return v
}

// scaled builds x·y·2^n in f32, roughly.
func (w exactWords) scaled(x, y ir.Value, n int) ir.Value {
	return w.approximate(op.Mul, x, w.approximate(op.Mul, y, w.Rewriter.Float(ir.F32, exp2(n))))
}

// digit returns the nearest integer to a small f32.
func (w exactWords) digit(x ir.Value) ir.Value { return w.B.Convert(scalar.I32, w.Op(op.Round, x)) }

// extend sign-extends an i32 to a word.
func (w exactWords) extend(x ir.Value) ir.Value {
	if w.word == scalar.U64 {
		return w.unsigned(w.B.Convert(scalar.I64, x))
	}
	return w.unsigned(x)
}

// unitFloat is the f32 1.f·2^n whose fraction f is that of a significand, truncated to f32.
func (w exactWords) unitFloat(significand ir.Value, n ir.Value) ir.Value {
	top := w.Rewriter.Shr(significand, w.precision-24)
	if w.word == scalar.U64 {
		top = w.B.Convert(scalar.U32, top)
	}
	field := w.Op(op.And, top, w.Bits(ir.U32, 1<<fractionBits-1))
	exponent := w.Rewriter.Shl(add(w.Rewriter, n, w.Integer(ir.U32, exponentBias)), fractionBits)
	return w.Cast(scalar.F32, w.Op(op.Or, field, exponent))
}

// exactQuotient divides significands digit by digit, by an f32 reciprocal with 20 correct bits.
// Each remainder is exact modulo the width of words, and small.
func exactQuotient(r *rewrite.Rewriter) ir.Value {
	if v := PromoteOp(r); v != ir.NoValue {
		return v
	}
	w := exactWords{r, formatOf(r.Kind)}
	x, y := w.decode(r.X[0]), w.decode(r.X[1])
	// the quotient of the numerator and y's significand is in [1, 2)
	less := w.Op(op.Lt, x.significand, y.significand)
	step := w.B.Convert(scalar.U32, less)
	numerator := w.Select(less, w.Rewriter.Shl(x.significand, 1), x.significand)
	exponent := add(w.Rewriter, w.sub(w.sub(x.exponent, y.exponent), w.Cast(scalar.I32, step)), w.i32(w.bias))
	reciprocal := w.approximate(op.Div, w.Rewriter.Float(ir.F32, 1), w.unitFloat(y.significand, w.Integer(ir.U32, 0)))

	var quotient, remainder ir.Value
	if w.word == scalar.U32 {
		// at most 6 off, since the product of the approximations is 2.5 ULP and two roundings off
		first := w.approximate(op.Mul, w.unitFloat(x.significand, add(w.Rewriter, step, w.Integer(ir.U32, 23))), reciprocal)
		quotient = w.B.Convert(scalar.U32, first)
		remainder = w.sub(w.Rewriter.Shl(numerator, 23), mul(w.Rewriter, quotient, y.significand))
	} else {
		first := w.scaled(w.unitFloat(x.significand, step), reciprocal, 20)
		quotient = w.widen(w.B.Convert(scalar.U32, first))
		remainder = w.sub(w.Rewriter.Shl(numerator, 20), mul(w.Rewriter, quotient, y.significand))
		quotient, remainder = w.extendQuotient(quotient, remainder, y.significand, reciprocal, 20)
	}
	last := map[scalar.Kind]int{scalar.U32: 0, scalar.U64: 12}[w.word]
	quotient, remainder = w.extendQuotient(quotient, remainder, y.significand, reciprocal, last)
	// the last digit was rounded to nearest, and the remainder has a sign
	below := w.negative(remainder)
	quotient = w.sub(quotient, w.unit(below))
	remainder = w.Select(below, add(w.Rewriter, remainder, y.significand), remainder)
	half := w.Op(op.Ge, w.Rewriter.Shl(remainder, 1), y.significand)
	tail := w.or(w.Rewriter.Shl(w.unit(half), 1), w.unit(w.Op(op.Ne, remainder, w.c(0))))
	v := w.encode(exponent, w.or(w.Rewriter.Shl(quotient, 2), tail))

	zeroX, zeroY := w.isZero(x.magnitude), w.isZero(y.magnitude)
	infinity := w.c(w.infinity())
	infiniteX, infiniteY := w.Op(op.Eq, x.magnitude, infinity), w.Op(op.Eq, y.magnitude, infinity)
	v = w.Select(w.or(zeroX, infiniteY), w.c(0), v)
	v = w.Select(w.or(infiniteX, zeroY), infinity, v)
	v = w.or(v, w.Op(op.Xor, x.sign, y.sign))
	none := w.or(w.or(w.and(zeroX, zeroY), w.and(infiniteX, infiniteY)),
		w.Op(op.Gt, w.Op(op.Max, x.magnitude, y.magnitude), infinity))
	return w.result(w.Select(none, w.c(w.quiet()), v))
}

// extendQuotient computes n more bits of a quotient, and corrects those before.
func (w exactWords) extendQuotient(quotient, remainder, divisor, reciprocal ir.Value, n int) (ir.Value, ir.Value) {
	digit := w.extend(w.digit(w.scaled(w.float(w.signed(remainder)), reciprocal, n-w.fraction())))
	remainder = w.sub(w.Rewriter.Shl(remainder, n), mul(w.Rewriter, digit, divisor))
	return add(w.Rewriter, w.Rewriter.Shl(quotient, n), digit), remainder
}

// exactRoot computes the root of a significand in the same way, with exact remainders.
func exactRoot(r *rewrite.Rewriter) ir.Value {
	if v := PromoteOp(r); v != ir.NoValue {
		return v
	}
	w := exactWords{r, formatOf(r.Kind)}
	x := w.decode(r.X[0])
	// the root of an even power; the bias is odd
	odd := w.Op(op.Eq, w.Op(op.And, x.exponent, w.i32(1)), w.i32(0))
	step := w.B.Convert(scalar.U32, odd)
	number := w.Select(odd, w.Rewriter.Shl(x.significand, 1), x.significand)
	exponent := add(w.Rewriter, w.Rewriter.Shr(w.sub(w.sub(x.exponent, w.i32(w.bias)), w.Cast(scalar.I32, step)), 1), w.i32(w.bias-1))
	f := w.unitFloat(x.significand, step)
	inverse := w.approximate(op.InverseSqrt, f)

	var root, remainder ir.Value
	if w.word == scalar.U32 {
		root = w.B.Convert(scalar.U32, w.scaled(f, inverse, 23))
		remainder = w.sub(w.Rewriter.Shl(number, 23), mul(w.Rewriter, root, root))
		root, remainder = w.extendRoot(root, remainder, inverse, 23, 0)
	} else {
		root = w.widen(w.B.Convert(scalar.U32, w.scaled(f, inverse, 20)))
		// scaled by 2^52, where the root is by 2^20
		remainder = w.sub(number, w.Rewriter.Shl(mul(w.Rewriter, root, root), 12))
		digit := w.extend(w.digit(w.scaled(w.float(w.signed(remainder)), inverse, 36-53)))
		root = add(w.Rewriter, w.Rewriter.Shl(root, 16), digit)
		remainder = w.sub(w.Rewriter.Shl(number, 20), mul(w.Rewriter, root, root))
		root, _ = w.extendRoot(root, remainder, inverse, 36, 16)
		remainder = w.sub(w.Rewriter.Shl(number, 52), mul(w.Rewriter, root, root))
	}
	// the nearest integer: the remainder is in (-root, root]
	less := w.negative(remainder)
	root = w.sub(root, w.unit(less))
	remainder = w.Select(less, add(w.Rewriter, remainder, add(w.Rewriter, w.Rewriter.Shl(root, 1), w.c(1))), remainder)
	root = add(w.Rewriter, root, w.unit(w.Op(op.Gt, remainder, root)))
	v := add(w.Rewriter, root, w.Rewriter.Shl(w.widen(w.Cast(scalar.U32, exponent)), w.fraction()))

	positive := w.isZero(x.sign)
	infinity := w.c(w.infinity())
	v = w.Select(w.and(positive, w.Op(op.Lt, x.magnitude, infinity)), v, w.c(w.quiet()))
	same := w.or(w.isZero(x.magnitude), w.and(positive, w.Op(op.Eq, x.magnitude, infinity)))
	return w.result(w.Select(same, w.or(x.magnitude, x.sign), v))
}

// extendRoot computes n more bits of a root that is scaled by 2^scale, and corrects those before.
func (w exactWords) extendRoot(root, remainder, inverse ir.Value, scale, n int) (ir.Value, ir.Value) {
	digit := w.extend(w.digit(w.scaled(w.float(w.signed(remainder)), inverse, n-scale-1)))
	remainder = w.sub(w.Rewriter.Shl(remainder, 2*n), mul(w.Rewriter, digit, add(w.Rewriter, w.Rewriter.Shl(root, n+1), digit)))
	return add(w.Rewriter, w.Rewriter.Shl(root, n), digit), remainder
}
