package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file checks functions (WGSL §11): their heads on first use, their bodies at the end.

// functionHead checks a function's parameters, result and attributes.
func (c *Checker) functionHead(o sem.Object, n *syntax.DeclNode) {
	index := c.object(o).Function
	fields := c.tree.FieldList(n.Parameters)
	parameters := make([]sem.Object, len(fields))
	c.depth = 1
	for i := range fields {
		f := &fields[i]
		t := c.typeExpr(f.Type)
		if k := c.types.ClassOf(t); t != ir.Void && k&types.Constructible == 0 && !c.passable(t) {
			c.error(diag.InvalidType, c.tree.Expr(f.Type).Span, "a parameter cannot be of type "+c.types.Name(t),
				diag.Note{Message: "parameters hold values that can be made, pointers, textures and samplers"})
			t = ir.Void
		}
		parameters[i] = c.newObject(sem.ObjectInfo{Kind: sem.ParameterObject, Name: f.Name, Span: f.NameSpan, Type: t, Function: index})
		c.graph.Interface[int(n.Parameters.Start)+i] = c.ioAttributes(c.readAttributes(f.Attributes, onParameter), f.Attributes)
	}
	c.depth = 0
	result := c.typeExpr(n.Result)
	if result != ir.Void && !c.types.Is(result, types.Constructible) {
		c.error(diag.InvalidType, c.tree.Expr(n.Result).Span, "a function cannot return "+c.types.Name(result))
		result = ir.Void
	}
	c.graph.SetResult(index, c.ioAttributes(c.readAttributes(n.ResultAttributes, onResult), n.ResultAttributes))
	f := &c.info.Functions[index]
	f.Parameters, f.Result = parameters, result
	s := c.readAttributes(n.Attributes, onFunction)
	if a := s.at[attributeMustUse]; a != nil {
		c.info.Functions[index].MustUse = true
		if n.Result == 0 {
			c.error(diag.InvalidAttribute, a.Span, "@must_use belongs on functions with a result")
		}
	}
	c.stage(index, n, *s)
}

// passable reports whether a type that is not constructible can be a parameter.
func (c *Checker) passable(t ir.Type) bool {
	switch c.module.KindOf(t) {
	case ir.PointerType, ir.TextureType, ir.SamplerType:
		return true
	}
	return false
}

// functionBody checks the body of a function.
func (c *Checker) functionBody(index int32) {
	f := &c.info.Functions[index]
	n := c.tree.Decl(f.Decl)
	c.result = f.Result
	c.graph.Begin(index)
	c.control, c.bypass = control{}, bypass{}
	mark := c.enterScope()
	for _, p := range f.Parameters {
		c.declare(p)
	}
	if n.Body != 0 {
		body := c.tree.Stmt(n.Body)
		c.statementAttributes(body.Attributes)
		c.functionBehaviour(n, c.sequence(n.Body))
	}
	c.leaveScope(mark)
	for _, u := range c.graph.End() {
		if u.Kind == callgraph.Naming {
			global := &c.module.Globals[c.object(u.Object).Value.Index()]
			if global.Init.IsOverride() {
				f.Checks = append(f.Checks, ir.Check{Value: global.Init})
			}
			f.Checks = append(f.Checks, c.sizeChecks(c.module.Element(global.Type))...)
		}
	}
}

// functionBehaviour checks the behaviour of a function's body (WGSL §9.7).
func (c *Checker) functionBehaviour(n *syntax.DeclNode, b sem.Behaviour) {
	if b&sem.BadBehaviour != 0 {
		return
	}
	if n.Result != 0 && c.result != ir.Void && b&sem.NextBehaviour != 0 {
		end := n.Span
		end.Start = max(end.End-1, end.Start)
		c.error(diag.MissingReturn, end, "the function `"+c.tree.Text(n.Name)+"` can reach its end without returning a value",
			diag.Note{Span: c.tree.Expr(n.Result).Span, Message: "it has this result type"},
			diag.Note{Message: "every way through it ends with `return` and a value"})
	}
}

// localDecl checks a declaration in a function.
func (c *Checker) localDecl(d syntax.Decl) {
	n := c.tree.Decl(d)
	o := sem.ObjectInfo{Kind: sem.LocalObject, Name: n.Name, Decl: d, Span: n.NameSpan, Function: -1}
	switch n.Kind {
	case syntax.ConstDecl:
		o.Kind = sem.ConstObject
		object := c.newObject(o) // not visible before its end
		c.constDecl(object, n)
		if c.object(object).Type == ir.Void {
			c.object(object).Kind = sem.BadObject
		}
		c.info.DeclObjects[d] = object
		c.declare(object)
		return
	case syntax.LetDecl:
		o.Kind = sem.LetObject
		o.Type = c.declaredType(n, false)
		if o.Type != ir.Void && !c.types.Is(o.Type, types.Constructible) && !c.passable(o.Type) {
			c.error(diag.InvalidDeclaration, n.NameSpan, "a let-declaration cannot hold a value of type "+c.types.Name(o.Type))
			o.Type = ir.Void
		}
		if o.Type != ir.Void && c.module.IsPointer(o.Type) {
			o.Root = c.info.RootOf(n.Init)
		}
	case syntax.VarDecl:
		space, _, ok := c.variableSpace(n)
		o.Type = c.declaredType(n, false)
		if ok && space != ir.Function {
			c.error(diag.InvalidDeclaration, n.NameSpan, "variables in address space "+space.String()+" are declared at module scope",
				diag.Note{Message: "move the declaration out of the function"})
		}
		span := n.NameSpan
		if n.Type != 0 {
			span = c.tree.Expr(n.Type).Span
		}
		if o.Type != ir.Void && c.module.IsRuntimeArray(o.Type) {
			c.error(diag.InvalidType, span, "a variable in a function needs an array of known size, found "+c.types.Name(o.Type),
				diag.Note{Message: "the size is a second argument: array<f32, 64>; only storage buffers can go without"})
			o.Type = ir.Void
		} else if o.Type != ir.Void && !c.storeType(ir.Function, o.Type, ir.ReadWrite, span, true) {
			o.Type = ir.Void
		}
		if n.Attributes.Len > 0 {
			c.readAttributes(n.Attributes, onStatement)
		}
	default:
		o.Kind = sem.BadObject
	}
	if o.Type == ir.Void {
		o.Kind = sem.BadObject
	}
	object := c.newObject(o)
	c.info.DeclObjects[d] = object
	c.declare(object)
}
