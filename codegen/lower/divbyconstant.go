package lower

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// DivByConstant replaces 32-bit division and remainder by constants by multiplication and shifts
// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994; Warren,
// Hacker's Delight, chapter 10):
//
//	x / 7u  ─►  x·0x24924925 >> 32, then ((x - h >> 1) + h) >> 2
//
// It is for targets whose assembler does not do it. The high half of a product is written as a
// 64-bit product that is shifted, for which targets have one instruction. The pass comes before
// DefineArithmetic, which guards the divisions that are left.
var DivByConstant = opt.Pass{
	Name: "div-by-constant",
	Doc:  "turn division by constants into multiplication",
	Run:  divConstantRules.Everywhere(),
}

var divConstantRules = rewrite.Rules{op.Div: divideByConstant, op.Rem: remainderByConstant}

// divisor returns the constant that a 32-bit scalar is divided by. It is not 0, for which the IR
// defines the result.
func divisor(r *rewrite.Rewriter) (d uint32, ok bool) {
	if r.Type != ir.U32 && r.Type != ir.I32 || !r.X[1].IsConst() || r.X[0].IsConst() {
		return 0, false
	}
	d = uint32(r.M.ConstBits(r.X[1]))
	return d, d != 0
}

func divideByConstant(r *rewrite.Rewriter) ir.Value {
	d, ok := divisor(r)
	if !ok {
		return ir.NoValue
	}
	if r.Type == ir.I32 {
		return signedQuotient(r, r.X[0], int32(d))
	}
	return unsignedQuotient(r, r.X[0], d)
}

func remainderByConstant(r *rewrite.Rewriter) ir.Value {
	d, ok := divisor(r)
	if !ok {
		return ir.NoValue
	}
	x := r.X[0]
	if r.Type == ir.I32 {
		if int32(d) == -1 || int32(d) == 1 {
			return r.Integer(r.Type, 0)
		}
		q := signedQuotient(r, x, int32(d))
		return r.Op(op.Sub, x, r.Op(op.Mul, q, r.Integer(r.Type, int64(int32(d)))))
	}
	if d&(d-1) == 0 {
		return r.Op(op.And, x, r.Integer(r.Type, int64(d-1)))
	}
	q := unsignedQuotient(r, x, d)
	return r.Op(op.Sub, x, r.Op(op.Mul, q, r.Integer(r.Type, int64(d))))
}

// unsignedQuotient builds x / d. A multiplier of 33 bits is always exact. Most divisors have one of
// 32 bits; even ones have one after a shift of x by their factors of two.
func unsignedQuotient(r *rewrite.Rewriter, x ir.Value, d uint32) ir.Value {
	if d&(d-1) == 0 {
		return r.Shr(x, bits.TrailingZeros32(d))
	}
	multiplier, shift := chooseMultiplier(d, 32)
	if even := bits.TrailingZeros32(d); multiplier>>32 != 0 && even > 0 {
		multiplier, shift = chooseMultiplier(d>>even, 32-even)
		x = r.Shr(x, even)
	}
	high := high(r, scalar.U64, x, multiplier&(1<<32-1))
	if multiplier>>32 == 0 {
		return r.Shr(high, shift)
	}
	// the 33rd bit adds x to the high half; halving first prevents an overflow
	half := r.Shr(r.Op(op.Sub, x, high), 1)
	return r.Shr(r.Op(op.Add, half, high), shift-1)
}

// chooseMultiplier returns m and s with ⌊x/d⌋ = ⌊x·m / 2^(32+s)⌋ for all x below 2^precision; m has
// up to 33 bits. d is no power of two. Of all integers between two bounds it returns the one with
// the smallest shift (Granlund and Montgomery, figure 6.2).
func chooseMultiplier(d uint32, precision int) (m uint64, shift int) {
	shift = bits.Len32(d - 1)
	upper, lower := uint64(shift/32), uint64(1)<<(32+shift) // 2^(32+shift), which may be 2^64
	low, _ := bits.Div64(upper, lower, uint64(d))
	high, _ := bits.Div64(upper, lower+1<<(32+shift-precision), uint64(d))
	for low>>1 < high>>1 && shift > 0 {
		low, high = low>>1, high>>1
		shift--
	}
	return high, shift
}

// signedQuotient builds x / d, truncated. If the multiplier exceeds 32 signed bits, 2^32 is
// subtracted from it and x added to the product.
func signedQuotient(r *rewrite.Rewriter, x ir.Value, d int32) ir.Value {
	magnitude := uint32(d)
	if d < 0 {
		magnitude = -uint32(d)
	}
	var q ir.Value
	switch {
	case d == 1:
		return x
	case d == -1:
		return r.Op(op.Neg, x)
	case magnitude&(magnitude-1) == 0:
		// round towards zero: add d-1 to negative values
		n := bits.TrailingZeros32(magnitude)
		sign := r.Cast(scalar.U32, r.Shr(x, 31))
		bias := r.Shr(sign, 32-n)
		q = r.Shr(r.Op(op.Add, x, r.Cast(scalar.I32, bias)), n)
	default:
		m, shift := chooseMultiplier(magnitude, 31)
		multiplier := int32(uint32(m))
		q = high(r, scalar.I64, x, uint64(int64(multiplier)))
		if multiplier < 0 {
			q = r.Op(op.Add, q, x)
		}
		q = r.Shr(q, shift)
		// one more for negative quotients, which the shift rounded down
		q = r.Op(op.Add, q, r.Cast(scalar.I32, r.Shr(r.Cast(scalar.U32, x), 31)))
	}
	if d < 0 {
		q = r.Op(op.Neg, q)
	}
	return q
}

// high builds the upper half of the product of a 32-bit value and a multiplier, both of the
// signedness of the 64-bit kind k.
func high(r *rewrite.Rewriter, k scalar.Kind, x ir.Value, multiplier uint64) ir.Value {
	product := r.Op(op.Mul, r.B.Convert(k, x), r.Bits(ir.Type(k), multiplier))
	return r.B.Convert(r.M.ScalarOf(r.F.TypeOf(x)), r.Shr(product, 32))
}
