// Package structs describes the memory layout of structures: offsets, padding, and the order of
// members that needs the least memory.
package structs

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
)

// Struct is the layout of a structure.
type Struct struct {
	T           ir.Type
	Name        string
	Size, align uint32  // Size is without a runtime-sized array
	Fields      []Field // at least one
}

// Field is a member of a structure. The size of a runtime-sized array is 0.
type Field struct {
	Name         string
	T            ir.Type
	Offset, Size uint32
}

// End is the offset after the member.
func (f *Field) End() uint32 { return f.Offset + f.Size }

// Padding is the number of bytes between the n-th member and the next, or the end.
func (r *Struct) Padding(n int) uint32 {
	next := r.Size
	if n+1 < len(r.Fields) {
		next = r.Fields[n+1].Offset
	}
	if f := &r.Fields[n]; f.Size > 0 && next > f.End() {
		return next - f.End()
	}
	return 0
}

// structureOf returns the layout of a structure.
func structureOf(m *ir.Module, t ir.Type) *Struct {
	r := &Struct{T: t, Name: m.StructName(t), Size: m.Size(t), align: m.Align(t)}
	for _, member := range m.Members(t) {
		f := Field{member.Name, member.Type, member.Offset, m.Size(member.Type)}
		if m.IsRuntimeArray(f.T) {
			f.Size = 0
			r.Size = f.Offset
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// Find returns the structures with these names, or without names those in buffers and immediates.
// Structures within others come first.
func Find(m *ir.Module, names []string) (list []*Struct, err error) {
	var types []ir.Type
	if len(names) == 0 {
		types = m.SharedTypes()
	}
	var known []string
	byName := map[string]ir.Type{}
	for t := range ir.Type(m.TypeCount()) {
		if m.KindOf(t) == ir.StructType {
			known = append(known, m.StructName(t))
			byName[m.StructName(t)] = t
		}
	}
	for _, name := range names {
		t, ok := byName[name]
		if !ok {
			if near := usage.Nearest(name, known); near != "" {
				return nil, fmt.Errorf("there is no structure %s; did you mean %s?", name, near)
			}
			if known == nil {
				return nil, fmt.Errorf("there is no structure %s, nor any other that something uses", name)
			}
			return nil, fmt.Errorf("there is no structure %s that anything uses; there are %s", name, strings.Join(known, ", "))
		}
		types = append(types, t)
	}
	for _, t := range m.StructsOf(types) {
		list = append(list, structureOf(m, t))
	}
	return list, nil
}

// UsedBytes returns how many bytes of a type are not padding.
func UsedBytes(m *ir.Module, t ir.Type) uint64 {
	known := map[ir.Type]uint64{} // by structure, since nesting may be exponential
	var used func(t ir.Type) uint64
	used = func(t ir.Type) (sum uint64) {
		switch m.KindOf(t) {
		case ir.MatrixType, ir.ArrayType:
			n, _ := m.Count(t)
			return uint64(n) * used(m.Element(t))
		case ir.StructType:
			sum, ok := known[t]
			if !ok {
				for _, member := range m.Members(t) {
					sum += used(member.Type)
				}
				known[t] = sum
			}
			return sum
		}
		return uint64(m.Size(t))
	}
	return used(t)
}

// TypeString returns a type as WGSL writes it. IR text has a suffix after the count of an array:
// array<f32, 4u>.
func TypeString(m *ir.Module, t ir.Type) string {
	parts := strings.Split(m.TypeString(t), ", ")
	for n, part := range parts[1:] {
		if rest := strings.TrimLeft(part, "0123456789"); len(rest) < len(part) && strings.HasPrefix(rest, "u>") {
			parts[n+1] = part[:len(part)-len(rest)] + rest[1:]
		}
	}
	return strings.Join(parts, ", ")
}

// DenseOrder returns the order of the members in which a structure is smallest by WGSL's rules, and
// the size in that order. A structure with @align or @size attributes keeps its order.
func DenseOrder(m *ir.Module, r *Struct) (order []string, size uint32) {
	members := make([]ir.Member, len(r.Fields))
	for n, f := range r.Fields {
		members[n] = ir.Member{Name: f.Name, Type: f.T}
	}
	natural, align := m.LayoutStruct(members, nil, nil)
	asDeclared := natural == r.Size && align == r.align
	for n, f := range r.Fields {
		asDeclared = asDeclared && members[n].Offset == f.Offset
	}
	if !asDeclared {
		return nil, r.Size
	}
	dense, size := m.DenseOrder(members)
	for n := range dense {
		order = append(order, dense[n].Name)
	}
	return order, size
}
