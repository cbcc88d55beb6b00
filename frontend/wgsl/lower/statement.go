package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers statements without control flow.

// statement lowers a statement. Afterwards the block may be terminated.
func (l *Lowerer) statement(s syntax.Stmt) {
	n := l.tree.Stmt(s)
	switch n.Kind {
	case syntax.BlockStmt:
		for _, s := range l.tree.StmtList(n.List) {
			if l.b.Terminated() {
				return
			}
			l.statement(s)
		}
	case syntax.DeclStmt:
		l.declaration(n.Decl)
	case syntax.AssignStmt:
		l.assignment(n)
	case syntax.IncrementStmt, syntax.DecrementStmt:
		l.step(n)
	case syntax.CallStmt:
		if l.info.Exprs[n.A].Call == sem.MessageCall {
			l.message(n.A)
			return
		}
		l.value(n.A)
	case syntax.ReturnStmt:
		l.returning(n)
	case syntax.IfStmt:
		l.ifStatement(n)
	case syntax.SwitchStmt:
		l.switchStatement(n)
	case syntax.LoopStmt, syntax.ForStmt, syntax.WhileStmt:
		l.loop(n)
	case syntax.BreakStmt:
		l.breakStatement(n)
	case syntax.ContinueStmt:
		l.continueStatement(n)
	case syntax.ConstAssertStmt:
		// The checker has evaluated it.
	default:
		panic("lowering a statement that the checker should have refused")
	}
}

// message lowers a call of printf, or of assert, which has its condition before the format.
func (l *Lowerer) message(e syntax.Expr) {
	n := l.tree.Expr(e)
	format := ""
	assert := false
	var values []ir.Value
	for _, a := range l.tree.ExprList(n.List) {
		if l.tree.Expr(a).Kind == syntax.StringExpr {
			format, assert = l.tree.StringOf(a), len(values) == 1
		} else {
			values = append(values, l.value(a))
		}
	}
	l.b.Span = n.Span
	l.b.Print(format, assert, values...)
}

// declaration lowers a declaration in a function. In the IR a variable lives from the function's
// entry on, so its initial value, even zero, is stored each time control passes the declaration.
func (l *Lowerer) declaration(d syntax.Decl) {
	n := l.tree.Decl(d)
	o := l.info.DeclObjects[d]
	switch n.Kind {
	case syntax.LetDecl:
		v := l.value(n.Init)
		l.values[o] = v
		l.f.SetName(v, l.tree.Text(n.Name))
	case syntax.VarDecl:
		x, name := l.object(o)
		l.b.Span = n.NameSpan
		p := l.b.Var(x.Type, name)
		if n.Init == 0 {
			l.b.Span = n.Span
			l.b.Store(p, l.m.Zero(x.Type))
		} else {
			l.initialise(p, n.Init, n.Span)
		}
		l.values[o] = p
	}
}

// copyFrom is the number of scalars from which on an aggregate is copied in memory. A smaller one
// is loaded and stored, so that its parts can become values.
const copyFrom = 32

// initialise stores the value of an expression.
func (l *Lowerer) initialise(p ir.Value, e syntax.Expr, span source.Span) {
	x := &l.info.Exprs[e]
	if x.Reference {
		t := l.m.Element(x.Type)
		if n, ok := l.m.Slots(t); l.m.Components(t) == 0 && (!ok || n >= copyFrom) {
			from := l.address(e)
			l.b.Span = span
			l.b.Emit(op.Copy, ir.Void, 0, p, from)
			return
		}
	}
	v := l.value(e)
	l.b.Span = span
	l.b.Store(p, v)
}

// assignment lowers `a = b`, `a += b` and `_ = b`. The left side is evaluated first and once (WGSL
// §9.2).
func (l *Lowerer) assignment(n *syntax.StmtNode) {
	if n.A == 0 {
		x := &l.info.Exprs[n.B]
		switch {
		case x.Reference && l.tree.Expr(l.tree.Unparen(n.B)).Kind == syntax.IdentExpr:
			// the load of a whole variable has no effect, and may be large
		case x.Reference:
			l.read(n.B) // which may be out of bounds
		case x.Value == 0:
			l.value(n.B)
		}
		return
	}
	if member, swizzle, count := l.info.SwizzleTarget(n.A); member != 0 {
		l.assignSwizzle(n, member, swizzle, count)
		return
	}
	p := l.address(n.A)
	if n.Op == syntax.Assign {
		l.initialise(p, n.B, n.Span)
		return
	}
	l.b.Span = l.tree.Expr(n.A).Span
	old := l.b.Load(p)
	v := l.value(n.B)
	l.b.Span = n.Span
	t := l.f.TypeOf(old)
	l.b.Store(p, l.arithmetic(n.Op, t, old, v))
}

// assignSwizzle lowers `v.xy = b`, `v.xy += b`, and assignments to a component of a swizzle. Only
// the named components are written: others may belong to other invocations.
func (l *Lowerer) assignSwizzle(n *syntax.StmtNode, member syntax.Expr, swizzle uint32, count int) {
	mark := len(l.indices)
	p := l.access(l.base(l.tree.Expr(member).A), mark)
	l.b.Span = l.tree.Expr(n.A).Span
	t := l.info.Exprs[n.A].Type
	old := ir.NoValue
	if n.Op != syntax.Assign {
		old = l.b.Load(p)
		if count > 1 {
			old = l.b.Emit(op.Shuffle, t, swizzle, old)
		} else {
			old = l.extract(old, l.m.ConstU32(op.SwizzleComponent(swizzle, 0)))
		}
	}
	v := l.value(n.B)
	l.b.Span = n.Span
	if old != ir.NoValue {
		v = l.arithmetic(n.Op, t, old, v)
	}
	l.storeComponents(p, swizzle, count, v)
}

// storeComponents stores a scalar, or the components of a vector, to components of a vector in
// memory.
func (l *Lowerer) storeComponents(p ir.Value, swizzle uint32, count int, v ir.Value) {
	for i := range count {
		part := v
		if count > 1 {
			part = l.extract(v, l.m.ConstU32(uint32(i)))
		}
		l.b.Store(l.b.Access(p, l.m.ConstU32(op.SwizzleComponent(swizzle, i))), part)
	}
}

// step lowers `a++` and `a--`.
func (l *Lowerer) step(n *syntax.StmtNode) {
	o := op.Add
	if n.Kind == syntax.DecrementStmt {
		o = op.Sub
	}
	var p ir.Value
	if member, swizzle, _ := l.info.SwizzleTarget(n.A); member != 0 {
		mark := len(l.indices)
		p = l.b.Access(l.access(l.base(l.tree.Expr(member).A), mark), l.m.ConstU32(op.SwizzleComponent(swizzle, 0)))
	} else {
		p = l.address(n.A)
	}
	l.b.Span = n.Span
	old := l.b.Load(p)
	l.b.Store(p, l.b.Op(o, old, l.m.ConstInt(l.f.TypeOf(old), 1)))
}

func (l *Lowerer) returning(n *syntax.StmtNode) {
	v := ir.NoValue
	if n.A != 0 {
		v = l.value(n.A)
	}
	l.b.Span = n.Span
	l.b.Return(v)
}
