package msl

import (
	"fmt"
	"strconv"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells types. A scalar or vector has two forms: as a value, and as part of something in
// memory, where layouts count. In memory, bools are uint, since MSL leaves a bool's size open (MSL
// 2.1), and vectors of three are packed. Those of two and four are packed where Metal's alignment
// is more than the IR's layout grants (MSL 2.2.3). Structures, arrays and matrices have one form,
// that of memory. A structure has every gap as a member, since offsets and strides are part of the
// IR's types.

// scalarNames are the scalars (MSL 2.1).
var scalarNames = [scalar.Count]string{
	scalar.Bool: "bool", scalar.I32: "int", scalar.U32: "uint", scalar.I64: "long", scalar.U64: "ulong", scalar.F32: "float", scalar.F16: "half",
	scalar.I8: "char", scalar.U8: "uchar", scalar.I16: "short", scalar.U16: "ushort",
}

// unsignedKinds are the unsigned integers of the same size, for those that are computed with.
var unsignedKinds = [scalar.Count]scalar.Kind{scalar.I32: scalar.U32, scalar.U32: scalar.U32, scalar.I64: scalar.U64, scalar.U64: scalar.U64}

func (w *emitter) scalarName(k scalar.Kind) string {
	name := scalarNames[k]
	if name == "" {
		w.refuse("Metal has no type for " + k.String())
		return "uint"
	}
	return name
}

// vectorName spells a vector of so many components, or a scalar.
func (w *emitter) vectorName(k scalar.Kind, components int) string {
	if components <= 1 {
		return w.scalarName(k)
	}
	return w.scalarName(k) + strconv.Itoa(components)
}

// typeName returns a value's type, and declares what is in it.
func (w *emitter) typeName(t ir.Type) string {
	m := w.M
	for int(t) >= len(w.typeNames) { // emission makes new types
		w.typeNames = append(w.typeNames, "")
	}
	if name := w.typeNames[t]; name != "" {
		return name
	}
	name := ""
	switch m.KindOf(t) {
	case ir.ScalarType:
		name = w.scalarName(scalar.Kind(t))
	case ir.VectorType:
		name = w.vectorName(m.ScalarOf(t), m.Components(t))
	case ir.AtomicType:
		// ulong has only atomic min and max, without the old value (MSL 6.15)
		if m.ScalarOf(t).Bits() == 64 {
			w.refuse("atomics of 64 bits")
		}
		name = "atomic_" + w.scalarName(m.ScalarOf(t))
	case ir.MatrixType, ir.ArrayType:
		name = w.declareArray(t)
	case ir.StructType:
		name = w.declareStruct(t)
	case ir.PointerType:
		name = spaces[m.SpaceOf(t)].word + " " + w.typeName(m.Element(t)) + "*"
	case ir.TextureType:
		name = w.textureType(t)
	case ir.SamplerType:
		name = "sampler"
	case ir.FragmentType:
		name = w.fragmentType(t)
	default:
		w.refuse("the type " + m.TypeString(t))
		name = "uint"
	}
	w.typeNames[t] = name
	return name
}

// isLeaf reports whether a type has two forms.
func (w *emitter) isLeaf(t ir.Type) bool {
	return w.M.IsScalar(t) || w.M.IsVector(t)
}

// memoryType is the type of a part of something in memory.
type memoryType struct {
	name  string
	align uint32 // what C++ aligns it to
	size  uint32 // bytes in C++
	// packed says that a vector is an array of its components as far as C++ is concerned:
	// components are reached by index, and it is never assigned as a whole.
	packed bool
}

// inMemory returns the form of a part that lies at a multiple of align bytes.
func (w *emitter) inMemory(t ir.Type, align uint32) memoryType {
	m := w.M
	if m.IsRuntimeArray(t) {
		return memoryType{"", w.alignOf(t), m.Stride(t), false}
	}
	if !w.isLeaf(t) {
		return memoryType{w.typeName(t), w.alignOf(t), m.Size(t), false}
	}
	k, n := m.ScalarOf(t), max(m.Components(t), 1)
	if k == scalar.Bool {
		k = scalar.U32
	}
	size := uint32(k.Bytes())
	switch natural := size * uint32(n); {
	case n == 1:
		return memoryType{w.scalarName(k), size, size, false}
	case n == 3 || align%natural != 0:
		return memoryType{"packed_" + w.vectorName(k, n), size, natural, true}
	default:
		return memoryType{w.vectorName(k, n), natural, natural, false}
	}
}

// alignOf returns what C++ aligns a type in memory to.
func (w *emitter) alignOf(t ir.Type) uint32 {
	m := w.M
	switch m.KindOf(t) {
	case ir.MatrixType, ir.ArrayType:
		return w.inMemory(m.Element(t), common(m.Stride(t), m.Align(t))).align
	case ir.StructType:
		align := uint32(1)
		for _, member := range m.Members(t) {
			align = max(align, w.inMemory(member.Type, common(member.Offset, m.Align(t))).align)
		}
		return align
	case ir.AtomicType:
		return m.Size(t)
	case ir.FragmentType: // in no memory that others see
		return m.Align(t)
	}
	return w.inMemory(t, m.Align(t)).align
}

// common returns the largest power of two that divides both an offset, 0 being divided by all, and
// an alignment.
func common(offset, align uint32) uint32 {
	x := offset | align
	return x & -x
}

// partOf returns the spelling of a part of an aggregate in memory.
func (w *emitter) partOf(t ir.Type, index uint32) memoryType {
	m := w.M
	if m.KindOf(t) == ir.StructType {
		member := m.Members(t)[index]
		return w.inMemory(member.Type, common(member.Offset, m.Align(t)))
	}
	return w.inMemory(m.Element(t), common(m.Stride(t), m.Align(t)))
}

// declareArray declares the structure that an array or matrix is: values of C++'s own arrays cannot
// be passed nor returned. Elements that lie further apart than they are long are structures
// themselves.
func (w *emitter) declareArray(t ir.Type) string {
	m := w.M
	n, sized := m.Count(t)
	if !sized {
		w.refuse("an array without a size in a value")
		return "uint"
	}
	element := w.element(t)
	name := w.globals.Always("array_" + strconv.Itoa(int(n)) + "_" + element)
	w.structs = append(w.structs, "struct "+name+" {\n  "+element+" at["+strconv.Itoa(int(n))+"];\n};\n\n"...)
	return name
}

// element returns the type of an array's elements, with the padding between them.
func (w *emitter) element(t ir.Type) string {
	m := w.M
	e := w.partOf(t, 0)
	stride := m.Stride(t)
	if stride == e.size {
		return e.name
	}
	if stride < e.size || stride%e.align != 0 {
		w.refuse(fmt.Sprintf("parts of %s lie %d bytes apart, which Metal cannot have", m.TypeString(t), stride))
		return e.name
	}
	key := e.name + " " + strconv.Itoa(int(stride))
	if name := w.padded[key]; name != "" {
		return name
	}
	name := w.globals.Always(e.name + "_in_" + strconv.Itoa(int(stride)))
	w.padded[key] = name
	w.structs = append(w.structs, "struct "+name+" {\n  "+e.name+" value;\n  "+padding("gap", stride-e.size)+"};\n\n"...)
	return name
}

// isPadded reports whether an array's elements are structures with padding.
func (w *emitter) isPadded(t ir.Type) bool { return w.M.Stride(t) != w.partOf(t, 0).size }

// padding declares bytes that nothing uses.
func padding(name string, bytes uint32) string {
	return "char " + name + "[" + strconv.Itoa(int(bytes)) + "];\n"
}

// declareStruct declares a structure after those that it contains. A runtime-sized array at its
// end has one element: what lies after is reached by indices (a structure's last member may be so,
// and the memory is larger). One that holds fragments is in no memory that others see, and Metal
// alone knows its layout.
func (w *emitter) declareStruct(t ir.Type) string {
	m := w.M
	members := m.Members(t)
	types := make([]string, len(members))
	for n, member := range members {
		if m.IsRuntimeArray(member.Type) {
			types[n] = w.element(member.Type)
		} else {
			types[n] = w.partOf(t, uint32(n)).name
		}
	}
	name := w.globals.Always(m.StructName(t))
	names := w.memberNames(t)
	text, end, gaps, open := "struct "+name+" {\n", uint32(0), 0, m.HoldsFragment(t)
	gap := func(to uint32) {
		if to > end && !open {
			text += "  " + padding(names[len(members)+gaps], to-end)
			gaps++
		}
	}
	for n, member := range members {
		p := w.partOf(t, uint32(n))
		if member.Offset < end || member.Offset%p.align != 0 {
			w.refuse(fmt.Sprintf("the member %s of %s is at offset %d, which Metal cannot express", member.Name, m.StructName(t), member.Offset))
		}
		gap(member.Offset)
		text += "  " + types[n] + " " + names[n]
		end = member.Offset + p.size
		if m.IsRuntimeArray(member.Type) {
			text += "[1]"
			end, open = member.Offset+m.Stride(member.Type), true
		}
		text += ";\n"
	}
	if !open {
		gap(m.Size(t))
		text += "};\nstatic_assert(sizeof(" + name + ") == " + strconv.Itoa(int(m.Size(t))) + ", \"the size of " + name + "\");\n\n"
	} else {
		text += "};\n\n"
	}
	w.structs = append(w.structs, text...)
	return name
}

// memberNames returns valid and different names for a structure's members, and after them for the
// gaps.
func (w *emitter) memberNames(t ir.Type) []string {
	if names, ok := w.members[t]; ok {
		return names
	}
	n := printer.Namer{ASCII: true, Reserved: reservedOfMembers()}
	n.Init(8)
	var names []string
	members := w.M.Members(t)
	for i, member := range members {
		hint := member.Name
		if hint == "" {
			hint = "member_" + strconv.Itoa(i)
		}
		names = append(names, n.Always(hint))
	}
	for range len(members) + 1 {
		names = append(names, n.Always("gap"))
	}
	w.members[t] = names
	return names
}
