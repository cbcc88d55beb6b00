package analysis

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Which slot a number is in (Ranges): values that are one number share theirs, as the lengths of
// an array do, and extracts of a vector's component.

// part is a component of a vector, or a word of memory that nothing writes, by the constant indices
// that lead there.
type part struct {
	of   ir.Value
	n    int
	path [partDepth]uint32
}

// partDepth bounds how many indices are followed.
const partDepth = 4

// parts are the slots of components, where a condition uses such.
type parts struct {
	wanted bool
	slots  map[part]uint32
	// first is the slot that was given first, types those of the slots from there on.
	first uint32
	types []ir.Type
}

// resetParts begins with a function.
func (a *Ranges) resetParts() {
	f := a.f
	p := &a.parts
	p.wanted, p.first, p.types = false, uint32(len(a.current)), p.types[:0]
	clear(p.slots)
	for i := range ir.Inst(f.InstCount()) {
		if o := f.Op(i); o == op.All || o == op.Any {
			p.wanted = true
			return
		}
	}
}

// at returns the interval of what is in a slot.
func (a *Ranges) at(s uint32) Interval {
	if r := a.current[s]; !r.Empty() {
		return r
	}
	return domain(a.typeAt(s))
}

// typeAt returns the type of what is in a slot.
func (a *Ranges) typeAt(s uint32) ir.Type {
	switch {
	case s < uint32(a.f.ValueCount()):
		return a.f.TypeOf(ir.Value(s))
	case s >= a.parts.first:
		return a.parts.types[s-a.parts.first]
	}
	return ir.U32 // a component of a builtin value
}

// spanAt returns the numbers that a slot may hold.
func (a *Ranges) spanAt(s uint32) span {
	r := a.at(s)
	v := span{-unbounded, unbounded}
	if r.Low > math.MinInt64 {
		v.least = max(r.Low, -unbounded)
	}
	if r.End < math.MaxInt64 {
		v.greatest = min(r.high(), unbounded)
	}
	return v
}

// scalar returns the value that a component of a vector was made of, if there is one.
func (a *Ranges) scalar(v ir.Value, c, depth int) (ir.Value, bool) {
	f := a.f
	for range depth {
		i, ok := f.Def(v)
		if !ok {
			break
		}
		switch f.Op(i) {
		case op.Construct:
			return f.Arg(i, c), true
		case op.Splat:
			return f.Arg(i, 0), true
		case op.Shuffle:
			v, c = f.Arg(i, 0), int(op.SwizzleComponent(f.Aux(i), c))
		default:
			return ir.NoValue, false
		}
	}
	return ir.NoValue, false
}

// partSlot returns the slot of a component of a vector that no scalars were put together to, or 0.
func (a *Ranges) partSlot(v ir.Value, c, depth int) uint32 {
	f := a.f
	for range depth {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Shuffle {
			break
		}
		v, c = f.Arg(i, 0), int(op.SwizzleComponent(f.Aux(i), c))
	}
	if n := a.paramIndex(v); n >= 0 {
		return a.component(n, c)
	}
	if !v.IsLocal() || !a.parts.wanted {
		return 0
	}
	key := part{of: v, n: 1, path: [partDepth]uint32{uint32(c)}}
	if i, ok := f.Def(v); ok && f.Op(i) == op.Load {
		if read, ok := a.readPart(f.Arg(i, 0)); ok && read.add(uint32(c)) {
			key = read
		}
	}
	s, ok := a.parts.slots[key]
	if !ok {
		s = a.newPart(key, f.Module.Element(f.TypeOf(v)))
		a.current[s] = a.componentOf(v, c, vectorDepth)
	}
	return s
}

// newPart gives a part its slot.
func (a *Ranges) newPart(key part, t ir.Type) uint32 {
	if a.parts.slots == nil {
		a.parts.slots = map[part]uint32{}
	}
	s := uint32(len(a.current))
	a.parts.slots[key] = s
	a.parts.types = append(a.parts.types, t)
	a.current = append(a.current, Interval{})
	a.facts.last = append(a.facts.last, 0)
	return s
}

func (p *part) add(index uint32) bool {
	if p.n == partDepth {
		return false
	}
	p.path[p.n] = index
	p.n++
	return true
}

// readPart returns what a pointer leads to if no invocation writes there.
func (a *Ranges) readPart(pointer ir.Value) (p part, ok bool) {
	f := a.f
	t := f.TypeOf(pointer)
	if !ReadOnly(f.Module, t) {
		return p, false
	}
	i, local := f.Def(pointer)
	if !local {
		return part{of: pointer}, true
	}
	if f.Op(i) != op.Access {
		return p, false
	}
	p, ok = a.readPart(f.Arg(i, 0))
	for _, index := range f.Args(i)[1:] {
		n, constant := f.Module.ConstUint(index)
		if ok = ok && constant && n < 1<<32 && p.add(uint32(n)); !ok {
			break
		}
	}
	return p, ok
}

// loaded returns the slot that a load shares with components that are read from the same address,
// or 0.
func (a *Ranges) loaded(i ir.Inst) uint32 {
	if !a.parts.wanted || Full(a.f.Type(i)).Empty() {
		return 0
	}
	key, ok := a.readPart(a.f.Arg(i, 0))
	if !ok {
		return 0
	}
	s, ok := a.parts.slots[key]
	if !ok {
		s = a.newPart(key, a.f.Type(i))
	}
	return s
}

// extracted returns the slot that an extract shares with others, or 0.
func (a *Ranges) extracted(i ir.Inst) uint32 {
	f := a.f
	v := f.Arg(i, 0)
	t := f.TypeOf(v)
	c, ok := f.Module.ConstIndex(t, f.Arg(i, 1))
	if n := a.paramIndex(v); ok && n >= 0 && c < 3 {
		return a.component(n, int(c))
	}
	if !ok || !a.parts.wanted || !f.Module.IsVector(t) {
		return 0
	}
	return a.partSlot(v, int(c), vectorDepth)
}

// compareComponents notes of a component of x that it compares so with one of y.
func (a *Ranges) compareComponents(o op.Op, x, y ir.Value, c int) {
	if x, ok := a.scalar(x, c, vectorDepth); ok {
		if y, ok := a.scalar(y, c, vectorDepth); ok {
			a.compare(o, x, y, 1)
			return
		}
		a.compareWith(o, x, a.componentOf(y, c, vectorDepth))
		return
	}
	if Full(a.f.Module.Element(a.f.TypeOf(x))).Empty() {
		return
	}
	if s := a.partSlot(x, c, vectorDepth); s != 0 {
		a.refineSlot(s, Compared(o, a.at(s), a.componentOf(y, c, vectorDepth)))
	}
}

// compareWith notes of x that it compares so with a number in an interval.
func (a *Ranges) compareWith(o op.Op, x ir.Value, y Interval) {
	if x.IsLocal() && !domain(a.f.TypeOf(x)).Empty() {
		a.refine(x, Compared(o, a.Of(x), y))
	}
}

// lengthSlot returns the slot of the array's length that an instruction gets, its own if it is the
// first.
func (a *Ranges) lengthSlot(i ir.Inst, r ir.Value) uint32 {
	f := a.f
	pointer := f.Arg(i, 0)
	key := a.ArrayOf(pointer, nil)
	if s := a.slotOfLength(key); s != 0 {
		return s
	}
	// No buffer is bound that is too small for one element (abi.Binding.MinimumBytes).
	if t := f.Module.Element(f.TypeOf(pointer)); f.Module.KindOf(t) == ir.ArrayType {
		length := Interval{1, Full(ir.U32).End}
		if most := f.Module.MaxBytes; most > 0 {
			length.End = min(length.End, most/int64(max(f.Module.Stride(t), 1))+1)
		}
		if most := f.Module.MaxElements; most > 0 {
			length.End = min(length.End, most+1)
		}
		a.current[r.Index()] = length
	}
	if key != (ArrayKey{}) {
		a.lengths = append(a.lengths, arrayLength{key, r.Index()})
	}
	return 0
}

// slotOfLength returns the slot of the lengths of an array, or 0 if none has been seen.
func (a *Ranges) slotOfLength(key ArrayKey) uint32 {
	if key != (ArrayKey{}) {
		for _, l := range a.lengths {
			if l.key == key {
				return l.slot
			}
		}
	}
	return 0
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
