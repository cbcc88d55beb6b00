package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file checks calls of functions and of builtin functions (WGSL §11.2, §17). Calls of types
// are in construct.go.

// callName returns the callee's name for messages.
func (c *Checker) callName(n *syntax.ExprNode) string {
	return "`" + c.tree.Text(c.tree.Expr(n.A).Name) + "`"
}

// call checks a call expression. A function without result gives the type Void and a Call that is
// not NoCall.
func (c *Checker) call(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo) {
	callee := c.tree.Expr(n.A)
	arguments := c.tree.ExprList(n.List)
	if callee.Kind != syntax.IdentExpr {
		c.arguments(arguments)
		return
	}
	if o := c.current[callee.Name]; o != 0 {
		c.resolve(o, callee.Span)
		c.info.Exprs[n.A].Object = o
		switch info := c.object(o); info.Kind {
		case sem.FunctionObject:
			c.userCall(n, x, o, arguments)
			return
		case sem.StructObject, sem.AliasObject, sem.BadObject:
		default:
			c.arguments(arguments)
			declared := c.info.DeclaredHere(o)
			if sem.Lookup(callee.Name).Kind == sem.FunctionName {
				declared.Message += ", and hides the builtin function of this name"
			}
			c.error(diag.NotCallable, callee.Span, "`"+c.tree.Text(callee.Name)+"` is "+objectNames[info.Kind]+", and cannot be called", declared)
			return
		}
	} else {
		switch p := sem.Lookup(callee.Name); p.Kind {
		case sem.NotPredeclared:
			if format := slices.Index(messageFunctions[:], c.tree.Text(callee.Name)); format >= 0 && !c.lost(callee.Name) {
				c.message(n, x, format, arguments)
				return
			}
			c.arguments(arguments)
			c.unknownName(callee.Name, callee.Span, wantFunction, len(arguments))
			return
		case sem.FunctionName:
			c.builtinCall(e, n, x, sem.Rows{First: p.A, Count: p.B}, arguments)
			return
		case sem.SpaceName, sem.AccessName, sem.FormatName, sem.OrderName:
			c.arguments(arguments)
			c.error(diag.NotCallable, callee.Span, "`"+c.tree.Text(callee.Name)+"` is "+predeclaredNames[p.Kind]+", and cannot be called")
			return
		}
	}
	c.construct(e, n, x, arguments)
}

// arguments checks the arguments of a call that is in error.
func (c *Checker) arguments(arguments []syntax.Expr) bool {
	ok := true
	for _, a := range arguments {
		ok = c.value(a) != ir.Void && ok
	}
	return ok
}

// userCall checks the call of a function of the program.
func (c *Checker) userCall(n *syntax.ExprNode, x *sem.ExprInfo, o sem.Object, arguments []syntax.Expr) {
	info := c.object(o)
	if c.tree.Expr(n.A).HasTemplate {
		c.error(diag.InvalidType, c.tree.Expr(n.A).Span, "`"+c.tree.Text(info.Name)+"` is a function and takes no template arguments")
	}
	f := &c.info.Functions[info.Function]
	parameters := f.Parameters
	if len(arguments) != len(parameters) {
		c.arguments(arguments)
		c.error(diag.ArgumentCount, n.Span, "`"+c.tree.Text(info.Name)+"` takes "+diag.Plural(len(parameters), "argument")+", found "+diag.Plural(len(arguments), "argument"),
			c.info.DeclaredHere(o))
	} else {
		for i, a := range arguments {
			p := c.object(parameters[i])
			if p.Type == ir.Void {
				c.value(a)
				continue
			}
			if from := c.value(a); !c.shrinks(from, p.Type) {
				c.fit(a, from, p.Type, "pass this as", p.Span, "the parameter is declared here")
			}
		}
	}
	x.Call, x.Object, x.Type = sem.UserCall, o, f.Result
	if f.Result == ir.Void && c.tree.Decl(f.Decl).Result != 0 {
		x.Call = sem.NoCall // the result type is in error
	}
	if f.Stage != sem.NoStage {
		c.error(diag.NotCallable, n.Span, "`"+c.tree.Text(info.Name)+"` is an entry point, which only the pipeline calls", c.info.DeclaredHere(o))
	}
	c.graph.Call(n.Span, info.Function, arguments)
}

// builtinCall checks the call of a builtin function.
func (c *Checker) builtinCall(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, r sem.Rows, arguments []syntax.Expr) {
	callee := c.tree.Expr(n.A)
	if sem.Builtins[r.First].Expansion == expand.TileMap {
		c.tileMap(n, x, r.First, arguments)
		return
	}
	order, template, ok := c.orderArgument(callee, r)
	if order == 0 {
		template, ok = c.templateArgument(callee, r.First)
	}
	flags := sem.Builtins[r.First].Flags
	if flags&sem.NeedsSubgroups != 0 && c.enabled&extensionSubgroups == 0 {
		c.error(diag.MissingExtension, callee.Span, c.callName(n)+" needs the extension subgroups",
			diag.Note{Message: "write `enable subgroups;` at the beginning of the file"})
	}
	if flags&sem.NeedsAtomicPair != 0 && c.enabled&extensionAtomicPair == 0 {
		c.error(diag.MissingExtension, callee.Span, c.callName(n)+" needs the extension atomic_vec2u_min_max")
	}
	if flags&sem.NeedsTiles != 0 {
		c.needTiles(c.tree.Text(callee.Name), callee.Span)
	}
	if flags&sem.NeedsSubgroupMatrix != 0 {
		c.needMatrices(c.tree.Text(callee.Name), callee.Span)
	}
	mark := len(c.views)
	concrete := flags&sem.Runtime != 0
	for _, a := range arguments {
		t := c.value(a)
		ok = ok && t != ir.Void
		concrete = concrete || !c.info.Exprs[a].Value.IsConst()
		if t != ir.Void {
			c.views = append(c.views, c.overloads.ViewOf(t))
		}
	}
	if !ok {
		c.views = c.views[:mark]
		return
	}
	var b overload.Binding
	row := c.overloads.Resolve(r, c.views[mark:], concrete, &b)
	if row == 0 {
		c.noBuiltin(n, r, arguments, c.views[mark:])
		c.views = c.views[:mark]
		return
	}
	c.views = c.views[:mark]
	b.Template = template
	if template != ir.Void && !c.restrictTemplate(n, row, &b, arguments) {
		return
	}
	if !c.restrictOrder(n, row, order, x) {
		return
	}
	x.Call = sem.BuiltinCall
	c.finishRow(e, row, &b, x, arguments)
	c.restrictBuiltin(e, n, row, arguments)
	c.graph.UseBuiltin(row, n.Span, arguments)
}

// noBuiltin reports arguments that match no overload.
func (c *Checker) noBuiltin(n *syntax.ExprNode, r sem.Rows, arguments []syntax.Expr, views []overload.View) {
	d := diag.Diagnostic{Code: diag.NoOverload, Span: n.Span}
	least, most := overload.Arities(r)
	if len(arguments) < least || len(arguments) > most {
		d.Code = diag.ArgumentCount
		want := diag.Plural(most, "argument")
		if least < most {
			want = strconv.Itoa(least) + " to " + want
		}
		d.Message = c.callName(n) + " takes " + want + ", found " + diag.Plural(len(arguments), "argument")
	} else {
		d.Message = c.callName(n) + " does not take " + c.typeNames(arguments)
		c.overloads.ExplainCall(&d, r, arguments, views)
	}
	d.Notes = append(d.Notes, c.overloads.Candidates(r, views)...)
	c.list.Add(d)
}

// typeNames lists the types of arguments in parentheses.
func (c *Checker) typeNames(arguments []syntax.Expr) string {
	names := make([]string, len(arguments))
	for i, a := range arguments {
		names[i] = c.types.Name(c.info.ValueType(a))
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// maxLane is the greatest subgroup size (WGSL §15.6).
const maxLane = 128

// restrictBuiltin checks rules on arguments that types do not express.
func (c *Checker) restrictBuiltin(e syntax.Expr, n *syntax.ExprNode, row uint16, arguments []syntax.Expr) {
	b := &sem.Builtins[row]
	switch {
	case b.Flags&(sem.ConstLane|sem.LaneLimit) != 0:
		x := &c.info.Exprs[arguments[1]]
		span := c.tree.Expr(arguments[1]).Span
		if b.Flags&sem.ConstLane != 0 && !x.Value.IsConst() {
			c.notConstant(arguments[1], "the second argument of "+c.callName(n), false)
			return
		}
		limit := uint64(maxLane)
		if b.Op == op.QuadBroadcast {
			limit = 4
		}
		if x.Value.IsOverride() {
			count := c.module.ConstU32(uint32(limit))
			c.checkBelow(arguments[1], x.Value, count, "this is {} and must be below {}", x.Value, count)
		}
		if !x.Value.IsConst() {
			return
		}
		if v, ok := c.module.ConstUint(x.Value); !ok || v >= limit {
			c.error(diag.EvaluationError, span, "the second argument of "+c.callName(n)+" must be at least 0 and less than "+itoa(limit)+", found "+c.constText(x.Value))
		}
	case b.Op == op.TileStore:
		c.restrictTileStore(n, arguments)
	case b.Expansion == expand.SubgroupMatrix:
		c.restrictSubgroupMatrix(e, n, b, arguments)
	case b.Op == op.View:
		c.restrictView(n, c.module.Element(c.info.Exprs[arguments[0]].Type), c.module.Element(c.info.Exprs[e].Type), arguments)
	case b.Expansion == expand.Texture || b.Expansion == expand.ImplicitSample:
		c.restrictTexture(n, row, arguments)
	}
}

// restrictTexture checks offsets and gather components: constants in a range (WGSL §17.7).
func (c *Checker) restrictTexture(n *syntax.ExprNode, row uint16, arguments []syntax.Expr) {
	for i, a := range arguments {
		what, low, high := "the offset", int64(-8), int64(7)
		if overload.IsChannel(row, i) {
			what, low, high = "the component", 0, 3
		} else if !overload.IsOffset(row, i) {
			continue
		}
		v, ok := c.constant(a, what)
		if !ok {
			continue
		}
		k := c.module.ScalarOf(c.module.TypeOf(v))
		for j := range max(c.module.Components(c.module.TypeOf(v)), 1) {
			if x := scalar.ToInt64(k, c.component(v, j)); x < low || x > high {
				c.error(diag.EvaluationError, c.tree.Expr(a).Span, what+" of "+c.callName(n)+" must be from "+constInt(low)+" to "+constInt(high)+", found "+constInt(x))
				break
			}
		}
	}
}

// templateArgument returns the template argument of a builtin's call, or Void if it takes none. ok
// is false if a required one is missing.
func (c *Checker) templateArgument(callee *syntax.ExprNode, row uint16) (t ir.Type, ok bool) {
	name := c.tree.Text(callee.Name)
	arguments := c.tree.ExprList(callee.List)
	switch {
	case !overload.TakesTemplate(row):
		if callee.HasTemplate {
			c.error(diag.InvalidType, callee.Span, "`"+name+"` takes no template arguments")
		}
		return ir.Void, true
	case len(arguments) != 1:
		c.error(diag.InvalidType, callee.Span, "`"+name+"` takes one template argument, a type: "+name+"<T>(…)")
		return ir.Void, false
	}
	t = c.typeExpr(arguments[0])
	return t, t != ir.Void
}

// restrictTemplate checks the rules on a template argument, before it determines the type of the
// call.
func (c *Checker) restrictTemplate(n *syntax.ExprNode, row uint16, b *overload.Binding, arguments []syntax.Expr) bool {
	switch sem.Builtins[row].Op {
	case op.Bitcast:
		return c.restrictBitcast(n, row, b, arguments[0])
	case op.View:
		return c.viewedType(n, b.Template, len(arguments) > 2)
	case op.TileLoad, op.TileSplat, op.TileConvert, op.TileBroadcast:
		return c.restrictTile(n, row, b, arguments)
	case op.FragmentLoad, op.FragmentMulAdd:
		return c.restrictMatrixTemplate(n, row, b)
	}
	return true
}

// restrictBitcast checks the types of bitcast<T>(e) (WGSL §17.2.1).
func (c *Checker) restrictBitcast(n *syntax.ExprNode, row uint16, b *overload.Binding, argument syntax.Expr) bool {
	m, to := c.module, b.Template
	if m.Components(to) == 0 || !m.ScalarOf(to).IsNumeric() || m.ScalarOf(to).IsNarrow() {
		c.error(diag.NoOverload, c.tree.Expr(c.tree.ExprList(c.tree.Expr(n.A).List)[0]).Span, "`bitcast` needs numeric scalars or vectors, found "+c.types.Name(to))
		return false
	}
	if m.ScalarOf(to) == scalar.U32 && c.types.LeafKind(c.info.ValueType(argument)) == scalar.AbstractInt {
		b.Kinds[0] = scalar.U32 // a separate overload
	}
	from := c.overloads.Parameter(row, 0, b)
	size := func(t ir.Type) int { return m.Components(t) * m.ScalarOf(t).Bits() }
	if size(to) != size(from) || m.ScalarOf(to).Bits() == m.ScalarOf(from).Bits() && m.Components(to) != m.Components(from) {
		c.error(diag.NoOverload, n.Span, "`bitcast` needs types of equal size: "+c.types.Name(from)+" and "+c.types.Name(to)+" differ")
		return false
	}
	return true
}
