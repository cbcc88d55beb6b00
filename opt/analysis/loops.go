package analysis

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Intervals of loop parameters, by induction: an interval that contains a parameter's start, and
// the next value of everything in it, contains all values of the parameter. Such an interval is
// guessed and then proved with what is known of the operation that makes the next value
// (interval.go), wrapping included, and with the tests around it. A test is understood in three
// positions, which are those of every source loop. They are the first conditional exit of the body,
// before any continue; the last one; and the break_if. For the last one, nothing but the loop's one
// continue may be after it; that is Go's range over an integer.

// enterLoop sets the intervals of a loop's parameters before its body is walked.
func (a *Ranges) enterLoop(loop ir.Inst) {
	f := a.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	for _, p := range f.Params(continuing) {
		a.current[p.Index()] = Interval{}
	}
	a.loopResidues(loop)
	next := f.Terminator(continuing)
	test, truth := a.firstTest(loop)
	last, lastTruth := a.lastTest(loop)
	for n, p := range f.Params(body) {
		all := domain(f.TypeOf(p))
		if all.Empty() {
			continue
		}
		start := a.Of(f.Args(loop)[n])
		if next == 0 || f.Op(next) != op.Next {
			a.current[p.Index()] = start
			continue
		}
		after, condition, _ := f.NextArgs(next)
		step := a.continued.Through(loop, after[n])
		switch step {
		case p, ir.NoValue: // the loop does not change it, or never goes on
			a.current[p.Index()] = start
		case Mixed:
			a.current[p.Index()] = all
		default:
			a.current[p.Index()] = all
			follows := a.under(after[n], condition, false).meet(a.under(step, test, truth)).meet(a.under(step, last, lastTruth))
			a.cycle = cycle{p, step, a.under(p, test, truth), follows}
			v := normal(f.TypeOf(p), a.residue(p, 0, 0).Tighten(induct(start, a.cycle.follows, a)))
			// What does not operate on the parameter may be before the loop, where less is known.
			if i, ok := f.Def(step); ok && a.Arithmetic && slices.Index(f.Args(i), p) >= 0 {
				if at := v.overlap(a.cycle.tested); !at.Empty() {
					a.current[p.Index()] = at
					a.claimUnwrapped(i, f.Op(i))
				}
			}
			a.current[p.Index()] = v
			a.noteDirection(p, f.Args(loop)[n], step)
			a.noteBounds(p, f.Args(loop)[n], step, test, truth)
		}
	}
}

const (
	// nextDepth bounds how many selects lie on the way to a next value, maxNextValues how many next
	// values there may be.
	nextDepth, maxNextValues = 3, 4
	// maxBoundedArrays bounds how many arrays a parameter is compared with.
	maxBoundedArrays = 6
)

// bounding are the operations whose results may be bounded by their operands.
var bounding = op.SetOf(op.If, op.Select, op.Min, op.Clamp, op.Rem, op.And)

// noteBounds notes by induction that a loop's parameter is less than the length of an array, or at
// most that. The initial value has to be so, and each next value, if the current one is. Examples
// are the index of the largest element so far, the position in a ring, and the end of a binary
// search.
func (a *Ranges) noteBounds(p, start, step, test ir.Value, truth bool) {
	i, ok := a.f.Def(step)
	if !a.Indices || !ok || !bounding.Has(a.f.Op(i)) || domain(a.f.TypeOf(p)).Empty() {
		return
	}
	next := a.nextValues(nil, p, step, nextDepth)
	if len(next) > maxNextValues {
		return
	}
	for n := range min(len(a.lengths), maxBoundedArrays) {
		length := a.lengths[n].slot
		bound := op.Lt
		if !a.isBounded(start, bound, length) {
			if bound = op.Le; !a.isBounded(start, bound, length) {
				continue
			}
		}
		mark := len(a.undo)
		a.noteComparison(bound, slotPoly(p.Index()), slotPoly(length))
		if test != ir.NoValue {
			a.assumeCondition(test, truth)
		}
		known := !slices.ContainsFunc(next, func(v ir.Value) bool { return !a.isBounded(v, bound, length) })
		a.forget(mark)
		if known {
			a.noteComparison(bound, slotPoly(p.Index()), slotPoly(length))
		}
	}
}

// isBounded reports whether a value is known to compare so with a length.
func (a *Ranges) isBounded(v ir.Value, o op.Op, length uint32) bool {
	if o == op.Lt {
		return a.isBelowLength(v, length, true)
	}
	p, x := slotPoly(length), a.expand(v, expandDepth)
	return x.n > 0 && p.addTimes(x.list(), term{factor: -1}) && a.proves(&p)
}

// nextValues adds the values among which selects and branches choose, but for the parameter itself.
func (a *Ranges) nextValues(list []ir.Value, p, v ir.Value, depth int) []ir.Value {
	f := a.f
	if v == p {
		return list
	}
	i, ok := f.Def(v)
	if !ok || depth == 0 {
		return append(list, v)
	}
	switch f.Op(i) {
	case op.Select:
		list = a.nextValues(list, p, f.Arg(i, 1), depth-1)
		return a.nextValues(list, p, f.Arg(i, 2), depth-1)
	case op.If:
		n := slices.Index(f.Results(i), v)
		for _, b := range f.Blocks(i) {
			for exit := f.First(ir.Block(b)); exit != 0; exit = f.After(exit, ir.Block(b)) {
				if f.Op(exit) == op.Exit && f.Target(exit) == i && len(list) <= maxNextValues {
					list = a.nextValues(list, p, f.Arg(exit, n), depth-1)
				}
			}
		}
		return list
	}
	return append(list, v)
}

// noteResults notes that a result of a loop is equal to a parameter, if all exits pass that.
func (a *Ranges) noteResults(loop ir.Inst) {
	f := a.f
	body := f.Region(loop, 0)
	if next := f.Terminator(f.Region(loop, 1)); next != 0 && f.Op(next) == op.Next {
		if _, condition, _ := f.NextArgs(next); condition != ir.NoValue {
			return
		}
	}
	for n, r := range f.Results(loop) {
		exit := a.lastExit[loop]
		if exit == 0 || domain(f.TypeOf(r)).Empty() || slices.Index(f.Params(body), f.Arg(exit, n)) < 0 {
			continue
		}
		p := f.Arg(exit, n)
		for exit != 0 && f.Arg(exit, n) == p {
			exit = a.previousExit[exit]
		}
		if exit == 0 {
			a.noteComparison(op.Eq, slotPoly(r.Index()), slotPoly(p.Index()))
		}
	}
}

// noteDirection notes that a loop's parameter is not greater or not less than what it starts with,
// if each next value is so. What constants say intervals hold.
func (a *Ranges) noteDirection(p, start, step ir.Value) {
	v := a.current[p.Index()]
	at := v.overlap(a.cycle.tested) // when the next value is made
	if !a.Indices || !start.IsLocal() || at.Empty() {
		return
	}
	a.current[p.Index()] = at
	is, next := slotPoly(p.Index()), a.expand(step, expandDepth)
	less, greater := is, next
	falls := next.n > 0 && less.addTimes(next.list(), term{factor: -1}) && a.proves(&less)
	rises := next.n > 0 && !falls && greater.addTimes(is.list(), term{factor: -1}) && a.proves(&greater)
	a.current[p.Index()] = v
	switch begin := a.expand(start, expandDepth); {
	case falls:
		a.noteComparison(op.Le, is, begin)
	case rises:
		a.noteComparison(op.Ge, is, begin)
	}
}

// cycle is what a loop does to a parameter each time around.
type cycle struct {
	p, step ir.Value // the parameter and its next value
	// tested is where the parameter lies when its next value is made, follows
	// where that lies when the loop goes on. Either may be all values.
	tested, follows Interval
}

// next returns where the next value of the loop parameter in hand lies if the
// parameter is in v; empty if the loop does not go on from there. What the loop's
// body defines is unknown, for the body has not been walked.
func (a *Ranges) next(v Interval) Interval {
	c := &a.cycle
	if v = v.overlap(c.tested); v.Empty() {
		return v
	}
	a.current[c.p.Index()] = v
	return a.sharpen(c.step, 1).overlap(c.follows)
}

// induct returns an interval that contains start and of each of its values the
// next one. All next values lie in limits. A bound that moves twice is moved as
// far as it may go, a lower one to 0 first; what was too far is then undone.
func induct(start, limits Interval, step interface{ next(Interval) Interval }) Interval {
	v := start
	for again := false; ; again = true {
		next := step.next(v)
		if next.Empty() || next.Within(v) {
			break
		}
		wider := v.join(next)
		if again && wider.Low < v.Low {
			wider.Low = limits.Low
			if next.Low >= 0 {
				wider.Low = max(wider.Low, 0)
			}
		}
		if again && wider.End > v.End {
			wider.End = limits.End
		}
		v = wider
	}
	if less := start.join(step.next(v)); less != v {
		if next := step.next(less); next.Empty() || next.Within(less) {
			return less
		}
	}
	return v
}

// Continued is, for each parameter of the continuing blocks of a function, the one value
// that all continues pass, or Mixed. A loop is visited at the first query about one of
// its parameters.
type Continued struct {
	f      *ir.Func
	values []ir.Value // by local value; NoValue is not known yet
}

// Enter begins with a function, or forgets what was found out of one that has changed.
func (c *Continued) Enter(f *ir.Func) { c.f, c.values = f, c.values[:0] }

// Through returns what is passed for a value if that is a parameter of a loop's continuing
// block, else the value.
func (c *Continued) Through(loop ir.Inst, v ir.Value) ir.Value {
	f := c.f
	if slices.Index(f.Params(f.Region(loop, 1)), v) < 0 {
		return v
	}
	if int(v.Index()) >= len(c.values) {
		c.values = append(c.values, make([]ir.Value, f.ValueCount()-len(c.values))...)
	}
	if c.values[v.Index()] == ir.NoValue {
		c.find(loop)
	}
	return c.values[v.Index()]
}

// find finds out what is passed for the parameters of a loop.
func (c *Continued) find(loop ir.Inst) {
	f := c.f
	body := f.Region(loop, 0)
	for i := f.First(body); i != 0; i = f.After(i, body) {
		if f.Op(i) != op.Continue || f.Target(i) != loop {
			continue
		}
		for n, p := range f.Params(f.Region(loop, 1)) {
			if v := f.Arg(i, n); c.values[p.Index()] == ir.NoValue {
				c.values[p.Index()] = v
			} else if c.values[p.Index()] != v {
				c.values[p.Index()] = Mixed
			}
		}
	}
}

// Mixed means several values. It is no local.
var Mixed = ir.GlobalValue(0)

// under returns the interval of a value where a condition has a truth; all values
// if there is no condition or the value is a constant.
func (a *Ranges) under(v, condition ir.Value, truth bool) Interval {
	all := domain(a.f.TypeOf(v))
	if condition == ir.NoValue || !v.IsLocal() {
		return all
	}
	mark := len(a.undo)
	s := a.slot(v)
	a.note(refinement{s, a.current[s]})
	a.current[s] = all
	a.assumeCondition(condition, truth)
	r := a.current[s]
	a.forget(mark)
	return r
}

// firstTest returns the condition of the first test in a loop's body that may
// leave the loop, and its truth where the loop is not left. NoValue means that
// there is none, or a continue before it.
func (a *Ranges) firstTest(loop ir.Inst) (condition ir.Value, truth bool) {
	f := a.f
	for i := f.First(f.Region(loop, 0)); i != 0; i = f.Next(i) {
		if f.Op(i).Is(op.Control) {
			return a.testOf(i, loop)
		}
	}
	return ir.NoValue, false
}

// lastTest returns the condition of the test in front of a loop's only continue, and its truth
// where the loop goes on. NoValue means that there is none.
func (a *Ranges) lastTest(loop ir.Inst) (condition ir.Value, truth bool) {
	f := a.f
	body := f.Region(loop, 0)
	last := f.Terminator(body)
	if last == 0 || f.Op(last) != op.Continue || f.Target(last) != loop {
		return ir.NoValue, false
	}
	for i := f.Prev(last); i != 0; i = f.Prev(i) {
		if !f.Op(i).Is(op.Control) {
			continue
		}
		if condition, truth = a.testOf(i, loop); condition == ir.NoValue {
			break
		}
		for i := f.First(body); i != last; i = f.After(i, body) {
			if f.Op(i) == op.Continue && f.Target(i) == loop {
				return ir.NoValue, false
			}
		}
		return condition, truth
	}
	return ir.NoValue, false
}

// testOf returns the condition of an if that leads on in one way only, and its truth there. The
// other way leaves what is around it, but does not continue the loop.
func (a *Ranges) testOf(i, loop ir.Inst) (condition ir.Value, truth bool) {
	f := a.f
	if f.Op(i) != op.If {
		return ir.NoValue, false
	}
	for n := range 2 {
		other := f.Region(i, 1-n)
		if !a.leaves(op.Exit, i, other) && !a.leaves(op.Continue, loop, other) {
			return f.Arg(i, 0), n == 0
		}
	}
	return ir.NoValue, false
}

// leaves reports whether a block holds an exit or continue that names a control
// instruction.
func (a *Ranges) leaves(o op.Op, target ir.Inst, b ir.Block) bool {
	f := a.f
	for i := f.First(b); i != 0; i = f.After(i, b) {
		if f.Op(i) == o && f.Target(i) == target {
			return true
		}
	}
	return false
}
