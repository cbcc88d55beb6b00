package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// CombineRangeCheck merges the two comparisons of a range check into an unsigned one (LLVM
// InstCombine: simplifyRangeCheck):
//
//	x >= 0 && x < n          ─►  u32(x) < u32(max(n, 0))
//	c && x >= 0 && x < n     ─►  c && u32(x) < u32(max(n, 0))
//
// A negative x is a large u32. In most loops n is invariant, and the max with it. Passes that use
// intervals of the signed x have run before.
var CombineRangeCheck = opt.Pass{
	Name:  "combine-range-check",
	Doc:   "merge comparisons with 0 and a bound into an unsigned one",
	Needs: ir.Structured,
	Run:   rangeCheckRules.Everywhere(),
}

var rangeCheckRules = rewrite.Rules{op.And: combineRangeCheck}

func combineRangeCheck(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.Bool || r.M.Components(r.Type) != 1 {
		return ir.NoValue
	}
	if v := within(r, r.X[0], r.X[1]); v != ir.NoValue {
		return v
	}
	// the same in a longer conjunction
	for n := range 2 {
		i, ok := r.F.Def(r.X[n])
		if !ok || r.F.Op(i) != op.And {
			continue
		}
		for k := range 2 {
			if v := within(r, r.F.Resolve(r.F.Arg(i, k)), r.X[1-n]); v != ir.NoValue {
				return r.Op(op.And, r.F.Resolve(r.F.Arg(i, 1-k)), v)
			}
		}
	}
	return ir.NoValue
}

// within returns the conjunction of two conditions as one comparison, or NoValue.
func within(r *rewrite.Rewriter, a, b ir.Value) ir.Value {
	x, ok := notNegative(r, a)
	if !ok {
		a, b = b, a
		if x, ok = notNegative(r, a); !ok {
			return ir.NoValue
		}
	}
	i, ok := r.F.Def(b)
	if !ok {
		return ir.NoValue
	}
	var bound ir.Value
	switch o := r.F.Op(i); {
	case o == op.Lt && r.F.Resolve(r.F.Arg(i, 0)) == x:
		bound = r.F.Resolve(r.F.Arg(i, 1))
	case o == op.Gt && r.F.Resolve(r.F.Arg(i, 1)) == x:
		bound = r.F.Resolve(r.F.Arg(i, 0))
	default:
		return ir.NoValue
	}
	bound = r.Op(op.Max, bound, r.M.ConstI32(0))
	return r.Op(op.Lt, r.Cast(scalar.U32, x), r.Cast(scalar.U32, bound))
}

// notNegative matches x >= 0 for an i32 x, which it returns.
func notNegative(r *rewrite.Rewriter, v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.F.Def(v)
	if !ok {
		return ir.NoValue, false
	}
	args := r.F.Args(i)
	zero, less := r.M.ConstI32(0), r.M.ConstI32(-1)
	switch r.F.Op(i) {
	case op.Ge:
		return r.F.Resolve(args[0]), args[1] == zero
	case op.Gt:
		return r.F.Resolve(args[0]), args[1] == less
	case op.Le:
		return r.F.Resolve(args[1]), args[0] == zero
	case op.Lt:
		return r.F.Resolve(args[1]), args[0] == less
	}
	return ir.NoValue, false
}
