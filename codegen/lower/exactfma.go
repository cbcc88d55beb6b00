package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
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
	xl, xh, yl, yh := w.and(x, mask), w.Rewriter.Shr(x, half), w.and(y, mask), w.Rewriter.Shr(y, half)
	ll, lh, hl, hh := mul(w.Rewriter, xl, yl), mul(w.Rewriter, xl, yh), mul(w.Rewriter, xh, yl), mul(w.Rewriter, xh, yh)
	middle := add(w.Rewriter, add(w.Rewriter, w.Rewriter.Shr(ll, half), w.and(lh, mask)), w.and(hl, mask))
	high := add(w.Rewriter, add(w.Rewriter, hh, w.Rewriter.Shr(lh, half)), add(w.Rewriter, w.Rewriter.Shr(hl, half), w.Rewriter.Shr(middle, half)))
	return pair{high, w.or(w.Rewriter.Shl(middle, half), w.and(ll, mask))}
}

// left shifts by less than two words.
func (w exactWords) left(x pair, n ir.Value) pair {
	byWord := w.Op(op.Ge, n, w.i32(int64(w.bit())))
	amount := w.amount(n)
	remainder := w.Op(op.Xor, amount, w.Integer(ir.U32, int64(w.bit())-1))
	high, low := w.Select(byWord, x.low, x.high), w.Select(byWord, w.c(0), x.low)
	carried := w.Op(op.Shr, w.Rewriter.Shr(low, 1), remainder)
	return pair{w.or(w.Op(op.Shl, high, amount), carried), w.Op(op.Shl, low, amount)}
}

// right shifts by less than two words. The lowest bit of the result is also the sticky bit of those
// that were shifted out.
func (w exactWords) right(x pair, n ir.Value) pair {
	byWord := w.Op(op.Ge, n, w.i32(int64(w.bit())))
	amount := w.amount(n)
	remainder := w.Op(op.Xor, amount, w.Integer(ir.U32, int64(w.bit())-1))
	low, high := w.Select(byWord, x.high, x.low), w.Select(byWord, w.c(0), x.high)
	lost := w.or(w.Select(byWord, x.low, w.c(0)), w.Op(op.Shl, w.Rewriter.Shl(low, 1), remainder))
	carried := w.Op(op.Shl, w.Rewriter.Shl(high, 1), remainder)
	low = w.or(w.or(w.Op(op.Shr, low, amount), carried), w.unit(w.Op(op.Ne, lost, w.c(0))))
	return pair{w.Op(op.Shr, high, amount), low}
}

// plus adds, or subtracts y if negative is set.
func (w exactWords) plus(x, y pair, negative ir.Value) pair {
	flip := w.Select(negative, w.c(w.word.Mask()), w.c(0))
	low := add(w.Rewriter, w.Op(op.Xor, y.low, flip), w.unit(negative))
	carry := w.unit(w.and(negative, w.isZero(y.low)))
	sum := add(w.Rewriter, x.low, low)
	carry = add(w.Rewriter, carry, w.unit(w.Op(op.Lt, sum, x.low)))
	return pair{add(w.Rewriter, add(w.Rewriter, x.high, w.Op(op.Xor, y.high, flip)), carry), sum}
}

func (w exactWords) pick(condition ir.Value, x, y pair) pair {
	return pair{w.Select(condition, x.high, y.high), w.Select(condition, x.low, y.low)}
}

// exactFma is the device's fma if the runtime knows that it rounds once. Otherwise it adds to the
// exact product in two words; bits that are shifted out of the lesser operand leave a sticky bit.
func exactFma(r *rewrite.Rewriter) ir.Value {
	if r.Kind == scalar.F16 {
		return halfFma(r)
	}
	fused := r.M.WithRole(ir.FusedFlag)
	if fused == ir.NoValue {
		fused = r.M.AddGlobal(ir.Global{Name: "fused", Type: r.M.PointerTo(ir.Constant, ir.U32, ir.Read), Role: ir.FusedFlag})
	}
	w := exactWords{r, formatOf(r.Kind)}
	usable := r.Op(op.Ne, r.B.Load(fused), r.Bits(ir.U32, 0))
	own := w.approximate(op.Fma, r.X[0], r.X[1], r.X[2])
	if r.Kind == scalar.F32 {
		usable = w.and(usable, w.flushesNothing(own))
	}
	branch := r.B.If(usable)
	v := r.F.AddResult(branch, r.Type)
	behind := r.B
	r.B.SetBlock(r.F.Region(branch, 0))
	r.B.Exit(branch, own)
	r.B.SetBlock(r.F.Region(branch, 1))
	r.B.Exit(branch, w.result(w.multiplyAdd()))
	r.B = behind
	return v
}

// flushesNothing reports whether an fma is right even on a device that flushes subnormal operands
// and results to zero, as some do in modules that forbid it (workaround.Choices). If the result is
// the least normal value, it may have been rounded up from a subnormal one.
func (w exactWords) flushesNothing(result ir.Value) ir.Value {
	magnitude := func(x ir.Value) ir.Value { return w.and(w.Cast(w.word, x), w.c(w.format.sign()-1)) }
	right := w.Op(op.Gt, magnitude(result), w.c(w.hidden()))
	for _, x := range w.X[:3] {
		// zero, which is below the subnormal values, wraps
		right = w.and(right, w.Op(op.Ge, w.sub(magnitude(x), w.c(1)), w.c(w.hidden()-1)))
	}
	return right
}

func (w exactWords) multiplyAdd() ir.Value {
	x, y, z := w.decode(w.X[0]), w.decode(w.X[1]), w.decode(w.X[2])
	zeroZ := w.isZero(z.magnitude)
	zeroP := w.or(w.isZero(x.magnitude), w.isZero(y.magnitude))
	// the least significant bits of the windows count 2^exponent; zero never shifts the other one
	all := 2 * w.bit()
	atP, atZ := all-2-2*w.precision, all-2-w.precision
	nothing := w.i32(-8 * w.bias)
	product := w.product(x.significand, y.significand)
	product = w.pick(zeroP, pair{w.c(0), w.c(0)}, w.left(product, w.i32(int64(atP))))
	exponentP := w.Select(zeroP, nothing, w.sub(add(w.Rewriter, x.exponent, y.exponent), w.i32(w.bias+int64(w.fraction()+atP))))
	summand := pair{w.Rewriter.Shl(z.significand, atZ-w.bit()), w.c(0)}
	summand = w.pick(zeroZ, pair{w.c(0), w.c(0)}, summand)
	exponentZ := w.Select(zeroZ, nothing, w.sub(z.exponent, w.i32(int64(atZ))))
	// exponents are biased: value = s·2^(e-bias-fraction) for an integer s

	distance := w.sub(exponentP, exponentZ)
	limit := w.i32(int64(all) - 1)
	product = w.right(product, w.Op(op.Clamp, w.Op(op.Neg, distance), w.i32(0), limit))
	summand = w.right(summand, w.Op(op.Clamp, distance, w.i32(0), limit))
	exponent := w.Op(op.Max, exponentP, exponentZ)

	signP := w.Op(op.Xor, x.sign, y.sign)
	differ := w.Op(op.Ne, signP, z.sign)
	sum := w.plus(product, summand, differ)
	less := w.negative(sum.high) // of the product, so that the sum has z's sign
	sum = w.pick(less, w.plus(pair{w.c(0), w.c(0)}, sum, w.Rewriter.M.ConstBool(true)), sum)
	sign := w.Select(less, z.sign, signP)
	none := w.isZero(w.or(sum.high, sum.low))
	sign = w.Select(none, w.and(signP, z.sign), sign)

	// shift the highest bit to the top of the window
	first := w.Select(w.isZero(sum.high), w.int(w.Op(op.FirstLeadingBit, sum.low)),
		add(w.Rewriter, w.int(w.Op(op.FirstLeadingBit, sum.high)), w.i32(int64(w.bit()))))
	up := w.sub(w.i32(int64(all)-1), first)
	sum = w.left(sum, w.Op(op.And, up, limit))
	kept := w.bit() - w.precision - 2
	tail := w.or(w.and(sum.high, w.c(1<<kept-1)), sum.low)
	significand := w.or(w.Rewriter.Shr(sum.high, kept), w.unit(w.Op(op.Ne, tail, w.c(0))))
	exponent = w.sub(add(w.Rewriter, exponent, w.i32(int64(all-1-w.fraction()))), up)
	v := w.Select(none, w.c(0), w.encode(exponent, significand))

	infinity := w.c(w.infinity())
	infiniteX, infiniteY := w.Op(op.Eq, x.magnitude, infinity), w.Op(op.Eq, y.magnitude, infinity)
	infiniteP, infiniteZ := w.or(infiniteX, infiniteY), w.Op(op.Eq, z.magnitude, infinity)
	v = w.Select(w.or(infiniteP, infiniteZ), infinity, v)
	sign = w.Select(infiniteP, signP, w.Select(infiniteZ, z.sign, sign))
	undefined := w.or(w.and(infiniteP, zeroP), w.and(w.and(infiniteP, infiniteZ), differ))
	undefined = w.or(undefined, w.Op(op.Gt, w.Op(op.Max, w.Op(op.Max, x.magnitude, y.magnitude), z.magnitude), infinity))
	return w.Select(undefined, w.c(w.quiet()), w.or(v, sign))
}

// halfFma rounds the sum to odd in f32, so that the rounding to f16 is right. The product is exact
// in f32, and the error of the sum is known (Knuth's two-sum). No f32 value in it is subnormal.
func halfFma(r *rewrite.Rewriter) ir.Value {
	x, y, z := r.B.Convert(scalar.F32, r.X[0]), r.B.Convert(scalar.F32, r.X[1]), r.B.Convert(scalar.F32, r.X[2])
	sub := func(x, y ir.Value) ir.Value { return r.Op(op.Sub, x, y) }
	product := mul(r, x, y)
	sum := add(r, product, z)
	virtual := sub(sum, product)
	lost := add(r, sub(product, sub(sum, virtual)), sub(z, virtual))
	w := exactWords{r, &singleFormat}
	bits := w.Cast(scalar.U32, sum)
	// the exact value is greater in magnitude where the error has the sum's sign
	away := w.isZero(w.Rewriter.Shr(w.Op(op.Xor, w.Cast(scalar.U32, lost), bits), 31))
	odd := w.Select(away, w.c(1), w.c(1<<32-1))
	number := w.Op(op.Lt, w.and(bits, w.c(1<<31-1)), w.c(w.infinity()))
	inexact := w.Op(op.Ne, w.and(w.Cast(scalar.U32, lost), w.c(1<<31-1)), w.c(0))
	even := w.isZero(w.and(bits, w.c(1)))
	bits = w.Select(w.and(w.and(number, inexact), even), add(w.Rewriter, bits, odd), bits)
	return r.B.Convert(scalar.F16, w.Cast(scalar.F32, bits))
}
