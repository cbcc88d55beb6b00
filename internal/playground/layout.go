package playground

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// Layout is the layout of a buffer: fields at its beginning, and then, if Stride is not 0, rows of
// fields.
type Layout struct {
	Fields []Field `json:"fields"`
	Rows   uint32  `json:"rows"`  // offset of the rows
	Count  uint32  `json:"count"` // number of rows; 0 for a runtime-sized array
	Stride uint32  `json:"stride"`
	Row    []Field `json:"row"`
	// Cut says that there are more fields than maxFields.
	Cut bool `json:"cut,omitempty"`
}

// Field is a scalar.
type Field struct {
	Name   string `json:"name"` // such as ".position.x"; "" for a row of one scalar
	Offset uint32 `json:"offset"`
	Kind   string `json:"kind"` // such as f32
}

// maxFields is the maximum number of fields in a list.
const maxFields = 256

// layoutOf returns the layout of a kernel's buffer.
func layoutOf(m *ir.Module, group, binding uint32, kernel string) (l Layout) {
	reach := ir.ReachOf(m, codegen.Kernel(m, kernel, new(diag.List)))
	for _, v := range reach.Resources {
		if g := m.Global(v); g.Group == group && g.Binding == binding {
			l.of(m, m.Element(g.Type))
		}
	}
	return l
}

// of sets the layout of a type.
func (l *Layout) of(m *ir.Module, t ir.Type) {
	switch m.KindOf(t) {
	case ir.ArrayType:
		l.rows(m, t, 0)
	case ir.StructType:
		for _, member := range m.Members(t) {
			if m.IsRuntimeArray(member.Type) {
				l.rows(m, member.Type, member.Offset)
				break
			}
			l.Fields = l.add(m, l.Fields, "."+member.Name, member.Offset, member.Type)
		}
	default:
		l.Fields = l.add(m, l.Fields, "", 0, t)
	}
}

// rows sets the rows of an array at an offset.
func (l *Layout) rows(m *ir.Module, t ir.Type, offset uint32) {
	l.Rows, l.Stride = offset, m.Stride(t)
	l.Count, _ = m.Count(t)
	l.Row = l.add(m, nil, "", 0, m.Element(t))
}

// add appends the scalars of a type at an offset.
func (l *Layout) add(m *ir.Module, list []Field, name string, offset uint32, t ir.Type) []Field {
	if len(list) >= maxFields {
		l.Cut = true
		return list
	}
	switch m.KindOf(t) {
	case ir.StructType:
		for _, member := range m.Members(t) {
			list = l.add(m, list, name+"."+member.Name, offset+member.Offset, member.Type)
		}
	case ir.ArrayType, ir.MatrixType:
		count, _ := m.Count(t)
		for n := range min(count, maxFields+1) { // one more sets Cut
			list = l.add(m, list, name+"["+strconv.Itoa(int(n))+"]", offset+n*m.Stride(t), m.Element(t))
		}
	case ir.VectorType:
		count, _ := m.Count(t)
		for n := range count {
			list = l.add(m, list, name+"."+"xyzw"[n:n+1], offset+n*m.Size(m.Element(t)), m.Element(t))
		}
	default:
		if k := m.ScalarOf(t); k != 0 {
			list = append(list, Field{name, offset, k.String()})
		}
	}
	return list
}
