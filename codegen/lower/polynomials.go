package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file expands what Transcendental leaves, for machines that have arithmetic only: powers of
// two and their logarithms, sine and cosine. The polynomials are near-minimax ones (interpolated at
// Chebyshev's points with 200 bits); the bounds are those of the fit, of the relative error of exp2
// and log2 and of the absolute error of the others.

// Polynomials expresses exp2, log2, sine and cosine by sums and products, which every machine
// computes alike. It is behind Transcendental, which has reduced the operands of sine and
// cosine to [-π, π]; f16 is computed in f32.
var Polynomials = opt.Pass{
	Name:     "polynomials",
	Doc:      "express exp2, log2, sine and cosine by polynomials",
	Breaks:   ir.Total,
	Replaces: op.SetOf(op.Exp2, op.Log2, op.Sin, op.Cos),
	Run: rewrite.Lazy(func() *rewrite.Rules {
		return &rewrite.Rules{op.Exp2: inSingle(expandExp2), op.Log2: inSingle(expandLog2), op.Sin: inSingle(expandSin), op.Cos: inSingle(expandCos)}
	}),
}

var (
	// [-½, ½]: 2^-28.9
	exp2Terms = []float64{1, 0.693147207, 0.240226509, 0.0555032723, 0.00961805668, 0.00134004282, 0.000154614447}
	// log2(1 + x) / x
	log2Terms = []float64{1.44269504, -0.721347512, 0.480897904, -0.36067466, 0.28857559, -0.240447571, 0.205040021, -0.179194572, 0.172342593,
		-0.167650518, 0.094818638} // [√½ - 1, √2 - 1]: 2^-29.5
	// p of x + x³·p(x²), |x| ≤ π/4: 2^-26.2
	sinTerms = []float64{-0.166666647, 0.00833274827, -0.000195878909}
	// p of 1 - x²/2 + x⁴·p(x²), |x| ≤ π/4: 2^-30.2
	cosTerms = []float64{0.0416666647, -0.0013888303, 2.45479421e-05}
)

// inSingle makes of an expansion in f32 one for f16, too.
func inSingle(expand rewrite.Rule) rewrite.Rule {
	return func(r *rewrite.Rewriter) ir.Value {
		if r.Kind == scalar.F16 {
			x := r.B.Convert(scalar.F32, r.X[0])
			return r.B.Convert(scalar.F16, r.Op(r.F.Op(r.Inst), x))
		}
		return expand(r)
	}
}

// expandExp2 builds 2^(n + f) as 2^f·2^n, for a whole n and |f| ≤ ½. What overflows or is less than
// the least number does so from its bounds on, and NaN is itself. The power of n is multiplied in
// two parts, of which the second one alone rounds.
func expandExp2(r *rewrite.Rewriter) ir.Value {
	x := r.Op(op.Max, r.Op(op.Min, r.X[0], number(r, 129)), number(r, -151))
	integer := r.Op(op.Round, x)
	fraction := polynomial(r, r.Op(op.Sub, x, integer), exp2Terms)
	n := r.B.Convert(scalar.I32, integer)
	half := r.Op(op.Shr, n, r.Bits(r.With(r.F.TypeOf(n), scalar.U32), 1))
	power := mul(r, mul(r, fraction, power(r, half)), power(r, r.Op(op.Sub, n, half)))
	return r.Select(r.Op(op.Eq, r.X[0], r.X[0]), power, r.X[0])
}

// expandLog2 builds log2(m·2^e) as log2(m) + e, for m in [√½, √2). Zero gives negative infinity,
// infinity itself, and what is less than zero NaN.
func expandLog2(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	bits, subnormal := normalised(r, x)
	u := r.F.TypeOf(bits)
	i := r.With(u, scalar.I32)
	rootBits := int64(math.Float32bits(math.Sqrt2 / 2))
	exponent := r.Op(op.Shr, r.Op(op.Sub, r.Cast(scalar.I32, bits), r.Integer(i, rootBits)), r.Bits(u, fractionBits))
	m := r.Cast(scalar.F32, r.Op(op.Sub, bits, r.Shl(r.Cast(scalar.U32, exponent), fractionBits)))
	exponent = r.Op(op.Sub, exponent, r.Select(subnormal, r.Integer(i, 24), r.Integer(i, 0)))
	f := r.Op(op.Sub, m, number(r, 1))
	log := fma(r, f, polynomial(r, f, log2Terms), r.B.Convert(scalar.F32, exponent))
	infinity := r.Cast(scalar.F32, r.Bits(u, infinityBits))
	log = r.Select(r.Op(op.Lt, x, infinity), log, x)
	log = r.Select(r.Op(op.Eq, x, number(r, 0)), r.Op(op.Neg, infinity), log)
	return r.Select(r.Op(op.Lt, x, number(r, 0)), r.Cast(scalar.F32, r.Bits(u, quietNaNBits)), log)
}

// quietNaNBits is the NaN that arithmetic gives (package eval).
const quietNaNBits = infinityBits | 1<<(fractionBits-1)

// halfPiHigh and halfPiLow are π/2 in two parts.
const (
	halfPiHigh = 0x1.921fb6p+0
	halfPiLow  = -0x1.777a5cp-25
)

// quarters builds the nearest whole number of quarter quadrant in an angle, and sine and cosine of the
// rest.
func reduceQuadrant(r *rewrite.Rewriter) (quadrant, sine, cosine ir.Value) {
	x := r.X[0]
	integer := r.Op(op.Round, mul(r, x, number(r, 2/math.Pi)))
	negative := r.Op(op.Neg, integer)
	x = fma(r, negative, number(r, halfPiLow), fma(r, negative, number(r, halfPiHigh), x))
	square := mul(r, x, x)
	cosine = fma(r, mul(r, square, square), polynomial(r, square, cosTerms), fma(r, square, number(r, -0.5), number(r, 1)))
	return r.Cast(scalar.U32, r.B.Convert(scalar.I32, integer)), odd(r, x, sinTerms), cosine
}

// selectQuadrant builds what sine becomes by quarter quadrant: every second one exchanges it for cosine, and
// the next two negate it.
func selectQuadrant(r *rewrite.Rewriter, quadrant, sine, cosine ir.Value) ir.Value {
	u := r.F.TypeOf(quadrant)
	odd := r.Op(op.Ne, r.Op(op.And, quadrant, r.Bits(u, 1)), r.Bits(u, 0))
	sign := r.Shl(r.Op(op.And, quadrant, r.Bits(u, 2)), 30)
	return r.Cast(scalar.F32, r.Op(op.Xor, r.Cast(scalar.U32, r.Select(odd, cosine, sine)), sign))
}

func expandSin(r *rewrite.Rewriter) ir.Value {
	quadrant, sine, cosine := reduceQuadrant(r)
	return selectQuadrant(r, quadrant, sine, cosine)
}

func expandCos(r *rewrite.Rewriter) ir.Value {
	quadrant, sine, cosine := reduceQuadrant(r)
	return selectQuadrant(r, r.Op(op.Add, quadrant, r.Bits(r.F.TypeOf(quadrant), 1)), sine, cosine)
}
