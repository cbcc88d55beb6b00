package codegen

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file describes kernels to runtimes. The program's declarations are described before any pass
// runs, since lowering changes the types of variables. The buffers that passes add are described
// after them.

// describe returns the interface that a kernel's source declares, with overrides bound.
func describe(m *ir.Module, f *ir.Func) *abi.Kernel {
	k := &abi.Kernel{Name: f.Name}
	for i, w := range f.Workgroup {
		k.Workgroup[i] = uint32(m.ConstBits(w))
	}
	if f.SubgroupSize != ir.NoValue {
		k.SubgroupSize = uint32(m.ConstBits(f.SubgroupSize))
	}
	k.IntPositions = f.IntPositions
	bindings, handles := resources(m)
	k.Bindings = make([]abi.Binding, 0, len(bindings)) // a list in JSON, even if it is empty
	s := structures{m: m, k: k}
	for _, v := range bindings {
		if g := m.Global(v); g.Role == ir.NoRole { // a module that passes have run on has others
			k.Bindings = append(k.Bindings, binding(m, g))
			s.add(m.Element(g.Type))
		}
	}
	for _, v := range handles {
		k.Handles = append(k.Handles, handle(m, m.Global(v)))
	}
	for i := range m.Globals {
		if g := &m.Globals[i]; m.SpaceOf(g.Type) == ir.Immediate {
			t := m.Element(g.Type)
			if g.Role == ir.ExtentWords {
				if at := m.ExtentMembers(ir.GlobalValue(i)); slices.Contains(at[:], 0) {
					continue // the program has none
				}
				t = m.Members(t)[0].Type
			}
			k.Immediates = &abi.Immediates{Name: g.Name, Size: immediateBytes(m, t), Element: element(m, t), Type: m.TypeString(t)}
			s.add(t)
		}
	}
	return k
}

// complete adds the results of the passes to a description, and returns the buffers' addresses in
// the order of its bindings.
func complete(m *ir.Module, f *ir.Func, k *abi.Kernel) []ir.Value {
	k.WorkgroupBytes = uint32(workgroupBytes(m))
	k.Private = private(m, f)
	k.Messages = messages(m)
	k.Fault = faults(m)
	k.Scratch = scratch(m)
	k.Extent = extent(m)
	if v := m.WithRole(ir.TableBuffer); v != ir.NoValue {
		k.Tables = make([]byte, m.Size(m.Element(m.TypeOf(v))))
		m.PutConst(k.Tables, m.Global(v).Init)
	}
	bindings, _ := resources(m)
	declared := len(k.Bindings)
	for n, v := range bindings {
		switch g := m.Global(v); {
		case n >= declared:
			k.Bindings = append(k.Bindings, binding(m, g))
		case g.Role != ir.NoRole || g.Group != k.Bindings[n].Group || g.Binding != k.Bindings[n].Binding:
			panic("a pass has removed the resource " + k.Bindings[n].Name)
		case k.Bindings[n].Stride == 0 && m.IsRuntimeArray(m.Element(g.Type)):
			// a buffer without a size, for which Views has chosen an array type
			k.Bindings[n].Stride = m.Stride(m.Element(g.Type))
		}
	}
	if len(bindings) < declared {
		panic(fmt.Sprintf("passes have removed %d resources", declared-len(bindings)))
	}
	return bindings
}

// resources lists a module's buffers, and its textures and samplers, each in the order of
// the description.
func resources(m *ir.Module) (bindings, handles []ir.Value) {
	bindings = make([]ir.Value, 0, len(m.Globals))
	for i := range m.Globals {
		switch g := &m.Globals[i]; {
		case m.SpaceOf(g.Type) == ir.Handle:
			handles = append(handles, ir.GlobalValue(i))
		case g.Bound:
			bindings = append(bindings, ir.GlobalValue(i))
		}
	}
	slices.SortStableFunc(bindings, m.CompareBindings)
	slices.SortStableFunc(handles, m.CompareBindings)
	return bindings, handles
}

// structures collects the layouts of the structures that resources hold, those within
// others first.
type structures struct {
	m     *ir.Module
	k     *abi.Kernel
	added []ir.Type
}

func (s *structures) add(t ir.Type) {
	m := s.m
	for m.KindOf(t) == ir.ArrayType {
		t = m.Element(t)
	}
	if m.KindOf(t) != ir.StructType || slices.Contains(s.added, t) {
		return
	}
	s.added = append(s.added, t)
	members := m.Members(t)
	layout := abi.Struct{Name: m.TypeString(t), Size: m.Size(t), Align: m.Align(t), Members: make([]abi.Member, len(members))}
	for n, member := range members {
		s.add(member.Type)
		a := &layout.Members[n]
		*a = abi.Member{Name: member.Name, Type: m.TypeString(member.Type), Offset: member.Offset, Size: m.Size(member.Type)}
		switch m.KindOf(member.Type) {
		case ir.ArrayType, ir.MatrixType:
			a.Stride = m.Stride(member.Type)
		}
		if m.IsRuntimeArray(member.Type) {
			a.Size = 0
		}
	}
	s.k.Structs = append(s.k.Structs, layout)
}

// littlePrivate is the number of bytes of private memory that all devices known to gpuc have.
const littlePrivate = 8 << 10

// private describes the private memory of an invocation, if it exceeds littlePrivate.
func private(m *ir.Module, kernel *ir.Func) *abi.Private {
	if lower.DeclaredPrivateBytes(m) <= littlePrivate {
		return nil
	}
	p := new(abi.Private)
	lower.PrivateBytes(m, kernel, func(name string, bytes uint32) {
		if p.Bytes += uint64(bytes); uint64(bytes) > p.NameBytes {
			p.Name, p.NameBytes = name, uint64(bytes)
		}
	})
	if p.Bytes <= littlePrivate {
		return nil
	}
	return p
}

// scratch describes the scratch buffer (lower.Scratch), if there is one.
func scratch(m *ir.Module) *abi.Scratch {
	buffer := m.WithRole(ir.ScratchBuffer)
	if buffer == ir.NoValue {
		return nil
	}
	parts := m.Element(m.TypeOf(buffer))
	s := &abi.Scratch{Stride: m.Stride(parts)}
	for _, member := range m.Members(m.Element(parts)) {
		if bytes := m.Size(member.Type); bytes > s.NameBytes {
			s.Name, s.NameBytes = member.Name, bytes
		}
	}
	return s
}

// extent describes the location of the launch's extent among the immediates, if the kernel uses it.
func extent(m *ir.Module) *abi.Extent {
	v := m.WithRole(ir.ExtentWords)
	if v == ir.NoValue {
		return nil
	}
	g := m.Global(v)
	e := new(abi.Extent)
	for c, member := range m.ExtentMembers(v) {
		if member < 0 {
			continue
		}
		if e.Dimensions == nil {
			e.Offset = m.Members(m.Element(g.Type))[member].Offset
		}
		e.Dimensions = append(e.Dimensions, c)
	}
	return e
}

// faults describes the fault sites of a kernel in trap mode.
func faults(m *ir.Module) *abi.Fault {
	if m.WithRole(ir.FaultRecord) == ir.NoValue {
		return nil
	}
	f := &abi.Fault{Sites: make([]abi.Site, len(m.FaultSites))}
	for n, site := range m.FaultSites {
		at := m.Sources.Position(site.Span.Start)
		f.Sites[n] = abi.Site{File: at.File, Line: at.Line, Column: at.Column,
			Length: int(site.Span.End - site.Span.Start), Name: site.Variable, Signed: site.Signed}
	}
	return f
}

// messages describes what a kernel prints.
func messages(m *ir.Module) *abi.Messages {
	if m.WithRole(ir.MessageBuffer) == ir.NoValue {
		return nil
	}
	list := make([]abi.Message, len(m.Messages))
	for n, x := range m.Messages {
		at := m.Sources.Position(x.Span.Start)
		list[n] = abi.Message{File: at.File, Line: at.Line, Column: at.Column, Length: int(x.Span.End - x.Span.Start),
			Format: x.Format, Assert: x.Assert}
		for _, t := range x.Values {
			v := abi.MessageValue{Kind: m.ScalarOf(t).String()}
			if m.IsVector(t) {
				v.Count = m.Components(t)
			}
			list[n].Values = append(list[n].Values, v)
		}
	}
	return &abi.Messages{List: list}
}

func binding(m *ir.Module, g *ir.Global) abi.Binding {
	t := m.Element(g.Type)
	b := abi.Binding{Name: g.Name, Group: g.Group, Binding: g.Binding, Access: abi.Read,
		Size: m.Size(t), Element: element(m, t), Type: m.TypeString(t)}
	switch {
	case m.SpaceOf(g.Type) == ir.Uniform:
		b.Access = abi.Uniform
	case m.AccessOf(g.Type) != ir.Read:
		b.Access = abi.ReadWrite
	}
	switch {
	case m.IsRuntimeArray(t):
		b.Size, b.Stride = 0, m.Stride(t)
	case m.KindOf(t) == ir.StructType:
		members := m.Members(t)
		if last := members[len(members)-1]; m.IsRuntimeArray(last.Type) {
			b.Size, b.Stride = last.Offset, m.Stride(last.Type)
		}
	}
	return b
}

// textureAccess is the access to a storage texture's texels. Other textures are read only.
var textureAccess = [...]abi.Access{ir.Read: abi.Read, ir.Write: abi.Write, ir.ReadWrite: abi.ReadWrite}

// handle describes a variable that holds a texture or a sampler.
func handle(m *ir.Module, g *ir.Global) abi.Handle {
	t := m.Element(g.Type)
	h := abi.Handle{Name: g.Name, Group: g.Group, Binding: g.Binding, Type: m.TypeString(t)}
	if !m.IsTexture(t) {
		h.Comparison = m.IsComparison(t)
		return h
	}
	h.Texture = &abi.Texture{Shape: m.ShapeOf(t), Channel: m.ChannelOf(t).String(), Format: m.FormatOf(t),
		Access: textureAccess[m.AccessOf(t)]}
	return h
}

// element returns the name of the scalar that a type consists of, or "".
func element(m *ir.Module, t ir.Type) string { return elementOf(m, t, nil) }

// elementOf is element with a cache for structures, which may be nested like a binary tree.
func elementOf(m *ir.Module, t ir.Type, known map[ir.Type]string) string {
	switch m.KindOf(t) {
	case ir.ScalarType, ir.VectorType, ir.MatrixType, ir.AtomicType:
		return m.ScalarOf(t).String()
	case ir.ArrayType:
		return elementOf(m, m.Element(t), known)
	case ir.StructType:
		name, done := known[t]
		if done {
			return name
		}
		if known == nil {
			known = map[ir.Type]string{}
		}
		for i, member := range m.Members(t) {
			e := elementOf(m, member.Type, known)
			if i > 0 && e != name {
				name = ""
				break
			}
			name = e
		}
		known[t] = name
		return name
	}
	return ""
}

// Describe returns the description of an artefact of the target for programs in any language,
// without gpuc's version. file and code are what devices load, which may be an object that was
// built from the artefact's code.
func (t *Target) Describe(a *abi.Artefact, file string, code []byte, overrides []abi.Override) *abi.Description {
	t = t.orNone()
	if a == nil {
		a = new(abi.Artefact)
	}
	d := &abi.Description{Version: abi.DescriptionVersion, Target: t.Name, Code: abi.CodeFileOf(file, code), Overrides: overrides, Kernel: a.Kernel,
		Parameters: a.Kernel.ArgumentsOf(a.Kernel.Parameters), Demands: t.DemandsOf(a)}
	if p := t.Written(); p != nil {
		d.Profile = p.Name
	}
	return d
}

// DemandsOf returns the requirements of an artefact of the target on its host.
func (t *Target) DemandsOf(a *abi.Artefact) abi.Demands {
	t = t.orNone()
	if a == nil {
		a = new(abi.Artefact)
	}
	d := abi.DemandsOf(t.Name, &a.Kernel)
	if t.Demands != nil {
		t.Demands(a, &d)
	}
	return d
}

// Overrides describes the overrides on which a kernel depends, with their values after settings.
func Overrides(m *ir.Module, kernel string, settings []Setting) (list []abi.Override) {
	for _, o := range ir.OverridesOf(m, kernel, settings) {
		k := scalar.Kind(o.Type)
		described := abi.Override{Name: o.Name, Type: k.String()}
		if o.ID >= 0 {
			id := o.ID
			described.ID = &id
		}
		if k.IsFloat() {
			described.Value = scalar.ToFloat64(k, o.Bits)
		} else {
			described.Value = float64(scalar.ToInt64(k, o.Bits))
		}
		list = append(list, described)
	}
	return list
}
