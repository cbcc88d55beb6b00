package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// DivSqrtToRsqrt replaces a division by a square root by a multiplication with the inverse square
// root (LLVM: reciprocal square root estimates), for machines that have those:
//
//	x / √y, z / √y  ─►  x · inverse_sqrt(y), z · inverse_sqrt(y)
//
// That replaces two approximations by one, as in every normalised vector. It is also more accurate:
// WGSL bounds the error of √y by that of 1 / inverse_sqrt(y) (WGSL §15.7.4.1), and the quotient
// adds its own. A root with other uses stays, since it would be computed in addition. The strict
// mode rounds roots and quotients correctly and keeps both.
var DivSqrtToRsqrt = opt.Pass{
	Name: "div-sqrt-to-rsqrt",
	Doc:  "replace divisions by square roots by multiplications with inverse square roots",
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
	// uses counts all uses by value, and divisions those as a divisor.
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

// inverted marks, in divisions, a root that has become an inverse root. The root dominates all
// divisions by it.
const inverted = ^uint32(0)
