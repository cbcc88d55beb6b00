// This file implements nil slices. A nil slice refers to no variable, so that it fits where a slice
// of any variable is stored. There it is an empty slice of that variable whose first index is -1.

package gokernel

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// assignBefore is the hint where a slice is nil before a loop and refers to a variable in it.
const assignBefore = "declare the variable before the loop, and assign a slice of it without elements, as in x = v[:0]"

// zeroSlices returns the zero value of a slice, or of a structure with slices, and an unknown
// operand for other types.
func (t *translator) zeroSlices(x types.Type) operand {
	switch u := x.Underlying().(type) {
	case *types.Slice:
		none := t.m.ConstI32(-1)
		return operand{kind: aSlice, nilElem: t.of(u.Elem()), reference: reference{first: none, count: t.m.ConstI32(0), limit: none}}
	case *types.Struct:
		if isItem(x) {
			break
		}
		o := operand{kind: aTuple}
		for field := range u.Fields() {
			part := t.zeroSlices(field.Type())
			if hasReference(field.Type()) == nil && !isItem(field.Type()) {
				part = made(t.zero(field.Type()))
			}
			if part.kind == unknown {
				return part
			}
			o.parts = append(o.parts, part)
		}
		return o
	}
	return operand{}
}

func isSlice(t types.Type) bool {
	_, is := t.Underlying().(*types.Slice)
	return is
}

// isNilSlice compares a slice with nil.
func (f *frame) isNilSlice(o *operand) ir.Value {
	if o.first == ir.NoValue {
		return f.t.m.ConstBool(false)
	}
	return f.t.b.Op(op.Lt, o.first, f.t.m.ConstI32(0))
}

// outOfBounds returns a reference to an element of a nil slice, which valid kernels do not access.
func (f *frame) outOfBounds(o *operand, index ir.Value) reference {
	r := reference{base: f.t.b.Var(f.t.m.ArrayOf(o.nilElem, f.t.m.ConstU32(1)), "")}
	return r.to(step{index: index})
}

// hasNil reports whether an operand is or contains a nil slice.
func (o *operand) hasNil() bool {
	return o.nilElem != ir.Void || slices.ContainsFunc(o.parts, func(p operand) bool { return p.hasNil() })
}

// zeroed returns the zero value with a slot's shape.
func (f *frame) zeroed(shape operand) operand {
	m := f.t.m
	if shape.kind == aTuple {
		shape.parts = slices.Clone(shape.parts)
		for n := range shape.parts {
			shape.parts[n] = f.zeroed(shape.parts[n])
		}
		return shape
	}
	shape.dynamics(func(v ir.Value) ir.Value {
		if v == ir.NoValue {
			return m.ConstI32(0)
		}
		return m.Zero(f.t.b.F.TypeOf(v))
	})
	if shape.kind == aSlice {
		shape.first, shape.limit = m.ConstI32(-1), m.ConstI32(-1)
	}
	return shape
}

// retarget makes the nil slices in a slot's shape refer to the variables of an operand's slices,
// and adds variables for their indices. It reports false if a loop has loaded the slot before: that
// load was translated for the old shape.
func (f *frame) retargeted(o operand, shape *operand) operand {
	switch {
	case o.kind == aTuple && shape.kind == aTuple && len(o.parts) == len(shape.parts):
		o.parts = slices.Clone(o.parts)
		for n := range o.parts {
			o.parts[n] = f.retargeted(o.parts[n], &shape.parts[n])
		}
	case o.nilElem != ir.Void && shape.kind == aSlice && shape.nilElem == ir.Void:
		to := f.zeroed(*shape)
		to.first, to.count, to.limit = o.first, o.count, o.limit
		return to
	}
	return o
}

// lead makes nil slices of a slot's shape lead to the variables of those of an operand, and gives
// their indices variables. It reports whether it may: what has been loaded from the slot leads
// nowhere, and a loop loads it again.
func (f *frame) retarget(s *slot, o *operand) bool {
	var variables []ir.Value
	rest, changed := s.variables, false
	var join func(a, b *operand) operand
	join = func(a, b *operand) operand {
		result := *a
		switch {
		case a.kind == aTuple && b.kind == aTuple && len(a.parts) == len(b.parts):
			result.parts = make([]operand, len(a.parts))
			for n := range a.parts {
				result.parts[n] = join(&a.parts[n], &b.parts[n])
			}
			return result
		case a.nilElem != ir.Void && b.kind == aSlice && b.nilElem == ir.Void:
			result, changed = *b, true
			for _, s := range b.path {
				if !s.member {
					variables = append(variables, f.t.b.Var(ir.I32, ""))
				}
			}
		}
		a.dynamics(func(v ir.Value) ir.Value {
			variables, rest = append(variables, rest[0]), rest[1:]
			return v
		})
		return result
	}
	shape := join(&s.shape, o)
	if changed && slices.ContainsFunc(f.t.loops, func(l ir.Inst) bool { return slices.Contains(s.loaded, l) }) {
		return false
	}
	if changed {
		s.shape, s.variables = shape, variables
	}
	return true
}

// origin returns a slice of or pointer into the variable that a value refers to, if that is known
// before the value is translated.
func (f *frame) origin(v ssa.Value, seen map[ssa.Value]bool) operand {
	if seen[v] || isSizeless(pointee(v)) {
		return operand{}
	}
	seen[v] = true
	if n, ok := f.number[v]; ok && f.operands[n].kind != unknown && !f.operands[n].hasNil() {
		return f.operands[n]
	}
	zero := step{index: f.t.m.ConstI32(0)}
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.Global:
		return f.operand(v)
	case *ssa.Phi:
		if outer, _ := loopVariable(v); outer != nil {
			break // slices of it may outlive the iteration
		}
		for _, e := range v.Edges {
			if o := f.origin(e, seen); o.kind != unknown {
				return o
			}
		}
	case *ssa.ChangeType:
		return f.origin(v.X, seen)
	case *ssa.Slice:
		o := f.origin(v.X, seen)
		if o.kind == aPointer || o.kind == aTable {
			o.kind, o.first, o.count = aSlice, zero.index, zero.index
		}
		return o
	case *ssa.FieldAddr:
		if o := f.origin(v.X, seen); o.kind == aPointer || o.kind == aTable {
			return f.along(o, o.to(f.t.field(v)))
		}
	case *ssa.IndexAddr:
		if o := f.origin(v.X, seen); o.kind == aPointer || o.kind == aTable || o.kind == aSlice {
			return f.along(o, o.to(zero))
		}
	}
	return operand{}
}
