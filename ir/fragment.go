package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
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
// words that hold them in memory. For elements of 8 bits it is an integer of 32 bits, and for bf16
// the pattern.
func (m *Module) FragmentScalar(t Type) Type {
	switch element, _, _ := m.FragmentShape(t); element {
	case scalar.I8:
		return I32
	case scalar.U8:
		return U32
	case scalar.BF16:
		return U16
	default:
		return Type(element)
	}
}

// FragmentProduct is a product of fragments that a device has: of Rows×Depth and Depth×Columns
// elements.
type FragmentProduct struct {
	Left, Right, Sum     scalar.Kind
	Rows, Columns, Depth int
}

// FragmentProduct returns the product that a fragment_mul_add computes.
func (f *Func) FragmentProduct(i Inst) (p FragmentProduct) {
	m := f.Module
	p.Left, p.Rows, p.Depth = m.FragmentShape(f.TypeOf(f.Arg(i, 0)))
	p.Right, _, p.Columns = m.FragmentShape(f.TypeOf(f.Arg(i, 1)))
	p.Sum, _, _ = m.FragmentShape(f.Type(i))
	return p
}

// FragmentReach returns what fragment_load and fragment_store access: so many lines of length
// elements each, which are a stride apart. A word of memory has perWord elements.
func (f *Func) FragmentReach(i Inst) (lines, length, perWord int) {
	t := f.Type(i)
	if f.Op(i) == op.FragmentStore {
		t = f.TypeOf(f.Arg(i, FragmentStored))
	}
	k, lines, length := f.Module.FragmentShape(t)
	if _, byColumn, _ := f.FragmentPosition(i); f.Module.ConstBits(byColumn) != 0 {
		lines, length = length, lines
	}
	switch {
	case f.HasFragmentWords(i):
		return lines, length, 16 / k.Bytes()
	case k.Bits() == 8:
		return lines, length, 4
	}
	return lines, length, 1
}

// HasFragmentWords reports whether fragment_load and fragment_store access an array of vec4<u32> in
// workgroup memory.
func (f *Func) HasFragmentWords(i Inst) bool {
	m := f.Module
	t := f.TypeOf(f.Arg(i, FragmentArray))
	of := m.Element(m.Element(t))
	return m.SpaceOf(t) == Workgroup && m.Components(of) == 4 && m.ScalarOf(of) == scalar.U32
}

// HasFragmentProducts reports whether the fragments of the module's functions and variables are
// those of some products, and all that it computes are among them.
func (m *Module) HasFragmentProducts(list []FragmentProduct) bool {
	known := make([]bool, len(m.types))
	for n := range m.Globals {
		if !m.hasProductsOf(m.Globals[n].Type, list, known) {
			return false
		}
	}
	for _, f := range m.Funcs {
		for v := range f.values {
			if !m.hasProductsOf(f.values[v].typ, list, known) {
				return false
			}
		}
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.FragmentMulAdd && !slices.Contains(list, f.FragmentProduct(i)) {
				return false
			}
			for _, a := range f.Args(i) {
				if a.IsConst() && !m.hasProductsOf(m.TypeOf(a), list, known) {
					return false
				}
			}
		}
	}
	return true
}

// hasProductsOf reports whether all fragments that a type holds are those of some products. It
// notes in known, by type, that it is so.
func (m *Module) hasProductsOf(t Type, list []FragmentProduct, known []bool) bool {
	if known[t] {
		return true
	}
	of := func(part Type) bool { return m.hasProductsOf(part, list, known) }
	switch m.KindOf(t) {
	case FragmentType:
		known[t] = slices.ContainsFunc(list, func(p FragmentProduct) bool { return m.isOf(t, &p) })
	case ArrayType, PointerType:
		known[t] = of(m.Element(t))
	case StructType:
		known[t] = !slices.ContainsFunc(m.Members(t), func(member Member) bool { return !of(member.Type) })
	default:
		known[t] = true
	}
	return known[t]
}

// isOf reports whether a fragment type is that of an operand or the result of a product.
func (m *Module) isOf(t Type, p *FragmentProduct) bool {
	k, rows, columns := m.FragmentShape(t)
	switch m.FragmentUse(t) {
	case LeftUse:
		return k == p.Left && rows == p.Rows && columns == p.Depth
	case RightUse:
		return k == p.Right && rows == p.Depth && columns == p.Columns
	}
	return k == p.Sum && rows == p.Rows && columns == p.Columns
}

// HoldsFragment reports whether a type is that of fragments, or of arrays or structures with some.
func (m *Module) HoldsFragment(t Type) bool {
	switch m.KindOf(t) {
	case FragmentType:
		return true
	case ArrayType:
		return m.HoldsFragment(m.Element(t))
	case StructType:
		return slices.ContainsFunc(m.Members(t), func(member Member) bool { return m.HoldsFragment(member.Type) })
	}
	return false
}

// HasFragments reports whether the module has fragment types.
func (m *Module) HasFragments() bool {
	return slices.ContainsFunc(m.types, func(r typeRecord) bool { return r.kind == FragmentType })
}
