package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks declarations at module scope (WGSL §6.3 structures and aliases, §7 variables and
// values); functions are in function.go.

var objectKinds = [...]sem.ObjectKind{
	syntax.BadDecl: sem.BadObject, syntax.VarDecl: sem.GlobalObject, syntax.ConstDecl: sem.ConstObject, syntax.OverrideDecl: sem.OverrideObject,
	syntax.FunctionDecl: sem.FunctionObject, syntax.StructDecl: sem.StructObject, syntax.AliasDecl: sem.AliasObject, syntax.LetDecl: sem.LetObject,
	syntax.ConstAssertDecl: sem.BadObject,
}

// declareGlobal creates the object of a declaration.
func (c *Checker) declareGlobal(d syntax.Decl) {
	n := c.tree.Decl(d)
	if n.Name == 0 {
		return
	}
	o := c.newObject(sem.ObjectInfo{Kind: objectKinds[n.Kind], Name: n.Name, Decl: d, Span: n.NameSpan, Function: -1})
	c.facts[o].state = unresolved
	c.info.DeclObjects[d] = o
	if n.Kind == syntax.FunctionDecl {
		c.object(o).Function = int32(len(c.info.Functions))
		c.info.Functions = append(c.info.Functions, sem.FunctionInfo{Object: o, Decl: d})
		c.graph.Declare()
	}
	c.declare(o)
}

// resolveGlobal resolves a module-scope declaration.
func (c *Checker) resolveGlobal(o sem.Object) {
	d := c.object(o).Decl
	n := c.tree.Decl(d)
	switch n.Kind {
	case syntax.ConstDecl:
		c.constDecl(o, n)
	case syntax.OverrideDecl:
		c.overrideDecl(o, n)
	case syntax.VarDecl:
		c.globalVar(o, n)
	case syntax.FunctionDecl:
		c.functionHead(o, n)
	case syntax.StructDecl:
		c.structure(o, d, n)
	case syntax.AliasDecl:
		t := c.typeExpr(n.Type)
		c.object(o).Type = t
	}
}

// declaredType checks the type and the initializer of a declaration and returns its type. Without a
// declared type it is that of the initializer, which stays abstract if keepAbstract.
func (c *Checker) declaredType(n *syntax.DeclNode, keepAbstract bool) ir.Type {
	if n.Kind == syntax.VarDecl {
		c.stored = n.Init
	}
	if n.Type != 0 {
		t := c.typeExpr(n.Type)
		if n.Init != 0 {
			if t == ir.Void {
				c.value(n.Init)
			} else {
				c.expect(n.Init, t, "initialize a declaration of type", c.tree.Expr(n.Type).Span, "the declared type")
			}
		}
		return t
	}
	if n.Init == 0 {
		c.error(diag.InvalidDeclaration, n.NameSpan, "the declaration of `"+c.tree.Text(n.Name)+"` needs a type or an initial value")
		return ir.Void
	}
	t := c.value(n.Init)
	if !keepAbstract {
		t = c.concretize(n.Init)
	}
	return t
}

// constDecl checks a constant, at module scope or in a function.
func (c *Checker) constDecl(o sem.Object, n *syntax.DeclNode) {
	t := c.declaredType(n, true)
	info := c.object(o)
	info.Type = ir.Void
	if t == ir.Void {
		return
	}
	v, ok := c.constant(n.Init, "the value of a constant")
	if !ok {
		return
	}
	if !c.types.Is(t, types.Constructible) {
		c.error(diag.InvalidDeclaration, n.NameSpan, "a constant cannot be of type "+c.types.Name(t))
		return
	}
	if c.module.TypeOf(v) != t {
		return // the conversion failed
	}
	info = c.object(o)
	info.Type, info.Value = t, v
}

func (c *Checker) overrideDecl(o sem.Object, n *syntax.DeclNode) {
	t := c.declaredType(n, false)
	id := int32(-1)
	if a := c.readAttributes(n.Attributes, onOverride).at[attributeID]; a != nil {
		if v, ok := c.attributeInteger(a, 0); ok {
			if v > 65535 {
				c.error(diag.InvalidAttribute, a.Span, "the number of an override is at most 65535, found "+itoa(uint64(v)))
			} else {
				id = int32(v)
			}
		}
	}
	if t == ir.Void {
		return
	}
	if !c.module.IsScalar(t) {
		c.error(diag.InvalidDeclaration, n.NameSpan, "an override is of scalar type, found "+c.types.Name(t))
		return
	}
	var args [1]ir.Value
	count := 0
	if n.Init != 0 {
		if v := c.info.Exprs[n.Init].Value; v == 0 {
			if c.info.Exprs[n.Init].Type != ir.Void {
				c.notConstant(n.Init, "the value of an override", true)
			}
			return
		} else if c.module.TypeOf(v) != t {
			return
		} else {
			args[0], count = v, 1
		}
	}
	m := c.module
	if id >= 0 {
		for i := range m.Overrides {
			if m.Overrides[i].ID == id {
				c.error(diag.InvalidAttribute, n.NameSpan, "two overrides have the number "+itoa(uint64(id)), diag.Note{Span: m.Overrides[i].Span, Message: "the other one"})
			}
		}
	}
	info := c.object(o)
	info.Type = t
	info.Value = m.AddOverride(ir.Override{Name: c.tree.Text(n.Name), ID: id, Type: t, Span: n.NameSpan}, args[:count]...)
}

// globalVar checks a variable at module scope.
func (c *Checker) globalVar(o sem.Object, n *syntax.DeclNode) {
	m := c.module
	space, access, ok := c.variableSpace(n)
	t := c.declaredType(n, false)
	s := c.readAttributes(n.Attributes, onVariable)
	group, binding := s.at[attributeGroup], s.at[attributeBinding]
	g := ir.Global{Name: c.tree.Text(n.Name), Span: n.NameSpan}
	if group != nil {
		g.Group, _ = c.attributeInteger(group, 0)
	}
	if binding != nil {
		g.Binding, _ = c.attributeInteger(binding, 0)
	}
	if t == ir.Void || !ok {
		c.object(o).Kind = sem.BadObject
		return
	}
	opaque := m.KindOf(t) == ir.TextureType || m.KindOf(t) == ir.SamplerType
	switch {
	case !n.HasTemplate && opaque:
		space, access = ir.Handle, ir.Read
	case !n.HasTemplate:
		usual := "private"
		if m.IsBuffer(t) {
			usual = "storage"
		}
		c.error(diag.InvalidDeclaration, n.NameSpan, "a variable at module scope needs an address space: var<"+usual+"> "+g.Name,
			diag.Note{Message: "private is for one invocation, workgroup is shared in a workgroup, storage and uniform are buffers"})
	case space == ir.Function:
		c.error(diag.InvalidDeclaration, n.NameSpan, "variables in address space function are declared in functions")
		space = ir.Private
	}
	span := n.NameSpan
	if n.Type != 0 {
		span = c.tree.Expr(n.Type).Span
	}
	if n.HasTemplate || opaque {
		c.storeType(space, t, access, span, true)
	}
	c.checkBinding(n, s, space)
	g.Bound = group != nil && binding != nil
	if n.Init != 0 {
		if space != ir.Private && (n.HasTemplate || opaque) {
			c.error(diag.InvalidDeclaration, c.tree.Expr(n.Init).Span, "a variable in address space "+space.String()+" has no initial value")
		} else if v := c.info.Exprs[n.Init].Value; v == 0 && c.info.Exprs[n.Init].Type != ir.Void {
			c.notConstant(n.Init, "the initial value of a variable at module scope", true)
		} else if v != 0 && m.TypeOf(v) == t {
			g.Init = v
		}
	}
	g.Type = m.PointerTo(space, t, access)
	info := c.object(o)
	info.Type = t
	info.Value = m.AddGlobal(g)
}

// checkBinding checks that a variable at module scope has @group and @binding if it is a resource.
func (c *Checker) checkBinding(n *syntax.DeclNode, s *attributeSet, space ir.Space) {
	group, binding := s.at[attributeGroup], s.at[attributeBinding]
	resource := space == ir.Storage || space == ir.Uniform || space == ir.Handle
	switch {
	case resource && (group == nil || binding == nil):
		if s.tried(attributeGroup) && s.tried(attributeBinding) {
			break // has been reported
		}
		missing := "@group(…) @binding(…)"
		if group != nil {
			missing = "@binding(…), too"
		} else if binding != nil {
			missing = "@group(…), too"
		}
		c.error(diag.InvalidBinding, n.NameSpan, "`"+c.tree.Text(n.Name)+"` is a resource and needs "+missing,
			diag.Note{Message: "the host binds resources by these two numbers"})
	case !resource && (group != nil || binding != nil) && n.HasTemplate:
		c.error(diag.InvalidAttribute, n.NameSpan, "@group and @binding belong to resources: variables in storage and uniform memory, textures and samplers")
	}
}

// variableSpace reads var<space, access>.
func (c *Checker) variableSpace(n *syntax.DeclNode) (ir.Space, ir.Access, bool) {
	if !n.HasTemplate {
		return ir.Function, ir.ReadWrite, true
	}
	arguments := c.tree.ExprList(n.Template)
	if len(arguments) > 2 {
		c.error(diag.InvalidDeclaration, n.NameSpan, "`var` takes an address space and an access mode, found "+diag.Plural(len(arguments), "template argument"))
		return 0, 0, false
	}
	space, ok := c.enumerant(arguments[0], sem.SpaceName)
	access := uint16(ir.DefaultAccess(ir.Space(space)))
	if len(arguments) == 2 {
		var accessOK bool
		if access, accessOK = c.enumerant(arguments[1], sem.AccessName); !accessOK {
			return 0, 0, false
		}
		ok = ok && c.accessMode(diag.InvalidDeclaration, arguments[1], ir.Space(space), ir.Access(access))
	}
	return ir.Space(space), ir.Access(access), ok
}

// storeType checks that memory of an address space can have a store type (WGSL §7.3). variable says
// that it is a variable's, not a pointer's.
func (c *Checker) storeType(space ir.Space, t ir.Type, access ir.Access, span source.Span, variable bool) bool {
	want := ""
	k := c.types.ClassOf(t)
	// in uniform and workgroup memory only views are runtime-sized
	view := !variable && k&(types.HostShareable|types.HoldsRuntime|types.HoldsAtomic) == types.HostShareable|types.HoldsRuntime
	switch {
	case c.module.IsTile(t) && space == ir.Function && variable:
	case k&types.Storable == 0:
		want = "a type that can be in memory"
	case k&types.HoldsMatrix != 0 && space != ir.Function:
		want = "a type without subgroup matrices, which are in variables of functions only"
	case c.module.IsBuffer(t):
		want = c.bufferRequirement(space, t, variable)
	case space == ir.Handle:
	case space == ir.Function || space == ir.Private:
		if k&types.Constructible == 0 {
			want = "a type whose values can be made, without atomics and runtime-sized arrays"
		}
	case space == ir.Workgroup:
		if k&types.Plain == 0 || k&types.FixedSize == 0 && !view {
			want = "a plain type of fixed size"
		}
	case space == ir.Uniform:
		if k&(types.HostShareable|types.Constructible) != types.HostShareable|types.Constructible && !view {
			want = "a type that can be shared with the host, without bool, atomics and runtime-sized arrays"
		}
	case space == ir.Immediate:
		if k&(types.HostShareable|types.Constructible|types.HoldsArray) != types.HostShareable|types.Constructible {
			want = "a type that can be shared with the host, without bool, atomics and arrays"
		}
	case space == ir.Storage:
		if k&types.HostShareable == 0 {
			want = "a type that can be shared with the host, which bool, pointers and textures cannot"
		} else if k&types.HoldsAtomic != 0 && access == ir.Read {
			want = "access mode read_write, because the type holds an atomic; the type"
		}
	}
	if want != "" {
		if c.module.KindOf(t) == ir.TextureType || c.module.KindOf(t) == ir.SamplerType {
			if space == ir.Function {
				want += " (`let` gives a texture or sampler another name)"
			} else {
				want += " (textures and samplers are declared with `var` alone)"
			}
		}
		c.error(diag.InvalidType, span, "address space "+space.String()+" needs "+want+", found "+c.types.Name(t), c.tileNote(t)...)
		return false
	}
	if variable && (space == ir.Function || space == ir.Private) && !c.valueSize(t, span) {
		return false
	}
	return true
}

// structure checks a structure.
func (c *Checker) structure(o sem.Object, d syntax.Decl, n *syntax.DeclNode) {
	fields := c.tree.FieldList(n.Members)
	members := make([]ir.Member, len(fields))
	layout := make([]uint32, 2*len(fields))
	alignOf, sizeOf := layout[:len(fields)], layout[len(fields):]
	for i := range fields { // before types, which may declare other structures
		f := &fields[i]
		for len(c.members) <= int(f.Name) {
			c.members = append(c.members, 0)
		}
		if same := int(c.members[f.Name]) - 1 - int(n.Members.Start); same >= 0 && same < i {
			c.error(diag.Redeclared, f.NameSpan, "the structure has two members `"+c.tree.Text(f.Name)+"`", diag.Note{Span: fields[same].NameSpan, Message: "first here"})
		} else {
			c.members[f.Name] = n.Members.Start + uint32(i) + 1
		}
	}
	bad := false
	for i := range fields {
		f := &fields[i]
		t := c.typeExpr(f.Type)
		members[i] = ir.Member{Name: c.tree.Text(f.Name), Type: t}
		s := c.readAttributes(f.Attributes, onMember)
		alignOf[i], sizeOf[i] = c.memberLayout(s, t)
		c.graph.Interface[int(n.Members.Start)+i] = c.ioAttributes(s, f.Attributes)
		if t == ir.Void {
			bad = true
			continue
		}
		c.graph.InterfaceType(&c.graph.Interface[int(n.Members.Start)+i], t, f.NameSpan)
		k := c.types.ClassOf(t)
		span := c.tree.Expr(f.Type).Span
		switch {
		case k&types.Plain == 0:
			c.error(diag.InvalidType, span, "a member cannot be of type "+c.types.Name(t), c.tileNote(t)...)
			bad = true
		case k&types.HoldsRuntime != 0 && (i < len(fields)-1 || !c.module.IsRuntimeArray(t)):
			c.error(diag.InvalidType, span, "only the last member of a structure can be a runtime-sized array, and no structure with one can be a member")
			bad = true
		case k&types.CreationFixed == 0 && k&types.HoldsRuntime == 0:
			c.error(diag.InvalidType, span, "the size of a member must be a constant, found "+c.types.Name(t))
			bad = true
		}
	}
	info := c.object(o)
	if bad || len(fields) == 0 {
		info.Type = ir.Void
		info.Kind = sem.BadObject
		return
	}
	c.graph.StructLocations(n, members)
	size, align := c.module.LayoutStruct(members, alignOf, sizeOf)
	if size > maxBytes {
		c.error(diag.LimitExceeded, n.NameSpan, "the structure is larger than 4 GiB")
		info.Type, info.Kind = ir.Void, sem.BadObject
		return
	}
	info.Type = c.module.NewStruct(c.tree.Text(n.Name), members, size, align)
	for len(c.info.Structs) <= int(info.Type) {
		c.info.Structs = append(c.info.Structs, 0)
	}
	c.info.Structs[info.Type] = d
}
