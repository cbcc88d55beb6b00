package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Within makes one comparison of two that ask whether a number lies within an image or a list:
//
//	x >= 0 && x < n          ─►  u32(x) < u32(max(n, 0))
//	c && x >= 0 && x < n     ─►  c && u32(x) < u32(max(n, 0))
//
// A negative x is a large number without its sign. The maximum is about what most loops do not
// change. Passes that know intervals have run before: x has its sign in what they conclude. Of the
// comparison that is left NVIDIA's compilers conclude less, so that less has to be hidden from them
// behind it (WrappingLoops).
var Within = opt.Pass{
	Name:  "within",
	Doc:   "compare with 0 and a bound at once, without a sign",
	Needs: ir.Structured,
	Run:   withinRules.where(op.SetOf(op.And)),
}

var withinRules = rules{op.And: withinBounds}

func withinBounds(r *rewriter) ir.Value {
	if r.kind != scalar.Bool || r.m.Components(r.t) != 1 {
		return ir.NoValue
	}
	if v := r.within(r.x[0], r.x[1]); v != ir.NoValue {
		return v
	}
	// the same with what stands before in the condition
	for n := range 2 {
		i, ok := r.f.Def(r.x[n])
		if !ok || r.f.Op(i) != op.And {
			continue
		}
		for k := range 2 {
			if v := r.within(r.f.Resolve(r.f.Arg(i, k)), r.x[1-n]); v != ir.NoValue {
				return r.op(op.And, r.f.Resolve(r.f.Arg(i, 1-k)), v)
			}
		}
	}
	return ir.NoValue
}

// within returns what two conditions are together, or NoValue.
func (r *rewriter) within(a, b ir.Value) ir.Value {
	x, ok := r.notNegative(a)
	if !ok {
		a, b = b, a
		if x, ok = r.notNegative(a); !ok {
			return ir.NoValue
		}
	}
	i, ok := r.f.Def(b)
	if !ok {
		return ir.NoValue
	}
	var bound ir.Value
	switch o := r.f.Op(i); {
	case o == op.Lt && r.f.Resolve(r.f.Arg(i, 0)) == x:
		bound = r.f.Resolve(r.f.Arg(i, 1))
	case o == op.Gt && r.f.Resolve(r.f.Arg(i, 1)) == x:
		bound = r.f.Resolve(r.f.Arg(i, 0))
	default:
		return ir.NoValue
	}
	bound = r.op(op.Max, bound, r.m.ConstI32(0))
	return r.op(op.Lt, r.cast(scalar.U32, x), r.cast(scalar.U32, bound))
}

// notNegative returns x if a condition is that the i32 x is not negative.
func (r *rewriter) notNegative(v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.f.Def(v)
	if !ok {
		return ir.NoValue, false
	}
	args := r.f.Args(i)
	zero, less := r.m.ConstI32(0), r.m.ConstI32(-1)
	switch r.f.Op(i) {
	case op.Ge:
		return r.f.Resolve(args[0]), args[1] == zero
	case op.Gt:
		return r.f.Resolve(args[0]), args[1] == less
	case op.Le:
		return r.f.Resolve(args[1]), args[0] == zero
	case op.Lt:
		return r.f.Resolve(args[1]), args[0] == less
	}
	return ir.NoValue, false
}
