package codegen_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestLayoutsOfDescriptions: the types in descriptions, as text, have the layouts of the module,
// for all bindings of the exec kernels.
func TestLayoutsOfDescriptions(t *testing.T) {
	names, texts := programs(t)
	read, strides := 0, 0
	for n, text := range texts {
		var c compiler
		m, list := c.load(t, names[n], text)
		types := map[string]ir.Type{}
		for i := range m.Globals {
			if g := &m.Globals[i]; g.Bound || m.SpaceOf(g.Type) == ir.Immediate {
				types[m.TypeString(m.Element(g.Type))] = m.Element(g.Type)
			}
		}
		a := codegen.Compile(m, m.Kernels()[0].Name, all.Targets[0], &codegen.Options{}, list)
		if a == nil {
			continue // an override has no value
		}
		check := func(name string) {
			l := a.Kernel.LayoutOf(name)
			if l == nil && m.KindOf(types[name]) != ir.BufferType {
				t.Errorf("%s: no layout of %s", names[n], name)
			}
			if l != nil && types[name] != ir.Type(0) {
				sameLayout(t, m, names[n]+": "+name, types[name], l)
				read++
			}
			if l != nil && l.Element != nil {
				strides++
			}
		}
		for _, b := range a.Kernel.Arguments() {
			check(b.Type)
		}
		if i := a.Kernel.Immediates; i != nil {
			check(i.Type)
		}
	}
	if read < 100 || strides < 50 {
		t.Errorf("only %d layouts, %d of arrays", read, strides)
	}
}

func sameLayout(t *testing.T, m *ir.Module, what string, x ir.Type, l *abi.Layout) {
	t.Helper()
	if m.Size(x) != l.Size || m.Align(x) != l.Align {
		t.Errorf("%s: %d bytes aligned to %d, want %d and %d", what, l.Size, l.Align, m.Size(x), m.Align(x))
	}
	if m.ScalarOf(x) != l.Scalar && l.Element == nil && l.Members == nil {
		t.Errorf("%s: scalar %v, want %v", what, l.Scalar, m.ScalarOf(x))
	}
	switch m.KindOf(x) {
	case ir.VectorType:
		if uint32(m.Components(x)) != l.Components || !l.Vectors {
			t.Errorf("%s: %d components, want %d", what, l.Components, m.Components(x))
		}
	case ir.ArrayType, ir.MatrixType:
		if l.Element == nil || m.Stride(x) != l.Stride || m.IsRuntimeArray(x) != l.Runtime {
			t.Errorf("%s: %+v, want a stride of %d", what, l, m.Stride(x))
			return
		}
		if n, ok := m.Count(x); ok && n != l.Count {
			t.Errorf("%s: %d elements, want %d", what, l.Count, n)
		}
		sameLayout(t, m, what+"[]", m.Element(x), l.Element)
	case ir.StructType:
		for n, member := range m.Members(x) {
			if member.Name != l.Members[n].Name || member.Offset != l.Members[n].Offset {
				t.Errorf("%s: %s at %d, want %s at %d", what, l.Members[n].Name, l.Members[n].Offset, member.Name, member.Offset)
			}
			sameLayout(t, m, what+"."+member.Name, member.Type, l.Members[n].Layout)
		}
	}
}
