package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Fields expresses bit fields by shifts where their place is not constant, and those
// of 64-bit integers, which not all targets have. It follows Totalise, which has
// clamped offset and count.
//
//	extract_bits(x, o, n)    ─►  x << (width-n-o) >> (width-n), or 0 if n is 0
//	insert_bits(x, y, o, n)  ─►  x & ~m | y << o & m, for the mask m of the field
//
// NVIDIA's compilers (driver 580, ptxas 12.9 to 13.5) make two instructions of bfe,
// and may hold what lies between them in a register that all invocations share, if x
// is the same in all of them, although the offset is not: extract_bits(group.x,
// local_index, 1) then reads the bit of another invocation.
var Fields = opt.Pass{
	Name:  "fields",
	Doc:   "express bit fields whose place is not constant by shifts",
	Needs: ir.Total,
	Run:   func(c *opt.Context, m *ir.Module) { fieldRules.run(c, m) },
}

var fieldRules = rules{
	op.ExtractBits: extractField,
	op.InsertBits:  insertField,
}

// isPlain reports whether a target has the bit field itself.
func (r *rewriter) isPlain(offset, count ir.Value) bool {
	return r.kind.Bits() == 32 && offset.IsConst() && count.IsConst()
}

// places returns, for a field of the current instruction, a function that makes shift
// counts below the width, in the shape of the result; how many bits are not in the
// field; and whether it is empty.
func (r *rewriter) places(count ir.Value) (shift func(ir.Value) ir.Value, rest, empty ir.Value) {
	width := uint32(r.kind.Bits())
	shift = func(x ir.Value) ir.Value { return r.like(r.t, r.op(op.And, x, r.m.ConstU32(width-1))) }
	return shift, r.op(op.Sub, r.m.ConstU32(width), count), r.op(op.Eq, count, r.m.ConstU32(0))
}

func extractField(r *rewriter) ir.Value {
	x, offset, count := r.x[0], r.x[1], r.x[2]
	if r.isPlain(offset, count) {
		return ir.NoValue
	}
	shift, rest, empty := r.places(count)
	top := r.op(op.Shl, x, shift(r.op(op.Sub, rest, offset)))
	return r.choose(empty, r.integer(r.t, 0), r.op(op.Shr, top, shift(rest)))
}

func insertField(r *rewriter) ir.Value {
	x, y, offset, count := r.x[0], r.x[1], r.x[2], r.x[3]
	if r.isPlain(offset, count) {
		return ir.NoValue
	}
	shift, rest, empty := r.places(count)
	start := shift(offset)
	unsigned := scalar.U32
	if r.kind.Bits() == 64 {
		unsigned = scalar.U64
	}
	ones := r.bits(r.with(r.t, unsigned), unsigned.Mask())
	mask := r.cast(r.kind, r.op(op.Shl, r.op(op.Shr, ones, shift(rest)), start))
	mask = r.choose(empty, r.integer(r.t, 0), mask)
	kept := r.op(op.And, x, r.op(op.Not, mask))
	return r.op(op.Or, kept, r.op(op.And, r.op(op.Shl, y, start), mask))
}
