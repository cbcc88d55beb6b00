package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What a condition tells of values (ranges.go): bounds from comparisons with
// what has an interval, and being less than the length of a runtime-sized array,
// which is known by name only.

// ArrayKey names a runtime-sized array: its variable or parameter, and the
// member that it is, plus one.
type ArrayKey struct {
	Root   ir.Value
	Member uint32
}

// assumeDepth bounds how deep a condition is taken apart.
const assumeDepth = 8

// Mirrored and negated give the comparison with exchanged operands and the one
// that holds where a comparison does not.
var Mirrored = [op.Count]op.Op{op.Lt: op.Gt, op.Le: op.Ge, op.Gt: op.Lt, op.Ge: op.Le, op.Eq: op.Eq, op.Ne: op.Ne}
var Negated = [op.Count]op.Op{op.Lt: op.Ge, op.Le: op.Gt, op.Gt: op.Le, op.Ge: op.Lt, op.Eq: op.Ne, op.Ne: op.Eq}

// assume notes what follows from a condition's being true or false.
func (a *Ranges) assume(condition ir.Value, truth bool, depth int) {
	f := a.f
	i, ok := f.Def(condition)
	if !ok || depth == 0 {
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
	case op.If: // the same where the second is not computed for nothing
		a.assumeChosen(i, Position(f.Results(i), condition), truth, depth-1)
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		if !truth {
			o = Negated[o]
		}
		a.compare(o, args[0], args[1], depth-1)
		a.compare(Mirrored[o], args[1], args[0], depth-1)
		a.noteOrder(o, args[0], args[1])
	}
}

// assumeChosen notes what follows from the truth of the n-th result of an if: where one of its two ways ends with
// the opposite, control has taken the other one, and what that ends with has the same truth.
func (a *Ranges) assumeChosen(choice ir.Inst, n int, truth bool, depth int) {
	f := a.f
	for way := range 2 {
		taken, v := a.chosen(choice, way, n)
		other, opposite := a.chosen(choice, 1-way, n)
		if taken && other && opposite == f.Module.ConstBool(!truth) {
			a.assume(f.Arg(choice, 0), way == 0, depth)
			a.assume(v, truth, depth)
			return
		}
	}
}

// chosen returns what one of the two ways of an if, with nothing but operations in it, has for the n-th result.
func (a *Ranges) chosen(choice ir.Inst, way, n int) (ok bool, v ir.Value) {
	f := a.f
	b := f.Region(choice, way)
	last := f.Terminator(b)
	if last == 0 || f.Op(last) != op.Exit || f.Target(last) != choice {
		return false, ir.NoValue
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i).Is(op.Control) {
			return false, ir.NoValue
		}
	}
	return true, f.Arg(last, n)
}

// compare notes of x that it compares so with y.
func (a *Ranges) compare(o op.Op, x, y ir.Value, depth int) {
	if !x.IsLocal() || domain(a.f.TypeOf(x)).Empty() {
		return
	}
	if depth > 0 {
		a.compareEach(o, x, y, depth-1)
	}
	var length ArrayKey
	switch o {
	case op.Lt:
		if length = a.lengthOf(y); length == (ArrayKey{}) {
			length = a.belowOf(y)
		}
	case op.Le, op.Eq:
		length = a.belowOf(y)
	}
	a.refine(x, Compared(o, a.Of(x), a.Of(y)), length)
}

// compareEach notes what a comparison with the least or the greatest of two tells of both: what is below the least is below both,
// and both are above it.
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
		a.compare(o, f.Arg(i, 0), y, depth)
		a.compare(o, f.Arg(i, 1), y, depth)
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
func (a *Ranges) refine(x ir.Value, r Interval, length ArrayKey) {
	s := a.slot(x)
	r = normal(a.f.TypeOf(x), a.residue(x, 0, residueDepth).Tighten(r))
	if r != a.current[s] || length != (ArrayKey{}) {
		a.undo = append(a.undo, refinement{s, a.current[s], a.below[s]})
		a.current[s] = r
		if length != (ArrayKey{}) {
			a.below[s] = length
			a.passBelow(x, length)
		}
	}
	i, ok := a.f.Def(x)
	if !ok || a.f.Op(i) != op.Bitcast && a.f.Op(i) != op.Convert {
		return
	}
	from := a.f.Arg(i, 0)
	if t := a.f.TypeOf(from); from.IsLocal() && !domain(t).Empty() && (is64(a.f.TypeOf(x)) || !is64(t)) && r.Within(Interval{0, 1 << 31}) {
		// the operand has the same bits, or fewer, and so the same value
		a.refine(from, a.Of(from).meet(r), length)
	}
}

// lengthOf returns the runtime-sized array whose length a value is, or whose
// length as an i32: what is below that and not negative is below the length.
func (a *Ranges) lengthOf(v ir.Value) ArrayKey {
	for {
		i, ok := a.f.Def(v)
		if !ok {
			return ArrayKey{}
		}
		switch a.f.Op(i) {
		case op.ArrayLength:
			return a.ArrayOf(a.f.Arg(i, 0), nil)
		case op.Bitcast, op.Convert:
			to := a.f.TypeOf(v)
			v = a.f.Arg(i, 0)
			if from := a.f.TypeOf(v); Whole(from).Empty() || to == ir.U64 && from == ir.I32 {
				return ArrayKey{} // of 64 bits some may be lost, and an i32 below zero is a large u64
			}
		default:
			return ArrayKey{}
		}
	}
}

// belowOf returns the array whose length a value that is not negative is known
// to be less than.
func (a *Ranges) belowOf(v ir.Value) ArrayKey {
	for v.IsLocal() {
		if key := a.below[a.slot(v)]; key != (ArrayKey{}) {
			return key
		}
		i, ok := a.f.Def(v)
		if !ok || a.f.Op(i) != op.Bitcast && a.f.Op(i) != op.Convert || a.Of(a.f.Arg(i, 0)).Low < 0 {
			break
		}
		v = a.f.Arg(i, 0)
		if domain(a.f.TypeOf(v)).Empty() {
			break
		}
	}
	return ArrayKey{}
}

// ArrayOf names the array that a pointer and constant indices lead to; the zero
// key if it is not a variable or the member of one.
func (a *Ranges) ArrayOf(pointer ir.Value, indices []ir.Value) ArrayKey {
	f := a.f
	if i, ok := f.Def(pointer); ok {
		if f.Op(i) != op.Access || len(f.Args(i)) != 2 || len(indices) != 0 {
			return ArrayKey{}
		}
		pointer, indices = f.Arg(i, 0), f.Args(i)[1:]
		if _, nested := f.Def(pointer); nested {
			return ArrayKey{}
		}
	}
	switch len(indices) {
	case 0:
		return ArrayKey{pointer, 0}
	case 1:
		if member, ok := f.Module.ConstUint(indices[0]); ok {
			return ArrayKey{pointer, uint32(member) + 1}
		}
	}
	return ArrayKey{}
}
