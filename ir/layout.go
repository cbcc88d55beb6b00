package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Layout is part of a type: strides and member offsets are set by the front end when it makes the
// type. What follows from them is here.

// TooLarge is the size of types with more bytes than 32 bits count. The verifier refuses them, so
// that nothing after it has to deal with larger sizes.
const TooLarge = 1<<32 - 1

func roundUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// Size returns the number of bytes a value of the type takes in memory (WGSL
// §14.4.1). A runtime-sized array, and one whose count is an override, counts
// as one element, and such a buffer as none. Sizes beyond 32 bits are TooLarge.
func (m *Module) Size(t Type) uint32 {
	if t < Type(scalar.Count) {
		return uint32(scalar.Kind(t).Bytes())
	}
	switch r := &m.types[t]; r.kind {
	case VectorType:
		return r.b * m.Size(Type(r.a))
	case MatrixType:
		return r.b * r.c
	case ArrayType:
		n, ok := m.Count(t)
		if !ok {
			n = 1
		}
		return uint32(min(uint64(n)*uint64(r.c), TooLarge))
	case StructType:
		return m.structs[r.c].size
	case AtomicType:
		return m.Size(Type(r.a))
	case FragmentType: // of all elements, which are in no memory
		element, rows, columns := m.FragmentShape(t)
		return uint32(min(uint64(element.Bytes())*uint64(rows)*uint64(columns), TooLarge))
	case BufferType:
		if n, ok := m.ConstUint(Value(r.b)); ok {
			return uint32(min(n, TooLarge))
		}
	}
	return 0
}

// Align returns the type's alignment in bytes by WGSL's rules; that of a
// structure was declared with it.
func (m *Module) Align(t Type) uint32 {
	if t < Type(scalar.Count) {
		return max(uint32(scalar.Kind(t).Bytes()), 1)
	}
	switch r := &m.types[t]; r.kind {
	case VectorType:
		if r.b == 2 {
			return 2 * m.Align(Type(r.a))
		}
		return 4 * m.Align(Type(r.a))
	case MatrixType, ArrayType, AtomicType:
		return m.Align(Type(r.a))
	case StructType:
		return m.structs[r.c].align
	}
	return 1
}

// PartOffset returns the byte offset of part i of a type in memory.
func (m *Module) PartOffset(t Type, i uint32) uint32 {
	switch r := &m.types[t]; r.kind {
	case VectorType:
		return i * m.Size(Type(r.a))
	case MatrixType, ArrayType:
		return i * r.c
	case StructType:
		return m.members[r.a+i].Offset
	}
	return 0
}

// LayoutStruct fills in the members' offsets by WGSL's rules (WGSL §14.4.2) and
// returns the structure's size, which may be TooLarge, and alignment. AlignOf and
// SizeOf hold @align and @size attributes by member, 0 where there is none; they may
// be nil.
func (m *Module) LayoutStruct(members []Member, alignOf, sizeOf []uint32) (size, align uint32) {
	align = 1
	offset := uint64(0)
	for i := range members {
		a, s := m.Align(members[i].Type), m.Size(members[i].Type)
		if alignOf != nil && alignOf[i] != 0 {
			a = alignOf[i]
		}
		if sizeOf != nil && sizeOf[i] != 0 {
			s = sizeOf[i]
		}
		offset = (offset + uint64(a) - 1) / uint64(a) * uint64(a)
		members[i].Offset = uint32(min(offset, TooLarge))
		offset += uint64(s)
		align = max(align, a)
	}
	end := (offset + uint64(align) - 1) / uint64(align) * uint64(align)
	return uint32(min(end, TooLarge)), align
}

// PutConst writes a constant's bytes as a device's memory holds them, little-endian.
// The memory is zero before, and stays so between a structure's members.
func (m *Module) PutConst(b []byte, v Value) {
	t := m.TypeOf(v)
	if m.IsScalar(t) {
		bits := m.ConstBits(v)
		for n := range scalar.Kind(t).Bytes() {
			b[n] = byte(bits >> (8 * n))
		}
		return
	}
	if m.IsZero(v) {
		return
	}
	n, _ := m.Count(t)
	for i := range n {
		m.PutConst(b[m.PartOffset(t, i):], m.ConstPart(v, i))
	}
}

// Slots returns the number of scalars in a value of the type; ok is false where
// that is not a constant, or more than 32 bits count.
func (m *Module) Slots(t Type) (n uint32, ok bool) {
	n = m.slots[t]
	return n, n != unknownSlots
}

const unknownSlots = 1<<32 - 1

// MaxSlots returns the number of scalars in the largest value that any of the module's
// types has: what is about larger ones need not look at instructions.
func (m *Module) MaxSlots() (most uint32) {
	for _, n := range m.slots {
		if n != unknownSlots {
			most = max(most, n)
		}
	}
	return most
}

// countSlots computes Slots when a type is made: all types that it consists of
// are counted by then, so that nesting costs nothing.
func (m *Module) countSlots(r typeRecord) uint32 {
	total := uint64(1)
	switch r.kind {
	case VoidType:
		total = 0
	case BufferType:
		return unknownSlots
	case VectorType:
		total = uint64(r.b)
	case MatrixType, ArrayType:
		count := uint64(r.b)
		if r.kind == ArrayType {
			n, ok := m.ConstUint(Value(r.b))
			if !ok {
				return unknownSlots
			}
			count = n
		}
		part := m.slots[r.a]
		if part == unknownSlots {
			return unknownSlots
		}
		total = uint64(part) * min(count, unknownSlots)
	case StructType:
		total = 0
		for _, member := range m.members[r.a : r.a+r.b] {
			part := m.slots[member.Type]
			if part == unknownSlots {
				return unknownSlots
			}
			total += uint64(part)
		}
	}
	return uint32(min(total, unknownSlots))
}

// SharedTypes returns the types of the variables that are in memory which a host shares: storage,
// uniform and immediate.
func (m *Module) SharedTypes() (list []Type) {
	for i := range m.Globals {
		switch g := &m.Globals[i]; m.SpaceOf(g.Type) {
		case Storage, Uniform, Immediate:
			list = append(list, m.Element(g.Type))
		}
	}
	return list
}

// StructsOf returns the structures that types are or hold, in the order of the types, each once and
// behind those that are its members.
func (m *Module) StructsOf(types []Type) (list []Type) {
	seen := make([]bool, m.TypeCount())
	var visit func(t Type)
	visit = func(t Type) {
		for m.KindOf(t) == ArrayType {
			t = m.Element(t)
		}
		if m.KindOf(t) != StructType || seen[t] {
			return
		}
		seen[t] = true
		for _, member := range m.Members(t) {
			visit(member.Type)
		}
		list = append(list, t)
	}
	for _, t := range types {
		visit(t)
	}
	return list
}

// DenseOrder returns the members of a structure in an order that needs little memory, and its size.
// The largest alignment comes first, and after each member what fits in the gap it leaves. Sizes
// and alignments are those of the types.
func (m *Module) DenseOrder(members []Member) (order []Member, size uint32) {
	rest := slices.Clone(members)
	slices.SortStableFunc(rest, func(a, b Member) int { return int(m.Align(b.Type)) - int(m.Align(a.Type)) })
	for end := uint32(0); len(rest) > 0; {
		next := max(0, slices.IndexFunc(rest, func(f Member) bool { return end%m.Align(f.Type) == 0 }))
		f := rest[next]
		rest = slices.Delete(rest, next, next+1)
		end = (end+m.Align(f.Type)-1)/m.Align(f.Type)*m.Align(f.Type) + m.Size(f.Type)
		order = append(order, f)
	}
	size, _ = m.LayoutStruct(order, nil, nil)
	return order, size
}

// VariableAlign is the alignment that a target must give variables outside of
// buffers: 16 bytes from that size on, so that accesses can be wide.
func (m *Module) VariableAlign(t Type) uint32 {
	if m.Size(t) >= 16 {
		return max(m.Align(t), 16)
	}
	return max(m.Align(t), 4)
}
