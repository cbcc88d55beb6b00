package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file holds the interned types. Equal types have equal numbers, except
// structures, which are nominal as in WGSL: each declaration is a type.

// Type is a type of a module. The types below have fixed numbers; a scalar
// type's number is its kind.
type Type uint32

// The scalar types. Void is the type of instructions without a result. The
// abstract types appear in front ends only.
const (
	Void          = Type(scalar.None)
	Bool          = Type(scalar.Bool)
	I32           = Type(scalar.I32)
	U32           = Type(scalar.U32)
	F32           = Type(scalar.F32)
	F16           = Type(scalar.F16)
	I64           = Type(scalar.I64)
	U64           = Type(scalar.U64)
	I8            = Type(scalar.I8)
	U8            = Type(scalar.U8)
	I16           = Type(scalar.I16)
	U16           = Type(scalar.U16)
	F64           = Type(scalar.F64)
	BF16          = Type(scalar.BF16)
	E4M3          = Type(scalar.E4M3)
	E5M2          = Type(scalar.E5M2)
	AbstractInt   = Type(scalar.AbstractInt)
	AbstractFloat = Type(scalar.AbstractFloat)
)

// TypeKind says how a type is built.
type TypeKind uint8

// The kinds of type.
const (
	VoidType TypeKind = iota
	ScalarType
	VectorType
	MatrixType
	ArrayType
	StructType
	PointerType
	AtomicType
	SamplerType
	TextureType
	BufferType
	TileType
	FragmentType
)

// Space is an address space.
type Space uint8

// The address spaces (WGSL §14.3). Constant is module data that no one writes:
// tables that codegen moves out of registers. Handle is that of textures and
// samplers. Immediate is a few bytes that a launch brings along (push constants).
const (
	Function Space = iota
	Private
	Workgroup
	Uniform
	Storage
	Constant
	Handle
	Immediate
	spaceCount
)

var spaceNames = [spaceCount]string{"function", "private", "workgroup", "uniform", "storage", "constant", "handle", "immediate"}

// String returns the space's name.
func (s Space) String() string { return spaceNames[s] }

// SpaceNamed returns the space with this name.
func SpaceNamed(name string) (s Space, ok bool) {
	n := slices.Index(spaceNames[:], name)
	return Space(max(n, 0)), n >= 0
}

// Shared reports whether other invocations can see the space's memory change.
func (s Space) Shared() bool { return s == Workgroup || s == Storage }

// ReadOnly reports whether nothing in the space can be written.
func (s Space) ReadOnly() bool {
	return s == Uniform || s == Constant || s == Handle || s == Immediate
}

// Access is an access mode.
type Access uint8

// The access modes.
const (
	ReadWrite Access = iota
	Read
	Write
	accessCount
)

var accessNames = [accessCount]string{"read_write", "read", "write"}

// String returns the mode's name.
func (a Access) String() string { return accessNames[a] }

// DefaultAccess is the mode that a space has when none is written.
func DefaultAccess(s Space) Access {
	switch s {
	case Uniform, Storage, Constant, Handle, Immediate:
		return Read
	}
	return ReadWrite
}

// typeRecord is a type's data; the fields' meaning depends on the kind:
//
//	kind     a               b                   c
//	vector   scalar type     components          -
//	matrix   column type     columns             column stride
//	array    element type    count Value, or 0   element stride
//	struct   first member    member count        index in structs
//	pointer  pointee type    space               access
//	atomic   scalar type     -                   -
//	sampler  1: comparison   -                   -
//	texture  texture.Shape   sampled scalar or   access
//	                         texture.Format
//	buffer   -               bytes Value, or 0   -
//	tile     scalar type     rows                columns
//	fragment scalar type,    rows                columns
//	         and use << 8
type typeRecord struct {
	kind    TypeKind
	a, b, c uint32
}

// Member is a member of a structure. Offset is in bytes.
type Member struct {
	Name   string
	Type   Type
	Offset uint32
}

type structRecord struct {
	name        string
	size, align uint32
}

// internType returns the number of a type with this record.
func (m *Module) internType(r typeRecord) Type {
	h := hash4(uint32(r.kind), r.a, r.b, r.c)
	slot := m.typeIndex.start(h)
	for ; ; slot = m.typeIndex.next(slot) {
		i := m.typeIndex.slots[slot]
		if i == 0 {
			break
		}
		if m.types[i] == r {
			return Type(i)
		}
	}
	t := Type(len(m.types))
	m.types = append(m.types, r)
	m.slots = append(m.slots, m.countSlots(r))
	if m.typeIndex.insert(slot, uint32(t)) {
		m.rehashTypes()
	}
	return t
}

func (m *Module) rehashTypes() {
	m.typeIndex.grow()
	for i, r := range m.types {
		if i >= int(scalar.Count) && r.kind != StructType {
			m.typeIndex.insertAbsent(hash4(uint32(r.kind), r.a, r.b, r.c), uint32(i))
		}
	}
}

// VectorOf returns the vector type of n components of a scalar type.
func (m *Module) VectorOf(element Type, n int) Type {
	return m.internType(typeRecord{VectorType, uint32(element), uint32(n), 0})
}

// MatrixOf returns the matrix type with WGSL's column stride, the size of a
// column rounded up to its alignment.
func (m *Module) MatrixOf(element Type, columns, rows int) Type {
	column := m.VectorOf(element, rows)
	return m.MatrixWithStride(column, columns, roundUp(m.Size(column), m.Align(column)))
}

// MatrixWithStride returns the matrix type of the given columns and the distance
// of their starts in bytes.
func (m *Module) MatrixWithStride(column Type, columns int, stride uint32) Type {
	return m.internType(typeRecord{MatrixType, uint32(column), uint32(columns), stride})
}

// ArrayOf returns the array type with WGSL's stride, the element's size rounded
// up to its alignment. Count is a u32 constant, an override, or 0 for a
// runtime-sized array.
func (m *Module) ArrayOf(element Type, count Value) Type {
	return m.ArrayWithStride(element, count, roundUp(m.Size(element), m.Align(element)))
}

// ArrayWithStride returns the array type with the given distance of elements in
// bytes.
func (m *Module) ArrayWithStride(element Type, count Value, stride uint32) Type {
	return m.internType(typeRecord{ArrayType, uint32(element), uint32(count), stride})
}

// PointerTo returns the type of pointers to a type.
func (m *Module) PointerTo(space Space, pointee Type, access Access) Type {
	return m.internType(typeRecord{PointerType, uint32(pointee), uint32(space), uint32(access)})
}

// AtomicOf returns the atomic type of a scalar type; it exists in memory only.
func (m *Module) AtomicOf(element Type) Type {
	return m.internType(typeRecord{AtomicType, uint32(element), 0, 0})
}

// SamplerOf returns a sampler type.
func (m *Module) SamplerOf(comparison bool) Type {
	r := typeRecord{kind: SamplerType}
	if comparison {
		r.a = 1
	}
	return m.internType(r)
}

// TextureOf returns the type of a texture that is read as the given scalar: f32,
// i32 or u32. Depth and external textures are read as f32.
func (m *Module) TextureOf(shape texture.Shape, sampled scalar.Kind) Type {
	return m.internType(typeRecord{TextureType, uint32(shape), uint32(sampled), uint32(Read)})
}

// StorageTextureOf returns the type of a storage texture.
func (m *Module) StorageTextureOf(shape texture.Shape, format texture.Format, access Access) Type {
	return m.internType(typeRecord{TextureType, uint32(shape), uint32(format), uint32(access)})
}

// BufferOf returns the type of memory without its own type, which is read and
// written through views (WGSL's buffer types). Size is a number of bytes: a u32
// constant, an override, or 0 for as many as there are.
func (m *Module) BufferOf(size Value) Type {
	return m.internType(typeRecord{kind: BufferType, b: uint32(size)})
}

// TileOf returns the type of tiles: rows and columns of elements, as one value of a workgroup whose
// invocations each hold a part. Which part that is shows nowhere (docs/decisions/0053-tiles.md).
func (m *Module) TileOf(element Type, rows, columns int) Type {
	return m.internType(typeRecord{TileType, uint32(element), uint32(rows), uint32(columns)})
}

// NewStruct declares a structure with members laid out by the caller; size and
// alignment are in bytes. Each call makes a new type.
func (m *Module) NewStruct(name string, members []Member, size, align uint32) Type {
	first := uint32(len(m.members))
	m.members = append(m.members, members...)
	m.structs = append(m.structs, structRecord{name, size, align})
	r := typeRecord{StructType, first, uint32(len(members)), uint32(len(m.structs) - 1)}
	m.types = append(m.types, r)
	m.slots = append(m.slots, m.countSlots(r))
	return Type(len(m.types) - 1)
}

// KindOf returns how a type is built.
func (m *Module) KindOf(t Type) TypeKind { return m.types[t].kind }

// ScalarOf returns the kind of a scalar, of a vector's or matrix's components,
// or of an atomic; None for other types.
func (m *Module) ScalarOf(t Type) scalar.Kind {
	if t < Type(scalar.Count) {
		return scalar.Kind(t)
	}
	switch r := &m.types[t]; r.kind {
	case VectorType, AtomicType:
		return scalar.Kind(r.a)
	case MatrixType:
		return scalar.Kind(m.types[r.a].a)
	}
	return scalar.None
}

// Components returns the number of components of a vector, 1 for a scalar and 0
// for other types.
func (m *Module) Components(t Type) int {
	if t > 0 && t < Type(scalar.Count) {
		return 1
	}
	if r := &m.types[t]; r.kind == VectorType {
		return int(r.b)
	}
	return 0
}

// IsScalar reports whether t is a scalar type.
func (m *Module) IsScalar(t Type) bool { return t > 0 && t < Type(scalar.Count) }

// IsVector reports whether t is a vector type.
func (m *Module) IsVector(t Type) bool { return m.types[t].kind == VectorType }

// WithScalar returns the type of t's shape with another scalar kind.
func (m *Module) WithScalar(t Type, k scalar.Kind) Type {
	if n := m.Components(t); n > 1 {
		return m.VectorOf(Type(k), n)
	}
	return Type(k)
}

// Element returns what a type consists of: a vector's scalar, a matrix's column,
// an array's element, a pointer's pointee, an atomic's scalar; Void for others.
func (m *Module) Element(t Type) Type {
	switch r := &m.types[t]; r.kind {
	case VectorType, MatrixType, ArrayType, PointerType, AtomicType:
		return Type(r.a)
	}
	return Void
}

// Count returns the number of parts of a vector, matrix, structure or array of constant size. ok is
// false for a runtime-sized array, one whose count is an override, and types without parts.
func (m *Module) Count(t Type) (n uint32, ok bool) {
	switch r := &m.types[t]; r.kind {
	case VectorType, MatrixType, StructType:
		return r.b, true
	case ArrayType:
		if v := Value(r.b); v.IsConst() {
			return uint32(m.ConstBits(v)), true
		}
	}
	return 0, false
}

// ArrayCount returns an array's count: a constant, an override, or 0 for a
// runtime-sized array.
func (m *Module) ArrayCount(t Type) Value { return Value(m.types[t].b) }

// IsBuffer reports whether t is a buffer type.
func (m *Module) IsBuffer(t Type) bool { return m.types[t].kind == BufferType }

// BufferSize returns the bytes of a buffer type: a constant, an override, or 0 for
// as many as there are.
func (m *Module) BufferSize(t Type) Value { return Value(m.types[t].b) }

// IsRuntimeArray reports whether t is a runtime-sized array.
func (m *Module) IsRuntimeArray(t Type) bool {
	return m.types[t].kind == ArrayType && m.types[t].b == 0
}

// Stride returns the distance of an array's elements or a matrix's columns, in
// bytes.
func (m *Module) Stride(t Type) uint32 { return m.types[t].c }

// Members returns a structure's members. They must not be changed.
func (m *Module) Members(t Type) []Member {
	r := &m.types[t]
	return m.members[r.a : r.a+r.b : r.a+r.b]
}

// StructName returns a structure's name as declared.
func (m *Module) StructName(t Type) string { return m.structs[m.types[t].c].name }

// SpaceOf returns a pointer type's address space.
func (m *Module) SpaceOf(t Type) Space { return Space(m.types[t].b) }

// AccessOf returns a pointer type's access mode, or a storage texture's.
func (m *Module) AccessOf(t Type) Access { return Access(m.types[t].c) }

// IsPointer reports whether t is a pointer type.
func (m *Module) IsPointer(t Type) bool { return m.types[t].kind == PointerType }

// IsTile reports whether t is a tile type.
func (m *Module) IsTile(t Type) bool { return m.types[t].kind == TileType }

// TileShape returns the element kind, the rows and the columns of a tile type.
func (m *Module) TileShape(t Type) (element scalar.Kind, rows, columns int) {
	r := &m.types[t]
	return scalar.Kind(r.a), int(r.b), int(r.c)
}

// HeldType returns the type of an element of a tile as an invocation holds it.
func (m *Module) HeldType(tile Type) Type { return Type(scalar.Kind(m.types[tile].a).Held()) }

// IsComparison reports whether a sampler type is a comparison sampler.
func (m *Module) IsComparison(t Type) bool { return m.types[t].a == 1 }

// ShapeOf returns a texture type's shape.
func (m *Module) ShapeOf(t Type) texture.Shape { return texture.Shape(m.types[t].a) }

// FormatOf returns a storage texture's texel format, and NoFormat for other
// textures.
func (m *Module) FormatOf(t Type) texture.Format {
	if m.ShapeOf(t).IsStorage() {
		return texture.Format(m.types[t].b)
	}
	return texture.NoFormat
}

// ChannelOf returns the scalar kind that reads of a texture yield.
func (m *Module) ChannelOf(t Type) scalar.Kind {
	if m.ShapeOf(t).IsStorage() {
		return m.FormatOf(t).Info().Channel
	}
	return scalar.Kind(m.types[t].b)
}

// IsTexture reports whether t is a texture type.
func (m *Module) IsTexture(t Type) bool { return m.types[t].kind == TextureType }

// PartType returns the type of part i of an aggregate or vector type. i matters
// for structures only.
func (m *Module) PartType(t Type, i uint32) Type {
	if r := &m.types[t]; r.kind == StructType {
		if i < r.b {
			return m.members[r.a+i].Type
		}
		return Void
	}
	return m.Element(t)
}

// TypeCount returns the number of types; every Type is below it.
func (m *Module) TypeCount() int { return len(m.types) }
