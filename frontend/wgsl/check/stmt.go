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
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks statements (WGSL §9) and, in the same walk, computes their behaviour (§9.7) as a
// bit set.

// control says which jumps are allowed.
type control struct {
	canBreak, canContinue bool
	// inContinuing says that a continuing block is around, and the other two that a break or a
	// continue would leave it.
	inContinuing, breakInContinuing, continueInContinuing bool
}

// bypass finds continue statements that skip declarations which the continuing block uses (WGSL
// §9.4.6).
type bypass struct {
	first  sem.Object // the first object after the first continue, or 0
	span   source.Span
	depth  uint16 // of the loop's body
	active bool   // the continuing block is being checked
}

// statementAttributes checks the attributes of a statement.
func (c *Checker) statementAttributes(list syntax.List) {
	if list.Len > 0 {
		c.readAttributes(list, onStatement)
	}
}

// sequence checks the statements of a block.
func (c *Checker) sequence(block syntax.Stmt) sem.Behaviour {
	b := sem.NextBehaviour
	for _, s := range c.tree.StmtList(c.tree.Stmt(block).List) {
		after := c.statement(s)
		if b&sem.NextBehaviour != 0 {
			b = b&^sem.NextBehaviour | after
		}
		b |= after & sem.BadBehaviour
	}
	c.info.Behaviours[block] = b
	return b
}

// block checks a statement in a new scope.
func (c *Checker) block(s syntax.Stmt) sem.Behaviour {
	if s == 0 {
		return sem.NextBehaviour
	}
	n := c.tree.Stmt(s)
	if n.Kind != syntax.BlockStmt {
		return c.statement(s)
	}
	c.statementAttributes(n.Attributes)
	mark := c.enterScope()
	b := c.sequence(s)
	c.leaveScope(mark)
	return b
}

// statement checks a statement.
func (c *Checker) statement(s syntax.Stmt) sem.Behaviour {
	b := c.behaviour(s)
	c.info.Behaviours[s] = b
	return b
}

func (c *Checker) behaviour(s syntax.Stmt) sem.Behaviour {
	n := c.tree.Stmt(s)
	switch n.Kind {
	case syntax.BlockStmt:
		return c.block(s)
	case syntax.DeclStmt:
		c.localDecl(n.Decl)
	case syntax.AssignStmt:
		c.assign(n)
	case syntax.IncrementStmt, syntax.DecrementStmt:
		c.increment(n)
	case syntax.CallStmt:
		c.callStatement(n)
	case syntax.ReturnStmt:
		c.returnStatement(n)
		return sem.ReturnBehaviour
	case syntax.IfStmt:
		c.statementAttributes(n.Attributes)
		c.condition(n.A, "if")
		b := c.block(n.Body)
		return b | c.block(n.Else)
	case syntax.SwitchStmt:
		return c.switchStatement(n)
	case syntax.LoopStmt, syntax.ForStmt, syntax.WhileStmt:
		return c.loop(n)
	case syntax.BreakStmt:
		return c.breakStatement(n)
	case syntax.BreakIfStmt:
		c.condition(n.A, "break if")
		return sem.NextBehaviour | sem.BreakBehaviour
	case syntax.ContinueStmt:
		return c.continueStatement(n)
	case syntax.DiscardStmt:
		c.graph.UseStage(sem.FragmentOnly, n.Span, "discard")
	case syntax.ConstAssertStmt:
		c.constAssert(n.A, n.Span)
	case syntax.BadStmt:
		return sem.NextBehaviour | sem.BadBehaviour
	}
	return sem.NextBehaviour
}

// condition checks a condition.
func (c *Checker) condition(e syntax.Expr, what string) {
	t := c.value(e)
	if t != ir.Void && t != ir.Bool {
		d := diag.Diagnostic{Code: diag.TypeMismatch, Span: c.tree.Expr(e).Span,
			Message: "the condition of " + what + " must be a bool, found " + c.types.Name(t), Label: c.types.Name(t)}
		switch {
		case types.IsInteger(t):
			before, behind := "", " != 0"
			if k := c.tree.Expr(e).Kind; k == syntax.BinaryExpr || k == syntax.UnaryExpr {
				before, behind = "(", ") != 0"
			}
			c.overloads.WrapFix(&d, diag.FixComparison, d.Span, before, behind)
		case c.module.IsVector(t) && c.module.ScalarOf(t) == scalar.Bool:
			d.Notes = append(d.Notes, diag.Note{Message: "all(v) is true if every component is, any(v) if one of them is"})
		}
		c.list.Add(d)
	}
}

// target checks the left side of an assignment and returns the type of the memory, or Void.
func (c *Checker) target(e syntax.Expr) ir.Type {
	m := c.module
	x := c.expr(e)
	if x.Type == ir.Void {
		return ir.Void
	}
	span := c.tree.Expr(e).Span
	memory, t := x.Type, m.Element(x.Type)
	if member, swizzle, count := c.info.SwizzleTarget(e); member != 0 {
		memory, t = c.info.Exprs[c.tree.Expr(member).A].Type, x.Type
		if repeated(swizzle, count) {
			c.error(diag.NotAssignable, span, "a swizzle that names a component twice cannot be assigned to")
			return ir.Void
		}
	} else if !x.Reference {
		c.notAssignable(e, x.Type)
		return ir.Void
	}
	switch {
	case m.SpaceOf(memory) == ir.Handle:
		c.error(diag.NotAssignable, span, "a texture or sampler cannot be assigned to")
		return ir.Void
	case m.SpaceOf(memory).ReadOnly() || m.AccessOf(memory) == ir.Read:
		d := diag.Diagnostic{Code: diag.InvalidAccess, Span: span, Message: "memory in address space " + m.SpaceOf(memory).String() + " cannot be written here"}
		switch m.SpaceOf(memory) {
		case ir.Storage:
			d.Message = "the storage variable is read-only"
			d.Notes = append(d.Notes, diag.Note{Message: "declare it as var<storage, read_write> to write it"})
		case ir.Uniform:
			d.Notes = append(d.Notes, diag.Note{Message: "uniform buffers are read-only; what is written is a var<storage, read_write>"})
		}
		if root := c.info.RootOf(e); root != 0 {
			d.Notes = append(d.Notes, c.info.DeclaredHere(root))
		}
		c.list.Add(d)
		return ir.Void
	case !c.types.Is(t, types.Constructible):
		note := diag.Note{Message: notConstructible(c, t)}
		if m.KindOf(t) == ir.AtomicType {
			note.Message = "atomics are written with atomicStore"
		}
		c.error(diag.NotAssignable, span, "memory of type "+c.types.Name(t)+" cannot be assigned to", note)
		return ir.Void
	}
	return t
}

// repeated reports whether a swizzle names a component more than once.
func repeated(swizzle uint32, count int) bool {
	seen := 0
	for i := range count {
		bit := 1 << op.SwizzleComponent(swizzle, i)
		if seen&bit != 0 {
			return true
		}
		seen |= bit
	}
	return false
}

// notAssignable reports a left side that is not a reference.
func (c *Checker) notAssignable(e syntax.Expr, t ir.Type) {
	n := c.tree.Expr(e)
	d := diag.Diagnostic{Code: diag.NotAssignable, Span: n.Span, Message: "this value cannot be assigned to"}
	inner := c.tree.Unparen(e)
	for {
		n = c.tree.Expr(inner)
		if n.Kind != syntax.IndexExpr && n.Kind != syntax.MemberExpr {
			break
		}
		if n.Kind == syntax.IndexExpr && c.info.Exprs[c.tree.Unparen(n.A)].SwizzleCount > 1 {
			d.Message = "a component of a swizzle is assigned to by its letter, not by an index"
			c.list.Add(d)
			return
		}
		inner = c.tree.Unparen(n.A)
	}
	if o := c.info.Exprs[inner].Object; o != 0 && n.Kind == syntax.IdentExpr {
		info := c.object(o)
		d.Message = "`" + c.tree.Text(info.Name) + "` is " + objectNames[info.Kind] + " and cannot be assigned to"
		note := c.info.DeclaredHere(o)
		if info.Kind == sem.LetObject && !c.module.IsPointer(info.Type) {
			note.Message += "; a `var` could be assigned to"
		}
		if info.Kind == sem.ParameterObject && !c.module.IsPointer(info.Type) {
			note.Message += "; copy it to a `var` of another name"
		}
		d.Notes = append(d.Notes, note)
		if c.module.IsPointer(t) {
			d.Message = "`" + c.tree.Text(info.Name) + "` is a pointer; assign to what it points to with *" + c.tree.Text(info.Name)
		}
	}
	c.list.Add(d)
}

// assign checks an assignment.
func (c *Checker) assign(n *syntax.StmtNode) {
	if n.A == 0 { // _ = e
		t := c.value(n.B)
		if t == ir.Void || c.types.IsAbstract(t) { // a constant, which need not fit a concrete type
			return
		}
		if !c.types.Is(t, types.Constructible) && !c.passable(t) {
			c.error(diag.TypeMismatch, c.tree.Expr(n.B).Span, "a value of type "+c.types.Name(t)+" cannot be read", diag.Note{Message: "assign its address to _ instead: _ = &…"})
		}
		return
	}
	if left := c.tree.Expr(n.A); n.Op == syntax.Assign && c.undeclared(left) {
		c.unknownName(left.Name, left.Span, wantTarget, 0)
		c.value(n.B)
		return
	}
	t := c.target(n.A)
	if n.Op == syntax.Assign {
		if t == ir.Void {
			c.value(n.B)
			return
		}
		c.graph.Access(n.A, callgraph.Writing)
		c.expect(n.B, t, "assign to memory of type", source.Span{}, "")
		return
	}
	right := c.value(n.B)
	if t == ir.Void || right == ir.Void {
		return
	}
	c.graph.Access(n.A, callgraph.Reading)
	c.graph.Access(n.A, callgraph.Writing)
	operands := [2]overload.View{c.overloads.ViewOf(t), c.overloads.ViewOf(right)}
	r := sem.BinaryRows(n.Op)
	var b overload.Binding
	row := c.overloads.Resolve(r, operands[:], true, &b)
	if row != 0 {
		if c.overloads.Result(row, &b) == t {
			c.convert(n.B, c.overloads.Parameter(row, 1, &b))
			values := [2]ir.Value{0, c.info.Exprs[n.B].Value}
			if e := sem.Builtins[row].Expansion; e == expand.None || e == expand.Arithmetic {
				c.checkPartial(n.B, sem.Builtins[row].Op, t, values[:])
			}
			return
		}
	}
	d := diag.Diagnostic{Code: diag.NoOverload, Span: n.Span,
		Message: "the operator `" + n.Op.String() + "=` does not take " + c.types.Name(t) + " and " + c.types.Name(right)}
	c.overloads.ExplainBinary(&d, n.Op, [2]syntax.Expr{n.A, n.B}, operands[:], true)
	d.Notes = append(d.Notes, c.overloads.Candidates(r, operands[:])...)
	c.list.Add(d)
}

// increment checks ++ and --.
func (c *Checker) increment(n *syntax.StmtNode) {
	t := c.target(n.A)
	if t == ir.Void {
		return
	}
	c.graph.Access(n.A, callgraph.Reading)
	c.graph.Access(n.A, callgraph.Writing)
	if t != ir.I32 && t != ir.U32 {
		c.error(diag.TypeMismatch, n.Span, "`++` and `--` need an i32 or u32, found "+c.types.Name(t))
	}
}

// callStatement checks a call whose result, if any, is ignored (WGSL §9.5).
func (c *Checker) callStatement(n *syntax.StmtNode) {
	e := n.A
	call := c.tree.Expr(e)
	x := &c.info.Exprs[e]
	c.call(e, call, x)
	switch x.Call {
	case sem.ConstructCall, sem.ConvertCall, sem.ZeroCall:
		c.error(diag.UnusedResult, call.Span, "a value that is made must be used", diag.Note{Message: "assign it to _ to drop it"})
	case sem.UserCall:
		if f := c.object(x.Object).Function; c.info.Functions[f].MustUse {
			c.error(diag.UnusedResult, call.Span, "the result of "+c.callName(call)+" must be used", c.info.DeclaredHere(x.Object))
		}
	case sem.BuiltinCall:
		if x.Type != ir.Void && sem.Builtins[x.Builtin].Flags&sem.Droppable == 0 {
			c.error(diag.UnusedResult, call.Span, "the result of "+c.callName(call)+" must be used", diag.Note{Message: "assign it to _ to drop it"})
		}
	}
}

func (c *Checker) returnStatement(n *syntax.StmtNode) {
	if c.control.inContinuing {
		c.error(diag.MisplacedStatement, n.Span, "a continuing block cannot return")
	}
	f := c.tree.Decl(c.info.Functions[c.graph.Function].Decl)
	switch {
	case n.A == 0 && f.Result != 0:
		c.error(diag.TypeMismatch, n.Span, "the function `"+c.tree.Text(f.Name)+"` returns a value", diag.Note{Span: c.tree.Expr(f.Result).Span, Message: "of this type"})
	case n.A != 0 && f.Result == 0:
		if c.value(n.A) != ir.Void {
			c.error(diag.TypeMismatch, c.tree.Expr(n.A).Span, "the function `"+c.tree.Text(f.Name)+"` has no result", diag.Note{Span: f.NameSpan, Message: "a result type would follow `->` here"})
		}
	case n.A != 0:
		c.expect(n.A, c.result, "return from a function with result", c.tree.Expr(f.Result).Span, "the result type")
	}
}

func (c *Checker) breakStatement(n *syntax.StmtNode) sem.Behaviour {
	switch {
	case c.control.breakInContinuing:
		c.error(diag.MisplacedStatement, n.Span, "`break` cannot leave a continuing block", diag.Note{Message: "write `break if condition;` at the end of the block"})
		return sem.NextBehaviour | sem.BadBehaviour
	case !c.control.canBreak:
		c.error(diag.MisplacedStatement, n.Span, "`break` is outside of a loop or switch")
		return sem.NextBehaviour | sem.BadBehaviour
	}
	return sem.BreakBehaviour
}

func (c *Checker) continueStatement(n *syntax.StmtNode) sem.Behaviour {
	switch {
	case c.control.continueInContinuing:
		c.error(diag.MisplacedStatement, n.Span, "`continue` cannot leave a continuing block")
		return sem.NextBehaviour | sem.BadBehaviour
	case !c.control.canContinue:
		c.error(diag.MisplacedStatement, n.Span, "`continue` is outside of a loop")
		return sem.NextBehaviour | sem.BadBehaviour
	}
	if c.bypass.first == 0 {
		c.bypass.first, c.bypass.span = sem.Object(len(c.info.Objects)), n.Span
	}
	return sem.ContinueBehaviour
}

// checkBypass reports the use, in a continuing block, of a declaration that a continue skips.
func (c *Checker) checkBypass(o sem.Object, span source.Span) {
	if b := &c.bypass; b.active && b.first != 0 && o >= b.first && c.facts[o].depth == b.depth {
		c.error(diag.InvalidLoop, b.span, "this `continue` skips the declaration of `"+c.tree.Text(c.object(o).Name)+"`, which the continuing block uses",
			c.info.DeclaredHere(o), diag.Note{Span: span, Message: "used here"})
		b.first = 0
	}
}

// loop checks the three loop statements.
func (c *Checker) loop(n *syntax.StmtNode) sem.Behaviour {
	c.statementAttributes(n.Attributes)
	outerControl, outerBypass := c.control, c.bypass
	mark := c.enterScope()
	if n.Init != 0 {
		c.statement(n.Init)
	}
	if n.A != 0 && n.Kind != syntax.LoopStmt {
		c.condition(n.A, map[bool]string{true: "for", false: "while"}[n.Kind == syntax.ForStmt])
	}
	c.control = control{canBreak: true, canContinue: true, inContinuing: outerControl.inContinuing}
	c.bypass = bypass{}
	body := c.tree.Stmt(n.Body)
	c.statementAttributes(body.Attributes)
	c.statementAttributes(n.BodyAttributes)
	inner := c.enterScope()
	c.bypass.depth = c.depth
	b := c.sequence(n.Body)
	after := sem.NextBehaviour
	if n.Kind == syntax.LoopStmt {
		if n.Else != 0 || n.B != 0 {
			c.statementAttributes(n.ContinuingAttrs)
			c.control = control{inContinuing: true, breakInContinuing: true, continueInContinuing: true}
			c.bypass.active = true
			scope := c.enterScope()
			if n.Else != 0 {
				c.statementAttributes(c.tree.Stmt(n.Else).Attributes)
				after = c.sequence(n.Else)
			}
			if n.B != 0 {
				c.condition(n.B, "break if")
				after |= sem.BreakBehaviour
			}
			c.leaveScope(scope)
			c.bypass.active = false
		}
	} else if n.A != 0 {
		b |= sem.BreakBehaviour // the condition
	}
	c.leaveScope(inner)
	c.control = outerControl
	if n.Update != 0 {
		c.statement(n.Update)
	}
	c.leaveScope(mark)
	c.bypass = outerBypass
	failed := (b | after) & sem.BadBehaviour
	if b == sem.ReturnBehaviour && n.A == 0 {
		return sem.ReturnBehaviour
	}
	all := b | after&^sem.BadBehaviour
	if all&sem.BreakBehaviour != 0 {
		all |= sem.NextBehaviour
	} else {
		all &^= sem.NextBehaviour
	}
	all &^= sem.BreakBehaviour | sem.ContinueBehaviour | sem.BadBehaviour
	if all == 0 && failed == 0 {
		c.error(diag.InvalidLoop, n.Span, "the loop never ends", diag.Note{Message: "nothing in it breaks or returns"})
		failed = sem.BadBehaviour
		all = sem.NextBehaviour
	}
	return all | failed
}

// selector is the value of a case, to find duplicates.
type selector struct {
	value ir.Value
	span  source.Span
	// before is the value in Checker.selected that it replaced.
	before int32
}

// switchStatement checks a switch (WGSL §9.4.2).
func (c *Checker) switchStatement(n *syntax.StmtNode) sem.Behaviour {
	c.statementAttributes(n.Attributes)
	c.statementAttributes(n.BodyAttributes)
	t := c.value(n.A)
	if t != ir.Void && !types.IsInteger(t) {
		c.error(diag.InvalidSwitch, c.tree.Expr(n.A).Span, "a switch selects by an i32 or u32, found "+c.types.Name(t))
		t = ir.Void
	}
	clauses := c.tree.ClauseList(n.Clauses)
	ok := t != ir.Void
	for i := range clauses {
		for _, e := range c.tree.ExprList(clauses[i].Selectors) {
			k := c.value(e)
			if k == ir.Void {
				ok = false
				continue
			}
			if _, known := c.constant(e, "a case selector"); !known {
				ok = false
				continue
			}
			if !types.IsInteger(k) {
				c.error(diag.InvalidSwitch, c.tree.Expr(e).Span, "a case selector is an i32 or u32, found "+c.types.Name(k))
				ok = false
			}
			if t == ir.AbstractInt && k != ir.AbstractInt && ok {
				t = k
			}
		}
	}
	if t == ir.AbstractInt {
		t = ir.I32
	}
	if ok {
		c.convert(n.A, t)
	}
	mark := len(c.selectors)
	outer := c.control
	c.control.canBreak, c.control.breakInContinuing = true, false
	defaults := source.Span{}
	b := sem.Behaviour(0)
	for i := range clauses {
		clause := &clauses[i]
		for _, e := range c.tree.ExprList(clause.Selectors) {
			if ok {
				c.caseSelector(e, t, mark)
			}
		}
		if clause.Default {
			span := clause.DefaultSpan
			if !span.Valid() {
				span = clause.Span
			}
			if defaults.Valid() {
				c.error(diag.InvalidSwitch, span, "the switch has two default clauses", diag.Note{Span: defaults, Message: "the other one"})
			}
			defaults = span
		}
		c.statementAttributes(clause.Attributes)
		b |= c.block(clause.Body)
	}
	for k := len(c.selectors) - 1; k >= mark; k-- {
		c.selected[c.selectors[k].value.Index()] = c.selectors[k].before
	}
	c.selectors = c.selectors[:mark]
	c.control = outer
	if !defaults.Valid() {
		head := n.Span
		head.End = c.tree.Expr(n.A).Span.End
		c.error(diag.InvalidSwitch, head, "the switch has no default clause", diag.Note{Message: "add `default: {}`"})
		b |= sem.NextBehaviour
	}
	if b&sem.BreakBehaviour != 0 {
		b = b&^sem.BreakBehaviour | sem.NextBehaviour
	}
	return b
}

// caseSelector converts a selector to the switch's type and reports duplicates.
func (c *Checker) caseSelector(e syntax.Expr, t ir.Type, mark int) {
	span := c.tree.Expr(e).Span
	if !c.convert(e, t) {
		c.error(diag.InvalidSwitch, span, "the switch selects by "+c.types.Name(t)+", found a case of type "+c.types.Name(c.info.Exprs[e].Type))
		return
	}
	v := c.info.Exprs[e].Value
	for int(v.Index()) >= len(c.selected) {
		c.selected = append(c.selected, 0)
	}
	last := &c.selected[v.Index()]
	if n := int(*last); n > mark {
		c.error(diag.InvalidSwitch, span, "the switch has two cases for "+c.constText(v), diag.Note{Span: c.selectors[n-1].span, Message: "the other one"})
		return
	}
	c.selectors = append(c.selectors, selector{v, span, *last})
	*last = int32(len(c.selectors))
}
