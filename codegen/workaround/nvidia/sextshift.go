package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// SplitExtendedShift is workaround nv-sext-shift. It splits left shifts of a sign-extended value
// by 31 into shifts of 32-bit words:
//
//	i64(x) << 31, i64(x) * 2^31, -i64(x) << 30 << 1  ─►  (low << 31, high << 31 | low >> 1)
//	i64(x) << 32 >> 1                                ─►  (0, low) >> 1
//
// NVIDIA's Vulkan driver (580) fuses extension and shift into a signed wide product of x and 2^31,
// which is negative in 32 bits: 1 becomes -2^31. It finds the extension through complements,
// differences and quotients. Other distances, products with other constants, and zero-extended
// values are right, and so is CUDA.
var SplitExtendedShift = opt.Pass{
	Name: "nv-sext-shift",
	Doc:  "split shifts of sign-extended values by 31 into 32-bit shifts",
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
		n, of := shared.MatchShl(r, i)
		if n == 0 {
			return ir.NoValue
		}
		x, distance = of, distance+n
	}
	if distance != 31 && distance != 32 || !shared.IsSignExtended(r, x, shared.ExtensionDepth) {
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
