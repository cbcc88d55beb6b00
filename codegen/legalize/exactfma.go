package legalize

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

func exp2(n int) float64 { return math.Ldexp(1, n) }

// pair is an integer of two words.
type pair struct{ high, low ir.Value }

func (w exactWords) bit() int { return w.word.Bits() }

// product multiplies two words, by halves.
func (w exactWords) product(x, y ir.Value) pair {
	half := w.bit() / 2
	mask := w.c(1<<half - 1)
	xl, xh, yl, yh := w.and(x, mask), w.rewriter.shr(x, half), w.and(y, mask), w.rewriter.shr(y, half)
	ll, lh, hl, hh := w.mul(xl, yl), w.mul(xl, yh), w.mul(xh, yl), w.mul(xh, yh)
	middle := w.add(w.add(w.rewriter.shr(ll, half), w.and(lh, mask)), w.and(hl, mask))
	high := w.add(w.add(hh, w.rewriter.shr(lh, half)), w.add(w.rewriter.shr(hl, half), w.rewriter.shr(middle, half)))
	return pair{high, w.or(w.rewriter.shl(middle, half), w.and(ll, mask))}
}

// left and right shift by less than two words; right keeps as the lowest bit whether it lost any.
func (w exactWords) left(x pair, n ir.Value) pair {
	whole := w.op(op.Ge, n, w.i32(int64(w.bit())))
	amount := w.amount(n)
	rest := w.op(op.Xor, amount, w.integer(ir.U32, int64(w.bit())-1))
	high, low := w.choose(whole, x.low, x.high), w.choose(whole, w.c(0), x.low)
	carried := w.op(op.Shr, w.rewriter.shr(low, 1), rest)
	return pair{w.or(w.op(op.Shl, high, amount), carried), w.op(op.Shl, low, amount)}
}

func (w exactWords) right(x pair, n ir.Value) pair {
	whole := w.op(op.Ge, n, w.i32(int64(w.bit())))
	amount := w.amount(n)
	rest := w.op(op.Xor, amount, w.integer(ir.U32, int64(w.bit())-1))
	low, high := w.choose(whole, x.high, x.low), w.choose(whole, w.c(0), x.high)
	lost := w.or(w.choose(whole, x.low, w.c(0)), w.op(op.Shl, w.rewriter.shl(low, 1), rest))
	carried := w.op(op.Shl, w.rewriter.shl(high, 1), rest)
	low = w.or(w.or(w.op(op.Shr, low, amount), carried), w.unit(w.op(op.Ne, lost, w.c(0))))
	return pair{w.op(op.Shr, high, amount), low}
}

// plus adds, or subtracts if negative is set.
func (w exactWords) plus(x, y pair, negative ir.Value) pair {
	flip := w.choose(negative, w.c(w.word.Mask()), w.c(0))
	low := w.add(w.op(op.Xor, y.low, flip), w.unit(negative))
	carry := w.unit(w.and(negative, w.isZero(y.low)))
	sum := w.add(x.low, low)
	carry = w.add(carry, w.unit(w.op(op.Lt, sum, x.low)))
	return pair{w.add(w.add(x.high, w.op(op.Xor, y.high, flip)), carry), sum}
}

func (w exactWords) pick(condition ir.Value, x, y pair) pair {
	return pair{w.choose(condition, x.high, y.high), w.choose(condition, x.low, y.low)}
}

// exactFma is the device's fma where the runtime knows that it rounds once, and otherwise sums of
// the exact product in two words, in which what is shifted out of the lesser operand leaves a bit.
func exactFma(r *rewriter) ir.Value {
	if r.kind == scalar.F16 {
		return halfFma(r)
	}
	fused := r.m.WithRole(ir.FusedFlag)
	if fused == ir.NoValue {
		fused = r.m.AddGlobal(ir.Global{Name: "fused", Type: r.m.PointerTo(ir.Constant, ir.U32, ir.Read), Role: ir.FusedFlag})
	}
	w := exactWords{r, formatOf(r.kind)}
	usable := r.op(op.Ne, r.b.Load(fused), r.bits(ir.U32, 0))
	own := w.approximate(op.Fma, r.x[0], r.x[1], r.x[2])
	if r.kind == scalar.F32 {
		usable = w.and(usable, w.flushesNothing(own))
	}
	branch := r.b.If(usable)
	v := r.f.AddResult(branch, r.t)
	behind := r.b
	r.b.SetBlock(r.f.Region(branch, 0))
	r.b.Exit(branch, own)
	r.b.SetBlock(r.f.Region(branch, 1))
	r.b.Exit(branch, w.result(w.multiplyAdd()))
	r.b = behind
	return v
}

// flushesNothing reports whether an fma is right even if it took subnormal operands for zeros and
// made a zero of a subnormal result: NVIDIA's driver 580 does so for f32 in modules that ask to
// keep them, at least without NoContraction. The least normal number may have been rounded to from
// below.
func (w exactWords) flushesNothing(result ir.Value) ir.Value {
	magnitude := func(x ir.Value) ir.Value { return w.and(w.cast(w.word, x), w.c(w.format.sign()-1)) }
	right := w.op(op.Gt, magnitude(result), w.c(w.hidden()))
	for _, x := range w.x[:3] {
		// below the subnormal numbers is zero, which wraps
		right = w.and(right, w.op(op.Ge, w.sub(magnitude(x), w.c(1)), w.c(w.hidden()-1)))
	}
	return right
}

func (w exactWords) multiplyAdd() ir.Value {
	x, y, z := w.decode(w.x[0]), w.decode(w.x[1]), w.decode(w.x[2])
	zeroZ := w.isZero(z.magnitude)
	zeroP := w.or(w.isZero(x.magnitude), w.isZero(y.magnitude))
	// the least significant bits of the windows count 2^exponent; zero never shifts the other one
	all := 2 * w.bit()
	atP, atZ := all-2-2*w.precision, all-2-w.precision
	nothing := w.i32(-8 * w.middle)
	product := w.product(x.significand, y.significand)
	product = w.pick(zeroP, pair{w.c(0), w.c(0)}, w.left(product, w.i32(int64(atP))))
	exponentP := w.choose(zeroP, nothing, w.sub(w.add(x.exponent, y.exponent), w.i32(w.middle+int64(w.fraction()+atP))))
	summand := pair{w.rewriter.shl(z.significand, atZ-w.bit()), w.c(0)}
	summand = w.pick(zeroZ, pair{w.c(0), w.c(0)}, summand)
	exponentZ := w.choose(zeroZ, nothing, w.sub(z.exponent, w.i32(int64(atZ))))
	// exponents are biased, and those of significands that are integers of precision bits: value =
	// s·2^(e-bias-fraction)

	distance := w.sub(exponentP, exponentZ)
	limit := w.i32(int64(all) - 1)
	product = w.right(product, w.op(op.Clamp, w.op(op.Neg, distance), w.i32(0), limit))
	summand = w.right(summand, w.op(op.Clamp, distance, w.i32(0), limit))
	exponent := w.op(op.Max, exponentP, exponentZ)

	signP := w.op(op.Xor, x.sign, y.sign)
	differ := w.op(op.Ne, signP, z.sign)
	sum := w.plus(product, summand, differ)
	less := w.negative(sum.high) // of the product, so that the sum has z's sign
	sum = w.pick(less, w.plus(pair{w.c(0), w.c(0)}, sum, w.rewriter.m.ConstBool(true)), sum)
	sign := w.choose(less, z.sign, signP)
	none := w.isZero(w.or(sum.high, sum.low))
	sign = w.choose(none, w.and(signP, z.sign), sign)

	// the highest bit comes to the top of the window
	first := w.choose(w.isZero(sum.high), w.int(w.op(op.FirstLeadingBit, sum.low)),
		w.add(w.int(w.op(op.FirstLeadingBit, sum.high)), w.i32(int64(w.bit()))))
	up := w.sub(w.i32(int64(all)-1), first)
	sum = w.left(sum, w.op(op.And, up, limit))
	kept := w.bit() - w.precision - 2
	tail := w.or(w.and(sum.high, w.c(1<<kept-1)), sum.low)
	significand := w.or(w.rewriter.shr(sum.high, kept), w.unit(w.op(op.Ne, tail, w.c(0))))
	exponent = w.sub(w.add(exponent, w.i32(int64(all-1-w.fraction()))), up)
	v := w.choose(none, w.c(0), w.encode(exponent, significand))

	infinity := w.c(w.infinity())
	endlessX, endlessY := w.op(op.Eq, x.magnitude, infinity), w.op(op.Eq, y.magnitude, infinity)
	endlessP, endlessZ := w.or(endlessX, endlessY), w.op(op.Eq, z.magnitude, infinity)
	v = w.choose(w.or(endlessP, endlessZ), infinity, v)
	sign = w.choose(endlessP, signP, w.choose(endlessZ, z.sign, sign))
	undefined := w.or(w.and(endlessP, zeroP), w.and(w.and(endlessP, endlessZ), differ))
	undefined = w.or(undefined, w.op(op.Gt, w.op(op.Max, w.op(op.Max, x.magnitude, y.magnitude), z.magnitude), infinity))
	return w.choose(undefined, w.c(w.quiet()), w.or(v, sign))
}

// halfFma rounds the sum in f32 to odd, after which rounding to f16 is right: the product is exact,
// and the error of the sum is (Knuth's two-sum). No number of f32 in it is subnormal.
func halfFma(r *rewriter) ir.Value {
	x, y, z := r.b.Convert(scalar.F32, r.x[0]), r.b.Convert(scalar.F32, r.x[1]), r.b.Convert(scalar.F32, r.x[2])
	sub := func(x, y ir.Value) ir.Value { return r.op(op.Sub, x, y) }
	product := r.mul(x, y)
	sum := r.add(product, z)
	virtual := sub(sum, product)
	lost := r.add(sub(product, sub(sum, virtual)), sub(z, virtual))
	w := exactWords{r, &singleFormat}
	bits := w.cast(scalar.U32, sum)
	// the exact value is greater in magnitude where the error has the sum's sign
	away := w.isZero(w.rewriter.shr(w.op(op.Xor, w.cast(scalar.U32, lost), bits), 31))
	odd := w.choose(away, w.c(1), w.c(1<<32-1))
	number := w.op(op.Lt, w.and(bits, w.c(1<<31-1)), w.c(w.infinity()))
	inexact := w.op(op.Ne, w.and(w.cast(scalar.U32, lost), w.c(1<<31-1)), w.c(0))
	even := w.isZero(w.and(bits, w.c(1)))
	bits = w.choose(w.and(w.and(number, inexact), even), w.add(bits, odd), bits)
	return r.b.Convert(scalar.F16, w.cast(scalar.F32, bits))
}
