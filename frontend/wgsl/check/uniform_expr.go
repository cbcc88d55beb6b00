package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file builds the uniformity graph of expressions and calls (WGSL §15.2.6,
// §15.2.7).

// value returns the node of an expression's value, loaded where it is a
// reference, when control flow is cf.
func (u *uniformity) value(cf node, e syntax.Expr) node {
	c := u.c
	x := &c.info.Exprs[e]
	if x.Value != 0 {
		return cf
	}
	if x.Reference {
		return u.memory(cf, e, true)
	}
	n := c.tree.Expr(e)
	switch n.Kind {
	case syntax.ParenExpr:
		return u.value(cf, n.A)
	case syntax.IdentExpr:
		if x.Object == 0 {
			return cf
		}
		if c.module.IsPointer(x.Type) && c.object(x.Object).Kind == ParameterObject && !c.functionPointer(x.Type) {
			return cf
		}
		return u.add(e, cf, u.lets[x.Object])
	case syntax.UnaryExpr:
		if n.Op == syntax.And {
			return u.memory(cf, n.A, false)
		}
		return u.value(cf, n.A)
	case syntax.BinaryExpr:
		a := u.value(cf, n.A)
		if n.Op == syntax.AndAnd || n.Op == syntax.OrOr {
			return u.value(a, n.B)
		}
		return u.add(e, a, u.value(cf, n.B))
	case syntax.IndexExpr:
		return u.add(e, u.value(cf, n.A), u.value(cf, n.B))
	case syntax.MemberExpr:
		if c.module.IsPointer(c.info.Exprs[n.A].Type) { // a swizzle of memory
			return u.base(cf, n.A, true)
		}
		return u.value(cf, n.A)
	case syntax.CallExpr:
		return u.call(cf, e, n)
	}
	return cf
}

// memory returns the node of a reference: of the value in it if it is loaded,
// else of where it refers to.
func (u *uniformity) memory(cf node, e syntax.Expr, load bool) node {
	c := u.c
	n := c.tree.Expr(e)
	switch n.Kind {
	case syntax.ParenExpr:
		return u.memory(cf, n.A, load)
	case syntax.UnaryExpr: // *p
		return u.base(cf, n.A, load)
	case syntax.IndexExpr:
		a := u.base(cf, n.A, load)
		return u.add(e, a, u.value(cf, n.B))
	case syntax.MemberExpr:
		return u.base(cf, n.A, load)
	}
	if load {
		if contents, ok := u.held(c.info.Exprs[e].Object); ok {
			result := u.add(e, cf)
			u.edge(result, contents)
			return result
		}
	}
	return cf
}

// base returns the node of what a reference, or the target of a pointer, holds.
func (u *uniformity) base(cf node, e syntax.Expr, load bool) node {
	if u.c.info.Exprs[e].Reference {
		return u.memory(cf, e, load)
	}
	pointer := u.value(cf, e)
	if !load {
		return pointer
	}
	result := u.add(e, cf, pointer)
	if contents, ok := u.held(u.c.rootOf(e)); ok {
		u.edge(result, contents)
	}
	return result
}

// held returns the node of what a variable, or the memory behind a pointer
// parameter, holds; ok is false for what never changes.
func (u *uniformity) held(root Object) (n node, ok bool) {
	c := u.c
	if root == 0 {
		return 0, false
	}
	if now := u.current[root]; now != 0 {
		return now, true
	}
	info := c.object(root)
	var pointer ir.Type
	switch info.Kind {
	case GlobalObject:
		pointer = c.module.Globals[info.Value.Index()].Type
	case ParameterObject:
		pointer = info.Type
	}
	if !c.module.IsPointer(pointer) || c.module.SpaceOf(pointer).ReadOnly() || c.module.AccessOf(pointer) == ir.Read {
		return 0, false
	}
	return mayDiffer, true
}

// full reports whether a reference, or a pointer, covers its whole variable.
func (u *uniformity) full(e syntax.Expr) bool {
	c := u.c
	n := c.tree.Expr(e)
	switch n.Kind {
	case syntax.ParenExpr, syntax.UnaryExpr:
		return u.full(n.A)
	case syntax.IdentExpr:
		o := c.info.Exprs[e].Object
		if o == 0 || c.object(o).Kind != LetObject {
			return true
		}
		return u.full(c.tree.Decl(c.object(o).Decl).Init)
	}
	return false
}

// target returns the memory that a left side denotes. Of a swizzle that is the
// vector if it names all components, in any order, and else some of them,
// whichever.
func (u *uniformity) target(left syntax.Expr) syntax.Expr {
	c := u.c
	member, _, count := c.info.SwizzleTarget(left)
	if member == 0 {
		return left
	}
	vector := c.tree.Expr(member).A
	if x := &c.info.Exprs[vector]; x.Reference && c.module.Components(c.module.Element(x.Type)) == count {
		return vector
	}
	return member
}

// assign notes that the memory of a left side takes a value.
func (u *uniformity) assign(cf node, e syntax.Expr, value node) {
	target := u.memory(cf, e, false)
	u.write(cf, u.c.rootOf(e), u.full(e), target, value)
}

// write gives a variable a new value.
func (u *uniformity) write(cf node, root Object, full bool, target, value node) {
	if root == 0 || u.current[root] == 0 {
		return
	}
	n := u.add(0, cf, target, value)
	if !full {
		u.edge(n, u.current[root])
	}
	u.set(root, n)
}

// call applies the rules for calls.
func (u *uniformity) call(cf node, e syntax.Expr, n *syntax.ExprNode) node {
	c := u.c
	x := &c.info.Exprs[e]
	arguments := c.tree.ExprList(n.List)
	if x.Call == UserCall {
		return u.userCall(cf, e, c.object(x.Object).Function, arguments)
	}
	result := u.add(e, cf)
	// what a whole subgroup agrees on does not depend on the single values
	agreed := u.subgroup && x.Call == BuiltinCall && uniformResults[Builtins[x.Builtin].Op]
	var nodes [maxParameters]node
	for i, a := range arguments {
		v := u.value(cf, a)
		if !agreed {
			u.edge(result, v)
		}
		if i < len(nodes) {
			nodes[i] = v
		}
	}
	if x.Call == BuiltinCall {
		u.builtin(cf, result, e, arguments, &nodes)
	}
	return result
}

// builtin adds what is special about a builtin.
func (u *uniformity) builtin(cf, result node, e syntax.Expr, arguments []syntax.Expr, nodes *[maxParameters]node) {
	c := u.c
	b := &Builtins[c.info.Exprs[e].Builtin]
	span := c.tree.Expr(e).Span
	o := origin{span: span, at: span, name: b.Name}
	collective := b.Flags&Uniform != 0 && (b.Flags&NeedsSubgroups != 0) == u.subgroup
	severity := diag.Error
	switch {
	case b.Flags&NeedsSubgroups != 0:
		severity, o.rule = u.filters[1], "subgroup_uniformity"
		if !u.subgroup || !uniformResults[b.Op] {
			u.edge(result, mayDiffer)
		}
	case b.Flags&FragmentOnly != 0:
		severity, o.rule = u.filters[0], "derivative_uniformity"
		u.edge(result, mayDiffer)
	case b.Op == op.TextureLoad:
		if t := c.valueType(&c.info.Exprs[arguments[0]]); c.module.AccessOf(t) == ir.ReadWrite {
			u.edge(result, mayDiffer)
		}
	case b.Op == op.ArrayLength || b.Op == op.View || b.Expansion == ExpandUniformLoad:
	case len(arguments) > 0 && !c.info.Exprs[arguments[0]].Reference && c.module.IsPointer(c.info.Exprs[arguments[0]].Type):
		u.edge(result, mayDiffer) // atomics
	}
	if !collective {
		return
	}
	u.require(cf, severity, o)
	o.operand = true
	if b.Expansion == ExpandUniformLoad {
		u.require(nodes[0], severity, o)
	}
	if uniformOperands[b.Op] {
		u.require(nodes[1], severity, o)
	}
}

// userCall applies a function's tags.
func (u *uniformity) userCall(cf node, e syntax.Expr, callee int32, arguments []syntax.Expr) node {
	c := u.c
	t := &u.tags[callee]
	span := c.tree.Expr(e).Span
	here := func(o origin) origin {
		o.span = span
		return o
	}
	result := u.add(e, cf)
	mark := len(u.queue)
	for _, a := range arguments {
		u.queue = append(u.queue, u.value(cf, a))
	}
	nodes := u.queue[mark:]
	u.require(cf, t.callSite, here(t.origin))
	if t.differs {
		u.edge(result, mayDiffer)
		u.causes = append(u.causes, calleeCause{result, t.why})
	}
	// contents returns what the memory behind an argument holds before the call
	contents := func(i int) node {
		if root := c.rootOf(arguments[i]); root != 0 && u.current[root] != 0 {
			return u.current[root]
		}
		return cf
	}
	depend := func(n node, values, fromContents uint64) {
		for i := range arguments {
			if values>>min(i, 63)&1 != 0 {
				u.edge(n, nodes[i])
			}
			if fromContents>>min(i, 63)&1 != 0 {
				u.edge(n, contents(i))
			}
		}
	}
	depend(result, t.values, t.contents)
	type update struct {
		root Object
		node node
		full bool
	}
	var updates []update
	for i, a := range arguments {
		p := &t.parameters[i]
		u.require(nodes[i], p.value, here(p.valueOrigin))
		if !c.functionPointer(c.info.Exprs[a].Type) || c.info.Exprs[a].Reference {
			continue
		}
		u.require(contents(i), p.contents, here(p.contentsOrigin))
		after := u.add(a, cf)
		if p.differs {
			u.edge(after, mayDiffer)
			u.causes = append(u.causes, calleeCause{after, p.why})
		}
		depend(after, p.fromValues, p.fromContents)
		updates = append(updates, update{c.rootOf(a), after, u.full(a)})
	}
	for _, up := range updates {
		u.write(cf, up.root, up.full, cf, up.node)
	}
	u.queue = u.queue[:mark]
	return result
}
