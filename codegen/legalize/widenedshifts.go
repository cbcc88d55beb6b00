package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// WidenedShifts shifts what was widened with its sign by 31 in two steps:
//
//	i64(x) << 31, i64(x) * 2^31  ─►  i64(x) << 32 >> 1
//
// NVIDIA's Vulkan driver (580) makes one instruction of the two, the wide product of x and 2^31
// with signs, where 2^31 is negative: of 1 it makes -2^31. Shifts by other numbers, products with
// other constants, and numbers that are widened without a sign are right,
// and so is CUDA.
var WidenedShifts = opt.Pass{
	Name:  "widenedshifts",
	Doc:   "shift what is widened with its sign by 31 in two steps",
	Keeps: ir.Uncounted | ir.Unchained,
	Run:   widenedShiftRules.where(op.SetOf(op.Convert)),
}

var widenedShiftRules = rules{
	op.Shl: widenedShift,
	op.Mul: widenedShift,
}

func widenedShift(r *rewriter) ir.Value {
	if r.kind != scalar.I64 && r.kind != scalar.U64 {
		return ir.NoValue
	}
	x, distance, ok := r.widened(r.f.Result(r.i))
	if !ok || distance != 31 {
		return ir.NoValue
	}
	return r.cast(r.kind, r.shr(r.cast(scalar.I64, r.shl(x, 32)), 1))
}

// widened follows shifts to the left by constants, products with powers of two among them, to a
// conversion from at most 32 bits with a sign, and returns its result and the sum of the distances.
func (r *rewriter) widened(v ir.Value) (x ir.Value, distance uint64, ok bool) {
	f := r.f
	for {
		i, ok := f.Def(f.Resolve(v))
		if !ok || f.Type(i) == ir.Void {
			return ir.NoValue, 0, false
		}
		args := f.Args(i)
		switch f.Op(i) {
		case op.Convert:
			return f.Resolve(v), distance, isSignedWord(r.m.ScalarOf(f.TypeOf(args[0])))
		case op.Bitcast:
			if r.m.Components(f.TypeOf(args[0])) != r.m.Components(f.Type(i)) {
				return ir.NoValue, 0, false
			}
		case op.Shl:
			n, constant := r.m.ConstSplatBits(f.Resolve(args[1]))
			if !constant {
				return ir.NoValue, 0, false
			}
			distance += n & 63
		case op.Mul:
			n, constant := r.m.ConstSplatBits(f.Resolve(args[1]))
			if !constant || bits.OnesCount64(n) != 1 {
				return ir.NoValue, 0, false
			}
			distance += uint64(bits.TrailingZeros64(n))
		default:
			return ir.NoValue, 0, false
		}
		v = args[0]
	}
}

// isSignedWord reports whether a kind is that of integers with a sign of at most 32 bits.
func isSignedWord(k scalar.Kind) bool { return k.IsInteger() && k.IsSigned() && k.Bits() <= 32 }
