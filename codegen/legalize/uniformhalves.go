package legalize

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// UniformHalves takes minima and maxima of f16 values from uniform buffers in f32:
//
//	min(u.half, min(x, y))  ─►  f16(min(f32(u.half), f32(min(x, y))))
//
// NVIDIA's Vulkan driver (580) makes one instruction with three operands of two minima or two maxima.
// Where one operand is the upper half of a word of a uniform buffer, it reads the lower half. A
// minimum of a maximum is right, and so are storage buffers, immediates and CUDA.
var UniformHalves = opt.Pass{
	Name:  "uniformhalves",
	Doc:   "take minima and maxima of f16 values from uniform buffers in f32",
	Keeps: ir.Total | ir.Uncounted | ir.Unchained,
	Run:   uniformHalfRules.everywhere(),
}

var uniformHalfRules = rules{op.Min: uniformHalf, op.Max: uniformHalf, op.Clamp: uniformHalf}

func uniformHalf(r *rewriter) ir.Value {
	args := r.f.Args(r.i)
	if r.kind != scalar.F16 || !slices.ContainsFunc(args, func(v ir.Value) bool { return r.isUniform(v, uniformDepth) }) {
		return ir.NoValue
	}
	var wide [3]ir.Value
	for n := range args {
		wide[n] = r.b.Convert(scalar.F32, r.x[n])
	}
	return r.b.Convert(scalar.F16, r.b.Op(r.f.Op(r.i), wide[:len(args)]...))
}

// uniformDepth bounds how many operations a value from a uniform buffer is followed through.
const uniformDepth = 8

// movingBits are the operations that a compiler may make part of reading an operand.
var movingBits = op.SetOf(op.Extract, op.Insert, op.Construct, op.Splat, op.Shuffle, op.Bitcast, op.Neg, op.Abs, op.Select)

// isUniform reports whether a value is, but for its place in a vector and its sign, one that is read
// from a uniform buffer.
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
