package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the fragments: matrices that are one value of a subgroup, whose invocations each
// hold a part (WGSL's subgroup matrices, SPIR-V's cooperative matrices). Which part that is shows
// nowhere. Their operations are reached by all invocations of the subgroup together.

// Use is what a fragment is in products: devices may hold each use in its own way.
type Use uint8

// The uses.
const (
	LeftUse   Use = iota // the first operand
	RightUse             // the second operand
	ResultUse            // the sum
	useCount
)

var useNames = [useCount]string{"left", "right", "result"}

// String returns the use's name.
func (u Use) String() string { return useNames[u] }

// UseNamed returns the use with this name.
func UseNamed(name string) (Use, bool) {
	n := slices.Index(useNames[:], name)
	return Use(max(n, 0)), n >= 0
}

// useShift separates the use from the element in the record of a fragment type.
const useShift = 8

// FragmentOf returns the type of fragments with rows and columns of elements.
func (m *Module) FragmentOf(use Use, element Type, rows, columns int) Type {
	return m.internType(typeRecord{FragmentType, uint32(element) | uint32(use)<<useShift, uint32(rows), uint32(columns)})
}

// IsFragment reports whether t is a fragment type.
func (m *Module) IsFragment(t Type) bool { return m.types[t].kind == FragmentType }

// FragmentUse returns the use of a fragment type.
func (m *Module) FragmentUse(t Type) Use { return Use(m.types[t].a >> useShift) }

// FragmentShape returns the element kind, the rows and the columns of a fragment type.
func (m *Module) FragmentShape(t Type) (element scalar.Kind, rows, columns int) {
	r := &m.types[t]
	return scalar.Kind(r.a & (1<<useShift - 1)), int(r.b), int(r.c)
}

// FragmentScalar returns the type with which a fragment's elements are computed, and that of the
// words that hold them in memory. For elements of 8 bits it is an integer of 32 bits.
func (m *Module) FragmentScalar(t Type) Type {
	switch element, _, _ := m.FragmentShape(t); element {
	case scalar.I8:
		return I32
	case scalar.U8:
		return U32
	default:
		return Type(element)
	}
}

// HasFragments reports whether the module has fragment types.
func (m *Module) HasFragments() bool {
	return slices.ContainsFunc(m.types, func(r typeRecord) bool { return r.kind == FragmentType })
}
