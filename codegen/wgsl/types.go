package wgsl

import (
	"fmt"
	"strconv"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells types. Layouts are part of the IR's types. Where WGSL's rules (WGSL §14.4) would
// give a member another offset, @align or @size of the member before it sets the offset. Other
// layouts are refused.

// letters are the ends of the predeclared aliases of vectors and matrices.
var letters = [scalar.Count]string{scalar.I32: "i", scalar.U32: "u", scalar.F32: "f", scalar.F16: "h"}

// typeName returns a type as WGSL spells it, and declares the structures in it.
func (w *emitter) typeName(t ir.Type) string {
	m := w.M
	if name := w.typeNames[t]; name != "" {
		return name
	}
	name := ""
	switch m.KindOf(t) {
	case ir.ScalarType:
		name = w.scalarName(scalar.Kind(t))
	case ir.VectorType:
		name = "vec" + strconv.Itoa(m.Components(t))
		if letter := letters[m.ScalarOf(t)]; letter != "" {
			w.scalarName(m.ScalarOf(t))
			name += letter
		} else {
			name += "<" + w.scalarName(m.ScalarOf(t)) + ">"
		}
	case ir.MatrixType:
		columns, _ := m.Count(t)
		column := m.Element(t)
		w.scalarName(m.ScalarOf(t))
		w.checkStride(t)
		name = "mat" + strconv.Itoa(int(columns)) + "x" + strconv.Itoa(m.Components(column)) + letters[m.ScalarOf(t)]
	case ir.ArrayType:
		w.checkStride(t)
		name = "array<" + w.typeName(m.Element(t))
		if n, ok := m.Count(t); ok {
			name += ", " + strconv.Itoa(int(n))
		}
		name += ">"
	case ir.AtomicType:
		name = "atomic<" + w.typeName(m.Element(t)) + ">"
	case ir.StructType:
		name = w.declareStruct(t)
	case ir.PointerType:
		name = "ptr<" + m.SpaceOf(t).String() + ", " + w.typeName(m.Element(t)) + ">"
	case ir.SamplerType:
		name = "sampler"
		if m.IsComparison(t) {
			name = "sampler_comparison"
		}
	case ir.TextureType:
		name = m.TypeString(t) // which is WGSL's spelling
	default:
		w.refuse("the type " + m.TypeString(t))
		name = "u32"
	}
	for int(t) >= len(w.typeNames) { // emission makes new types
		w.typeNames = append(w.typeNames, "")
	}
	w.typeNames[t] = name
	return name
}

func (w *emitter) scalarName(k scalar.Kind) string {
	w.f16 = w.f16 || k == scalar.F16
	return k.String()
}

// checkStride refuses arrays and matrices with another stride than WGSL's.
func (w *emitter) checkStride(t ir.Type) {
	m := w.M
	element := m.Element(t)
	if want := roundUp(m.Size(element), m.Align(element)); m.Stride(t) != want {
		w.refuse(fmt.Sprintf("parts of %s lie %d bytes apart, and WGSL has them %d apart", m.TypeString(t), m.Stride(t), want))
	}
}

func roundUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// declareStruct declares a structure after those that it contains.
func (w *emitter) declareStruct(t ir.Type) string {
	m := w.M
	members := m.Members(t)
	types := make([]string, len(members))
	for n, member := range members {
		types[n] = w.typeName(member.Type)
	}
	name := w.globals.Always(m.StructName(t))
	names := memberNames(m, t)
	text := "struct " + name + " {\n"
	align := uint32(1)
	for _, member := range members {
		align = max(align, m.Align(member.Type))
	}
	if m.Align(t) < align {
		w.refuse(fmt.Sprintf("%s is aligned to %d bytes, and WGSL aligns it to %d", m.StructName(t), m.Align(t), align))
	}
	for n, member := range members {
		text += "  "
		if n == 0 {
			if member.Offset != 0 {
				w.refuse(fmt.Sprintf("%s does not begin with its first member, as WGSL's structures do", m.StructName(t)))
			}
			if m.Align(t) > align {
				text += "@align(" + strconv.Itoa(int(m.Align(t))) + ") "
			}
		}
		size, end := m.Size(member.Type), m.Size(t)
		natural := roundUp(member.Offset+size, m.Align(t))
		if n+1 < len(members) {
			end = members[n+1].Offset
			natural = roundUp(member.Offset+size, m.Align(members[n+1].Type))
			if end%m.Align(members[n+1].Type) != 0 {
				w.refuse(fmt.Sprintf("the member %s of %s is at offset %d, which must be a multiple of %d", members[n+1].Name, m.StructName(t), end, m.Align(members[n+1].Type)))
			}
		}
		switch {
		case end == natural || m.IsRuntimeArray(member.Type):
		case end < member.Offset+size:
			w.refuse(fmt.Sprintf("the member %s of %s overlaps what is behind it", member.Name, m.StructName(t)))
		default:
			text += "@size(" + strconv.Itoa(int(end-member.Offset)) + ") "
		}
		text += names[n] + ": " + types[n] + ",\n"
	}
	w.structs = append(w.structs, text+"}\n\n"...)
	return name
}

// memberNames returns valid and different names for a structure's members.
func memberNames(m *ir.Module, t ir.Type) []string {
	var n printer.Namer
	initMembers(&n)
	var names []string
	for i, member := range m.Members(t) {
		hint := member.Name
		if hint == "" {
			hint = "member_" + strconv.Itoa(i)
		}
		names = append(names, n.Name(hint))
	}
	return names
}

// memberName returns the name of a structure's member.
func (w *emitter) memberName(t ir.Type, i uint32) string {
	names, ok := w.members[t]
	if !ok {
		w.typeName(t)
		names = memberNames(w.M, t)
		w.members[t] = names
	}
	return names[i]
}

// holdsBool reports whether a type that a host shares has bools in it, which WGSL does not allow.
func (w *emitter) holdsBool(t ir.Type) bool {
	m := w.M
	switch m.KindOf(t) {
	case ir.ArrayType:
		return w.holdsBool(m.Element(t))
	case ir.StructType:
		for _, member := range m.Members(t) {
			if w.holdsBool(member.Type) {
				return true
			}
		}
		return false
	}
	return m.ScalarOf(t) == scalar.Bool
}
