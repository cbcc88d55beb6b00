package uniform

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file adds expressions and calls to the uniformity graph (WGSL §15.2.6, §15.2.7).

// value returns the node of an expression's value, after the load rule, in control flow cf.
func (u *Analyzer) value(cf node, e syntax.Expr) node {
	x := &u.info.Exprs[e]
	if x.Value != 0 {
		return cf
	}
	if x.Reference {
		return u.memory(cf, e, true)
	}
	n := u.tree.Expr(e)
	switch n.Kind {
	case syntax.ParenExpr:
		return u.value(cf, n.A)
	case syntax.IdentExpr:
		if x.Object == 0 || x.Type == ir.Void { // a word, or the function of a tileMap
			return cf
		}
		if u.module.IsPointer(x.Type) && u.object(x.Object).Kind == sem.ParameterObject && !u.functionPointer(x.Type) {
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
		if u.module.IsPointer(u.info.Exprs[n.A].Type) { // a swizzle through a pointer
			return u.base(cf, n.A, true)
		}
		return u.value(cf, n.A)
	case syntax.CallExpr:
		return u.call(cf, e, n)
	}
	return cf
}

// memory returns the node of the value in a reference's memory if load, or else of the reference.
func (u *Analyzer) memory(cf node, e syntax.Expr, load bool) node {
	n := u.tree.Expr(e)
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
		if contents, ok := u.held(u.info.Exprs[e].Object); ok {
			result := u.add(e, cf)
			u.edge(result, contents)
			return result
		}
	}
	return cf
}

// base is memory for the base of an access: a reference or a pointer.
func (u *Analyzer) base(cf node, e syntax.Expr, load bool) node {
	if u.info.Exprs[e].Reference {
		return u.memory(cf, e, load)
	}
	pointer := u.value(cf, e)
	if !load {
		return pointer
	}
	result := u.add(e, cf, pointer)
	if contents, ok := u.held(u.info.RootOf(e)); ok {
		u.edge(result, contents)
	}
	return result
}

// held returns the node of the value that a variable, or the memory behind a pointer parameter,
// holds. ok is false for read-only memory.
func (u *Analyzer) held(root sem.Object) (n node, ok bool) {
	if root == 0 {
		return 0, false
	}
	if now := u.current[root]; now != 0 {
		return now, true
	}
	info := u.object(root)
	var pointer ir.Type
	switch info.Kind {
	case sem.GlobalObject:
		pointer = u.module.Globals[info.Value.Index()].Type
	case sem.ParameterObject:
		pointer = info.Type
	}
	if !u.module.IsPointer(pointer) || u.module.SpaceOf(pointer).ReadOnly() || u.module.AccessOf(pointer) == ir.Read {
		return 0, false
	}
	return mayBeNonUniform, true
}

// full reports whether a reference or pointer covers its whole variable.
func (u *Analyzer) full(e syntax.Expr) bool {
	n := u.tree.Expr(e)
	switch n.Kind {
	case syntax.ParenExpr, syntax.UnaryExpr:
		return u.full(n.A)
	case syntax.IdentExpr:
		o := u.info.Exprs[e].Object
		if o == 0 || u.object(o).Kind != sem.LetObject {
			return true
		}
		return u.full(u.tree.Decl(u.object(o).Decl).Init)
	}
	return false
}

// target returns the memory that a left side denotes. For a swizzle that is the vector if it names
// all components, and otherwise the member expression.
func (u *Analyzer) target(left syntax.Expr) syntax.Expr {
	member, _, count := u.info.SwizzleTarget(left)
	if member == 0 {
		return left
	}
	vector := u.tree.Expr(member).A
	if x := &u.info.Exprs[vector]; x.Reference && u.module.Components(u.module.Element(x.Type)) == count {
		return vector
	}
	return member
}

// assign records an assignment to the memory of a left side.
func (u *Analyzer) assign(cf node, e syntax.Expr, value node) {
	target := u.memory(cf, e, false)
	u.write(cf, u.info.RootOf(e), u.full(e), target, value)
}

// write changes the value of a variable; target is the node of the reference.
func (u *Analyzer) write(cf node, root sem.Object, full bool, target, value node) {
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
func (u *Analyzer) call(cf node, e syntax.Expr, n *syntax.ExprNode) node {
	x := &u.info.Exprs[e]
	arguments := u.tree.ExprList(n.List)
	if x.Call == sem.UserCall {
		return u.userCall(cf, e, u.object(x.Object).Function, arguments)
	}
	result := u.add(e, cf)
	// the result of such an operation is uniform whatever the values, or the values must be
	tiles := x.Call == sem.BuiltinCall && sem.Builtins[x.Builtin].Flags&sem.NeedsTiles != 0
	agreed := tiles || u.subgroup && x.Call == sem.BuiltinCall && uniformResults[sem.Builtins[x.Builtin].Op]
	operands := cf
	if tiles {
		operands = u.add(0)
	}
	var nodes [sem.MaxParameters]node
	for i, a := range arguments {
		v := u.value(cf, a)
		if !agreed {
			u.edge(result, v)
		}
		if tiles {
			u.edge(operands, v)
		}
		if i < len(nodes) {
			nodes[i] = v
		}
	}
	switch {
	case x.Call == sem.BuiltinCall:
		u.builtin(cf, result, operands, e, arguments, &nodes)
	case u.subgroup && u.module.HoldsFragment(x.Type) && (x.Call == sem.ConstructCall || x.Call == sem.ZeroCall):
		if !u.module.IsFragment(x.Type) {
			arguments = nil // of which those are uniform that are matrices
		}
		span := u.tree.Expr(e).Span
		u.requireMatrix(cf, origin{span: span, at: span, name: u.tree.Text(u.tree.Expr(n.A).Name)}, nodes[:len(arguments)])
	}
	return result
}

// requireMatrix requires that control flow and arguments are uniform, as all that makes subgroup
// matrices or works on them does.
func (u *Analyzer) requireMatrix(cf node, o origin, arguments []node) {
	o.rule = ruleNames[matrixRule]
	u.require(cf, u.filters[matrixRule], o)
	o.operand = true
	for _, n := range arguments {
		u.require(n, u.filters[matrixRule], o)
	}
}

// builtin applies the rules for a builtin; operands is the node of all arguments of a function on
// tiles.
func (u *Analyzer) builtin(cf, result, operands node, e syntax.Expr, arguments []syntax.Expr, nodes *[sem.MaxParameters]node) {
	b := &sem.Builtins[u.info.Exprs[e].Builtin]
	span := u.tree.Expr(e).Span
	o := origin{span: span, at: span, name: b.Name, tiles: b.Flags&sem.NeedsTiles != 0}
	collective := b.Flags&sem.Uniform != 0 && (b.Flags&sem.SubgroupScoped != 0) == u.subgroup
	severity := diag.Error
	switch {
	case b.Flags&sem.NeedsSubgroupMatrix != 0:
		if collective {
			u.requireMatrix(cf, o, nodes[:len(arguments)])
		}
		return
	case b.Flags&sem.NeedsSubgroups != 0:
		severity, o.rule = u.filters[subgroupRule], ruleNames[subgroupRule]
		if !u.subgroup || !uniformResults[b.Op] {
			u.edge(result, mayBeNonUniform)
		}
	case b.Flags&sem.FragmentOnly != 0:
		severity, o.rule = u.filters[derivativeRule], ruleNames[derivativeRule]
		u.edge(result, mayBeNonUniform)
	case b.Op == op.TextureLoad:
		if t := u.info.ValueType(arguments[0]); u.module.AccessOf(t) == ir.ReadWrite {
			u.edge(result, mayBeNonUniform)
		}
	case b.Op == op.ArrayLength || b.Op == op.View || b.Expansion == expand.UniformLoad || o.tiles:
	case len(arguments) > 0 && !u.info.Exprs[arguments[0]].Reference && u.module.IsPointer(u.info.Exprs[arguments[0]].Type):
		u.edge(result, mayBeNonUniform) // atomics
	}
	if !collective {
		return
	}
	u.require(cf, severity, o)
	o.operand = true
	if b.Expansion == expand.UniformLoad {
		u.require(nodes[0], severity, o)
	}
	if uniformOperands[b.Op] {
		u.require(nodes[1], severity, o)
	}
	if o.tiles {
		u.require(operands, severity, o)
	}
}

// userCall applies the tags of a function.
func (u *Analyzer) userCall(cf node, e syntax.Expr, callee int32, arguments []syntax.Expr) node {
	t := &u.tags[callee]
	span := u.tree.Expr(e).Span
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
	if t.nonUniform {
		u.edge(result, mayBeNonUniform)
		u.causes = append(u.causes, calleeCause{result, t.why})
	}
	// contents returns the node of the memory behind an argument before the call
	contents := func(i int) node {
		if root := u.info.RootOf(arguments[i]); root != 0 && u.current[root] != 0 {
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
		root sem.Object
		node node
		full bool
	}
	var updates []update
	for i, a := range arguments {
		p := &t.parameters[i]
		u.require(nodes[i], p.value, here(p.valueOrigin))
		if !u.functionPointer(u.info.Exprs[a].Type) || u.info.Exprs[a].Reference {
			continue
		}
		u.require(contents(i), p.contents, here(p.contentsOrigin))
		after := u.add(a, cf)
		if p.nonUniform {
			u.edge(after, mayBeNonUniform)
			u.causes = append(u.causes, calleeCause{after, p.why})
		}
		depend(after, p.fromValues, p.fromContents)
		updates = append(updates, update{u.info.RootOf(a), after, u.full(a)})
	}
	for _, up := range updates {
		u.write(cf, up.root, up.full, cf, up.node)
	}
	u.queue = u.queue[:mark]
	return result
}
