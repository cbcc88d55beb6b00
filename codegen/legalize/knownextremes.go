package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// KnownExtremes compares sums without a sign, by a bias of 2^31, or with one instead of without,
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
var KnownExtremes = opt.Pass{
	Name: "knownextremes",
	Doc:  "have a bias between sums that drivers may know and their limits",
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[knownExtremes](c, "knownextremes")
		x.r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if f.Had(&loops) && f.Had(&extremes) {
				x.function(m, f)
			}
		}
	},
}

func (x *knownExtremes) function(m *ir.Module, f *ir.Func) {
	x.r.f, x.r.b.F = f, f
	x.enter(m, f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if extremes.Has(f.Op(i)) && isInteger32(f, f.Result(i)) {
			if v := x.extreme(i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// extreme returns what takes the place of an extreme, or NoValue if it stays.
func (x *knownExtremes) extreme(i ir.Inst) ir.Value {
	r := &x.r
	r.stand(i)
	o, args := r.f.Op(i), r.x[:len(r.f.Args(i))]
	if o == op.Select {
		if o, args = x.selected(); o == op.Select {
			return ir.NoValue
		}
	}
	for _, v := range args {
		if x.isKnownSum(v) {
			return r.biased(o, args)
		}
	}
	return ir.NoValue
}

// isKnownSum reports whether a value is a sum, or the magnitude of one, with a number that may
// be known late. Complements are subtractions in PTX.
func (x *knownExtremes) isKnownSum(v ir.Value) bool {
	i, ok := x.f.Def(v)
	for ok && (x.f.Op(i) == op.Abs || x.f.Op(i) == op.Bitcast || x.f.Op(i) == op.Convert) {
		i, ok = x.f.Def(x.f.Resolve(x.f.Arg(i, 0)))
	}
	if !ok {
		return false
	}
	switch x.f.Op(i) {
	case op.Add, op.Sub, op.Not:
		for _, a := range x.f.Args(i) {
			var seen followed
			if a = x.f.Resolve(a); x.isLate(a, countDepth) && x.mayBeKnown(a, &seen) {
				return true
			}
		}
	}
	return false
}

// isLate reports whether a value depends on one that a loop steps in another way than by
// adding a constant.
func (x *knownExtremes) isLate(v ir.Value, depth int) bool {
	f := x.f
	if !v.IsLocal() {
		return false
	}
	i, ok := f.Def(v)
	switch {
	case !ok:
		_, next, ok := x.turn(v)
		return ok && next != v && !x.isCounted(v, next)
	case depth == 0 || f.Op(i).Is(op.Control):
		return true
	}
	for _, a := range f.Args(i) {
		if x.isLate(f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// isCounted reports whether what a parameter becomes in the next turn differs from it by a
// constant.
func (x *knownExtremes) isCounted(v, next ir.Value) bool {
	i, ok := x.f.Def(next)
	if !ok || x.f.Op(i) != op.Add && x.f.Op(i) != op.Sub {
		return false
	}
	a, b := x.f.Resolve(x.f.Arg(i, 0)), x.f.Arg(i, 1)
	return a == v && b.IsConst() || x.f.Op(i) == op.Add && x.f.Resolve(b) == v && a.IsConst()
}
