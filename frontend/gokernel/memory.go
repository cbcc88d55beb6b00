package gokernel

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file translates variables, loads and stores, and records facts about the kernel's
// parameters.

// variable creates a variable of the item, initialised to zero.
func (f *frame) variable(v *ssa.Alloc) operand {
	element := v.Type().Underlying().(*types.Pointer).Elem()
	if array := arrayOfReferences(element); array != nil {
		f.refuse(diag.GoSubset, v.Pos(), "give each of them a variable of its own",
			"an index would choose among slices or pointers in an array, and %s has a %s", v.Comment, array)
		return operand{}
	}
	// The size is known here for the first time if it depends on type parameters.
	if bytesOf(element) > maxValueBytes {
		f.refuse(diag.GoSubset, v.Pos(), fmt.Sprintf("the limit is %d KiB; a slice, or a pointer to workgroup memory, is shared by many items", maxValueBytes>>10),
			"%s is too large: each item would have its own", v.Comment)
		return operand{}
	}
	p := f.spilledBy(v)
	if p != nil && f.t.second && !f.t.facts.written[p.Name()] {
		return operand{kind: aPointer, reference: f.t.locations[p]}
	}
	called := name(v.Comment)
	if f.t.temporaries[v.Pos()] {
		called = "" // a temporary of evalorder.go
	}
	o := f.allocate(element, called, owner{f, v, nil})
	if p != nil && o.kind == aPointer {
		f.t.spilled[o.base] = p
	}
	return o
}

// spilledBy returns the kernel's parameter that an allocation spills, because it is indexed or its
// address is taken, or nil.
func (f *frame) spilledBy(v *ssa.Alloc) *ssa.Parameter {
	if f.caller != nil {
		return nil
	}
	for _, i := range *v.Referrers() {
		if s, ok := i.(*ssa.Store); ok && s.Addr == v {
			if p, ok := s.Val.(*ssa.Parameter); ok && f.t.locations[p].base != ir.NoValue && v.Pos() == p.Pos() {
				return p
			}
		}
	}
	return nil
}

// isSpill reports whether a store spills a parameter.
func (f *frame) isSpill(s *ssa.Store) bool {
	p, ok := s.Val.(*ssa.Parameter)
	if !ok {
		return false
	}
	v, ok := s.Addr.(*ssa.Alloc)
	return ok && f.spilledBy(v) == p
}

// allocate creates a variable of a type.
func (f *frame) allocate(x types.Type, name string, of owner) operand {
	t := f.t
	switch {
	case isItem(x):
		return operand{kind: aPointerToItem}
	case isSlice(x):
		r := &record{owner: of}
		f.save(&r.slot, t.zeroSlices(x))
		return operand{kind: aPointerToRecord, record: r}
	case isReference(x):
		r := &record{owner: of, slot: slot{declared: true, block: t.b.Block(), after: t.b.F.Last(t.b.Block())}}
		return operand{kind: aPointerToRecord, record: r}
	case hasReference(x) != nil:
		r := &record{}
		for field := range x.Underlying().(*types.Struct).Fields() {
			r.parts = append(r.parts, f.allocate(field.Type(), field.Name(), of.field(len(r.parts))))
		}
		return operand{kind: aPointerToRecord, record: r}
	}
	variable := t.b.Var(t.of(x), name)
	t.b.Store(variable, t.zero(x))
	t.owners[variable] = of
	return operand{kind: aPointer, reference: reference{base: variable}}
}

// name returns the name of a variable in Go, or "" for one of go/ssa's own.
func name(comment string) string {
	if token.IsIdentifier(comment) {
		return comment
	}
	return ""
}

// store writes a value through a pointer.
func (f *frame) store(at *ssa.Store, to, value operand) {
	t := f.t
	switch {
	case to.kind == aPointerToRecord && value.kind == aTuple:
		for n := range value.parts {
			f.store(at, to.record.parts[n], value.parts[n])
		}
	case to.kind == aPointerToRecord && (value.kind == aSlice || value.kind == aPointer) && f.outlives(at, to.record, value.base):
		f.refuse(diag.GoSubset, token.NoPos, "declare it before the loop, or what keeps it in the loop",
			"this keeps %s, which may be read when it is that of a later iteration", f.named(&value))
	case to.kind == aPointerToRecord && value.kind != unknown && !f.save(&to.record.slot, value):
		if to.record.slot.shape.hasNil() {
			f.refuse(diag.GoSubset, token.NoPos, assignBefore, "%s holds no slice at first, and one of %s in a later iteration", to.record.owner.name("this"), f.named(&value))
			break
		}
		f.refuse(diag.GoSubset, token.NoPos, "give each of them a variable of its own", "%s may name %s, and the compiler has to know which it is",
			to.record.owner.name("what is assigned to"), f.either(&to.record.slot.shape, &value))
	}
	if to.kind == aTable {
		f.refuse(diag.GoSubset, token.NoPos, "copy it into a variable, which each item has for itself", "this writes to a table, and kernels only read those")
	}
	if to.kind != aPointer || value.kind != aValue {
		return
	}
	if f.refusesWrite(&to.reference) {
		return
	}
	t.recordWrite(&to.reference)
	address := f.address(&to.reference)
	if t.isAtomic(address) {
		t.b.Emit(op.AtomicStore, ir.Void, 0, address, value.value)
		return
	}
	if f.partlyAtomic(&to.reference, address) {
		f.refuse(diag.GoSubset, token.NoPos, "write its fields or elements one by one", "a variable with parts that are accessed atomically cannot be assigned as one value")
		return
	}
	t.b.Store(address, value.value)
}

// partlyAtomic reports whether an address is that of a composite with parts that are accessed
// atomically.
func (f *frame) partlyAtomic(r *reference, address ir.Value) bool {
	t := f.t
	return r.base.IsGlobal() && !t.m.IsScalar(t.m.Element(t.b.F.TypeOf(address))) && t.hasAtomic(t.accessPath(r))
}

// recordWrite records that a reference's target is written.
func (t *translator) recordWrite(r *reference) {
	if r.base.IsGlobal() {
		name := t.m.Global(r.base).Name
		if t.facts.written[name] = true; !t.second {
			t.facts.writes[name]++
		}
	} else if p := t.spilled[r.base]; p != nil {
		t.facts.written[p.Name()] = true
	}
}

// read records that a reference's target is read.
func (t *translator) read(r *reference) {
	if r.base.IsGlobal() {
		t.facts.read[t.m.Global(r.base).Name] = true
	}
}

// barrierMemory returns the memory that a barrier orders: workgroup memory, and buffers if one is
// both written and read.
func (t *translator) barrierMemory() op.Memory {
	memory := op.WorkgroupMemory
	for _, p := range t.k.function.Params {
		if (isSlice(p.Type()) || isView(p.Type())) && t.facts.written[p.Name()] && t.facts.read[p.Name()] {
			memory |= op.StorageMemory
		}
	}
	return memory
}

// noteBarrier records whether a barrier orders memory that items share. Barriers that do so in no
// kernel are warned of.
func (t *translator) noteBarrier(call token.Pos) {
	if t.second && t.ordering != nil {
		shares := t.barrierMemory()&op.StorageMemory != 0 || len(t.facts.atomic) > 0 ||
			slices.ContainsFunc(t.k.function.Params, func(p *ssa.Parameter) bool { return isPointer(p.Type()) })
		t.ordering[call] = t.ordering[call] || shares
	}
}

// isAtomic reports whether an address is that of an atomic.
func (t *translator) isAtomic(address ir.Value) bool {
	return t.m.KindOf(t.m.Element(t.b.F.TypeOf(address))) == ir.AtomicType
}

// loadFrom reads through a pointer.
func (f *frame) loadFrom(o operand) operand {
	t := f.t
	b := &t.b
	switch o.kind {
	case aPointerToItem:
		return operand{kind: anItem}
	case aPointerToRecord:
		if o.record.parts == nil {
			if o.record.slot.shape.kind == unknown {
				f.refuse(diag.GoSubset, token.NoPos, "assign something to it before", "this pointer has no value yet")
			}
			return f.load(&o.record.slot)
		}
		tuple := operand{kind: aTuple, parts: make([]operand, len(o.record.parts))}
		for n := range tuple.parts {
			tuple.parts[n] = f.loadFrom(o.record.parts[n])
		}
		return tuple
	case aTable:
		v := o.value
		for _, s := range o.path {
			n, _ := t.m.ConstUint(s.index)
			v = b.Emit(op.Extract, t.m.PartType(b.F.TypeOf(v), uint32(n)), 0, v, s.index)
		}
		return made(v)
	case aPointer:
		t.read(&o.reference)
		address := f.address(&o.reference)
		if t.isAtomic(address) {
			return made(b.Emit(op.AtomicLoad, t.m.Element(t.m.Element(b.F.TypeOf(address))), 0, address))
		}
		if f.partlyAtomic(&o.reference, address) {
			f.refuse(diag.GoSubset, token.NoPos, "read its fields or elements one by one", "a variable with parts that are accessed atomically cannot be read as one value")
			return operand{}
		}
		return made(b.Load(address))
	}
	return operand{}
}
