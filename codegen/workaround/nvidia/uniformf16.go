package nvidia

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// PromoteUniformF16MinMax is workaround nv-uniform-f16-minmax. It computes min and max of f16
// values from uniform buffers in f32:
//
//	min(u.half, min(x, y))  ─►  f16(min(f32(u.half), f32(min(x, y))))
//
// NVIDIA's Vulkan driver (580) fuses two min or two max into one instruction with three operands.
// If one operand is the upper half of a word of a uniform buffer, it reads the lower half. A min of
// a max is right, and so are storage buffers, immediates and CUDA.
var PromoteUniformF16MinMax = opt.Pass{
	Name:  "nv-uniform-f16-minmax",
	Doc:   "compute min and max of f16 values from uniform buffers in f32",
	Keeps: ir.Total,
	Run:   uniformHalfRules.Everywhere(),
}

var uniformHalfRules = rewrite.Rules{op.Min: uniformHalf, op.Max: uniformHalf, op.Clamp: uniformHalf}

func uniformHalf(r *rewrite.Rewriter) ir.Value {
	if !slices.ContainsFunc(r.F.Args(r.Inst), func(v ir.Value) bool { return isUniform(r, v, uniformDepth) }) {
		return ir.NoValue
	}
	return lower.PromoteOp(r)
}

// uniformDepth bounds how many operations a value from a uniform buffer is followed through.
const uniformDepth = 8

// movingBits are the operations that a compiler may make part of reading an operand.
var movingBits = op.SetOf(op.Extract, op.Insert, op.Construct, op.Splat, op.Shuffle, op.Bitcast, op.Neg, op.Abs, op.Select)

// isUniform reports whether a value is loaded from a uniform buffer, or made of such a load by
// moving or negating its bits.
func isUniform(r *rewrite.Rewriter, v ir.Value, depth int) bool {
	i, ok := r.F.Def(v)
	if !ok || depth == 0 {
		return false
	}
	if r.F.Op(i) == op.Load {
		return r.M.SpaceOf(r.F.TypeOf(r.F.Arg(i, 0))) == ir.Uniform
	}
	return movingBits.Has(r.F.Op(i)) && slices.ContainsFunc(r.F.Args(i), func(x ir.Value) bool { return isUniform(r, x, depth-1) })
}
