package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// DivConstant replaces 32-bit division and remainder by constants with
// multiplication and shifts (Granlund and Montgomery, "Division by invariant
// integers using multiplication", 1994; Warren, Hacker's Delight, chapter 10).
// NVIDIA's assembler does not. The high half of a product is
// written as a 64-bit one shifted, which targets have one instruction for.
//
// It stands before Totalise, which guards the divisions that are left.
var DivConstant = opt.Pass{
	Name: "divconstant",
	Doc:  "turn division by constants into multiplication",
	Run:  divConstantRules.everywhere(),
}

var divConstantRules = rules{op.Div: divideByConstant, op.Rem: remainderByConstant}

// divisor returns the constant that a 32-bit scalar is divided by; not 0, for
// which the IR has an answer of its own.
func (r *rewriter) divisor() (d uint32, ok bool) {
	if r.t != ir.U32 && r.t != ir.I32 || !r.x[1].IsConst() || r.x[0].IsConst() {
		return 0, false
	}
	d = uint32(r.m.ConstBits(r.x[1]))
	return d, d != 0
}

func divideByConstant(r *rewriter) ir.Value {
	d, ok := r.divisor()
	if !ok {
		return ir.NoValue
	}
	if r.t == ir.I32 {
		return r.signedQuotient(r.x[0], int32(d))
	}
	return r.unsignedQuotient(r.x[0], d)
}

func remainderByConstant(r *rewriter) ir.Value {
	d, ok := r.divisor()
	if !ok {
		return ir.NoValue
	}
	x := r.x[0]
	if r.t == ir.I32 {
		if int32(d) == -1 || int32(d) == 1 {
			return r.integer(r.t, 0)
		}
		q := r.signedQuotient(x, int32(d))
		return r.op(op.Sub, x, r.op(op.Mul, q, r.integer(r.t, int64(int32(d)))))
	}
	if d&(d-1) == 0 {
		return r.op(op.And, x, r.integer(r.t, int64(d-1)))
	}
	q := r.unsignedQuotient(x, d)
	return r.op(op.Sub, x, r.op(op.Mul, q, r.integer(r.t, int64(d))))
}

// unsignedQuotient builds x / d. A multiplier of 33 bits is always right; most
// divisors have one of 32 bits, the even ones after a shift of x by their
// factors of two.
func (r *rewriter) unsignedQuotient(x ir.Value, d uint32) ir.Value {
	if d&(d-1) == 0 {
		return r.shr(x, bits.TrailingZeros32(d))
	}
	multiplier, shift := chooseMultiplier(d, 32)
	if even := bits.TrailingZeros32(d); multiplier>>32 != 0 && even > 0 {
		multiplier, shift = chooseMultiplier(d>>even, 32-even)
		x = r.shr(x, even)
	}
	high := r.high(scalar.U64, x, multiplier&(1<<32-1))
	if multiplier>>32 == 0 {
		return r.shr(high, shift)
	}
	// the 33rd bit adds x to the high half; halve first, lest it overflow
	half := r.shr(r.op(op.Sub, x, high), 1)
	return r.shr(r.op(op.Add, half, high), shift-1)
}

// chooseMultiplier returns m and s with ⌊x/d⌋ = ⌊x·m / 2^(32+s)⌋ for all x below
// 2^precision; m has up to 33 bits. d is no power of two. Every integer between
// two bounds will do; the one with the smallest shift is taken (Granlund and
// Montgomery, figure 6.2).
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

// signedQuotient builds x / d truncated. The multiplier fits in 32 signed bits
// after subtracting 2^32 where it is larger, which is made up for by adding x.
func (r *rewriter) signedQuotient(x ir.Value, d int32) ir.Value {
	magnitude := uint32(d)
	if d < 0 {
		magnitude = -uint32(d)
	}
	var q ir.Value
	switch {
	case d == 1:
		return x
	case d == -1:
		return r.op(op.Neg, x)
	case magnitude&(magnitude-1) == 0:
		// round towards zero: add d-1 to negative numbers
		n := bits.TrailingZeros32(magnitude)
		sign := r.cast(scalar.U32, r.shr(x, 31))
		bias := r.shr(sign, 32-n)
		q = r.shr(r.op(op.Add, x, r.cast(scalar.I32, bias)), n)
	default:
		m, shift := chooseMultiplier(magnitude, 31)
		multiplier := int32(uint32(m))
		q = r.high(scalar.I64, x, uint64(int64(multiplier)))
		if multiplier < 0 {
			q = r.op(op.Add, q, x)
		}
		q = r.shr(q, shift)
		// one more for negative quotients, which the shift rounded down
		q = r.op(op.Add, q, r.cast(scalar.I32, r.shr(r.cast(scalar.U32, x), 31)))
	}
	if d < 0 {
		q = r.op(op.Neg, q)
	}
	return q
}

// high builds the upper half of a 32-bit value times a multiplier, both of the
// signedness of the 64-bit kind.
func (r *rewriter) high(k scalar.Kind, x ir.Value, multiplier uint64) ir.Value {
	product := r.op(op.Mul, r.b.Convert(k, x), r.bits(ir.Type(k), multiplier))
	return r.b.Convert(r.m.ScalarOf(r.f.TypeOf(x)), r.shr(product, 32))
}
