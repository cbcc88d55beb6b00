package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds the members of layouts that kernels load: those of matrices, tensors and windows,
// which a launch passes.

// matrixMembers, tensorMembers and windowMembers are how many members the layouts have.
const (
	matrixMembers = 5
	tensorMembers = 9
	windowMembers = 8
)

// matrixField is a member of a layout.
type matrixField struct {
	variable ir.Value
	layout   uint32 // offset of the layout in the variable, in bytes
	member   int
	of       int // members
}

// fieldOf finds the member that a value is loaded from, alone or with the whole layout.
func fieldOf(m *ir.Module, f *ir.Func, v ir.Value) (field matrixField, ok bool) {
	load, ok := f.Def(v)
	var member ir.Value
	if ok && f.Op(load) == op.Extract && len(f.Args(load)) == 2 {
		member = f.Arg(load, 1)
		load, ok = f.Def(f.Arg(load, 0))
	}
	if !ok || f.Op(load) != op.Load {
		return field, false
	}
	path := []ir.Value{f.Arg(load, 0)}
	if access, ok := f.Def(path[0]); ok && f.Op(access) == op.Access {
		path = append([]ir.Value(nil), f.Args(access)...)
	}
	if member != ir.NoValue {
		path = append(path, member)
	}
	field.variable = path[0]
	if !field.variable.IsGlobal() || !m.SpaceOf(m.Global(field.variable).Type).ReadOnly() {
		return field, false
	}
	t := m.Element(m.Global(field.variable).Type)
	for n, index := range path[1:] {
		k, constant := m.ConstUint(index)
		if !constant || m.KindOf(t) != ir.StructType {
			return field, false
		}
		if n == len(path)-2 {
			field.member, field.of = int(k), len(m.Members(t))
			return field, true
		}
		field.layout += m.Members(t)[k].Offset
		t = m.Members(t)[k].Type
	}
	return field, false
}
