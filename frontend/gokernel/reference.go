package gokernel

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// operand is the translation of a value of Go. The zero operand is one that an error was reported
// about.
type operand struct {
	kind operandKind
	// value is the IR value of an aValue; of a pointer to or a slice of a constant table, the
	// array.
	value ir.Value
	reference
	// parts are the values of a tuple: of several results, or of a structure with slices or
	// pointers.
	parts []operand
	// nilElem is the element type of a slice that refers to no variable: it is nil (nilslice.go),
	// or its elements have no size (sizeless.go).
	nilElem ir.Type
	// record is what an aPointerToRecord points to.
	record *record
}

// record is a variable of an item that is, or has fields that are, slices or pointers. It is not in
// memory: parts are pointers to the variables of its fields, and slot holds a slice or pointer.
type record struct {
	parts []operand
	slot  slot
	owner owner
}

type operandKind uint8

const (
	unknown operandKind = iota
	aValue
	aPointer
	aSlice
	aTable // a pointer into a constant table
	aTuple
	anItem
	aPointerToItem
	aPointerToRecord
	aFunction // which only functions on tiles take
)

// reference is the target of a pointer or a slice: a variable, a path into it and, for a slice, a
// range of elements. The variable and the members in the path are known at compile time; indices
// are values.
type reference struct {
	base ir.Value
	path []step
	// first and count, both i32, are NoValue for all of a buffer.
	first, count ir.Value
	// limit, an i32 relative to the array like first, is the end of a slice's capacity. It is
	// NoValue if that is the end of the array or buffer.
	limit ir.Value
}

// step is an element of a path: a member of a structure or an index.
type step struct {
	index  ir.Value
	member bool
}

// to returns a reference extended by a step. It shares no memory with r.
func (r *reference) to(s step) reference {
	path := make([]step, len(r.path), len(r.path)+1)
	copy(path, r.path)
	return reference{base: r.base, path: append(path, s)}
}

// sameTarget reports whether two operands refer to the same variable by the same members, so that
// they differ in indices only.
func sameTarget(a, b *operand) bool {
	switch a.kind {
	case aValue:
		return b.kind == a.kind
	case aTuple:
		return b.kind == aTuple && slices.EqualFunc(a.parts, b.parts, func(a, b operand) bool { return sameTarget(&a, &b) })
	case aPointerToRecord:
		return b.kind == aPointerToRecord && a.record == b.record
	}
	if a.kind != b.kind || a.base != b.base || a.value != b.value || len(a.path) != len(b.path) {
		return false
	}
	for n := range a.path {
		if a.path[n].member != b.path[n].member || a.path[n].member && a.path[n].index != b.path[n].index {
			return false
		}
	}
	return true
}

const unnamed = "a variable"

// named describes the target of a slice or a pointer, for messages.
func (f *frame) named(o *operand) string {
	m, name := f.t.m, unnamed
	switch {
	case o.value != ir.NoValue:
		return "a table"
	case o.nilElem != ir.Void:
		return "nothing"
	case o.base.IsGlobal():
		name = m.Global(o.base).Name
	case f.t.b.F.ValueName(o.base) != "":
		name = f.t.b.F.ValueName(o.base)
	}
	x := m.Element(f.t.b.F.TypeOf(o.base))
	for _, s := range o.path {
		n, _ := m.ConstUint(s.index)
		if s.member {
			name += "." + m.Members(x)[n].Name
		} else {
			name += "[…]"
		}
		x = m.PartType(x, uint32(n))
	}
	return name
}

// either describes the two different targets of two operands, for messages.
func (f *frame) either(a, b *operand) string {
	for n := range min(len(a.parts), len(b.parts)) {
		if !sameTarget(&a.parts[n], &b.parts[n]) {
			return f.either(&a.parts[n], &b.parts[n])
		}
	}
	first, second := f.named(a), f.named(b)
	switch {
	case first == unnamed && second == unnamed:
		return "one of two variables"
	case first == second:
		return "one of two variables " + first
	}
	return first + " or " + second
}

// dynamics replaces each IR value in an operand by f's result for it, in order.
func (o *operand) dynamics(f func(v ir.Value) ir.Value) {
	switch o.kind {
	case aValue:
		o.value = f(o.value)
	case aTuple:
		parts := make([]operand, len(o.parts))
		copy(parts, o.parts)
		for n := range parts {
			parts[n].dynamics(f)
		}
		o.parts = parts
	case aPointer, aSlice, aTable:
		path := make([]step, len(o.path))
		copy(path, o.path)
		for n := range path {
			if !path[n].member {
				path[n].index = f(path[n].index)
			}
		}
		o.path = path
		if o.kind == aSlice {
			o.first, o.count, o.limit = f(o.first), f(o.count), f(o.limit)
		}
	}
}

// slot stores an operand that is used where its definition is not visible, in variables for the IR
// values in it.
type slot struct {
	shape     operand
	variables []ir.Value
	// A declared slot is a part of a variable of Go. It is zeroed at that variable's declaration,
	// which is after instruction after of block, or at the block's start.
	declared bool
	block    ir.Block
	after    ir.Inst
	// depth is the number of loops around its creation. loaded are the loops inside of those in
	// which a nil slice was loaded.
	depth  int
	loaded []ir.Inst
}

// save stores an operand in a slot, whose shape is that of the first operand. It reports whether
// the operand has that shape.
func (f *frame) save(s *slot, o operand) bool {
	b := &f.t.b
	o = f.normalized(o)
	made := s.shape.kind != unknown
	if made {
		o = f.retargeted(o, &s.shape)
		if !f.retarget(s, &o) {
			return false
		}
	}
	if made && o.kind != unknown && !sameTarget(&s.shape, &o) {
		return false
	}
	if !made {
		s.shape, s.depth = o, len(f.t.loops)
	}
	n := 0
	o.dynamics(func(v ir.Value) ir.Value {
		if !made {
			s.variables = append(s.variables, b.Var(b.F.TypeOf(v), ""))
		}
		if n < len(s.variables) {
			b.Store(s.variables[n], v)
		}
		n++
		return v
	})
	if !made && s.declared {
		f.clear(s)
	}
	return true
}

// clear zeroes a slot at its variable's declaration, which may be in a loop.
func (f *frame) clear(s *slot) {
	b := &f.t.b
	block, next := b.Block(), b.F.First(s.block)
	if s.after != 0 {
		next = b.F.Next(s.after)
	}
	for next != 0 && b.F.Op(next) == op.Var {
		next = b.F.Next(next) // all variables are at the start of a function
	}
	if next == 0 {
		b.SetBlock(s.block)
	} else {
		b.SetBefore(next)
	}
	for _, v := range s.variables {
		b.Store(v, f.t.m.Zero(f.t.m.Element(b.F.TypeOf(v))))
	}
	b.SetBlock(block)
}

// load returns the operand in a slot.
func (f *frame) load(s *slot) operand {
	o, n := s.shape, 0
	if loops := f.t.loops; len(loops) > s.depth && o.hasNil() {
		s.loaded = append(s.loaded, loops[s.depth])
	}
	o.dynamics(func(ir.Value) ir.Value {
		n++
		return f.t.b.Load(s.variables[n-1])
	})
	return o
}

// normalized returns an operand in the form of slots: slices have all their bounds, and indices are
// i32.
func (f *frame) normalized(o operand) operand {
	switch o.kind {
	case aTuple:
		o.parts = slices.Clone(o.parts)
		for n := range o.parts {
			o.parts[n] = f.normalized(o.parts[n])
		}
	case aSlice:
		if o.count == ir.NoValue {
			o.count = f.length(&o)
		}
		if o.first == ir.NoValue {
			o.first = f.t.m.ConstI32(0)
		}
		o.limit = f.end(&o)
		fallthrough
	case aPointer, aTable:
		o.dynamics(func(v ir.Value) ir.Value { return f.t.b.Convert(scalar.I32, v) })
	}
	return o
}

// address returns the address of a reference's target.
func (f *frame) address(r *reference) ir.Value {
	if len(r.path) == 0 {
		return r.base
	}
	var few [8]ir.Value
	indices := few[:0]
	for _, s := range r.path {
		indices = append(indices, s.index)
	}
	return f.t.b.Access(r.base, indices...)
}
