package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// ExpandI64 expands bit operations and mul_high of 64-bit integers to operations on their halves,
// for targets that have them for 32 bits only (LLVM: type legalisation by expansion). It follows
// DefineArithmetic, which has clamped the fields.
var ExpandI64 = opt.Pass{
	Name: "expand-i64",
	Doc:  "expand bit operations and mul_high of 64-bit integers to operations on their halves",
	Run:  expandI64Rules.Everywhere(),
}

// expandI64Rules are the rules of ExpandI64.
var expandI64Rules = rewrite.Rules{
	op.MulHigh:          wideMulHigh,
	op.CountOneBits:     wideCount,
	op.ReverseBits:      wideReverse,
	op.FirstLeadingBit:  wideLeading,
	op.FirstTrailingBit: wideTrailing,
	op.ExtractBits:      wideField,
	op.InsertBits:       wideField,
}

func isWide(r *rewrite.Rewriter) bool { return r.Kind.IsInteger() && r.Kind.Bits() == 64 }

// halves splits a 64-bit integer into u32s.
func halves(r *rewrite.Rewriter, x ir.Value) (low, high ir.Value) {
	x = r.Cast(scalar.U64, x)
	return r.B.Convert(scalar.U32, x), r.B.Convert(scalar.U32, r.Shr(x, 32))
}

func wideMulHigh(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	return expandMulHigh(r)
}

func wideCount(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	low, high := halves(r, r.X[0])
	return r.B.Convert(r.Kind, r.Op(op.Add, r.Op(op.CountOneBits, low), r.Op(op.CountOneBits, high)))
}

func wideReverse(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	low, high := halves(r, r.X[0])
	low, high = r.B.Convert(scalar.U64, r.Op(op.ReverseBits, low)), r.B.Convert(scalar.U64, r.Op(op.ReverseBits, high))
	return r.Cast(r.Kind, r.Op(op.Or, r.Shl(low, 32), high))
}

// wideTrailing and wideLeading rely on -1 | 32 being -1, the result for no bit in the high half.
func wideTrailing(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	low, high := halves(r, r.X[0])
	return choosePosition(r, low, r.Op(op.FirstTrailingBit, low), above(r, r.Op(op.FirstTrailingBit, high)))
}

func wideLeading(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	x := r.X[0]
	if r.Kind.IsSigned() { // the highest bit that differs from the sign
		x = r.Op(op.Xor, x, r.Shr(x, 63))
	}
	low, high := halves(r, x)
	return choosePosition(r, high, above(r, r.Op(op.FirstLeadingBit, high)), r.Op(op.FirstLeadingBit, low))
}

func above(r *rewrite.Rewriter, position ir.Value) ir.Value {
	return r.Op(op.Or, position, r.Integer(r.F.TypeOf(position), 32))
}

// choosePosition selects first if half has bits, else second, and sign-extends it, so that "none"
// stays -1.
func choosePosition(r *rewrite.Rewriter, half, first, second ir.Value) ir.Value {
	some := r.Op(op.Ne, half, r.Integer(r.F.TypeOf(half), 0))
	position := r.Cast(scalar.I32, r.Select(some, first, second))
	return r.Cast(r.Kind, r.B.Convert(scalar.I64, position))
}

func wideField(r *rewrite.Rewriter) ir.Value {
	if !isWide(r) {
		return ir.NoValue
	}
	if r.F.Op(r.Inst) == op.ExtractBits {
		return field(r, r.X[1], r.X[2])
	}
	return field(r, r.X[2], r.X[3])
}
