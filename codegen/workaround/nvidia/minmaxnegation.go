package nvidia

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// UnsignedMinMaxOfNegation is workaround nv-minmax-negation. Signed min and max of negated values
// become unsigned ones on values biased by 2^31, and abs an unsigned min. Sums lose complements,
// and differences in which the driver may find one:
//
//	max(x, -y)   ─►  max_u32(x ^ 0x80000000, -y ^ 0x80000000) ^ 0x80000000
//	abs(x)       ─►  min_u32(x, -x)
//	-(x - y)     ─►  y - x
//	x - (y - 1)  ─►  x - y + 1
//
// NVIDIA's Vulkan driver (580) fuses two signed min, or two signed max, into one instruction and
// loses the signs of operands. max(y >> 30, abs(x + x)) was 0 for a negative x + x. It finds a
// negation through unrolled loops, branches and variables. If a negation may reach those
// (negationEscapes), min and max of all values from there become unsigned. SAbs of GLSL.std.450 is
// no way out, since the driver makes false of -abs(x) > -3 (workaround nv-abs).
//
// A quotient by a negative power of two is a negated shift for the driver: min(min(x, x / -128), y)
// was -(x / -128) or y, at all levels. A divisor that is not constant yet may become such a power.
var UnsignedMinMaxOfNegation = opt.Pass{
	Name: "nv-minmax-negation",
	Doc:  "make min and max of negated values unsigned, and remove complements from sums",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewrite.Rewriter](c, "rewriter")
		*r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if !f.Had(&rewritten) {
				continue
			}
			if r.F = f; negationEscapes(r) {
				r.Function(&mergedRules, f)
			} else {
				r.Function(&minMaxRules, f)
			}
		}
	},
}

var negatingOps = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs)

// rewritten are the operations that the rules change; functions without them stay as they are.
var rewritten = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs, op.Div)

var (
	minMaxRules = rulesWith(unsignedMinMax)
	mergedRules = rulesWith(unsignedMergedMinMax)
)

func rulesWith(minMax rewrite.Rule) rewrite.Rules {
	return rewrite.Rules{
		op.Add:   shared.AddComplement,
		op.Sub:   reassociateSub,
		op.Neg:   reassociateSub,
		op.Xor:   shared.Complement,
		op.Min:   minMax,
		op.Max:   minMax,
		op.Clamp: minMax,
		op.Abs:   unsignedAbs,
	}
}

// negationEscapes reports whether a negated i32 leaves a block, is stored or is selected. A min or
// max may then have it as an operand without its definition in the same block.
func negationEscapes(r *rewrite.Rewriter) bool {
	f := r.F
	if !f.Had(&escapingOps) || !f.Had(&minMaxOps) {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); !o.Is(op.Terminator) && o != op.Store && o != op.Loop && o != op.Select {
			continue
		}
		for _, a := range f.Args(i) {
			if r.M.ScalarOf(f.TypeOf(a)) == scalar.I32 && negates(r, a) {
				return true
			}
		}
	}
	return false
}

var escapingOps, minMaxOps = op.SetOf(op.Neg, op.Sub, op.Div), op.SetOf(op.Min, op.Max, op.Clamp)

func unsignedAbs(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.I32 {
		return ir.NoValue
	}
	x, y := r.Cast(scalar.U32, r.X[0]), r.Cast(scalar.U32, r.Op(op.Neg, r.X[0]))
	return r.Cast(scalar.I32, r.Op(op.Min, x, y))
}

func unsignedMinMax(r *rewrite.Rewriter) ir.Value { return unsignedMinMaxOf(r, false) }

func unsignedMergedMinMax(r *rewrite.Rewriter) ir.Value { return unsignedMinMaxOf(r, true) }

func unsignedMinMaxOf(r *rewrite.Rewriter, merged bool) ir.Value {
	if r.Kind != scalar.I32 {
		return ir.NoValue
	}
	args := r.F.Args(r.Inst)
	for n := range args {
		if negates(r, r.X[n]) || merged && isMerged(r, r.X[n]) {
			return shared.MinMaxFlipped(r, r.F.Op(r.Inst), r.X[:len(args)])
		}
	}
	return ir.NoValue
}

// isMerged reports whether a value is a block parameter, a result of control flow, a select, or a
// load of a variable of the invocation.
func isMerged(r *rewrite.Rewriter, v ir.Value) bool {
	i, ok := r.F.Def(v)
	if !ok {
		return v.IsLocal() && r.F.Parent(r.F.DefBlock(v)) != 0
	}
	switch o := r.F.Op(i); {
	case o == op.Load:
		space := r.M.SpaceOf(r.F.TypeOf(r.F.Arg(i, 0)))
		return space == ir.Function || space == ir.Private
	default:
		return o.Is(op.Control) || o == op.Select
	}
}

// reassociateSub rewrites a subtraction of a difference, or of a complement. z - x - 1 is a
// complement if the driver folds z to 0, such as a component of an id in a workgroup of one
// invocation. So `max(0 - (local_id.y - x - 1), y)` was -x - 1 at -O0.
func reassociateSub(r *rewrite.Rewriter) ir.Value {
	if v := shared.ComplementRules[r.F.Op(r.Inst)](r); v != ir.NoValue || !shared.IsInteger32(r) {
		return v
	}
	subtrahend, negates := shared.Negated(r, r.F.Result(r.Inst))
	if !negates {
		subtrahend = r.X[1]
	}
	i, ok := r.F.Def(subtrahend)
	if !ok || r.F.Op(i) != op.Sub {
		return ir.NoValue
	}
	x, y := r.F.Resolve(r.F.Arg(i, 0)), r.F.Resolve(r.F.Arg(i, 1))
	if negates {
		return r.Op(op.Sub, y, x)
	}
	if bits, ok := r.M.ConstSplatBits(y); ok && bits == 1 {
		return r.Op(op.Add, r.Op(op.Sub, r.X[0], x), y)
	}
	return ir.NoValue
}

// negates reports whether a driver may compute a 32-bit integer by a negation. That is so for a
// negation, and for a signed quotient whose divisor is, or may become, a negative power of two.
func negates(r *rewrite.Rewriter, v ir.Value) bool {
	if _, ok := shared.Negated(r, v); ok {
		return true
	}
	i, ok := r.F.Def(v)
	if !ok || r.F.Op(i) != op.Div || r.M.ScalarOf(r.F.Type(i)) != scalar.I32 {
		return false
	}
	divisor, constant := r.M.ConstSplatBits(r.F.Resolve(r.F.Arg(i, 1)))
	return !constant || int32(divisor) < 0 && bits.OnesCount32(-uint32(divisor)) == 1
}
