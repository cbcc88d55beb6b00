package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// WidenedShifts shifts what was widened with its sign by 31 in halves:
//
//	i64(x) << 31, i64(x) * 2^31, -i64(x) << 30 << 1  ─►  (low << 31, high << 31 | low >> 1)
//	i64(x) << 32 >> 1                                ─►  (0, low) >> 1
//
// NVIDIA's Vulkan driver (580) makes one instruction of the two, the wide product of x and 2^31
// with signs, where 2^31 is negative: of 1 it makes -2^31. It follows complements, differences and
// quotients. Shifts by other numbers, products with other constants, and numbers that are widened
// without a sign are right, and so is CUDA.
var WidenedShifts = opt.Pass{
	Name: "widenedshifts",
	Doc:  "shift what is widened with its sign by 31 in halves",
	Run:  widenedShiftRules.where(op.SetOf(op.Convert)),
}

var widenedShiftRules = rules{
	op.Shl: widenedShift,
	op.Mul: widenedShift,
	op.Add: widenedShift,
}

func widenedShift(r *rewriter) ir.Value {
	if r.t != ir.I64 && r.t != ir.U64 {
		return ir.NoValue
	}
	x, distance := r.f.Result(r.i), uint64(0)
	for distance < 31 {
		i, ok := r.f.Def(x)
		if !ok {
			return ir.NoValue
		}
		n, of := r.shiftedLeft(i)
		if n == 0 {
			return ir.NoValue
		}
		x, distance = of, distance+n
	}
	if distance != 31 && distance != 32 || !r.hasWordSign(x, signDepth) {
		return ir.NoValue
	}
	words := r.b.Bitcast(r.m.VectorOf(ir.U32, 2), x)
	low, high := r.b.Extract(words, 0), r.b.Extract(words, 1)
	if distance == 32 {
		low, high = r.bits(ir.U32, 0), low
	} else {
		low, high = r.shl(low, 31), r.op(op.Or, r.shr(low, 1), r.shl(high, 31))
	}
	return r.b.Bitcast(r.t, r.b.Construct(r.f.TypeOf(words), low, high))
}
