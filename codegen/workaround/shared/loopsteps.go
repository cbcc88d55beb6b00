package shared

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// The steps and exit tests of loops, for HideLoopCount.

// largeStep is the least magnitude of a large step of a loop. If the loop is unrolled a thousand
// times, it may wrap.
const largeStep = 1 << 20

// isLargeConst reports whether a value is a constant of i32 or u32 with a component that is large.
func (w *loopCounts) isLargeConst(v ir.Value) bool {
	if !v.IsConst() || !rewrite.IsInteger32(w.F, v) {
		return false
	}
	if t := w.F.TypeOf(v); w.M.IsVector(t) {
		for n := range w.M.Components(t) {
			if w.isLargeConst(w.M.ConstPart(v, uint32(n))) {
				return true
			}
		}
		return false
	}
	x := int32(w.M.ConstBits(v))
	return x <= -largeStep || x >= largeStep
}

// hasLargeConst reports whether the function has large constants, as operands or as the initial
// value of a private variable.
func (w *loopCounts) hasLargeConst() bool {
	if !w.largeKnown {
		w.largeKnown, w.large = true, w.findLargeConst()
	}
	return w.large
}

func (w *loopCounts) findLargeConst() bool {
	for i := range w.F.InstCount() {
		if slices.ContainsFunc(w.F.Args(ir.Inst(i)), w.isLargeConst) {
			return true
		}
	}
	return slices.ContainsFunc(w.M.Globals, func(g ir.Global) bool {
		return w.M.SpaceOf(g.Type) == ir.Private && w.isLargeConst(g.Init)
	})
}

// hasLargeStep reports whether one of two compared values may be an induction variable with a large
// step.
func (w *loopCounts) hasLargeStep(a, b ir.Value) bool {
	return (w.stepsFar(a, ir.NoValue, SearchDepth) || w.stepsFar(b, ir.NoValue, SearchDepth)) && w.hasLargeConst()
}

// stepsFar reports whether a value may be an induction variable with a large step. Within a search,
// counter is the phi whose step is examined, or NoValue.
func (w *loopCounts) stepsFar(v, counter ir.Value, depth int) bool {
	if !v.IsLocal() || v == counter {
		return counter != ir.NoValue && w.isLargeConst(v)
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
		return w.stepsFar(next, v, depth-1) || counter != ir.NoValue && w.stepsFar(start, counter, depth-1)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return w.IsPromotable(f.Arg(i, 0))
	}
	for _, a := range f.Args(i) {
		if rewrite.IsInteger32(f, a) && w.stepsFar(f.Resolve(a), counter, depth-1) {
			return true
		}
	}
	return false
}

// exitSense says how a comparison decides whether its loop is left.
type exitSense uint8

const (
	noExit       exitSense = iota
	exitsIfFalse           // the loop continues only if it is true
	exitsIfTrue            // the loop ends if it is true
)

// exitSense returns the sense of a comparison.
func (w *loopCounts) exitSense(i ir.Inst) exitSense {
	if len(w.senses) == 0 {
		w.senses = ir.Zeroed(w.senses, w.F.InstCount())
		w.findExitTests()
	}
	return w.senses[i]
}

// findExitTests fills senses.
func (w *loopCounts) findExitTests() {
	f := w.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.If:
			w.noteExitTest(f.Arg(i, 0), w.exitSenseOf(i))
		case op.Next:
			if _, condition, _ := f.NextArgs(i); condition != 0 {
				w.noteExitTest(condition, exitsIfTrue)
			}
		}
	}
}

// noteExitTest notes the sense of a condition, or of the comparison that it complements.
func (w *loopCounts) noteExitTest(condition ir.Value, how exitSense) {
	i, ok := w.F.Def(w.F.Resolve(condition))
	switch {
	case !ok || how == noExit:
	case w.F.Op(i) == op.Not:
		w.noteExitTest(w.F.Arg(i, 0), exitsIfFalse+exitsIfTrue-how)
	case rewrite.IsIntegerComparison(w.F, i):
		w.senses[i] = how
	}
}

// exitSenseOf returns the sense of an if's condition for a loop around the if. One arm has to end
// in an exit from the loop, or in a return.
func (w *loopCounts) exitSenseOf(i ir.Inst) exitSense {
	f := w.F
	leaves := func(arm int) bool {
		end := f.Terminator(f.Region(i, arm))
		return end != 0 && (f.Op(end) == op.Return || f.Op(end) == op.Exit && w.leavesLoop(i, f.Target(end)))
	}
	switch first, second := leaves(0), leaves(1); {
	case first && !second:
		return exitsIfTrue
	case second && !first:
		return exitsIfFalse
	}
	return noExit
}

// leavesLoop reports whether an exit of target within an instruction leaves a loop.
func (w *loopCounts) leavesLoop(i, target ir.Inst) bool {
	for f := w.F; i != target; {
		if i = f.Parent(f.BlockOf(i)); f.Op(i) == op.Loop {
			return true
		}
	}
	return false
}

// countsAway reports whether an induction variable moves away from the bound in a comparison, so
// that the loop ends by it only after a wrap. An example is a falling k where the loop continues if
// k < n.
func (w *loopCounts) countsAway(i ir.Inst) bool {
	o := w.F.Op(i)
	below := o == op.Lt || o == op.Le // true for low counters
	if !below && o != op.Gt && o != op.Ge {
		return false
	}
	left, right := w.stepOf(w.F.Arg(i, 0)), w.stepOf(w.F.Arg(i, 1))
	if left == 0 && right == 0 {
		return false
	}
	how := w.exitSense(i)
	if how == noExit {
		return false
	}
	below = below == (how == exitsIfFalse)
	if below {
		return left < 0 || right > 0
	}
	return left > 0 || right < 0
}

// stepOf returns the constant step of an induction variable plus a constant, or 0.
func (w *loopCounts) stepOf(v ir.Value) int32 {
	counter, _ := w.splitConst(v)
	f := w.F
	if _, ok := f.Def(counter); ok || !counter.IsLocal() {
		return 0
	}
	_, next, _ := w.Phi(counter)
	if next == ir.NoValue {
		return 0
	}
	from, by := w.splitConst(next)
	if from != counter {
		return 0
	}
	return by
}

// splitConst splits a value into a value and the sum of the constants added to it.
func (w *loopCounts) splitConst(v ir.Value) (of ir.Value, by int32) {
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

// stepsToBound reports whether an instruction is the step of an ordinary counted loop that does not
// wrap. It adds a constant to a phi in the continuing block, and the loop begins with a test of
// that phi against a bound. The ranges would prove that too, in much more time.
func (w *loopCounts) stepsToBound(i ir.Inst) bool {
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
	order, bound := w.entryTest(loop, k)
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

// entryTest matches a loop that begins with a test of phi k. It returns the comparison, k order
// bound, that holds in all iterations that reach the continuing block, or op.Invalid.
func (w *loopCounts) entryTest(loop ir.Inst, k ir.Value) (order op.Op, bound ir.Value) {
	f := w.F
	test := f.First(f.Region(loop, 0))
	for test != 0 && !f.Op(test).Is(op.Control) {
		test = f.Next(test)
	}
	if test == 0 || f.Op(test) != op.If {
		return op.Invalid, ir.NoValue
	}
	how, leaving := w.exitSenseOf(test), 0
	if how == exitsIfFalse {
		leaving = 1
	}
	// the arm that leaves must do nothing else: it could go on with the next iteration
	if how == noExit || !f.Op(f.First(f.Region(test, leaving))).Is(op.Terminator) {
		return op.Invalid, ir.NoValue
	}
	c, ok := f.Def(f.Resolve(f.Arg(test, 0)))
	if !ok || !rewrite.IsIntegerComparison(f, c) {
		return op.Invalid, ir.NoValue
	}
	order = f.Op(c)
	if how == exitsIfTrue {
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
