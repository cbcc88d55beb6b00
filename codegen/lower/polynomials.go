package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file expands exp2, log2, sine and cosine, for machines that have arithmetic only. The
// polynomials are near-minimax (interpolated at Chebyshev points with 200 bits). The bounds are the
// errors of the fit: relative ones of exp2 and log2, absolute ones of the others.

// Polynomials expands exp2, log2, sine and cosine to sums and products, whose bits are the same on
// all machines. It comes after Transcendental, which has reduced the operands of sine and cosine to
// [-π, π]. f16 is computed in f32.
var Polynomials = opt.Pass{
	Name:     "polynomials",
	Doc:      "expand exp2, log2, sine and cosine to polynomials",
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

// inSingle extends an expansion for f32 to f16, which is computed in f32.
func inSingle(expand rewrite.Rule) rewrite.Rule {
	return func(r *rewrite.Rewriter) ir.Value {
		if v := PromoteOp(r); v != ir.NoValue {
			return v
		}
		return expand(r)
	}
}

// expandExp2 builds 2^(n + f) as 2^f·2^n, for an integer n and |f| ≤ ½. The operand is clamped to
// the range where results neither overflow nor become zero. NaN stays NaN. The power of n is
// multiplied in two parts, of which only the second rounds.
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
// infinity itself, and negative values NaN.
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

// quietNaNBits is the NaN of arithmetic (package eval).
const quietNaNBits = infinityBits | 1<<(fractionBits-1)

// π/2 in two parts.
const (
	halfPiHigh = 0x1.921fb6p+0
	halfPiLow  = -0x1.777a5cp-25
)

// reduceQuadrant reduces an angle by a multiple of π/2, the quadrant, and builds sine and cosine of
// the reduced angle.
func reduceQuadrant(r *rewrite.Rewriter) (quadrant, sine, cosine ir.Value) {
	x := r.X[0]
	integer := r.Op(op.Round, mul(r, x, number(r, 2/math.Pi)))
	negative := r.Op(op.Neg, integer)
	x = fma(r, negative, number(r, halfPiLow), fma(r, negative, number(r, halfPiHigh), x))
	square := mul(r, x, x)
	cosine = fma(r, mul(r, square, square), polynomial(r, square, cosTerms), fma(r, square, number(r, -0.5), number(r, 1)))
	return r.Cast(scalar.U32, r.B.Convert(scalar.I32, integer)), odd(r, x, sinTerms), cosine
}

// selectQuadrant builds the sine of an angle from its quadrant: odd quadrants exchange sine and
// cosine, and quadrants 2 and 3 negate.
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
