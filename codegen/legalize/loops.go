package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Intervals of loop parameters, by induction: a parameter that starts in an
// interval and changes in one direction by a constant, or shrinks, stays within
// what its start and the tests around the change allow. Two places of a test
// are understood, which are those of every source loop: the first conditional
// exit of the body, before any continue, and the break_if.

// enterLoop sets the intervals of a loop's parameters before its body is walked.
func (a *ranges) enterLoop(loop ir.Inst) {
	f := a.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	for _, p := range f.Params(continuing) {
		a.current[p.Index()] = interval{}
	}
	params := f.Params(body)
	for n, p := range params {
		all := whole(f.TypeOf(p))
		if all.empty() {
			continue
		}
		a.current[p.Index()] = all
		next := f.Terminator(continuing)
		if next == 0 || f.Op(next) != op.Next {
			a.current[p.Index()] = a.of(f.Args(loop)[n])
			continue
		}
		after, condition, _ := f.NextArgs(next)
		step := after[n]
		if i := position(f.Params(continuing), step); i >= 0 {
			step = a.continued(loop, body, i, ir.NoValue)
		}
		if step == p { // the loop does not change it
			a.current[p.Index()] = a.of(f.Args(loop)[n])
		} else if step.IsLocal() {
			a.current[p.Index()] = a.induct(loop, p, a.of(f.Args(loop)[n]), step, after[n], condition)
		}
	}
}

func position(list []ir.Value, v ir.Value) int {
	for n, x := range list {
		if x == v {
			return n
		}
	}
	return -1
}

// continued returns the one value that all continues of a loop in a block pass
// as their n-th, or mixed if they pass several. Found is what was seen before.
func (a *ranges) continued(loop ir.Inst, b ir.Block, n int, found ir.Value) ir.Value {
	f := a.f
	for i := f.First(b); i != 0 && found != mixed; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Continue && f.Target(i) == loop:
			if v := f.Arg(i, n); found == ir.NoValue || found == v {
				found = v
			} else {
				return mixed
			}
		case o.Is(op.Control):
			for k := range f.Blocks(i) {
				found = a.continued(loop, f.Region(i, k), n, found)
			}
		}
	}
	return found
}

// mixed stands for several values. It is no local.
var mixed = ir.GlobalValue(0)

// induct returns the interval of parameter p, which starts in start and whose
// following value is step. Passed is how the next names that value, condition
// its break_if or 0.
func (a *ranges) induct(loop ir.Inst, p ir.Value, start interval, step, passed, condition ir.Value) interval {
	f := a.f
	all := whole(f.TypeOf(p))
	i, ok := f.Def(step)
	if !ok || f.Op(i).Is(op.Control) || len(f.Args(i)) != 2 {
		return all
	}
	o, x, y := f.Op(i), f.Arg(i, 0), f.Arg(i, 1)
	if y == p && o.Info().Commutative {
		x, y = y, x
	}
	if x != p {
		return all
	}
	// by is read before the body is walked: what the body defines is unknown
	by := a.of(y)
	switch {
	case start.low >= 0 && (o == op.Shr || o == op.And || o == op.Div && by.low >= 0 || o == op.Rem && by.low >= 0):
		return interval{0, start.end}
	case o == op.Min:
		return interval{min(start.low, by.low), start.end}
	case o == op.Max:
		return interval{start.low, max(start.end, by.end)}
	}
	if !y.IsConst() {
		return all
	}
	change := by.low
	tested := a.testedAt(loop, p)
	follows := a.testedBelow(passed, condition)
	switch {
	case o == op.Add && change >= 0 || o == op.Sub && change < 0:
		if o == op.Sub {
			change = -change
		}
		return rising(all, start, tested, follows, func(high int64) int64 { return high + change })
	case o == op.Mul && change >= 1 && start.low >= 0:
		return rising(all, start, tested, follows, func(high int64) int64 { return high * change })
	case o == op.Shl && change < 32 && start.low >= 0:
		return rising(all, start, tested, follows, func(high int64) int64 { return high << change })
	case o == op.Sub || o == op.Add:
		if o == op.Add {
			change = -change
		}
		return falling(all, start, tested, follows, change)
	}
	return all
}

// rising bounds a parameter that grows. Tested is where it lies when it grows,
// follows where the grown value lies when the loop goes on; either may be all
// values. If the growth cannot wrap, the parameter stays above its start.
func rising(all, start, tested, follows interval, grow func(int64) int64) interval {
	if high := grow(tested.high()); high < all.end {
		return interval{start.low, max(start.high(), min(high, follows.high())) + 1}
	}
	if high := max(start.high(), follows.high()); grow(high) < all.end {
		return interval{start.low, high + 1}
	}
	return all
}

// falling mirrors rising.
func falling(all, start, tested, follows interval, change int64) interval {
	if low := tested.low - change; low >= all.low {
		return interval{min(start.low, max(low, follows.low)), start.end}
	}
	if low := min(start.low, follows.low); low-change >= all.low {
		return interval{low, start.end}
	}
	return all
}

// testedBelow returns where a value lies when a loop's break_if does not hold.
func (a *ranges) testedBelow(v, condition ir.Value) interval {
	if condition == ir.NoValue || !v.IsLocal() {
		return whole(a.f.TypeOf(v))
	}
	return a.under(v, condition, false)
}

// under returns the interval of a value where a condition has a truth.
func (a *ranges) under(v, condition ir.Value, truth bool) interval {
	mark := len(a.undo)
	s := a.slot(v)
	a.undo = append(a.undo, refinement{s, a.current[s], a.below[s]})
	a.current[s] = whole(a.f.TypeOf(v))
	a.assume(condition, truth, assumeDepth)
	r := a.current[s]
	a.forget(mark)
	return r
}

// testedAt returns where a loop's parameter lies once the first test of the body
// has not left the loop.
func (a *ranges) testedAt(loop ir.Inst, p ir.Value) interval {
	f := a.f
	for i := f.First(f.Region(loop, 0)); i != 0; i = f.Next(i) {
		if f.Op(i) == op.If {
			for n := range 2 {
				other := f.Region(i, 1-n)
				if !a.leaves(op.Exit, i, other) && !a.leaves(op.Continue, loop, other) {
					return a.under(p, f.Arg(i, 0), n == 0)
				}
			}
		}
		if f.Op(i).Is(op.Control) {
			break
		}
	}
	return whole(f.TypeOf(p))
}

// leaves reports whether a block holds an exit or continue that names a control
// instruction.
func (a *ranges) leaves(o op.Op, target ir.Inst, b ir.Block) bool {
	f := a.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i) == o && f.Target(i) == target {
			return true
		}
		if f.Op(i).Is(op.Control) {
			for n := range f.Blocks(i) {
				if a.leaves(o, target, f.Region(i, n)) {
					return true
				}
			}
		}
	}
	return false
}
