package ptxas

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BiasLateMinMax is workaround ptxas-minmax-late. It changes the signedness of a min or max of a
// sum by a bias of 2^31 if an addend may become constant late:
//
//	max(x + c, y)                ─►  max_u32(x + c ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//	select(x + c > y, x + c, y)  ─►  likewise
//	max_u32(x + c, y)            ─►  max(x + c ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//
// For sm_90 ptxas (12.9 to 13.5) fuses a sum and a min or max of it into VIADDMNMX. If it
// propagates a constant into the fused instruction after that, signs are lost. For k = 19, max(-1 -
// k, 0) becomes max(19 + 1, 0), and max(k - 1, 0) becomes max(1 - 19, 0). This concerns values that
// an unrolled loop steps in ways that ptxas folds late, such as k % 33. Induction variables are
// folded before, so that max(y + dy, 0) of a blur stays as it is. The xor between sum and min or
// max prevents the fusion.
var BiasLateMinMax = opt.Pass{
	Name: "ptxas-minmax-late",
	Doc:  "separate sums that may become constant late from their min and max by a bias",
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[shared.MinMax](c, "ptxas-minmax-late")
		x.R = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && f.Had(&shared.MinMaxOps) {
				rewriteMinMax(x, m, f)
			}
		}
	},
}

func rewriteMinMax(x *shared.MinMax, m *ir.Module, f *ir.Func) {
	x.R.F, x.R.B.F = f, f
	x.Enter(m, f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if shared.MinMaxOps.Has(f.Op(i)) && rewrite.IsInteger32(f, f.Result(i)) {
			if v := minMax(x, i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// minMax returns the replacement of a min or max, or NoValue if it stays.
func minMax(x *shared.MinMax, i ir.Inst) ir.Value {
	r := &x.R
	r.At(i)
	o, args := r.F.Op(i), r.X[:len(r.F.Args(i))]
	if o == op.Select {
		if o, args = x.Selected(); o == op.Select {
			return ir.NoValue
		}
	}
	for _, v := range args {
		if isFoldableSum(x, v) {
			return shared.MinMaxFlipped(r, o, args)
		}
	}
	return ir.NoValue
}

// isFoldableSum reports whether a value is a sum, or the magnitude of one, with an addend that may
// become constant late. Complements are subtractions in PTX.
func isFoldableSum(x *shared.MinMax, v ir.Value) bool {
	i, ok := x.F.Def(v)
	for ok && (x.F.Op(i) == op.Abs || x.F.Op(i) == op.Bitcast || x.F.Op(i) == op.Convert) {
		i, ok = x.F.Def(x.F.Resolve(x.F.Arg(i, 0)))
	}
	if !ok {
		return false
	}
	switch x.F.Op(i) {
	case op.Add, op.Sub, op.Not:
		for _, a := range x.F.Args(i) {
			var seen shared.Visited
			if a = x.F.Resolve(a); dependsOnStep(x, a, shared.SearchDepth) && x.MayBeKnown(a, &seen) {
				return true
			}
		}
	}
	return false
}

// dependsOnStep reports whether a value depends on a phi that is not an induction variable.
func dependsOnStep(x *shared.MinMax, v ir.Value, depth int) bool {
	f := x.F
	if !v.IsLocal() {
		return false
	}
	i, ok := f.Def(v)
	switch {
	case !ok:
		_, next, ok := x.Phi(v)
		return ok && next != v && !isInduction(x, v, next)
	case depth == 0 || f.Op(i).Is(op.Control):
		return true
	}
	for _, a := range f.Args(i) {
		if dependsOnStep(x, f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// isInduction reports whether next, the value of phi v in the next iteration, is v plus or minus a
// constant.
func isInduction(x *shared.MinMax, v, next ir.Value) bool {
	i, ok := x.F.Def(next)
	if !ok || x.F.Op(i) != op.Add && x.F.Op(i) != op.Sub {
		return false
	}
	a, b := x.F.Resolve(x.F.Arg(i, 0)), x.F.Arg(i, 1)
	return a == v && b.IsConst() || x.F.Op(i) == op.Add && x.F.Resolve(b) == v && a.IsConst()
}
