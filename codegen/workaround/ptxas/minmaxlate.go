package ptxas

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BiasLateMinMax compares sums without a sign, by a bias of 2^31, or with one instead of without,
// where a driver may come to know a number that is added, and late:
//
//	max(x + c, y)                ─►  max_u32(x + c ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//	select(x + c > y, x + c, y)  ─►  likewise
//	max_u32(x + c, y)            ─►  max(x + c ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//
// For sm_90 ptxas (12.9 to 13.5) makes one instruction, VIADDMNMX, of a sum and a minimum
// or maximum behind it. Where it then puts a constant for a number it gets the
// signs wrong: of max(-1 - k, 0) with a k of 19 it makes max(19 + 1, 0), of max(k - 1, 0)
// max(1 - 19, 0). That happens to numbers that a loop, which is unrolled and moved out of
// another one, steps from a constant in ways that are folded after everything else, such as
// k % 33. What counts is folded before, and so a blur's max(y + dy, 0) stays as it is.
// With the bias between them, sum and maximum stay two instructions.
var BiasLateMinMax = opt.Pass{
	Name: "ptxas-minmax-late",
	Doc:  "have a bias between sums that drivers may know and their limits",
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[shared.MinMax](c, "ptxas-minmax-late")
		x.R = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && f.Had(&shared.Extremes) {
				function(x, m, f)
			}
		}
	},
}

func function(x *shared.MinMax, m *ir.Module, f *ir.Func) {
	x.R.F, x.R.B.F = f, f
	x.Enter(m, f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if shared.Extremes.Has(f.Op(i)) && rewrite.IsInteger32(f, f.Result(i)) {
			if v := extreme(x, i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// min or max returns what replaces a min or max, or NoValue if it stays.
func extreme(x *shared.MinMax, i ir.Inst) ir.Value {
	r := &x.R
	r.At(i)
	o, args := r.F.Op(i), r.X[:len(r.F.Args(i))]
	if o == op.Select {
		if o, args = x.Selected(); o == op.Select {
			return ir.NoValue
		}
	}
	for _, v := range args {
		if isKnownSum(x, v) {
			return shared.Biased(r, o, args)
		}
	}
	return ir.NoValue
}

// isKnownSum reports whether a value is a sum, or the magnitude of one, with a number that may
// be known late. Complements are subtractions in PTX.
func isKnownSum(x *shared.MinMax, v ir.Value) bool {
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
			if a = x.F.Resolve(a); isLate(x, a, shared.CountDepth) && x.MayBeKnown(a, &seen) {
				return true
			}
		}
	}
	return false
}

// isLate reports whether a value depends on one that a loop steps in another way than by
// adding a constant.
func isLate(x *shared.MinMax, v ir.Value, depth int) bool {
	f := x.F
	if !v.IsLocal() {
		return false
	}
	i, ok := f.Def(v)
	switch {
	case !ok:
		_, next, ok := x.Phi(v)
		return ok && next != v && !isCounted(x, v, next)
	case depth == 0 || f.Op(i).Is(op.Control):
		return true
	}
	for _, a := range f.Args(i) {
		if isLate(x, f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// isCounted reports whether what a parameter becomes in the next iteration differs from it by a
// constant.
func isCounted(x *shared.MinMax, v, next ir.Value) bool {
	i, ok := x.F.Def(next)
	if !ok || x.F.Op(i) != op.Add && x.F.Op(i) != op.Sub {
		return false
	}
	a, b := x.F.Resolve(x.F.Arg(i, 0)), x.F.Arg(i, 1)
	return a == v && b.IsConst() || x.F.Op(i) == op.Add && x.F.Resolve(b) == v && a.IsConst()
}
