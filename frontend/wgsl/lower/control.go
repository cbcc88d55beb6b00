package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers control flow. WGSL and the IR are both structured, so each statement becomes one
// control instruction. If no path leaves it, an unreachable ends the block after it.

// frame is an enclosing loop or switch.
type frame struct {
	inst ir.Inst
	loop bool
	// exited and continued say that a break or a continue targets it.
	exited, continued bool
}

// head returns the span of a compound statement without its body, for debuggers.
func (l *Lowerer) head(n *syntax.StmtNode, last syntax.Expr) source.Span {
	span := n.Span
	switch {
	case last != 0:
		span.End = l.tree.Expr(last).Span.End
	case n.Body != 0:
		span.End = l.tree.Stmt(n.Body).Span.Start
	}
	return span
}

// leave continues after a control instruction, in the block that contains it. If nothing leaves the
// instruction, an unreachable ends the block, unless that is a continuing block.
func (l *Lowerer) leave(i ir.Inst, exited bool, span source.Span) {
	b := l.f.BlockOf(i)
	l.b.SetBlock(b)
	loop := l.f.Parent(b)
	if !exited && !(loop != 0 && l.f.Op(loop) == op.Loop && l.f.Region(loop, 1) == b) {
		l.b.Span = span
		l.b.Unreachable()
	}
}

func (l *Lowerer) ifStatement(n *syntax.StmtNode) {
	span := l.head(n, n.A)
	condition := l.value(n.A)
	l.b.Span = span
	i := l.b.If(condition)
	exited := false
	for side, body := range [2]syntax.Stmt{n.Body, n.Else} {
		l.b.SetBlock(l.f.Region(i, side))
		if body != 0 {
			l.statement(body)
		}
		if !l.b.Terminated() {
			l.b.Span = span
			l.b.Exit(i)
			exited = true
		}
	}
	l.leave(i, exited, span)
}

func (l *Lowerer) switchStatement(n *syntax.StmtNode) {
	span := l.head(n, n.A)
	selector := l.value(n.A)
	clauses := l.tree.ClauseList(n.Clauses)
	other := 0
	for k := range clauses {
		if clauses[k].Default {
			other = k
		}
	}
	l.b.Span = span
	i := l.b.Switch(selector, len(clauses), other)
	for k := range clauses {
		if k == other {
			continue // its values select it anyway
		}
		for _, e := range l.tree.ExprList(clauses[k].Selectors) {
			l.f.AddCase(i, l.info.Exprs[e].Value, k)
		}
	}
	at := len(l.frames)
	l.frames = append(l.frames, frame{inst: i})
	for k := range clauses {
		l.b.SetBlock(l.f.Region(i, k))
		l.statement(clauses[k].Body)
		if !l.b.Terminated() {
			l.b.Span = clauses[k].Span
			l.b.Exit(i)
			l.frames[at].exited = true
		}
	}
	exited := l.frames[at].exited
	l.frames = l.frames[:at]
	l.leave(i, exited, span)
}

// loop lowers the three loop statements. A `for` is its initializer and a loop with the condition
// first and the update as continuing block (WGSL §9.4.4).
func (l *Lowerer) loop(n *syntax.StmtNode) {
	condition, breakIf, continuing := syntax.Expr(0), syntax.Expr(0), n.Update
	if n.Kind == syntax.LoopStmt {
		breakIf, continuing = n.B, n.Else
	} else {
		condition = n.A
	}
	if n.Init != 0 {
		l.statement(n.Init)
	}
	span := l.head(n, condition)
	l.b.Span = span
	i := l.b.Loop()
	at := len(l.frames)
	l.frames = append(l.frames, frame{inst: i, loop: true})

	l.b.SetBlock(l.f.Region(i, 0))
	if condition != 0 {
		l.loopCondition(condition, at)
	}
	l.statement(n.Body)
	if !l.b.Terminated() {
		l.b.Span = span
		l.b.Continue(i)
		l.frames[at].continued = true
	}
	l.b.SetBlock(l.f.Region(i, 1))
	stop := ir.NoValue
	if l.frames[at].continued { // otherwise nothing reaches the block
		l.continuing = append(l.continuing, l.f.Region(i, 0))
		if continuing != 0 {
			l.statement(continuing)
		}
		if breakIf != 0 {
			stop = l.value(breakIf)
			l.frames[at].exited = true
			span = n.BreakIfSpan
		}
		l.continuing = l.continuing[:len(l.continuing)-1]
	}
	l.b.Span = span
	l.b.Next(i, nil, stop, nil)
	exited := l.frames[at].exited
	l.frames = l.frames[:at]
	l.leave(i, exited, span)
}

// loopCondition leaves the loop of a frame unless a condition holds.
func (l *Lowerer) loopCondition(e syntax.Expr, at int) {
	if l.info.Exprs[e].Value == l.m.ConstBool(true) {
		return
	}
	condition := l.value(e)
	l.b.Span = l.tree.Expr(e).Span
	i := l.b.If(condition)
	l.b.SetBlock(l.f.Region(i, 0))
	l.b.Exit(i)
	l.b.SetBlock(l.f.Region(i, 1))
	l.b.Exit(l.frames[at].inst)
	l.frames[at].exited = true
	l.b.SetBlock(l.f.BlockOf(i))
}

func (l *Lowerer) breakStatement(n *syntax.StmtNode) {
	at := len(l.frames) - 1
	l.frames[at].exited = true
	l.b.Span = n.Span
	l.b.Exit(l.frames[at].inst)
}

func (l *Lowerer) continueStatement(n *syntax.StmtNode) {
	at := len(l.frames) - 1
	for !l.frames[at].loop {
		at--
	}
	l.frames[at].continued = true
	l.b.Span = n.Span
	l.b.Continue(l.frames[at].inst)
}

// A continuing block sees the declarations of its loop's body (WGSL §9.4.3), but in the IR the
// body's values end with the body. So the value of a let that the continuing block uses is spilled
// to a variable after its definition.

// spill is a value with the address of its variable.
type spill struct{ value, variable ir.Value }

// visible returns a value that is usable here: the value itself, or the spilled one in a continuing
// block of the loop that defines it.
func (l *Lowerer) visible(v ir.Value) ir.Value {
	if len(l.continuing) == 0 || !v.IsLocal() {
		return v
	}
	home := l.f.DefBlock(v)
	for _, body := range l.continuing {
		if body != home {
			continue
		}
		switch l.m.KindOf(l.f.TypeOf(v)) {
		case ir.PointerType:
			return l.recomputePointer(v)
		case ir.TextureType, ir.SamplerType: // loaded from a read-only module variable
			i, _ := l.f.Def(v)
			return l.b.Load(l.f.Arg(i, 0))
		}
		return l.b.Load(l.spilled(v))
	}
	return v
}

// recomputePointer recomputes a pointer in a continuing block, since pointers cannot be stored.
func (l *Lowerer) recomputePointer(p ir.Value) ir.Value {
	i, ok := l.f.Def(p)
	if !ok || l.f.Op(i) != op.Access && l.f.Op(i) != op.View {
		panic("a pointer in a loop body is no access and no view")
	}
	mark := len(l.indices)
	for n := range len(l.f.Args(i)) {
		operand := l.visible(l.f.Arg(i, n))
		l.indices = append(l.indices, operand)
	}
	v := l.b.Emit(l.f.Op(i), l.f.TypeOf(p), 0, l.indices[mark:]...)
	l.indices = l.indices[:mark]
	return v
}

// spilled returns the variable of a spilled value, and spills it on first use.
func (l *Lowerer) spilled(v ir.Value) ir.Value {
	for _, s := range l.spills {
		if s.value == v {
			return s.variable
		}
	}
	use := l.b.Span
	i, _ := l.f.Def(v) // loop bodies have no parameters yet
	l.b.Span = l.f.SpanOf(i)
	variable := l.b.Var(l.f.TypeOf(v), l.f.ValueName(v))
	l.f.InsertBefore(l.f.Next(i), l.f.NewInst(op.Store, ir.Void, 0, l.b.Span, variable, v))
	l.b.Span = use
	l.spills = append(l.spills, spill{v, variable})
	return variable
}
