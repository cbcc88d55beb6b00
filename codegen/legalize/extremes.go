package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Extremes compares negated numbers without a sign, by a bias of 2^31, takes the
// absolute value of a number as the smaller of it and its negation, both without a
// sign, and rewrites complements as said above, and differences that a driver may see
// a complement in, which z - x - 1 is for one that knows z to be 0:
//
//	max(x, -y)   ─►  max_u32(x ^ 0x80000000, -y ^ 0x80000000) ^ 0x80000000
//	abs(x)       ─►  min_u32(x, -x)
//	-(x - y)     ─►  y - x
//	x - (y - 1)  ─►  x - y + 1
//
// NVIDIA's Vulkan driver (580) makes one instruction of two minima, or of two maxima, with a sign,
// and loses the sign of operands there: max(y >> 30, abs(x + x)) was 0 for a negative x + x, of
// 8,000 small programs 16 ran wrong. It sees a negation through loops that it unrolls, branches and
// variables, too, so where one is handed on (handsNegations), every number that may come from there
// is compared without a sign. Its absolute values of GLSL.std.450 are no way out: of -abs(x) > -3,
// as of any comparison with a negative constant, it makes false.
//
// A quotient whose divisor is a negative power of two is a negated shift for that driver:
// min(min(x, x / -128), y) was -(x / -128) or y, at all levels. What nobody knows yet may become
// such a divisor. Of 1,484 small kernels with quotients, remainders, products and negations of
// integers of 32 and 64 bits no others were wrong.
var Extremes = opt.Pass{
	Name: "extremes",
	Doc:  "compare negated numbers without a sign, and have no complements in sums",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewriter](c, "rewriter")
		*r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if !f.Had(&limited) {
				continue
			}
			if r.f = f; r.handsNegations() {
				r.function(&handedExtremeRules, f)
			} else {
				r.function(&extremeRules, f)
			}
		}
	},
}

var complementing = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs)

// limited are the operations that Extremes rewrites; it does nothing in functions without them.
var limited = op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Abs, op.Div)

var (
	extremeRules       = extremesBy(unsignedExtreme)
	handedExtremeRules = extremesBy(unsignedHandedExtreme)
)

func extremesBy(extreme rule) rules {
	return rules{
		op.Add:   addComplement,
		op.Sub:   subtractDifference,
		op.Neg:   subtractDifference,
		op.Xor:   complement,
		op.Min:   extreme,
		op.Max:   extreme,
		op.Clamp: extreme,
		op.Abs:   unsignedAbs,
	}
}

// handsNegations reports whether a negated i32 leaves a block or is stored, from where a
// minimum or maximum may get it without its negation in sight.
func (r *rewriter) handsNegations() bool {
	f := r.f
	if !f.Had(&negating) || !f.Had(&limits) {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); !o.Is(op.Terminator) && o != op.Store && o != op.Loop && o != op.Select {
			continue
		}
		for _, a := range f.Args(i) {
			if r.m.ScalarOf(f.TypeOf(a)) == scalar.I32 && r.negates(a) {
				return true
			}
		}
	}
	return false
}

var negating, limits = op.SetOf(op.Neg, op.Sub, op.Div), op.SetOf(op.Min, op.Max, op.Clamp)

func unsignedAbs(r *rewriter) ir.Value {
	if r.kind != scalar.I32 {
		return ir.NoValue
	}
	x, y := r.cast(scalar.U32, r.x[0]), r.cast(scalar.U32, r.op(op.Neg, r.x[0]))
	return r.cast(scalar.I32, r.op(op.Min, x, y))
}

func unsignedExtreme(r *rewriter) ir.Value { return r.unsignedExtreme(false) }

func unsignedHandedExtreme(r *rewriter) ir.Value { return r.unsignedExtreme(true) }

func (r *rewriter) unsignedExtreme(handed bool) ir.Value {
	if r.kind != scalar.I32 {
		return ir.NoValue
	}
	args := r.f.Args(r.i)
	for n := range args {
		if r.negates(r.x[n]) || handed && r.isHanded(r.x[n]) {
			return r.biased(r.f.Op(r.i), r.x[:len(args)])
		}
	}
	return ir.NoValue
}

// isHanded reports whether a value comes from another block, from memory of the invocation's own,
// or from a choice.
func (r *rewriter) isHanded(v ir.Value) bool {
	i, ok := r.f.Def(v)
	if !ok {
		return v.IsLocal() && r.f.Parent(r.f.DefBlock(v)) != 0
	}
	switch o := r.f.Op(i); {
	case o == op.Load:
		space := r.m.SpaceOf(r.f.TypeOf(r.f.Arg(i, 0)))
		return space == ir.Function || space == ir.Private
	default:
		return o.Is(op.Control) || o == op.Select
	}
}

// subtractDifference rewrites a subtraction of a difference, or of a complement. A number
// that only a driver knows to be 0 is a component of an id, say, of a workgroup of one
// invocation: with it `max(0 - (local_id.y - x - 1), y)` was -x - 1 at -O0.
func subtractDifference(r *rewriter) ir.Value {
	if v := complementRules[r.f.Op(r.i)](r); v != ir.NoValue || !r.isInteger32() {
		return v
	}
	subtrahend, negates := r.negated(r.f.Result(r.i))
	if !negates {
		subtrahend = r.x[1]
	}
	i, ok := r.f.Def(subtrahend)
	if !ok || r.f.Op(i) != op.Sub {
		return ir.NoValue
	}
	x, y := r.f.Resolve(r.f.Arg(i, 0)), r.f.Resolve(r.f.Arg(i, 1))
	if negates {
		return r.op(op.Sub, y, x)
	}
	if bits, ok := r.m.ConstSplatBits(y); ok && bits == 1 {
		return r.op(op.Add, r.op(op.Sub, r.x[0], x), y)
	}
	return ir.NoValue
}

// negates reports whether a driver may compute an integer of 32 bits by a negation: it is one, or
// the quotient of an i32 by what is, or may become, a negative power of two.
func (r *rewriter) negates(v ir.Value) bool {
	if _, ok := r.negated(v); ok {
		return true
	}
	i, ok := r.f.Def(v)
	if !ok || r.f.Op(i) != op.Div || r.m.ScalarOf(r.f.Type(i)) != scalar.I32 {
		return false
	}
	divisor, constant := r.m.ConstSplatBits(r.f.Resolve(r.f.Arg(i, 1)))
	return !constant || int32(divisor) < 0 && bits.OnesCount32(-uint32(divisor)) == 1
}
