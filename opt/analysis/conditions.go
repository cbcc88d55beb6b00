package analysis

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What a condition tells of values (ranges.go): bounds from comparisons with what has an
// interval, and facts about two values that have none (facts.go).

const (
	// assumeDepth bounds how deep a condition is decomposed, assumeParts into how many parts.
	assumeDepth = 40
	assumeParts = 100
	// compareDepth bounds how deep the least or the greatest of several is.
	compareDepth = 8
)

// Mirrored is the comparison that holds of exchanged operands, by the comparison.
var Mirrored = [op.Count]op.Op{op.Lt: op.Gt, op.Le: op.Ge, op.Gt: op.Lt, op.Ge: op.Le, op.Eq: op.Eq, op.Ne: op.Ne}

// Negated is the comparison that holds where a comparison does not.
var Negated = [op.Count]op.Op{op.Lt: op.Ge, op.Le: op.Gt, op.Gt: op.Le, op.Ge: op.Lt, op.Eq: op.Ne, op.Ne: op.Eq}

// assumeCondition notes what follows from a condition being true or false.
func (a *Ranges) assumeCondition(condition ir.Value, truth bool) {
	a.parted = 0
	a.assume(condition, truth, assumeDepth)
}

// assume is assumeCondition to a depth.
func (a *Ranges) assume(condition ir.Value, truth bool, depth int) {
	f := a.f
	i, ok := f.Def(condition)
	if a.parted++; !ok || depth <= 0 || a.parted > assumeParts {
		return
	}
	o := f.Op(i)
	args := f.Args(i)
	switch o {
	case op.Not:
		a.assume(args[0], !truth, depth-1)
	case op.And, op.Or:
		if truth == (o == op.And) {
			a.assume(args[0], truth, depth-1)
			a.assume(args[1], truth, depth-1)
		}
	case op.Select: // && and || without control flow
		if args[2] == f.Module.ConstBool(false) && truth {
			a.assume(args[0], true, depth-1)
			a.assume(args[1], true, depth-1)
		} else if args[1] == f.Module.ConstBool(true) && !truth {
			a.assume(args[0], false, depth-1)
			a.assume(args[2], false, depth-1)
		}
	case op.If, op.Scope: // the same where the second is not computed for nothing
		a.assumeChosen(i, slices.Index(f.Results(i), condition), truth, depth-1)
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		if !truth {
			o = Negated[o]
		}
		a.compare(o, args[0], args[1], min(depth-1, compareDepth))
		a.compare(Mirrored[o], args[1], args[0], min(depth-1, compareDepth))
		if !a.isAlone(args[0]) || !a.isAlone(args[1]) || !args[0].IsConst() && !args[1].IsConst() {
			a.wraps = false
			x, y := a.expand(args[0], expandDepth), a.expand(args[1], expandDepth)
			a.noteComparison(o, x, y)
			if o == op.Ne && a.Indices {
				a.noteDifference(&x, &y)
			}
			if a.wraps && a.search.nested == 0 && len(a.wrapping) < maxWrapping {
				a.note(refinement{wrappingMark, single(int64(len(a.wrapping)))})
				a.wrapping = append(a.wrapping, wrappingComparison{o: o, x: args[0], y: args[1], seen: len(a.undo)})
			}
		}
	case op.All, op.Any:
		if truth == (o == op.All) {
			for c := range f.Module.Components(f.TypeOf(args[0])) {
				a.assumeComponent(args[0], c, truth, depth-1)
			}
		}
	}
}

// noteDifference notes of x != y that x < y where x <= y is known, and the other way around.
func (a *Ranges) noteDifference(x, y *poly) {
	for range 2 {
		p := *y
		if x.n > 0 && y.n > 0 && p.addTimes(x.list(), term{factor: -1}) && a.proves(&p) {
			a.noteFact(y, x, 1)
			return
		}
		x, y = y, x
	}
}

// wrappingComparison is a comparison that holds, with a sum or product that was not known not to
// wrap when the comparison was noted.
type wrappingComparison struct {
	o    op.Op
	x, y ir.Value
	// again says that it was noted a second time, as sums that do not wrap.
	again bool
	// slots has the slots whose intervals the sums depend on, by their number modulo 64, or 0 if
	// nobody has asked. The first seen refinements of undo have been considered.
	slots uint64
	seen  int
}

// isNarrowed reports whether an interval that the sums of a comparison depend on was refined since
// they were expanded last.
func (a *Ranges) isNarrowed(c *wrappingComparison) bool {
	since := a.undo[c.seen:]
	c.seen = len(a.undo)
	for _, r := range since {
		if r.slot == factMark || r.slot == wrappingMark {
			continue
		}
		if c.slots == 0 {
			s := slotSet{a: a}
			s.add(c.x, expandDepth+2)
			s.add(c.y, expandDepth+2)
			c.slots = s.bits
		}
		if c.slots>>(r.slot%64)&1 == 1 {
			return true
		}
	}
	return false
}

// slotSet collects the slots of a value and of what it is made of.
type slotSet struct {
	a     *Ranges
	bits  uint64
	count int
}

// maxSlotSet bounds how many values are visited. Where there are more, any slot may be one of
// theirs.
const maxSlotSet = 48

func (s *slotSet) add(v ir.Value, depth int) {
	if s.bits == ^uint64(0) || !v.IsLocal() {
		return
	}
	f, slot := s.a.f, s.a.slot(v)
	s.bits |= 1 << (slot % 64)
	i, ok := f.Def(v)
	if slot != v.Index() || !ok || f.Op(i).Is(op.Control) {
		return
	}
	s.count++
	isVector := f.Module.IsVector(f.TypeOf(v)) // whose components have slots of their own
	if s.count > maxSlotSet || depth == 0 || isVector {
		s.bits = ^uint64(0)
		return
	}
	for _, arg := range f.Args(i) {
		s.add(arg, depth-1)
	}
}

const (
	// maxWrapping bounds how many of them are kept.
	maxWrapping = 8
	// wrappingMark is the slot of the refinement that undoes keeping one, or noting it again.
	wrappingMark = ^uint32(0)
)

// noteUnwrapped notes comparisons again whose sums are now known not to wrap. In
// i + 1 < n && i < m, it is the second comparison that tells this of i + 1.
func (a *Ranges) noteUnwrapped() {
	for n := range a.wrapping {
		c := &a.wrapping[n]
		if c.again || !a.isNarrowed(c) {
			continue
		}
		a.wraps = false
		a.search.nested++ // differences are not proved for it
		x, y := a.expand(c.x, expandDepth), a.expand(c.y, expandDepth)
		a.search.nested--
		if !a.wraps {
			a.note(refinement{wrappingMark, single(int64(n))})
			c.again = true
			a.noteComparison(c.o, x, y)
		}
	}
}

// forgetWrapping undoes the latest step with the n-th of them.
func (a *Ranges) forgetWrapping(n int) {
	if c := &a.wrapping[n]; c.again {
		c.again = false
		return
	}
	a.wrapping = a.wrapping[:n]
}

// isAlone reports whether a value is not made of others as sums and products are: compare has noted
// then what its comparison with a constant tells.
func (a *Ranges) isAlone(v ir.Value) bool {
	i, ok := a.f.Def(v)
	return !ok || !summing.Has(a.f.Op(i))
}

// summing are the operations that combine knows.
var summing = op.SetOf(op.Convert, op.Bitcast, op.Add, op.Sub, op.Mul, op.Shl, op.Neg)

// assumeComponent is assume for a component of a vector of conditions.
func (a *Ranges) assumeComponent(condition ir.Value, c int, truth bool, depth int) {
	f := a.f
	i, ok := f.Def(condition)
	if !ok || depth <= 0 {
		return
	}
	args := f.Args(i)
	switch o := f.Op(i); o {
	case op.Construct:
		a.assume(args[c], truth, depth-1)
	case op.Splat:
		a.assume(args[0], truth, depth-1)
	case op.Shuffle:
		a.assumeComponent(args[0], int(op.SwizzleComponent(f.Aux(i), c)), truth, depth-1)
	case op.Not:
		a.assumeComponent(args[0], c, !truth, depth-1)
	case op.And, op.Or:
		if truth == (o == op.And) {
			a.assumeComponent(args[0], c, truth, depth-1)
			a.assumeComponent(args[1], c, truth, depth-1)
		}
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		if !truth {
			o = Negated[o]
		}
		a.compareComponents(o, args[0], args[1], c)
		a.compareComponents(Mirrored[o], args[1], args[0], c)
		a.noteComparison(o, a.expandComponent(args[0], c, vectorDepth), a.expandComponent(args[1], c, vectorDepth))
	}
}

// assumeLeft notes what follows from control having left an if or a scope.
func (a *Ranges) assumeLeft(i ir.Inst) {
	if a.f.Op(i) == op.If {
		switch a.exits[i] {
		case 1:
			a.assumeCondition(a.f.Arg(i, 0), true)
		case 2:
			a.assumeCondition(a.f.Arg(i, 0), false)
		}
	}
	if exit := a.lastExit[i]; exit != 0 && a.previousExit[exit] == 0 {
		a.parted = 0
		a.assumePath(exit, i, assumeDepth)
	}
}

// assumeChosen notes what follows from the truth of the n-th result of an if or a scope. Where all
// exits but one pass the opposite, control has left by that one, and what it passes has the same
// truth.
func (a *Ranges) assumeChosen(choice ir.Inst, n int, truth bool, depth int) {
	f := a.f
	taken := ir.Inst(0)
	for exit := a.lastExit[choice]; exit != 0; exit = a.previousExit[exit] {
		switch {
		case f.Arg(exit, n) == f.Module.ConstBool(!truth):
		case taken != 0:
			return
		default:
			taken = exit
		}
	}
	if taken != 0 && depth > 0 {
		a.assumePath(taken, choice, depth)
		a.assume(f.Arg(taken, n), truth, depth)
	}
}

// assumePath notes what follows from control having reached an instruction inside of a control
// instruction. The ifs around it chose the branch that holds it, and those before it one that leads
// on.
func (a *Ranges) assumePath(at, control ir.Inst, depth int) {
	f := a.f
	b := f.BlockOf(at)
	around := f.Parent(b)
	if around != control {
		a.assumePath(around, control, depth)
	}
	if f.Op(around) == op.If {
		a.assume(f.Arg(around, 0), b == f.Region(around, 0), depth-1)
	}
	for i := f.First(b); i != at; i = f.Next(i) {
		if f.Op(i) == op.If && (a.exits[i] == 1 || a.exits[i] == 2) {
			a.assume(f.Arg(i, 0), a.exits[i] == 1, depth-1)
		}
	}
}

// compare notes of x that it compares so with y.
func (a *Ranges) compare(o op.Op, x, y ir.Value, depth int) {
	if !x.IsLocal() || domain(a.f.TypeOf(x)).Empty() {
		return
	}
	if depth > 0 {
		a.compareEach(o, x, y, depth-1)
	}
	a.refine(x, Compared(o, a.Of(x), a.Of(y)))
}

// compareEach notes what a comparison with a min or max tells of both operands: what is below the
// min is below both, and both are above it.
func (a *Ranges) compareEach(o op.Op, x, y ir.Value, depth int) {
	f := a.f
	least, greatest := op.Min, op.Max // which of them y has to be, and x
	switch o {
	case op.Lt, op.Le:
	case op.Gt, op.Ge:
		least, greatest = op.Max, op.Min
	default:
		return
	}
	if i, ok := f.Def(y); ok && f.Op(i) == least {
		a.compare(o, x, f.Arg(i, 0), depth)
		a.compare(o, x, f.Arg(i, 1), depth)
	}
	if i, ok := f.Def(x); ok && f.Op(i) == greatest {
		for _, v := range f.Args(i) {
			a.compare(o, v, y, depth)
			if greatest == op.Max && a.Indices { // proofs know that a minimum is not greater
				a.noteComparison(o, a.expand(v, expandDepth), a.expand(y, expandDepth))
			}
		}
	}
}

// Compared returns where a value of x lies that compares so with one of y. What
// cannot be true tells nothing.
func Compared(o op.Op, x, y Interval) Interval {
	switch o {
	case op.Lt:
		return x.meet(Interval{x.Low, y.high()})
	case op.Le:
		return x.meet(Interval{x.Low, y.End})
	case op.Gt:
		return x.meet(Interval{y.Low + 1, x.End})
	case op.Ge:
		return x.meet(Interval{y.Low, x.End})
	case op.Eq:
		return x.meet(y)
	case op.Ne:
		switch {
		case y.Low != y.high():
		case x.Low == y.Low:
			return x.meet(Interval{x.Low + 1, x.End})
		case x.high() == y.Low:
			return x.meet(Interval{x.Low, x.End - 1})
		}
	}
	return x
}

// refine replaces what is known of a local value until forget. A conversion
// between i32 and u32 tells of its operand too if no sign is in the way.
func (a *Ranges) refine(x ir.Value, r Interval) {
	r = normal(a.f.TypeOf(x), a.residue(x, 0, residueDepth).Tighten(r))
	a.refineSlot(a.slot(x), r)
	i, ok := a.f.Def(x)
	if !ok || a.f.Op(i) != op.Bitcast && a.f.Op(i) != op.Convert {
		return
	}
	from := a.f.Arg(i, 0)
	if t := a.f.TypeOf(from); from.IsLocal() && !domain(t).Empty() && (is64(a.f.TypeOf(x)) || !is64(t)) && r.Within(Interval{0, 1 << 31}) {
		// the operand has the same bits, or fewer, and so the same value
		// which facts do not know yet
		if known := a.Of(from); !known.Within(domain(a.f.TypeOf(x))) {
			is, was := slotPoly(a.slot(x)), slotPoly(a.slot(from))
			a.noteComparison(op.Eq, is, was)
		}
		a.refine(from, a.Of(from).meet(r))
	}
}

// refineSlot replaces what is known of a slot until forget.
func (a *Ranges) refineSlot(s uint32, r Interval) {
	if r != a.current[s] {
		a.note(refinement{s, a.current[s]})
		a.current[s] = r
	}
}
