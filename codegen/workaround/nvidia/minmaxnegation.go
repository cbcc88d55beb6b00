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

// UnsignedMinMaxOfNegation compares negated numbers without a sign, by a bias of 2^31, takes the
// absolute value of a number as the smaller of it and its negation, both without a
// sign, and rewrites complements as said above, and differences that a driver may see
// a complement in, which z - x - 1 is for one that knows z to be 0:
//
//	max(x, -y)   ─►  max_u32(x ^ 0x80000000, -y ^ 0x80000000) ^ 0x80000000
//	abs(x)       ─►  min_u32(x, -x)
//	-(x - y)     ─►  y - x
//	x - (y - 1)  ─►  x - y + 1
//
// NVIDIA's Vulkan driver (580) makes one instruction of two min, or of two max, with a sign,
// and loses the sign of operands there: max(y >> 30, abs(x + x)) was 0 for a negative x + x, of
// 8,000 small programs 16 ran wrong. It sees a negation through loops that it unrolls, branches and
// variables, too, so where one is passed on (handsNegations), every number that may come from there
// is compared without a sign. Its absolute values of GLSL.std.450 are no way out: of -abs(x) > -3,
// as of any comparison with a negative constant, it makes false.
//
// A quotient whose divisor is a negative power of two is a negated shift for that driver:
// min(min(x, x / -128), y) was -(x / -128) or y, at all levels. What nobody knows yet may become
// such a divisor. Of 1,484 small kernels with quotients, remainders, products and negations of
// integers of 32 and 64 bits no others were wrong.
var UnsignedMinMaxOfNegation = opt.Pass{
	Name: "nv-minmax-negation",
	Doc:  "compare negated numbers without a sign, and have no complements in sums",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewrite.Rewriter](c, "rewriter")
		*r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if !f.Had(&limited) {
				continue
			}
			if r.F = f; handsNegations(r) {
				r.Function(&handedExtremeRules, f)
			} else {
				r.Function(&extremeRules, f)
			}
		}
	},
}

var complementing = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs)

// limited are the operations that UnsignedMinMaxOfNegation rewrites; it does nothing in functions
// without them.
var limited = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs, op.Div)

var (
	extremeRules       = extremesBy(unsignedExtreme)
	handedExtremeRules = extremesBy(unsignedHandedExtreme)
)

func extremesBy(extreme rewrite.Rule) rewrite.Rules {
	return rewrite.Rules{
		op.Add:   shared.AddComplement,
		op.Sub:   subtractDifference,
		op.Neg:   subtractDifference,
		op.Xor:   shared.Complement,
		op.Min:   extreme,
		op.Max:   extreme,
		op.Clamp: extreme,
		op.Abs:   unsignedAbs,
	}
}

// handsNegations reports whether a negated i32 leaves a block or is stored, from where a
// minimum or maximum may get it without its negation in sight.
func handsNegations(r *rewrite.Rewriter) bool {
	f := r.F
	if !f.Had(&negating) || !f.Had(&limits) {
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

var negating, limits = op.SetOf(op.Neg, op.Sub, op.Div), op.SetOf(op.Min, op.Max, op.Clamp)

func unsignedAbs(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.I32 {
		return ir.NoValue
	}
	x, y := r.Cast(scalar.U32, r.X[0]), r.Cast(scalar.U32, r.Op(op.Neg, r.X[0]))
	return r.Cast(scalar.I32, r.Op(op.Min, x, y))
}

func unsignedExtreme(r *rewrite.Rewriter) ir.Value { return unsignedMinMaxOf(r, false) }

func unsignedHandedExtreme(r *rewrite.Rewriter) ir.Value { return unsignedMinMaxOf(r, true) }

func unsignedMinMaxOf(r *rewrite.Rewriter, handed bool) ir.Value {
	if r.Kind != scalar.I32 {
		return ir.NoValue
	}
	args := r.F.Args(r.Inst)
	for n := range args {
		if negates(r, r.X[n]) || handed && isHanded(r, r.X[n]) {
			return shared.Biased(r, r.F.Op(r.Inst), r.X[:len(args)])
		}
	}
	return ir.NoValue
}

// isHanded reports whether a value comes from another block, from memory of the invocation's own,
// or from a choice.
func isHanded(r *rewrite.Rewriter, v ir.Value) bool {
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

// subtractDifference rewrites a subtraction of a difference, or of a complement. A number
// that only a driver knows to be 0 is a component of an id, say, of a workgroup of one
// invocation: with it `max(0 - (local_id.y - x - 1), y)` was -x - 1 at -O0.
func subtractDifference(r *rewrite.Rewriter) ir.Value {
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

// negates reports whether a driver may compute an integer of 32 bits by a negation: it is one, or
// the quotient of an i32 by what is, or may become, a negative power of two.
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
