package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What a condition tells of values (ranges.go): bounds from comparisons with
// what has an interval, and being less than the length of a runtime-sized array,
// which is known by name only.

// arrayKey names a runtime-sized array: its variable or parameter, and the
// member that it is, plus one.
type arrayKey struct {
	root   ir.Value
	member uint32
}

// assumeDepth bounds how deep a condition is taken apart.
const assumeDepth = 8

// mirrored and negated give the comparison with exchanged operands and the one
// that holds where a comparison does not.
var mirrored = [op.Count]op.Op{op.Lt: op.Gt, op.Le: op.Ge, op.Gt: op.Lt, op.Ge: op.Le, op.Eq: op.Eq, op.Ne: op.Ne}
var negated = [op.Count]op.Op{op.Lt: op.Ge, op.Le: op.Gt, op.Gt: op.Le, op.Ge: op.Lt, op.Eq: op.Ne, op.Ne: op.Eq}

// assume notes what follows from a condition's being true or false.
func (a *ranges) assume(condition ir.Value, truth bool, depth int) {
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
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		if !truth {
			o = negated[o]
		}
		a.compare(o, args[0], args[1])
		a.compare(mirrored[o], args[1], args[0])
	}
}

// compare notes of x that it compares so with y.
func (a *ranges) compare(o op.Op, x, y ir.Value) {
	if !x.IsLocal() || whole(a.f.TypeOf(x)).empty() {
		return
	}
	var length arrayKey
	switch o {
	case op.Lt:
		if length = a.lengthOf(y); length == (arrayKey{}) {
			length = a.belowOf(y)
		}
	case op.Le, op.Eq:
		length = a.belowOf(y)
	}
	a.refine(x, compared(o, a.of(x), a.of(y)), length)
}

// compared returns where a value of x lies that compares so with one of y. What
// cannot be true tells nothing.
func compared(o op.Op, x, y interval) interval {
	switch o {
	case op.Lt:
		return x.meet(interval{x.low, y.high()})
	case op.Le:
		return x.meet(interval{x.low, y.end})
	case op.Gt:
		return x.meet(interval{y.low + 1, x.end})
	case op.Ge:
		return x.meet(interval{y.low, x.end})
	case op.Eq:
		return x.meet(y)
	case op.Ne:
		switch {
		case y.low != y.high():
		case x.low == y.low:
			return x.meet(interval{x.low + 1, x.end})
		case x.high() == y.low:
			return x.meet(interval{x.low, x.end - 1})
		}
	}
	return x
}

// refine replaces what is known of a local value until forget. A conversion
// between i32 and u32 tells of its operand too if no sign is in the way.
func (a *ranges) refine(x ir.Value, r interval, length arrayKey) {
	s := a.slot(x)
	if r != a.current[s] || length != (arrayKey{}) {
		a.undo = append(a.undo, refinement{s, a.current[s], a.below[s]})
		a.current[s] = r
		if length != (arrayKey{}) {
			a.below[s] = length
		}
	}
	i, ok := a.f.Def(x)
	if !ok || a.f.Op(i) != op.Bitcast && a.f.Op(i) != op.Convert {
		return
	}
	from := a.f.Arg(i, 0)
	if t := a.f.TypeOf(from); from.IsLocal() && !whole(t).empty() && r.within(interval{0, 1 << 31}) {
		// the operand has the same bits, and so the same value
		a.refine(from, a.of(from).meet(r), length)
	}
}

// lengthOf returns the runtime-sized array whose length a value is, or whose
// length as an i32: what is below that and not negative is below the length.
func (a *ranges) lengthOf(v ir.Value) arrayKey {
	for {
		i, ok := a.f.Def(v)
		if !ok {
			return arrayKey{}
		}
		switch a.f.Op(i) {
		case op.ArrayLength:
			return a.arrayOf(a.f.Arg(i, 0), nil)
		case op.Bitcast, op.Convert:
			v = a.f.Arg(i, 0)
			if whole(a.f.TypeOf(v)).empty() {
				return arrayKey{}
			}
		default:
			return arrayKey{}
		}
	}
}

// belowOf returns the array whose length a value that is not negative is known
// to be less than.
func (a *ranges) belowOf(v ir.Value) arrayKey {
	for v.IsLocal() {
		if key := a.below[a.slot(v)]; key != (arrayKey{}) {
			return key
		}
		i, ok := a.f.Def(v)
		if !ok || a.f.Op(i) != op.Bitcast && a.f.Op(i) != op.Convert || a.of(a.f.Arg(i, 0)).low < 0 {
			break
		}
		v = a.f.Arg(i, 0)
		if whole(a.f.TypeOf(v)).empty() {
			break
		}
	}
	return arrayKey{}
}

// arrayOf names the array that a pointer and constant indices lead to; the zero
// key if it is not a variable or the member of one.
func (a *ranges) arrayOf(pointer ir.Value, indices []ir.Value) arrayKey {
	f := a.f
	if i, ok := f.Def(pointer); ok {
		if f.Op(i) != op.Access || len(f.Args(i)) != 2 || len(indices) != 0 {
			return arrayKey{}
		}
		pointer, indices = f.Arg(i, 0), f.Args(i)[1:]
		if _, nested := f.Def(pointer); nested {
			return arrayKey{}
		}
	}
	switch len(indices) {
	case 0:
		return arrayKey{pointer, 0}
	case 1:
		if member, ok := f.Module.ConstUint(indices[0]); ok {
			return arrayKey{pointer, uint32(member) + 1}
		}
	}
	return arrayKey{}
}
