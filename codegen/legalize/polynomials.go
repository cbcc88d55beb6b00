package legalize

import (
	"math"

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
// computes alike. It stands behind Transcendental, which has reduced the operands of sine and
// cosine to [-π, π]; f16 is computed in f32.
var Polynomials = opt.Pass{
	Name:     "polynomials",
	Doc:      "express exp2, log2, sine and cosine by polynomials",
	Breaks:   ir.Total,
	Replaces: op.SetOf(op.Exp2, op.Log2, op.Sin, op.Cos),
	Run: made(func() *rules {
		return &rules{op.Exp2: inSingle(expandExp2), op.Log2: inSingle(expandLog2), op.Sin: inSingle(expandSin), op.Cos: inSingle(expandCos)}
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
func inSingle(expand rule) rule {
	return func(r *rewriter) ir.Value {
		if r.kind == scalar.F16 {
			x := r.b.Convert(scalar.F32, r.x[0])
			return r.b.Convert(scalar.F16, r.op(r.f.Op(r.i), x))
		}
		return expand(r)
	}
}

// expandExp2 builds 2^(n + f) as 2^f·2^n, for a whole n and |f| ≤ ½. What overflows or is less than
// the least number does so from its bounds on, and NaN is itself. The power of n is multiplied in
// two parts, of which the second one alone rounds.
func expandExp2(r *rewriter) ir.Value {
	x := r.op(op.Max, r.op(op.Min, r.x[0], r.number(129)), r.number(-151))
	whole := r.op(op.Round, x)
	fraction := r.polynomial(r.op(op.Sub, x, whole), exp2Terms)
	n := r.b.Convert(scalar.I32, whole)
	half := r.op(op.Shr, n, r.bits(r.with(r.f.TypeOf(n), scalar.U32), 1))
	power := r.mul(r.mul(fraction, r.power(half)), r.power(r.op(op.Sub, n, half)))
	return r.choose(r.op(op.Eq, r.x[0], r.x[0]), power, r.x[0])
}

// expandLog2 builds log2(m·2^e) as log2(m) + e, for m in [√½, √2). Zero gives negative infinity,
// infinity itself, and what is less than zero NaN.
func expandLog2(r *rewriter) ir.Value {
	x := r.x[0]
	bits, subnormal := r.normalised(x)
	u := r.f.TypeOf(bits)
	i := r.with(u, scalar.I32)
	rootBits := int64(math.Float32bits(math.Sqrt2 / 2))
	exponent := r.op(op.Shr, r.op(op.Sub, r.cast(scalar.I32, bits), r.integer(i, rootBits)), r.bits(u, fractionBits))
	m := r.cast(scalar.F32, r.op(op.Sub, bits, r.shl(r.cast(scalar.U32, exponent), fractionBits)))
	exponent = r.op(op.Sub, exponent, r.choose(subnormal, r.integer(i, 24), r.integer(i, 0)))
	f := r.op(op.Sub, m, r.number(1))
	log := r.fma(f, r.polynomial(f, log2Terms), r.b.Convert(scalar.F32, exponent))
	infinity := r.cast(scalar.F32, r.bits(u, infinityBits))
	log = r.choose(r.op(op.Lt, x, infinity), log, x)
	log = r.choose(r.op(op.Eq, x, r.number(0)), r.op(op.Neg, infinity), log)
	return r.choose(r.op(op.Lt, x, r.number(0)), r.cast(scalar.F32, r.bits(u, quietNaNBits)), log)
}

// quietNaNBits is the NaN that arithmetic gives (package eval).
const quietNaNBits = infinityBits | 1<<(fractionBits-1)

// quarterHigh and quarterLow are π/2 in two parts.
const (
	quarterHigh = 0x1.921fb6p+0
	quarterLow  = -0x1.777a5cp-25
)

// quarters builds the nearest whole number of quarter turns in an angle, and sine and cosine of the
// rest.
func (r *rewriter) quarters() (turns, sine, cosine ir.Value) {
	x := r.x[0]
	whole := r.op(op.Round, r.mul(x, r.number(2/math.Pi)))
	negative := r.op(op.Neg, whole)
	x = r.fma(negative, r.number(quarterLow), r.fma(negative, r.number(quarterHigh), x))
	square := r.mul(x, x)
	cosine = r.fma(r.mul(square, square), r.polynomial(square, cosTerms), r.fma(square, r.number(-0.5), r.number(1)))
	return r.cast(scalar.U32, r.b.Convert(scalar.I32, whole)), r.odd(x, sinTerms), cosine
}

// turned builds what sine becomes by quarter turns: every second one exchanges it for cosine, and
// the next two negate it.
func (r *rewriter) turned(turns, sine, cosine ir.Value) ir.Value {
	u := r.f.TypeOf(turns)
	odd := r.op(op.Ne, r.op(op.And, turns, r.bits(u, 1)), r.bits(u, 0))
	sign := r.shl(r.op(op.And, turns, r.bits(u, 2)), 30)
	return r.cast(scalar.F32, r.op(op.Xor, r.cast(scalar.U32, r.choose(odd, cosine, sine)), sign))
}

func expandSin(r *rewriter) ir.Value { return r.turned(r.quarters()) }

func expandCos(r *rewriter) ir.Value {
	turns, sine, cosine := r.quarters()
	return r.turned(r.op(op.Add, turns, r.bits(r.f.TypeOf(turns), 1)), sine, cosine)
}
