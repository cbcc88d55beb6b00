package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Bit fields by shifts, for those of 64-bit integers, which not all targets have, and
// for those whose place is not constant:
//
//	extract_bits(x, o, n)    ─►  x << (width-n-o) >> (width-n), or 0 if n is 0
//	insert_bits(x, y, o, n)  ─►  x & ~m | y << o & m, for the mask m of the field
//
// NVIDIA's compilers (driver 580, ptxas 12.9 to 13.5) make two instructions of bfe,
// and may hold what lies between them in a register that all invocations share, if x
// is the same in all of them, although the offset is not: extract_bits(group.x,
// local_index, 1) then reads the bit of another invocation.

// field expresses the bit field operation in hand, whose place has been clamped.
func (r *rewriter) field(offset, count ir.Value) ir.Value {
	width := uint32(r.kind.Bits())
	// shift makes a count below the width, in the shape of the result
	shift := func(x ir.Value) ir.Value { return r.like(r.t, r.op(op.And, x, r.m.ConstU32(width-1))) }
	rest := r.op(op.Sub, r.m.ConstU32(width), count)
	empty := r.op(op.Eq, count, r.m.ConstU32(0))
	x, zero := r.x[0], r.integer(r.t, 0)
	if r.f.Op(r.i) == op.ExtractBits {
		top := r.op(op.Shl, x, shift(r.op(op.Sub, rest, offset)))
		return r.choose(empty, zero, r.op(op.Shr, top, shift(rest)))
	}
	start := shift(offset)
	unsigned := scalar.U32
	if width == 64 {
		unsigned = scalar.U64
	}
	ones := r.bits(r.with(r.t, unsigned), unsigned.Mask())
	mask := r.cast(r.kind, r.op(op.Shl, r.op(op.Shr, ones, shift(rest)), start))
	mask = r.choose(empty, zero, mask)
	kept := r.op(op.And, x, r.op(op.Not, mask))
	return r.op(op.Or, kept, r.op(op.And, r.op(op.Shl, r.x[1], start), mask))
}
