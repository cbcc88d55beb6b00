package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Wide expresses operations on the bits of 64-bit integers by those on their
// halves and by shifts, for targets that count and reverse 32 bits only. It
// follows Totalise, which has clamped the fields.
var Wide = opt.Pass{
	Name: "wide",
	Doc:  "count, find and move bits of 64-bit integers, and take the upper half of their product, by operations on their halves",
	Run:  wideRules.everywhere(),
}

var wideRules = rules{
	op.MulHigh:          wideMulHigh,
	op.CountOneBits:     wideCount,
	op.ReverseBits:      wideReverse,
	op.FirstLeadingBit:  wideLeading,
	op.FirstTrailingBit: wideTrailing,
	op.ExtractBits:      wideField,
	op.InsertBits:       wideField,
}

func (r *rewriter) isWide() bool { return r.kind.IsInteger() && r.kind.Bits() == 64 }

// halves splits a 64-bit integer into u32s.
func (r *rewriter) halves(x ir.Value) (low, high ir.Value) {
	x = r.cast(scalar.U64, x)
	return r.b.Convert(scalar.U32, x), r.b.Convert(scalar.U32, r.shr(x, 32))
}

func wideMulHigh(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	return expandMulHigh(r)
}

func wideCount(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	low, high := r.halves(r.x[0])
	return r.b.Convert(r.kind, r.op(op.Add, r.op(op.CountOneBits, low), r.op(op.CountOneBits, high)))
}

func wideReverse(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	low, high := r.halves(r.x[0])
	low, high = r.b.Convert(scalar.U64, r.op(op.ReverseBits, low)), r.b.Convert(scalar.U64, r.op(op.ReverseBits, high))
	return r.cast(r.kind, r.op(op.Or, r.shl(low, 32), high))
}

// wideTrailing and wideLeading rely on -1 | 32 being -1: what finds no bit in
// the high half stays so.
func wideTrailing(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	low, high := r.halves(r.x[0])
	return r.choosePosition(low, r.op(op.FirstTrailingBit, low), r.above(r.op(op.FirstTrailingBit, high)))
}

func wideLeading(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	x := r.x[0]
	if r.kind.IsSigned() { // the highest bit that differs from the sign
		x = r.op(op.Xor, x, r.shr(x, 63))
	}
	low, high := r.halves(x)
	return r.choosePosition(high, r.above(r.op(op.FirstLeadingBit, high)), r.op(op.FirstLeadingBit, low))
}

func (r *rewriter) above(position ir.Value) ir.Value {
	return r.op(op.Or, position, r.integer(r.f.TypeOf(position), 32))
}

// choosePosition takes a position from the half that has bits, else the other's,
// and extends it with its sign, so that "none" stays -1.
func (r *rewriter) choosePosition(half, first, second ir.Value) ir.Value {
	some := r.op(op.Ne, half, r.integer(r.f.TypeOf(half), 0))
	position := r.cast(scalar.I32, r.choose(some, first, second))
	return r.cast(r.kind, r.b.Convert(scalar.I64, position))
}

func wideField(r *rewriter) ir.Value {
	if !r.isWide() {
		return ir.NoValue
	}
	if r.f.Op(r.i) == op.ExtractBits {
		return r.field(r.x[1], r.x[2])
	}
	return r.field(r.x[2], r.x[3])
}
