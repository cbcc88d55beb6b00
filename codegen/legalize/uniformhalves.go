package legalize

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// UniformHalves computes min and max of f16 values from uniform buffers in f32:
//
//	min(u.half, min(x, y))  ─►  f16(min(f32(u.half), f32(min(x, y))))
//
// NVIDIA's Vulkan driver (580) fuses two min or two max into one instruction with three operands.
// If one operand is the upper half of a word of a uniform buffer, it reads the lower half. A min of
// a max is right, and so are storage buffers, immediates and CUDA.
var UniformHalves = opt.Pass{
	Name:  "uniformhalves",
	Doc:   "compute min and max of f16 values from uniform buffers in f32",
	Keeps: ir.Total,
	Run:   uniformHalfRules.everywhere(),
}

var uniformHalfRules = rules{op.Min: uniformHalf, op.Max: uniformHalf, op.Clamp: uniformHalf}

func uniformHalf(r *rewriter) ir.Value {
	if !slices.ContainsFunc(r.f.Args(r.i), func(v ir.Value) bool { return r.isUniform(v, uniformDepth) }) {
		return ir.NoValue
	}
	return widen(r)
}

// uniformDepth bounds how many operations a value from a uniform buffer is followed through.
const uniformDepth = 8

// movingBits are the operations that a compiler may make part of reading an operand.
var movingBits = op.SetOf(op.Extract, op.Insert, op.Construct, op.Splat, op.Shuffle, op.Bitcast, op.Neg, op.Abs, op.Select)

// isUniform reports whether a value is loaded from a uniform buffer, or made of such a load by
// moving or negating its bits.
func (r *rewriter) isUniform(v ir.Value, depth int) bool {
	i, ok := r.f.Def(v)
	if !ok || depth == 0 {
		return false
	}
	if r.f.Op(i) == op.Load {
		return r.m.SpaceOf(r.f.TypeOf(r.f.Arg(i, 0))) == ir.Uniform
	}
	return movingBits.Has(r.f.Op(i)) && slices.ContainsFunc(r.f.Args(i), func(x ir.Value) bool { return r.isUniform(x, depth-1) })
}
