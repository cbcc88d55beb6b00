package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// NVIDIA's compilers lose the sign of an operand -x in two places, and the two passes
// here keep negations from them.

// Negations subtracts instead of negating:
//
//	-x, 0 - x  ─►  x - (x << 1)
//
// ptxas (12.9 and 13.0, no more 13.5) makes one instruction of max(max(x, -x), y) that
// has x twice, and takes k = -k for a copy in a loop, where it then knows that k stays
// what it was. Of ~x + 1 and x * -1 it makes -x first, but of the difference a product
// with -2 and a sum, in one instruction.
var Negations = opt.Pass{
	Name:  "negations",
	Doc:   "subtract instead of negating",
	Keeps: ir.Uncounted | ir.Unchained,
	Run:   func(c *opt.Context, m *ir.Module) { negationRules.run(c, m) },
}

var negationRules = rules{
	op.Neg: subtractInstead,
	op.Sub: subtractInstead,
}

// negated returns x if the current operand is -x of 32-bit integers.
func (r *rewriter) negated(v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.f.Def(v)
	if !ok || !isInteger32(r.f, v) {
		return ir.NoValue, false
	}
	switch o := r.f.Op(i); {
	case o == op.Neg:
		return r.f.Resolve(r.f.Arg(i, 0)), true
	case o == op.Sub && r.m.IsZero(r.f.Arg(i, 0)):
		return r.f.Resolve(r.f.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

func subtractInstead(r *rewriter) ir.Value {
	if x, ok := r.negated(r.f.Result(r.i)); ok {
		return r.op(op.Sub, x, r.shl(x, 1))
	}
	return ir.NoValue
}

// Extremes compares negated numbers without a sign, by a bias of 2^31, and takes the
// absolute value of a number as the smaller of it and its negation, both without a
// sign:
//
//	max(x, -y)  ─►  max_u32(x ^ 0x80000000, -y ^ 0x80000000) ^ 0x80000000
//	abs(x)      ─►  min_u32(x, -x)
//
// NVIDIA's Vulkan driver (580) makes one instruction of two minima, or of two maxima,
// with a sign, and loses the sign of operands there: max(abs(-3), 0) was 0, of 8,000
// small programs 16 ran wrong. Its absolute values of GLSL.std.450 are no way out: of
// -abs(x) > -3, as of any comparison with a negative constant, it makes false.
var Extremes = opt.Pass{
	Name:  "extremes",
	Doc:   "compare negated numbers without a sign",
	Keeps: ir.Uncounted | ir.Unchained,
	Run:   func(c *opt.Context, m *ir.Module) { extremeRules.run(c, m) },
}

var extremeRules = rules{
	op.Min:   unsignedExtreme,
	op.Max:   unsignedExtreme,
	op.Clamp: unsignedExtreme,
	op.Abs:   unsignedAbs,
}

func unsignedAbs(r *rewriter) ir.Value {
	if r.kind != scalar.I32 {
		return ir.NoValue
	}
	x, y := r.cast(scalar.U32, r.x[0]), r.cast(scalar.U32, r.op(op.Neg, r.x[0]))
	return r.cast(scalar.I32, r.op(op.Min, x, y))
}

func unsignedExtreme(r *rewriter) ir.Value {
	args := r.f.Args(r.i)
	some := false
	for n := range args {
		_, negated := r.negated(r.x[n])
		some = some || negated
	}
	if r.kind != scalar.I32 || !some {
		return ir.NoValue
	}
	var biased [3]ir.Value
	for n := range args {
		biased[n] = r.bias(r.x[n])
	}
	return r.cast(scalar.I32, r.bias(r.op(r.f.Op(r.i), biased[:len(args)]...)))
}
