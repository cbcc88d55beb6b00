package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks expressions (WGSL §8) other than calls and accesses.

// value checks an expression and returns the type of its value.
func (c *Checker) value(e syntax.Expr) ir.Type {
	if e == 0 {
		return ir.Void
	}
	x := c.expr(e)
	if !x.Reference {
		return x.Type
	}
	t := c.module.Element(x.Type)
	if c.module.IsBuffer(t) {
		c.bufferValue(e, true)
		x.Type, x.Reference = ir.Void, false
		return ir.Void
	}
	c.graph.Access(e, callgraph.Reading)
	return t
}

// expr checks an expression. Its type is Void after an error.
func (c *Checker) expr(e syntax.Expr) *sem.ExprInfo {
	x := &c.info.Exprs[e]
	n := c.tree.Expr(e)
	switch n.Kind {
	case syntax.LiteralExpr:
		x.Type = c.literalType(n)
		if x.Type != ir.Void {
			x.Value = c.module.ConstScalar(x.Type, n.Value)
		}
	case syntax.StringExpr:
		c.error(diag.InvalidType, n.Span, "a string is the format of printf or assert, and nothing else", diag.Note{Message: "values of kernels are numbers and bools"})
	case syntax.IdentExpr:
		c.identifier(n, x)
	case syntax.ParenExpr:
		*x = *c.expr(n.A)
	case syntax.UnaryExpr:
		c.unary(e, n, x)
	case syntax.BinaryExpr:
		c.binary(e, n, x)
	case syntax.IndexExpr:
		c.index(e, n, x)
	case syntax.MemberExpr:
		c.member(e, n, x)
	case syntax.CallExpr:
		c.call(e, n, x)
		if x.Type == ir.Void && x.Call != sem.NoCall {
			c.error(diag.NotAValue, n.Span, "the function "+c.callName(n)+" has no result",
				diag.Note{Message: "it is called in a statement of its own"})
			x.Call = sem.NoCall
		}
	}
	return x
}

func (c *Checker) literalType(n *syntax.ExprNode) ir.Type {
	if n.Literal == scalar.F16 {
		return c.scalarType(scalar.F16, n.Span)
	}
	return ir.Type(n.Literal)
}

// objectNames describe objects in messages.
var objectNames = [...]string{
	sem.BadObject: "a name in error", sem.ConstObject: "a constant", sem.OverrideObject: "an override", sem.GlobalObject: "a variable",
	sem.LocalObject: "a variable", sem.LetObject: "a value", sem.ParameterObject: "a parameter", sem.FunctionObject: "a function",
	sem.StructObject: "a type", sem.AliasObject: "a type",
}

// identifier checks an identifier that is a value.
func (c *Checker) identifier(n *syntax.ExprNode, x *sem.ExprInfo) {
	o := c.current[n.Name]
	if o == 0 {
		p := sem.Lookup(n.Name)
		if p.Kind == sem.NotPredeclared {
			c.unknownName(n.Name, n.Span, wantValue, 0)
			return
		}
		d := diag.Diagnostic{Code: diag.NotAValue, Span: n.Span,
			Message: "`" + c.tree.Text(n.Name) + "` is " + predeclaredNames[p.Kind] + ", and a value is needed here"}
		if p.Kind == sem.FunctionName {
			d.Notes = []diag.Note{{Message: "functions are called with parentheses, and cannot be values"}}
		}
		c.list.Add(d)
		return
	}
	c.resolve(o, n.Span)
	info := c.object(o)
	x.Object = o
	if n.HasTemplate {
		c.error(diag.InvalidType, n.Span, "`"+c.tree.Text(n.Name)+"` is "+objectNames[info.Kind]+" and takes no template arguments",
			diag.Note{Message: "a `<` after a name and its `>` are read as a template list; write (a < b) where a comparison is meant"})
		return
	}
	c.checkBypass(o, n.Span)
	switch info.Kind {
	case sem.ConstObject, sem.OverrideObject:
		x.Type, x.Value = info.Type, info.Value
		c.check(x.Value)
	case sem.GlobalObject:
		c.graph.Use(o)
		x.Type = c.module.Globals[info.Value.Index()].Type
		x.Reference = true
	case sem.LocalObject:
		if info.Type != ir.Void {
			x.Type = c.module.PointerTo(ir.Function, info.Type, ir.ReadWrite)
			x.Reference = true
		}
	case sem.LetObject, sem.ParameterObject:
		x.Type = info.Type
	case sem.BadObject:
	default:
		c.error(diag.NotAValue, n.Span, "`"+c.tree.Text(n.Name)+"` is "+objectNames[info.Kind]+", and a value is needed here", c.info.DeclaredHere(o))
	}
	if x.Type == ir.Void {
		x.Reference = false
	}
}

// unary checks &x, *x and the unary operators.
func (c *Checker) unary(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo) {
	switch n.Op {
	case syntax.And:
		c.addressOf(n, x)
		return
	case syntax.Star:
		t := c.value(n.A)
		if t == ir.Void {
			return
		}
		if !c.module.IsPointer(t) {
			d := diag.Diagnostic{Code: diag.InvalidPointer, Span: n.Span, Message: "`*` needs a pointer, found " + c.types.Name(t)}
			if start := n.Span.Start; start > c.tree.File.Base && c.tree.Source(source.Span{Start: start - 1, End: start}) == "*" {
				d.Notes = append(d.Notes, diag.Note{Message: "WGSL has no operator `**`; write pow(x, y)"})
			}
			c.list.Add(d)
			return
		}
		x.Type, x.Reference = t, true
		return
	}
	t := c.value(n.A)
	if t == ir.Void {
		return
	}
	c.operator(e, sem.UnaryRows(n.Op), x, n.A)
}

func (c *Checker) addressOf(n *syntax.ExprNode, x *sem.ExprInfo) {
	inner := *c.expr(n.A)
	switch {
	case inner.Type == ir.Void:
	case !inner.Reference:
		c.error(diag.InvalidPointer, n.Span, "`&` needs a variable or a part of one, found a value of type "+c.types.Name(inner.Type))
	case c.module.SpaceOf(inner.Type) == ir.Handle:
		c.error(diag.InvalidPointer, n.Span, "a "+c.types.Name(c.module.Element(inner.Type))+" has no address")
	case c.module.IsTile(c.module.Element(inner.Type)):
		c.error(diag.InvalidPointer, n.Span, "a tile has no address",
			diag.Note{Message: "pass the tile itself; a function that changes it returns the new one"})
	case c.isComponent(n.A):
		c.error(diag.InvalidPointer, n.Span, "a component of a vector has no address")
	default:
		x.Type = inner.Type
	}
}

// isComponent reports whether a reference is to a component of a vector.
func (c *Checker) isComponent(e syntax.Expr) bool {
	n := c.tree.Expr(c.tree.Unparen(e))
	if n.Kind != syntax.IndexExpr && n.Kind != syntax.MemberExpr {
		return false
	}
	base := c.info.ValueType(n.A)
	if c.module.IsPointer(base) {
		base = c.module.Element(base)
	}
	return c.module.IsVector(base)
}

// operator resolves an operator whose operands have been checked.
func (c *Checker) operator(e syntax.Expr, r sem.Rows, x *sem.ExprInfo, operands ...syntax.Expr) {
	mark := len(c.views)
	concrete := false
	for _, o := range operands {
		info := &c.info.Exprs[o]
		concrete = concrete || !info.Value.IsConst()
		c.views = append(c.views, c.overloads.ViewOf(c.info.ValueType(o)))
	}
	var b overload.Binding
	row := c.overloads.Resolve(r, c.views[mark:], concrete, &b)
	if row == 0 {
		c.noOperator(e, r, operands, c.views[mark:])
		c.views = c.views[:mark]
		return
	}
	c.views = c.views[:mark]
	c.finishRow(e, row, &b, x, operands)
}

// finishRow converts the arguments of a resolved row, and sets the type and, if known, the value of
// the expression.
func (c *Checker) finishRow(e syntax.Expr, row uint16, b *overload.Binding, x *sem.ExprInfo, arguments []syntax.Expr) {
	builtin := &sem.Builtins[row]
	mark := len(c.values)
	all, some := true, false
	for i, a := range arguments {
		info := &c.info.Exprs[a]
		if c.types.IsAbstract(c.info.ValueType(a)) {
			c.convert(a, c.overloads.Parameter(row, i, b))
		}
		c.values = append(c.values, info.Value)
		all = all && info.Value != 0
		some = some || info.Value != 0
	}
	x.Builtin = row
	x.Type = c.overloads.Result(row, b)
	if builtin.Flags&sem.Runtime == 0 {
		values := c.values[mark:]
		switch {
		case all:
			c.b.Span = c.tree.Expr(e).Span
			c.setValue(e, c.evaluate(builtin, x.Type, values))
		case !some:
		case builtin.Expansion == expand.None || builtin.Expansion == expand.Arithmetic:
			c.checkPartial(e, builtin.Op, x.Type, values)
		case builtin.Expansion == expand.Smoothstep:
			if !c.smoothstepEdges(x.Type, values[0], values[1]) {
				c.setValue(e, 0)
				x.Value = 0
			}
			c.checkEdges(e, values[0], values[1])
		}
	}
	c.values = c.values[:mark]
}

// noOperator reports operands that match no overload of an operator.
func (c *Checker) noOperator(e syntax.Expr, r sem.Rows, operands []syntax.Expr, views []overload.View) {
	n := c.tree.Expr(e)
	d := diag.Diagnostic{Code: diag.NoOverload, Span: n.Span}
	if len(operands) == 1 {
		d.Message = "the operator `" + n.Op.String() + "` does not take " + c.types.Name(views[0].Type)
		c.overloads.ExplainUnary(&d, n.Op, operands[0], &views[0])
	} else {
		d.Message = "the operator `" + n.Op.String() + "` does not take " + c.types.Name(views[0].Type) + " and " + c.types.Name(views[1].Type)
		c.overloads.ExplainBinary(&d, n.Op, [2]syntax.Expr(operands), views, false)
	}
	d.Notes = append(d.Notes, c.overloads.Candidates(r, views)...)
	c.list.Add(d)
}

// binary checks the binary operators.
func (c *Checker) binary(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo) {
	a := c.value(n.A)
	if n.Op == syntax.AndAnd || n.Op == syntax.OrOr {
		c.shortCircuit(e, n, x, a)
		return
	}
	b := c.value(n.B)
	if a == ir.Void || b == ir.Void {
		return
	}
	operands := [2]syntax.Expr{n.A, n.B}
	c.operator(e, sem.BinaryRows(n.Op), x, operands[:]...)
}

// shortCircuit checks && and ||. A right side that a known left side skips is type-checked and not
// evaluated (WGSL §8.6).
func (c *Checker) shortCircuit(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, a ir.Type) {
	left := c.info.Exprs[n.A].Value
	decided := a == ir.Bool && left.IsConst() && (c.module.ConstBits(left) != 0) == (n.Op == syntax.OrOr)
	if decided {
		c.skipping++
	}
	if left.IsOverride() {
		c.lazy++
	}
	b := c.value(n.B)
	if decided {
		c.skipping--
	}
	if left.IsOverride() {
		c.lazy--
	}
	if a == ir.Void || b == ir.Void {
		return
	}
	if a != ir.Bool || b != ir.Bool {
		views := [2]overload.View{c.overloads.ViewOf(a), c.overloads.ViewOf(b)}
		c.noOperator(e, sem.BinaryRows(n.Op), []syntax.Expr{n.A, n.B}, views[:])
		return
	}
	x.Type = ir.Bool
	x.Builtin = sem.BinaryRows(n.Op).First
	right := c.info.Exprs[n.B].Value
	switch {
	case left == 0 || right == 0:
	case left.IsConst():
		x.Value = right
		if decided {
			x.Value = left
		}
	default:
		yes, no := right, c.module.ConstBool(false)
		if n.Op == syntax.OrOr {
			yes, no = c.module.ConstBool(true), right
		}
		c.b.Span = n.Span
		x.Value = c.b.Choose(ir.Bool, left, yes, no)
		c.check(x.Value)
	}
}

// notConstant reports an expression that must be known, with the subexpression that makes it a
// run-time expression.
func (c *Checker) notConstant(e syntax.Expr, what string, overrides bool) {
	kind := "a const-expression"
	if overrides {
		kind = "a const- or override-expression"
	}
	d := diag.Diagnostic{Code: diag.NotConstant, Span: c.tree.Expr(e).Span, Message: what + " must be " + kind}
	if cause := c.cause(e, overrides); cause != 0 {
		n := c.tree.Expr(cause)
		switch o := c.info.Exprs[cause].Object; {
		case n.Kind == syntax.CallExpr:
			d.Notes = append(d.Notes, diag.Note{Span: n.Span, Message: "this call is evaluated at run time"})
		case o != 0:
			d.Notes = append(d.Notes, diag.Note{Span: c.object(o).Span,
				Message: "`" + c.tree.Text(c.object(o).Name) + "` is " + objectNames[c.object(o).Kind] + ", which is not known before"})
			if info := c.object(o); info.Kind == sem.LetObject && c.info.Exprs[c.tree.Decl(info.Decl).Init].Value.IsConst() {
				d.Notes[0].Message += "; a `const` would be"
			}
		}
	}
	c.list.Add(d)
}

// cause returns the innermost subexpression whose value is not known.
func (c *Checker) cause(e syntax.Expr, overrides bool) syntax.Expr {
	unknown := func(e syntax.Expr) bool {
		v := c.info.Exprs[e].Value
		return e != 0 && (v == 0 || !overrides && v.IsOverride())
	}
	n := c.tree.Expr(e)
	if n.Kind == syntax.CallExpr {
		for _, a := range c.tree.ExprList(n.List) {
			if unknown(a) {
				return c.cause(a, overrides)
			}
		}
		return e
	}
	if n.Kind == syntax.IdentExpr {
		return e
	}
	if unknown(n.A) && n.A != 0 {
		return c.cause(n.A, overrides)
	}
	if n.Kind != syntax.MemberExpr && n.B != 0 && unknown(n.B) {
		return c.cause(n.B, overrides)
	}
	return e
}

// constant checks that an expression's value is a constant.
func (c *Checker) constant(e syntax.Expr, what string) (ir.Value, bool) {
	x := &c.info.Exprs[e]
	if x.Type == ir.Void {
		return 0, false
	}
	if !x.Value.IsConst() {
		c.notConstant(e, what, false)
		return 0, false
	}
	return x.Value, true
}

// constInteger evaluates an expression that must be a constant i32 or u32. what names it in
// messages.
func (c *Checker) constInteger(e syntax.Expr, what func() string) (int64, bool) {
	t := c.value(e)
	if t == ir.Void {
		return 0, false
	}
	if !types.IsInteger(t) {
		c.error(diag.TypeMismatch, c.tree.Expr(e).Span, what()+" must be an i32 or u32, found "+c.types.Name(t))
		return 0, false
	}
	c.concretize(e)
	v := c.info.Exprs[e].Value
	if !v.IsConst() {
		c.constant(e, what()) // which says so
		return 0, false
	}
	return scalar.ToInt64(scalar.Kind(c.module.TypeOf(v)), c.module.ConstBits(v)), true
}

// constAssert checks a const_assert.
func (c *Checker) constAssert(e syntax.Expr, span source.Span) {
	if !c.expect(e, ir.Bool, "assert a condition of type", source.Span{}, "") {
		return
	}
	v, ok := c.constant(e, "the condition of const_assert")
	if !ok || c.module.ConstBits(v) != 0 {
		return
	}
	d := diag.Diagnostic{Code: diag.ConstAssertFailed, Span: span, Message: "the assertion does not hold"}
	if n := c.tree.Expr(c.tree.Unparen(e)); n.Kind == syntax.BinaryExpr {
		a, b := c.info.Exprs[n.A].Value, c.info.Exprs[n.B].Value
		if a.IsConst() && b.IsConst() && c.module.IsScalar(c.module.TypeOf(a)) && c.module.IsScalar(c.module.TypeOf(b)) {
			d.Notes = []diag.Note{{Message: "the operands of `" + n.Op.String() + "` are " + c.constText(a) + " and " + c.constText(b)}}
		}
	}
	c.list.Add(d)
}
