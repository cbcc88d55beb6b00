package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// DivSqrtToRsqrt multiplies by the inverse of a square root where something is divided by the
// root, for machines that approximate inverse square roots at once:
//
//	x / √y, z / √y  ─►  x · inverse_sqrt(y), z · inverse_sqrt(y)
//
// That is two approximations made one, as in every normalised vector, and what is left is nearer:
// WGSL's bound of √y is that of 1 / inverse_sqrt(y) (WGSL §15.7.4.1), and the quotient adds its
// own. A root that goes elsewhere too stays, since it would be computed in addition. The strict
// mode has roots and quotients that are rounded correctly.
var DivSqrtToRsqrt = opt.Pass{
	Name: "div-sqrt-to-rsqrt",
	Doc:  "multiply by inverse square roots instead of dividing by square roots",
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Math == opt.MathStrict {
			return
		}
		r := opt.Scratch[rootQuotients](c, "div-sqrt-to-rsqrt")
		for _, f := range m.Funcs {
			if f.Had(&roots) && f.Had(&quotients) {
				r.function(f)
			}
		}
	},
}

var (
	roots     = op.SetOf(op.Sqrt)
	quotients = op.SetOf(op.Div)
)

type rootQuotients struct {
	// uses counts, by value, what uses it, and divisions what divides by it.
	uses, divisions []uint32
}

func (r *rootQuotients) function(f *ir.Func) {
	m := f.Module
	r.uses = f.CountUses(r.uses)
	r.divisions = ir.Zeroed(r.divisions, len(r.uses))
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Div {
			if d := f.Arg(i, 1); d.IsLocal() {
				r.divisions[d]++
			}
		}
	}
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.Sqrt:
			if v := f.Result(i); r.uses[v] == r.divisions[v] && m.ScalarOf(f.Type(i)) != scalar.F64 {
				f.SetOp(i, op.InverseSqrt)
				r.divisions[v] = inverted
			}
		case op.Div:
			x, d := f.Arg(i, 0), f.Arg(i, 1)
			switch {
			case !d.IsLocal() || r.divisions[d] != inverted:
			case rewrite.IsOne(m, x):
				f.Replace(f.Result(i), d)
				f.Remove(i)
			default:
				f.SetOp(i, op.Mul)
				f.SetFlags(i, f.Flags(i)|ir.Contract)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// inverted marks, among the numbers of divisions, a root that is its inverse. It stands
// before whatever divides by it.
const inverted = ^uint32(0)
