package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands bit fields to shifts. That is done for 64-bit integers, which some targets
// lack, and for offsets that are not constant (workaround.Choices has the reason):
//
//	extract_bits(x, o, n)    ─►  x << (width-n-o) >> (width-n), or 0 if n is 0
//	insert_bits(x, y, o, n)  ─►  x & ~m | y << o & m, for the mask m of the field

// field expands the current bit field operation, whose offset and count have been clamped.
func field(r *rewrite.Rewriter, offset, count ir.Value) ir.Value {
	width := uint32(r.Kind.Bits())
	// shift makes a count below the width, in the shape of the result
	shift := func(x ir.Value) ir.Value { return r.Broadcast(r.Type, r.Op(op.And, x, r.M.ConstU32(width-1))) }
	rest := r.Op(op.Sub, r.M.ConstU32(width), count)
	empty := r.Op(op.Eq, count, r.M.ConstU32(0))
	x, zero := r.X[0], r.Integer(r.Type, 0)
	if r.F.Op(r.Inst) == op.ExtractBits {
		top := r.Op(op.Shl, x, shift(r.Op(op.Sub, rest, offset)))
		return r.Select(empty, zero, r.Op(op.Shr, top, shift(rest)))
	}
	start := shift(offset)
	unsigned := scalar.U32
	if width == 64 {
		unsigned = scalar.U64
	}
	ones := r.Bits(r.With(r.Type, unsigned), unsigned.Mask())
	mask := r.Cast(r.Kind, r.Op(op.Shl, r.Op(op.Shr, ones, shift(rest)), start))
	mask = r.Select(empty, zero, mask)
	kept := r.Op(op.And, x, r.Op(op.Not, mask))
	return r.Op(op.Or, kept, r.Op(op.And, r.Op(op.Shl, r.X[1], start), mask))
}
