package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Expansions on the bits of integers, for 32 and 64 bits. They compute without
// sign, so that shifts bring in zeros, and give the result its own kind back.

// word repeats a pattern of 32 bits over the width of the kind.
func (r *rewriter) word(t ir.Type, pattern uint32) ir.Value {
	return r.bits(t, uint64(pattern)<<32|uint64(pattern)) // the constant is cut to its kind
}

func expandCountOneBits(r *rewriter) ir.Value {
	x := r.unsigned(r.x[0])
	t := r.f.TypeOf(x)
	x = r.op(op.Sub, x, r.op(op.And, r.shr(x, 1), r.word(t, 0x5555_5555)))
	pairs := r.word(t, 0x3333_3333)
	x = r.op(op.Add, r.op(op.And, x, pairs), r.op(op.And, r.shr(x, 2), pairs))
	x = r.op(op.And, r.op(op.Add, x, r.shr(x, 4)), r.word(t, 0x0F0F_0F0F))
	x = r.shr(r.op(op.Mul, x, r.word(t, 0x0101_0101)), r.kind.Bits()-8)
	return r.cast(r.kind, x)
}

func leadingZerosByFirst(r *rewriter) ir.Value {
	x := r.unsigned(r.x[0])
	first := r.op(op.FirstLeadingBit, x)
	return r.cast(r.kind, r.op(op.Sub, r.integer(r.f.TypeOf(x), int64(r.kind.Bits())-1), first))
}

func leadingZerosByCount(r *rewriter) ir.Value {
	x := r.unsigned(r.x[0])
	for n := 1; n < r.kind.Bits(); n *= 2 {
		x = r.op(op.Or, x, r.shr(x, n))
	}
	count := r.op(op.CountOneBits, x)
	return r.cast(r.kind, r.op(op.Sub, r.integer(r.f.TypeOf(x), int64(r.kind.Bits())), count))
}

func trailingZerosByFirst(r *rewriter) ir.Value {
	first := r.op(op.FirstTrailingBit, r.unsigned(r.x[0]))
	return r.cast(r.kind, r.op(op.Min, first, r.integer(r.f.TypeOf(first), int64(r.kind.Bits()))))
}

func trailingZerosByCount(r *rewriter) ir.Value {
	x := r.unsigned(r.x[0])
	below := r.op(op.And, r.op(op.Not, x), r.op(op.Sub, x, r.integer(r.f.TypeOf(x), 1)))
	return r.cast(r.kind, r.op(op.CountOneBits, below))
}

func expandFirstLeadingBit(r *rewriter) ir.Value {
	x := r.x[0]
	if r.kind.IsSigned() {
		x = r.unsigned(r.op(op.Xor, x, r.shr(x, r.kind.Bits()-1)))
	}
	zeros := r.op(op.CountLeadingZeros, x)
	return r.cast(r.kind, r.op(op.Sub, r.integer(r.f.TypeOf(x), int64(r.kind.Bits())-1), zeros))
}

func expandFirstTrailingBit(r *rewriter) ir.Value {
	x := r.x[0]
	none := r.op(op.Eq, x, r.integer(r.t, 0))
	return r.choose(none, r.integer(r.t, -1), r.op(op.CountTrailingZeros, x))
}

// exchanged gives, by step, the fields that reversing exchanges with the next.
var exchanged = [...]uint32{0x5555_5555, 0x3333_3333, 0x0F0F_0F0F, 0x00FF_00FF, 0x0000_FFFF}

func expandReverseBits(r *rewriter) ir.Value {
	x := r.unsigned(r.x[0])
	t := r.f.TypeOf(x)
	half := r.kind.Bits() / 2
	for step, mask := range exchanged {
		width := 1 << step
		if width == half {
			break
		}
		low := r.word(t, mask)
		x = r.op(op.Or, r.op(op.And, r.shr(x, width), low), r.shl(r.op(op.And, x, low), width))
	}
	x = r.op(op.Or, r.shr(x, half), r.shl(x, half))
	return r.cast(r.kind, x)
}

// bitField returns offset, count and width of a clamped bit field in the shape
// of the result, and whether the field is empty.
func (r *rewriter) bitField(offset, count ir.Value) (o, c, width, empty ir.Value) {
	o, c = r.clampField(offset, count)
	empty = r.op(op.Eq, c, r.m.ConstU32(0))
	width = r.integer(r.with(r.t, scalar.U32), int64(r.kind.Bits()))
	return r.like(r.t, o), r.like(r.t, c), width, empty
}

func expandExtractBits(r *rewriter) ir.Value {
	o, c, width, empty := r.bitField(r.x[1], r.x[2])
	unused := r.op(op.Sub, width, c)
	field := r.op(op.Shr, r.op(op.Shl, r.x[0], r.op(op.Sub, unused, o)), unused)
	return r.choose(empty, r.integer(r.t, 0), field)
}

func expandInsertBits(r *rewriter) ir.Value {
	o, c, width, empty := r.bitField(r.x[2], r.x[3])
	x, y := r.unsigned(r.x[0]), r.unsigned(r.x[1])
	t := r.f.TypeOf(x)
	ones := r.op(op.Shr, r.integer(t, -1), r.op(op.Sub, width, c))
	mask := r.choose(empty, r.integer(t, 0), r.op(op.Shl, ones, o))
	kept := r.op(op.And, x, r.op(op.Not, mask))
	return r.cast(r.kind, r.op(op.Or, kept, r.op(op.And, r.op(op.Shl, y, o), mask)))
}
