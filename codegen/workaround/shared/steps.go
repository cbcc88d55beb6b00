package shared

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// How far and which way loops count, for HideLoopCount.

// farStep is the least number, of either sign, that is far as the step of a loop:
// unrolled a thousand times such a loop may wrap on the way.
const farStep = 1 << 20

// isFar reports whether a value is a constant of i32 or u32 that has a component
// which is far.
func (w *wrapping) isFar(v ir.Value) bool {
	if !v.IsConst() || !rewrite.IsInteger32(w.F, v) {
		return false
	}
	if t := w.F.TypeOf(v); w.M.IsVector(t) {
		for n := range w.M.Components(t) {
			if w.isFar(w.M.ConstPart(v, uint32(n))) {
				return true
			}
		}
		return false
	}
	x := int32(w.M.ConstBits(v))
	return x <= -farStep || x >= farStep
}

// hasFar reports whether the function has constants that are far, or might have them
// from the program's own variables.
func (w *wrapping) hasFar() bool {
	if !w.looked {
		w.looked, w.far = true, w.looksFar()
	}
	return w.far
}

func (w *wrapping) looksFar() bool {
	for i := range w.F.InstCount() {
		if slices.ContainsFunc(w.F.Args(ir.Inst(i)), w.isFar) {
			return true
		}
	}
	return slices.ContainsFunc(w.M.Globals, func(g ir.Global) bool {
		return w.M.SpaceOf(g.Type) == ir.Private && w.isFar(g.Init)
	})
}

// leap reports whether one of two values that are compared may be what a loop counts
// in steps that are far.
func (w *wrapping) leap(a, b ir.Value) bool {
	return (w.leaps(a, ir.NoValue, CountDepth) || w.leaps(b, ir.NoValue, CountDepth)) && w.hasFar()
}

// leaps reports whether a value may be what a loop counts in steps that are far. The
// counter is the parameter whose steps are looked at, if any.
func (w *wrapping) leaps(v, counter ir.Value, depth int) bool {
	if !v.IsLocal() || v == counter {
		return counter != ir.NoValue && w.isFar(v)
	}
	if depth == 0 {
		return true
	}
	f := w.F
	i, ok := f.Def(v)
	if !ok {
		if f.Parent(f.DefBlock(v)) == 0 {
			return false
		}
		start, next, _ := w.Phi(v)
		if next == ir.NoValue {
			return rewrite.IsInteger32(f, v)
		}
		return w.leaps(next, v, depth-1) || counter != ir.NoValue && w.leaps(start, counter, depth-1)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return w.IsOwnScalar(f.Arg(i, 0))
	}
	for _, a := range f.Args(i) {
		if rewrite.IsInteger32(f, a) && w.leaps(f.Resolve(a), counter, depth-1) {
			return true
		}
	}
	return false
}

// onward is what a comparison decides of its loop.
type onward uint8

const (
	unclear  onward = iota
	staysIf         // the loop goes on only where it holds
	leavesIf        // the loop ends where it holds
)

// decided returns what a comparison decides.
func (w *wrapping) decided(i ir.Inst) onward {
	if len(w.onward) == 0 {
		w.onward = ir.Zeroed(w.onward, w.F.InstCount())
		w.decisions()
	}
	return w.onward[i]
}

// decisions notes what the function's comparisons decide of loops.
func (w *wrapping) decisions() {
	f := w.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.If:
			w.decide(f.Arg(i, 0), w.decides(i))
		case op.Next:
			if _, condition, _ := f.NextArgs(i); condition != 0 {
				w.decide(condition, leavesIf)
			}
		}
	}
}

// decide notes what a condition decides.
func (w *wrapping) decide(condition ir.Value, how onward) {
	i, ok := w.F.Def(w.F.Resolve(condition))
	switch {
	case !ok || how == unclear:
	case w.F.Op(i) == op.Not:
		w.decide(w.F.Arg(i, 0), staysIf+leavesIf-how)
	case rewrite.IsIntegerComparison(w.F, i):
		w.onward[i] = how
	}
}

// decides returns what the condition of an if decides of a loop around it: one arm has
// to end in an exit from farther out.
func (w *wrapping) decides(i ir.Inst) onward {
	f := w.F
	leaves := func(arm int) bool {
		end := f.Terminator(f.Region(i, arm))
		return end != 0 && (f.Op(end) == op.Exit && f.Target(end) != i || f.Op(end) == op.Return)
	}
	switch first, second := leaves(0), leaves(1); {
	case first && !second:
		return leavesIf
	case second && !first:
		return staysIf
	}
	return unclear
}

// strays reports whether what a loop counts goes away from the bound in a comparison,
// so that it can end only after it wrapped: with k < n as the condition to go on, k
// falls.
func (w *wrapping) strays(i ir.Inst) bool {
	o := w.F.Op(i)
	below := o == op.Lt || o == op.Le // true for small counters
	if !below && o != op.Gt && o != op.Ge {
		return false
	}
	left, right := w.step(w.F.Arg(i, 0)), w.step(w.F.Arg(i, 1))
	if left == 0 && right == 0 {
		return false
	}
	how := w.decided(i)
	if how == unclear {
		return false
	}
	below = below == (how == staysIf)
	if below {
		return left < 0 || right > 0
	}
	return left > 0 || right < 0
}

// step returns the constant that a loop adds to a value in each iteration, or 0.
func (w *wrapping) step(v ir.Value) int32 {
	counter, _ := w.sum(v)
	f := w.F
	if _, ok := f.Def(counter); ok || !counter.IsLocal() {
		return 0
	}
	_, next, _ := w.Phi(counter)
	if next == ir.NoValue {
		return 0
	}
	from, by := w.sum(next)
	if from != counter {
		return 0
	}
	return by
}

// sum takes a value apart into one and the constants that are added to it.
func (w *wrapping) sum(v ir.Value) (of ir.Value, by int32) {
	f := w.F
	for v = f.Resolve(v); v.IsLocal(); {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Add && f.Op(i) != op.Sub {
			break
		}
		bits, constant := f.Module.ConstSplatBits(f.Arg(i, 1))
		if !constant {
			break
		}
		if f.Op(i) == op.Sub {
			bits = -bits
		}
		by += int32(bits)
		v = f.Resolve(f.Arg(i, 0))
	}
	return v, by
}

// stepsToBound reports whether an instruction is how most loops count: a constant is added
// or subtracted in the continuing block, which is reached in turns only that began with a
// test that a bound lies farther on, by so much that the sum does not wrap. The analysis of
// ranges knows it too, and takes far longer to tell.
func (w *wrapping) stepsToBound(i ir.Inst) bool {
	f := w.F
	o, loop := f.Op(i), f.Parent(f.BlockOf(i))
	if o != op.Add && o != op.Sub || loop == 0 || f.Op(loop) != op.Loop || f.BlockOf(i) != f.Region(loop, 1) {
		return false
	}
	k, step := f.Resolve(f.Arg(i, 0)), f.Arg(i, 1)
	all := analysis.Full(f.TypeOf(k))
	if _, defined := f.Def(k); defined || !k.IsLocal() || f.DefBlock(k) != f.Region(loop, 0) || all.Empty() || !step.IsConst() {
		return false
	}
	order, bound := w.goesOnWhere(loop, k)
	if order == op.Invalid {
		return false
	}
	limit := all
	if bound.IsConst() {
		limit = analysis.Constant(w.M, f.TypeOf(k), bound)
	}
	now, by := analysis.Compared(order, all, limit), analysis.Constant(w.M, f.TypeOf(k), step).Low
	if o == op.Sub {
		by = -by
	}
	return analysis.Interval{Low: now.Low + by, End: now.End + by}.Within(all)
}

// goesOnWhere returns how a parameter of a loop's body compares with a bound in all iterations
// that reach the continuing block, if the first thing that a turn does is to test that.
func (w *wrapping) goesOnWhere(loop ir.Inst, k ir.Value) (order op.Op, bound ir.Value) {
	f := w.F
	test := f.First(f.Region(loop, 0))
	for test != 0 && !f.Op(test).Is(op.Control) {
		test = f.Next(test)
	}
	if test == 0 || f.Op(test) != op.If {
		return op.Invalid, ir.NoValue
	}
	how, leaving := w.decides(test), 0
	if how == staysIf {
		leaving = 1
	}
	// the arm that leaves must do nothing else: it could go on with the next iteration
	if how == unclear || !f.Op(f.First(f.Region(test, leaving))).Is(op.Terminator) {
		return op.Invalid, ir.NoValue
	}
	c, ok := f.Def(f.Resolve(f.Arg(test, 0)))
	if !ok || !rewrite.IsIntegerComparison(f, c) {
		return op.Invalid, ir.NoValue
	}
	order = f.Op(c)
	if how == leavesIf {
		order = analysis.Negated[order]
	}
	switch left, right := f.Resolve(f.Arg(c, 0)), f.Resolve(f.Arg(c, 1)); k {
	case left:
		return order, right
	case right:
		return analysis.Mirrored[order], left
	}
	return op.Invalid, ir.NoValue
}
