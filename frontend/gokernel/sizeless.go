// This file implements types of size zero: struct{}, arrays of length 0, and composites of only
// these. Devices have no such types. A value of one is the u32 0, structures have no member for a
// field of one, and pointers to it lead to a separate variable.

package gokernel

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isSizeless reports whether a type has no size.
func isSizeless(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || isSizeless(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isSizeless(f.Type()) {
				return false
			}
		}
		return !isItem(t)
	}
	return false
}

// memberOf returns the index of a field's member in the structure on devices.
func memberOf(u *types.Struct, field int) (n int) {
	for k := range field {
		if !isSizeless(u.Field(k).Type()) {
			n++
		}
	}
	return n
}

// pointedAt returns the element type of a pointer or slice type, and other types unchanged.
func pointedAt(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	}
	return t
}

// pointee returns the type that a value points to.
func pointee(v ssa.Value) types.Type { return pointedAt(v.Type()) }

// zeroSizedVariable returns a pointer to a new variable of a type of size zero.
func (f *frame) zeroSizedVariable(x types.Type) operand {
	return operand{kind: aPointer, reference: reference{base: f.t.b.Var(f.t.of(x), "")}}
}

// sizelessSlice returns the slice of an array of size zero.
func (t *translator) sizelessSlice(array *types.Array) operand {
	n := t.m.ConstI32(int32(array.Len()))
	return operand{kind: aSlice, nilElem: t.of(array.Elem()), reference: reference{first: t.m.ConstI32(0), count: n, limit: n}}
}
