package legalize

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Transcendental functions for machines that have exp2, log2, sqrt, division,
// and sine and cosine near zero, in few instructions and without branches; and
// ldexp and frexp (floatparts.go). Each expansion stays within WGSL's accuracy (WGSL
// §15.7.4) given machine functions that do, and is better where that is cheap:
// odd functions keep their relative accuracy near zero.
//
// The polynomials are minimax fits of relative error by Remez's exchange, with
// the function's first term exact: f(x) ≈ x + x³·p(x²).

// Transcendental returns the pass that expands the given functions. Sine and
// cosine in the list stay but get their operand reduced to [-π, π], unless they
// are marked fast. f16 is computed in f32.
func Transcendental(ops ...op.Op) opt.Pass {
	for _, o := range ops {
		if transcendentals[o] == nil {
			panic("legalize: " + o.String() + " is no transcendental function")
		}
	}
	replaces := op.SetOf(ops...)
	for _, o := range [...]op.Op{op.Sin, op.Cos} { // of a large angle they are those of a small one
		replaces.Remove(o)
	}
	return opt.Pass{
		Replaces: replaces,

		Name:   "transcendental",
		Doc:    "express transcendental functions by exp2, log2, sqrt and polynomials",
		Breaks: ir.Total,
		Run: made(func() *rules {
			table := new(rules)
			for _, o := range ops {
				table[o] = transcendentalInSingle
			}
			return table
		}),
	}
}

// transcendentalInSingle is the expansion of an operation, of f16 in f32.
func transcendentalInSingle(r *rewriter) ir.Value {
	if r.kind == scalar.F16 {
		return r.inSingle()
	}
	return transcendentals[r.f.Op(r.i)](r)
}

var transcendentals = rules{
	op.Sin: reduceAngle, op.Cos: reduceAngle, op.Tan: expandTan,
	op.Asin: expandAsin, op.Acos: expandAcos, op.Atan: expandAtan, op.Atan2: expandAtan2,
	op.Sinh: expandSinh, op.Cosh: expandCosh, op.Tanh: expandTanh,
	op.Asinh: expandAsinh, op.Acosh: expandAcosh, op.Atanh: expandAtanh,
	op.Exp: expandExp, op.Log: expandLog, op.Pow: expandPow,
	op.Ldexp: expandLdexp, op.FrexpSignificand: expandFrexpSignificand, op.FrexpExponent: expandFrexpExponent,
}

// Coefficients of p in f(x) ≈ x + x³·p(x²), lowest first, with the interval of
// |x| and the relative error of the fit.
var (
	// 1: 2^-28.5
	atanTerms = []float64{-0.333332991, 0.199985483, -0.142642416, 0.109521854, -0.0840344934, 0.0579575788, -0.0311778327, 0.0109145994, -0.00179362041}
	// ½: 2^-27.6
	asinTerms = []float64{0.166667525, 0.0749529765, 0.0454703756, 0.0241795166, 0.0421663053}
	// 1: 2^-25.3
	sinhTerms = []float64{0.16666716, 0.00833028372, 0.000203721943}
	// 0.625: 2^-27.8
	tanhTerms = []float64{-0.333332819, 0.133314422, -0.0537397151, 0.0206390872, -0.00570498697}
	// ½: 2^-34.1
	asinhTerms = []float64{-0.166666653, 0.0749988928, -0.0446132503, 0.0300129522, -0.019979984, 0.00916771231}
	// ½: 2^-29.4
	atanhTerms = []float64{0.333333001, 0.200025183, 0.142227622, 0.118237296, 0.0513582524, 0.176691171}
)

// inSingle computes an operation on f16 in f32: more than twice the digits, so
// that the result only rounds once more.
func (r *rewriter) inSingle() ir.Value {
	var args [4]ir.Value
	n := len(r.f.Args(r.i))
	for k, x := range r.x[:n] {
		if args[k] = x; r.m.ScalarOf(r.f.TypeOf(x)) == scalar.F16 {
			args[k] = r.b.Convert(scalar.F32, x)
		}
	}
	v := r.op(r.f.Op(r.i), args[:n]...)
	if r.m.ScalarOf(r.t).IsFloat() {
		return r.b.Convert(scalar.F16, v)
	}
	return v
}

// number returns a constant of the instruction's float type.
func (r *rewriter) number(x float64) ir.Value { return r.float(r.f.TypeOf(r.x[0]), x) }

func (r *rewriter) fma(x, y, z ir.Value) ir.Value { return r.op(op.Fma, x, y, z) }
func (r *rewriter) mul(x, y ir.Value) ir.Value    { return r.op(op.Mul, x, y) }
func (r *rewriter) add(x, y ir.Value) ir.Value    { return r.op(op.Add, x, y) }

// odd builds x + x³·p(x²).
func (r *rewriter) odd(x ir.Value, terms []float64) ir.Value {
	square := r.mul(x, x)
	return r.fma(r.mul(x, square), r.polynomial(square, terms), x)
}

// polynomial builds a polynomial by Horner's rule.
func (r *rewriter) polynomial(x ir.Value, terms []float64) ir.Value {
	n := len(terms) - 1
	p := r.number(terms[n])
	for n--; n >= 0; n-- {
		p = r.fma(p, x, r.number(terms[n]))
	}
	return p
}

// copySign gives a magnitude that has no sign, or is not taken where it has one, the sign of x: one
// logical instruction for machines that have those of three operands.
func (r *rewriter) copySign(magnitude, x ir.Value) ir.Value {
	t := r.f.TypeOf(x)
	u := r.with(t, scalar.U32)
	sign := r.op(op.And, r.cast(scalar.U32, x), r.bits(u, 1<<31))
	return r.cast(scalar.F32, r.op(op.Or, r.cast(scalar.U32, magnitude), sign))
}

// expandTan reduces the operand once for sine and cosine.
func expandTan(r *rewriter) ir.Value {
	x := r.x[0]
	if r.b.Flags&ir.Fast == 0 {
		x = r.reduced(x)
	}
	r.b.Flags |= ir.Fast
	return r.op(op.Div, r.op(op.Sin, x), r.op(op.Cos, x))
}

// asinTail builds 2·asin(√((1-a)/2)), which is acos(a), for a in [½, 1].
func (r *rewriter) asinTail(a ir.Value) ir.Value {
	root := r.op(op.Sqrt, r.fma(a, r.number(-0.5), r.number(0.5)))
	return r.mul(r.number(2), r.odd(root, asinTerms))
}

func expandAsin(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	tail := r.op(op.Sub, r.number(math.Pi/2), r.asinTail(a))
	return r.choose(r.op(op.Lt, a, r.number(0.5)), r.odd(x, asinTerms), r.copySign(tail, x))
}

func expandAcos(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	tail := r.asinTail(a)
	tail = r.choose(r.op(op.Lt, x, r.number(0)), r.op(op.Sub, r.number(math.Pi), tail), tail)
	return r.choose(r.op(op.Lt, a, r.number(0.5)), r.op(op.Sub, r.number(math.Pi/2), r.odd(x, asinTerms)), tail)
}

func expandAtan(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	inverse := r.op(op.Div, r.number(1), a)
	large := r.op(op.Gt, a, r.number(1))
	y := r.odd(r.choose(large, inverse, a), atanTerms)
	return r.copySign(r.choose(large, r.op(op.Sub, r.number(math.Pi/2), y), y), x)
}

// greatestDivisor is the greatest one that WGSL bounds the error of quotients for (WGSL
// §15.7.4.1): targets divide by reciprocals, and those of greater numbers are subnormal.
const greatestDivisor = 0x1p126

// expandAtan2 takes the arc tangent in the first octant and reflects it. The
// quotient of zeros counts as zero, and so does that of subnormal numbers, which divisions
// may take for zeros, but for the strict mode. A y beyond greatestDivisor, which WGSL's bound
// of atan2 covers, is scaled.
func expandAtan2(r *rewriter) ir.Value {
	y, x := r.x[0], r.x[1]
	ay, ax := r.op(op.Abs, y), r.op(op.Abs, x)
	high, low := r.op(op.Max, ax, ay), r.op(op.Min, ax, ay)
	zero := 0.0
	if r.c.Math != opt.MathStrict {
		zero = 0x1.fffffcp-127
	}
	undefined := r.op(op.Le, high, r.number(zero))
	if r.c.Math == opt.MathWGSL {
		scale := r.choose(r.op(op.Gt, high, r.number(greatestDivisor)), r.number(0.25), r.number(1))
		low, high = r.mul(low, scale), r.mul(high, scale)
	}
	quotient := r.choose(undefined, r.number(0), r.op(op.Div, low, high))
	angle := r.odd(quotient, atanTerms)
	angle = r.choose(r.op(op.Gt, ay, ax), r.op(op.Sub, r.number(math.Pi/2), angle), angle)
	angle = r.choose(r.op(op.Lt, x, r.number(0)), r.op(op.Sub, r.number(math.Pi), angle), angle)
	return r.copySign(angle, y)
}

// halfExp builds e^x / 2, which does not overflow where e^x/2 ± e^-x/2 do not.
func (r *rewriter) halfExp(x ir.Value) ir.Value {
	return r.op(op.Exp2, r.fma(x, r.number(math.Log2E), r.number(-1)))
}

func expandSinh(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	e := r.halfExp(a)
	far := r.op(op.Sub, e, r.op(op.Div, r.number(0.25), e))
	return r.choose(r.op(op.Lt, a, r.number(1)), r.odd(x, sinhTerms), r.copySign(far, x))
}

func expandCosh(r *rewriter) ir.Value {
	e := r.halfExp(r.op(op.Abs, r.x[0]))
	return r.add(e, r.op(op.Div, r.number(0.25), e))
}

// expandTanh builds 1 - 1/(½e^2x + ½) away from zero: a reciprocal is one operation of most
// machines.
func expandTanh(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	e := r.op(op.Exp2, r.mul(a, r.number(2*math.Log2E)))
	half := r.number(0.5)
	far := r.op(op.Sub, r.number(1), r.op(op.Div, r.number(1), r.fma(e, half, half)))
	return r.choose(r.op(op.Lt, a, r.number(0.625)), r.odd(x, tanhTerms), r.copySign(far, x))
}

// hugeArgument is where x² ± 1 is x² and would soon overflow.
const hugeArgument = 0x1p30

// logarithm builds the natural logarithm of a + √(a² + c), for a ≥ 0.
func (r *rewriter) logarithm(a ir.Value, root ir.Value) ir.Value {
	huge := r.op(op.Gt, a, r.number(hugeArgument))
	sum := r.choose(huge, a, r.add(a, root))
	log := r.mul(r.op(op.Log2, sum), r.number(math.Ln2))
	return r.choose(huge, r.add(log, r.number(math.Ln2)), log)
}

func expandAsinh(r *rewriter) ir.Value {
	x := r.x[0]
	a := r.op(op.Abs, x)
	far := r.logarithm(a, r.op(op.Sqrt, r.fma(a, a, r.number(1))))
	return r.choose(r.op(op.Lt, a, r.number(0.5)), r.odd(x, asinhTerms), r.copySign(far, x))
}

func expandAcosh(r *rewriter) ir.Value {
	x := r.x[0]
	one := r.number(1)
	return r.logarithm(x, r.op(op.Sqrt, r.mul(r.op(op.Sub, x, one), r.add(x, one))))
}

func expandAtanh(r *rewriter) ir.Value {
	x := r.x[0]
	one := r.number(1)
	quotient := r.op(op.Div, r.add(one, x), r.op(op.Sub, one, x))
	far := r.mul(r.op(op.Log2, quotient), r.number(math.Ln2/2))
	return r.choose(r.op(op.Lt, r.op(op.Abs, x), r.number(0.5)), r.odd(x, atanhTerms), far)
}

func expandExp(r *rewriter) ir.Value {
	return r.op(op.Exp2, r.mul(r.x[0], r.number(math.Log2E)))
}

func expandLog(r *rewriter) ir.Value {
	return r.mul(r.op(op.Log2, r.x[0]), r.number(math.Ln2))
}

func expandPow(r *rewriter) ir.Value {
	return r.op(op.Exp2, r.mul(r.x[1], r.op(op.Log2, r.x[0])))
}
