package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Transcendental functions for machines that have exp2, log2, sqrt, division, and sine and cosine
// near zero, in few instructions and without branches; and ldexp and frexp (floatparts.go). Each
// expansion stays within WGSL's accuracy (WGSL §15.7.4) if the machine's functions do. Odd
// functions keep their relative accuracy near zero.
//
// The polynomials are minimax fits of the relative error (Remez exchange algorithm), with an exact
// first term: f(x) ≈ x + x³·p(x²).

// Transcendental returns the pass that expands the given functions. Sine and cosine in the list
// stay, with operands reduced to [-π, π], unless they are marked fast. f16 is computed in f32.
func Transcendental(ops ...op.Op) opt.Pass {
	for _, o := range ops {
		if transcendentals[o] == nil {
			panic("lower: " + o.String() + " is no transcendental function")
		}
	}
	replaces := op.SetOf(ops...)
	for _, o := range [...]op.Op{op.Sin, op.Cos} { // they stay, with a reduced angle
		replaces.Remove(o)
	}
	return opt.Pass{
		Replaces: replaces,

		Name:   "transcendental",
		Doc:    "expand transcendental functions to exp2, log2, sqrt and polynomials",
		Breaks: ir.Total,
		Run: rewrite.Lazy(func() *rewrite.Rules {
			table := new(rewrite.Rules)
			for _, o := range ops {
				table[o] = transcendentalInSingle
			}
			return table
		}),
	}
}

// transcendentalInSingle is the expansion of an operation, of f16 in f32.
func transcendentalInSingle(r *rewrite.Rewriter) ir.Value {
	if v := PromoteOp(r); v != ir.NoValue {
		return v
	}
	return transcendentals[r.F.Op(r.Inst)](r)
}

// transcendentals has the expansions for f32.
var transcendentals = rewrite.Rules{
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

// number returns a constant of the instruction's float type.
func number(r *rewrite.Rewriter, x float64) ir.Value { return r.Float(r.F.TypeOf(r.X[0]), x) }

func fma(r *rewrite.Rewriter, x, y, z ir.Value) ir.Value { return r.Op(op.Fma, x, y, z) }
func mul(r *rewrite.Rewriter, x, y ir.Value) ir.Value    { return r.Op(op.Mul, x, y) }
func add(r *rewrite.Rewriter, x, y ir.Value) ir.Value    { return r.Op(op.Add, x, y) }

// odd builds x + x³·p(x²).
func odd(r *rewrite.Rewriter, x ir.Value, terms []float64) ir.Value {
	square := mul(r, x, x)
	return fma(r, mul(r, x, square), polynomial(r, square, terms), x)
}

// polynomial builds a polynomial by Horner's rule.
func polynomial(r *rewrite.Rewriter, x ir.Value, terms []float64) ir.Value {
	n := len(terms) - 1
	p := number(r, terms[n])
	for n--; n >= 0; n-- {
		p = fma(r, p, x, number(r, terms[n]))
	}
	return p
}

// copySign gives a positive magnitude the sign of x. A negative magnitude occurs only where the
// result is unused. It is one logical instruction on machines with those of three operands.
func copySign(r *rewrite.Rewriter, magnitude, x ir.Value) ir.Value {
	t := r.F.TypeOf(x)
	u := r.With(t, scalar.U32)
	sign := r.Op(op.And, r.Cast(scalar.U32, x), r.Bits(u, 1<<31))
	return r.Cast(scalar.F32, r.Op(op.Or, r.Cast(scalar.U32, magnitude), sign))
}

// expandTan reduces the operand once for sine and cosine.
func expandTan(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	if r.B.Flags&ir.Fast == 0 {
		x = reduced(r, x)
	}
	r.B.Flags |= ir.Fast
	return r.Op(op.Div, r.Op(op.Sin, x), r.Op(op.Cos, x))
}

// asinTail builds 2·asin(√((1-a)/2)), which is acos(a), for a in [½, 1].
func asinTail(r *rewrite.Rewriter, a ir.Value) ir.Value {
	root := r.Op(op.Sqrt, fma(r, a, number(r, -0.5), number(r, 0.5)))
	return mul(r, number(r, 2), odd(r, root, asinTerms))
}

func expandAsin(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	tail := r.Op(op.Sub, number(r, math.Pi/2), asinTail(r, a))
	return r.Select(r.Op(op.Lt, a, number(r, 0.5)), odd(r, x, asinTerms), copySign(r, tail, x))
}

func expandAcos(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	tail := asinTail(r, a)
	tail = r.Select(r.Op(op.Lt, x, number(r, 0)), r.Op(op.Sub, number(r, math.Pi), tail), tail)
	return r.Select(r.Op(op.Lt, a, number(r, 0.5)), r.Op(op.Sub, number(r, math.Pi/2), odd(r, x, asinTerms)), tail)
}

func expandAtan(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	inverse := r.Op(op.Div, number(r, 1), a)
	large := r.Op(op.Gt, a, number(r, 1))
	y := odd(r, r.Select(large, inverse, a), atanTerms)
	return copySign(r, r.Select(large, r.Op(op.Sub, number(r, math.Pi/2), y), y), x)
}

// greatestDivisor is the greatest divisor for which WGSL bounds the error of a quotient (WGSL
// §15.7.4.1). Targets divide by reciprocals, and those of greater values are subnormal.
const greatestDivisor = 0x1p126

// expandAtan2 computes the arc tangent in the first octant and reflects it. The quotient of zeros
// is zero and so is, except in the strict mode, that of subnormal values, which divisions may
// flush. A y above greatestDivisor, which WGSL's bound of atan2 covers, is scaled.
func expandAtan2(r *rewrite.Rewriter) ir.Value {
	y, x := r.X[0], r.X[1]
	ay, ax := r.Op(op.Abs, y), r.Op(op.Abs, x)
	high, low := r.Op(op.Max, ax, ay), r.Op(op.Min, ax, ay)
	zero := 0.0
	if r.Context.Math != opt.MathStrict {
		zero = 0x1.fffffcp-127
	}
	undefined := r.Op(op.Le, high, number(r, zero))
	if r.Context.Math == opt.MathWGSL {
		scale := r.Select(r.Op(op.Gt, high, number(r, greatestDivisor)), number(r, 0.25), number(r, 1))
		low, high = mul(r, low, scale), mul(r, high, scale)
	}
	quotient := r.Select(undefined, number(r, 0), r.Op(op.Div, low, high))
	angle := odd(r, quotient, atanTerms)
	angle = r.Select(r.Op(op.Gt, ay, ax), r.Op(op.Sub, number(r, math.Pi/2), angle), angle)
	angle = r.Select(r.Op(op.Lt, x, number(r, 0)), r.Op(op.Sub, number(r, math.Pi), angle), angle)
	return copySign(r, angle, y)
}

// halfExp builds e^x / 2, which does not overflow where e^x/2 ± e^-x/2 do not.
func halfExp(r *rewrite.Rewriter, x ir.Value) ir.Value {
	return r.Op(op.Exp2, fma(r, x, number(r, math.Log2E), number(r, -1)))
}

func expandSinh(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	e := halfExp(r, a)
	far := r.Op(op.Sub, e, r.Op(op.Div, number(r, 0.25), e))
	return r.Select(r.Op(op.Lt, a, number(r, 1)), odd(r, x, sinhTerms), copySign(r, far, x))
}

func expandCosh(r *rewrite.Rewriter) ir.Value {
	e := halfExp(r, r.Op(op.Abs, r.X[0]))
	return add(r, e, r.Op(op.Div, number(r, 0.25), e))
}

// expandTanh builds 1 - 1/(½e^2x + ½) away from zero, since a reciprocal is one operation on most
// machines.
func expandTanh(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	e := r.Op(op.Exp2, mul(r, a, number(r, 2*math.Log2E)))
	half := number(r, 0.5)
	far := r.Op(op.Sub, number(r, 1), r.Op(op.Div, number(r, 1), fma(r, e, half, half)))
	return r.Select(r.Op(op.Lt, a, number(r, 0.625)), odd(r, x, tanhTerms), copySign(r, far, x))
}

// hugeArgument is the bound above which x² ± 1 rounds to x².
const hugeArgument = 0x1p30

// logarithm builds the natural logarithm of a + √(a² + c), for a ≥ 0.
func logarithm(r *rewrite.Rewriter, a ir.Value, root ir.Value) ir.Value {
	huge := r.Op(op.Gt, a, number(r, hugeArgument))
	sum := r.Select(huge, a, add(r, a, root))
	log := mul(r, r.Op(op.Log2, sum), number(r, math.Ln2))
	return r.Select(huge, add(r, log, number(r, math.Ln2)), log)
}

func expandAsinh(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	a := r.Op(op.Abs, x)
	far := logarithm(r, a, r.Op(op.Sqrt, fma(r, a, a, number(r, 1))))
	return r.Select(r.Op(op.Lt, a, number(r, 0.5)), odd(r, x, asinhTerms), copySign(r, far, x))
}

func expandAcosh(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	one := number(r, 1)
	return logarithm(r, x, r.Op(op.Sqrt, mul(r, r.Op(op.Sub, x, one), add(r, x, one))))
}

func expandAtanh(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	one := number(r, 1)
	quotient := r.Op(op.Div, add(r, one, x), r.Op(op.Sub, one, x))
	far := mul(r, r.Op(op.Log2, quotient), number(r, math.Ln2/2))
	return r.Select(r.Op(op.Lt, r.Op(op.Abs, x), number(r, 0.5)), odd(r, x, atanhTerms), far)
}

func expandExp(r *rewrite.Rewriter) ir.Value {
	return r.Op(op.Exp2, mul(r, r.X[0], number(r, math.Log2E)))
}

func expandLog(r *rewrite.Rewriter) ir.Value {
	return mul(r, r.Op(op.Log2, r.X[0]), number(r, math.Ln2))
}

func expandPow(r *rewrite.Rewriter) ir.Value {
	return r.Op(op.Exp2, mul(r, r.X[1], r.Op(op.Log2, r.X[0])))
}
