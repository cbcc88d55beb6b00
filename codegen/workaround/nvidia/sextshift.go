package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// SplitExtendedShift shifts what was widened with its sign by 31 in halves:
//
//	i64(x) << 31, i64(x) * 2^31, -i64(x) << 30 << 1  ─►  (low << 31, high << 31 | low >> 1)
//	i64(x) << 32 >> 1                                ─►  (0, low) >> 1
//
// NVIDIA's Vulkan driver (580) makes one instruction of the two, the wide product of x and 2^31
// with signs, where 2^31 is negative: of 1 it makes -2^31. It follows complements, differences and
// quotients. Shifts by other numbers, products with other constants, and numbers that are widened
// without a sign are right, and so is CUDA.
var SplitExtendedShift = opt.Pass{
	Name: "nv-sext-shift",
	Doc:  "shift what is widened with its sign by 31 in halves",
	Run:  widenedShiftRules.Where(op.SetOf(op.Convert)),
}

var widenedShiftRules = rewrite.Rules{
	op.Shl: widenedShift,
	op.Mul: widenedShift,
	op.Add: widenedShift,
}

func widenedShift(r *rewrite.Rewriter) ir.Value {
	if r.Type != ir.I64 && r.Type != ir.U64 {
		return ir.NoValue
	}
	x, distance := r.F.Result(r.Inst), uint64(0)
	for distance < 31 {
		i, ok := r.F.Def(x)
		if !ok {
			return ir.NoValue
		}
		n, of := shared.ShiftedLeft(r, i)
		if n == 0 {
			return ir.NoValue
		}
		x, distance = of, distance+n
	}
	if distance != 31 && distance != 32 || !shared.HasWordSign(r, x, shared.SignDepth) {
		return ir.NoValue
	}
	words := r.B.Bitcast(r.M.VectorOf(ir.U32, 2), x)
	low, high := r.B.Extract(words, 0), r.B.Extract(words, 1)
	if distance == 32 {
		low, high = r.Bits(ir.U32, 0), low
	} else {
		low, high = r.Shl(low, 31), r.Op(op.Or, r.Shr(low, 1), r.Shl(high, 31))
	}
	return r.B.Bitcast(r.Type, r.B.Construct(r.F.TypeOf(words), low, high))
}
