package uniform

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
)

// This file adds statements to the uniformity graph (WGSL §15.2.4, §15.2.5): control flow, and the
// values of variables where paths merge.

// behaviour returns the behaviour of a statement; 0 is an empty one.
func (u *Analyzer) behaviour(s syntax.Stmt) sem.Behaviour {
	if s == 0 {
		return sem.NextBehaviour
	}
	return u.info.Behaviours[s]
}

// next reports whether control continues after a statement.
func (u *Analyzer) next(s syntax.Stmt) bool { return u.behaviour(s)&sem.NextBehaviour != 0 }

// sequence analyses the statements of a block, up to the last reachable one. It returns control
// flow at the end.
func (u *Analyzer) sequence(cf node, block *syntax.StmtNode) node {
	for _, s := range u.tree.StmtList(block.List) {
		cf = u.statement(cf, s)
		if !u.next(s) {
			break
		}
	}
	return cf
}

// scoped analyses a block, or a statement that replaces one.
func (u *Analyzer) scoped(cf node, s syntax.Stmt) node {
	if s == 0 {
		return cf
	}
	filters, mark := u.filters, len(u.active)
	if n := u.tree.Stmt(s); n.Kind == syntax.BlockStmt {
		u.attributes(n.Attributes)
		cf = u.sequence(cf, n)
	} else {
		cf = u.statement(cf, s)
	}
	u.undeclare(mark)
	u.filters = filters
	return cf
}

func (u *Analyzer) statement(cf node, s syntax.Stmt) node {
	n := u.tree.Stmt(s)
	switch n.Kind {
	case syntax.BlockStmt:
		return u.scoped(cf, s)
	case syntax.DeclStmt:
		u.declaration(cf, n.Decl)
	case syntax.AssignStmt:
		left := u.target(n.A)
		switch {
		case left == 0:
			u.value(cf, n.B)
		case n.Op == syntax.Assign:
			u.assign(cf, left, u.value(cf, n.B))
		default:
			old := u.memory(cf, left, true)
			u.assign(cf, left, u.add(n.B, old, u.value(cf, n.B)))
		}
	case syntax.IncrementStmt, syntax.DecrementStmt:
		left := u.target(n.A)
		u.assign(cf, left, u.memory(cf, left, true))
	case syntax.CallStmt:
		u.call(cf, n.A, u.tree.Expr(n.A))
	case syntax.ReturnStmt:
		if n.A != 0 {
			u.edge(u.returned, u.value(cf, n.A))
		}
		u.leave()
	case syntax.IfStmt:
		return u.ifStatement(cf, n)
	case syntax.SwitchStmt:
		return u.switchStatement(cf, s)
	case syntax.LoopStmt, syntax.ForStmt, syntax.WhileStmt:
		return u.loop(cf, n)
	case syntax.BreakStmt:
		u.join(len(u.loops)-1, false)
	case syntax.ContinueStmt:
		at := len(u.loops) - 1
		for at > 0 && u.loops[at].isSwitch {
			at--
		}
		u.join(at, true)
	}
	return cf
}

// leave records the values of memory behind pointer parameters at a return.
func (u *Analyzer) leave() {
	for i, out := range u.outContents {
		if out != 0 {
			u.bring(out, u.current[u.objects[i]])
		}
	}
}

func (u *Analyzer) declaration(cf node, d syntax.Decl) {
	n := u.tree.Decl(d)
	o := u.info.DeclObjects[d]
	value := cf
	if n.Init != 0 && n.Kind != syntax.ConstDecl {
		value = u.value(cf, n.Init)
	}
	if n.Kind == syntax.VarDecl {
		if u.subgroup && u.module.HoldsFragment(u.info.Objects[o].Type) {
			u.requireMatrix(cf, origin{span: n.NameSpan, at: n.NameSpan, name: u.tree.Text(n.Name)}, nil)
		}
		u.declare(o, value)
		return
	}
	u.lets[o] = value
}

// join records that a jump brings the current values of variables to the exit, or to the continuing
// block, of a loop or switch.
func (u *Analyzer) join(at int, continuing bool) {
	l := &u.loops[at]
	for i := l.first; i < l.end; i++ {
		v := &u.carried[i]
		now := u.current[v.object]
		if !continuing {
			if v.entry != 0 {
				u.bring(v.exit, now)
			}
		} else if now != 0 {
			if v.continuing == 0 {
				v.continuing = u.add(0)
			}
			u.bring(v.continuing, now)
		}
	}
}

// enter begins a loop or switch with the variables that it assigns.
func (u *Analyzer) enter(n *syntax.StmtNode) int {
	isSwitch := n.Kind == syntax.SwitchStmt
	continuing := n.Kind == syntax.LoopStmt && (n.Else != 0 || n.B != 0)
	l := loopState{isSwitch: isSwitch, first: len(u.carried), changes: len(u.changes)}
	u.stamp++
	for _, a := range u.assigned(n.Span) {
		if u.stamps[a.object] == u.stamp {
			continue
		}
		u.stamps[a.object] = u.stamp
		v := carried{object: a.object, entry: u.current[a.object]}
		if v.entry == 0 && !continuing {
			continue
		}
		if v.entry != 0 {
			v.exit = u.add(0)
			if !isSwitch {
				v.entry = u.add(0, v.entry)
				u.set(v.object, v.entry)
			}
		}
		u.carried = append(u.carried, v)
	}
	l.end = len(u.carried)
	u.loops = append(u.loops, l)
	return len(u.loops) - 1
}

// continuing begins the continuing block of the innermost loop, explicit or not, with the values
// that continues brought.
func (u *Analyzer) continuing(at int) {
	for _, v := range u.carried[u.loops[at].first:] {
		now := u.current[v.object]
		if now == 0 || v.continuing == 0 {
			continue // of a nested block, or declared after all continues
		}
		if v.entry == 0 {
			u.bring(v.continuing, now)
		}
		u.set(v.object, v.continuing)
	}
}

// exit ends a loop or switch, with the values that jumps brought.
func (u *Analyzer) exit(at int) {
	l := &u.loops[at]
	u.rewind(l.changes)
	for _, v := range u.carried[l.first:] {
		if v.entry != 0 {
			u.set(v.object, v.exit)
		}
	}
	u.carried, u.loops = u.carried[:l.first], u.loops[:at]
}

func (u *Analyzer) ifStatement(cf node, n *syntax.StmtNode) node {
	filters := u.filters
	u.attributes(n.Attributes)
	v := u.value(cf, n.A)
	before, first := len(u.changes), len(u.branch)
	cf1 := u.scoped(v, n.Body)
	u.branch = append(u.branch, u.rewind(before)...)
	cf2 := u.scoped(v, n.Else)
	u.filters = filters
	switch {
	case u.next(n.Body) && u.next(n.Else):
		u.merge(before, u.branch[first:])
	case u.next(n.Body):
		u.rewind(before)
		u.redo(u.branch[first:])
	}
	u.branch = u.branch[:first]
	if u.behaviour(n.Body)|u.behaviour(n.Else) == sem.NextBehaviour {
		return cf
	}
	return u.add(n.A, cf1, cf2)
}

func (u *Analyzer) switchStatement(cf node, s syntax.Stmt) node {
	n := u.tree.Stmt(s)
	filters := u.filters
	u.attributes(n.Attributes)
	v := u.value(cf, n.A)
	u.attributes(n.BodyAttributes)
	at := u.enter(n)
	end := u.add(n.A)
	clauses := u.tree.ClauseList(n.Clauses)
	for i := range clauses {
		u.rewind(u.loops[at].changes)
		inner := u.filters
		u.attributes(clauses[i].Attributes)
		u.edge(end, u.scoped(v, clauses[i].Body))
		u.filters = inner
		if u.next(clauses[i].Body) {
			u.join(at, false)
		}
	}
	u.exit(at)
	u.filters = filters
	if u.behaviour(s) == sem.NextBehaviour {
		return cf
	}
	return end
}

// loop analyses the three loop statements, desugared as in the specification: a condition is an
// `if` with a break before the body, an update is the continuing block.
func (u *Analyzer) loop(cf node, n *syntax.StmtNode) node {
	filters, mark := u.filters, len(u.active)
	u.attributes(n.Attributes)
	if n.Init != 0 {
		u.statement(cf, n.Init)
	}
	iteration := u.add(0, cf)
	at := u.enter(n)
	cf1 := iteration
	if n.Kind != syntax.LoopStmt && n.A != 0 {
		v := u.value(cf1, n.A)
		u.join(at, false)
		cf1 = u.add(n.A, v, cf1)
	}
	body := u.tree.Stmt(n.Body)
	outer, inner := u.filters, len(u.active)
	u.attributes(body.Attributes)
	u.attributes(n.BodyAttributes)
	cf1 = u.sequence(cf1, body)
	b := u.behaviour(n.Body)
	again := b&(sem.NextBehaviour|sem.ContinueBehaviour) != 0
	continuing := n.Else != 0 || n.B != 0 || n.Update != 0
	last := cf1
	if again {
		if u.next(n.Body) {
			u.join(at, true)
		}
		u.continuing(at)
		if n.Kind == syntax.LoopStmt && continuing {
			u.attributes(n.ContinuingAttrs)
			if n.Else != 0 {
				block := u.tree.Stmt(n.Else)
				u.attributes(block.Attributes)
				last = u.sequence(last, block)
			}
			if n.B != 0 {
				v := u.value(last, n.B)
				u.join(at, false)
				last = u.add(n.B, v)
			}
		}
	}
	u.undeclare(inner)
	u.filters = outer
	if again {
		if n.Update != 0 {
			last = u.statement(last, n.Update)
		}
		for _, v := range u.carried[u.loops[at].first:] {
			if v.entry != 0 {
				u.edge(v.entry, u.current[v.object])
			}
		}
		u.edge(iteration, last)
	}
	u.exit(at)
	u.undeclare(mark)
	u.filters = filters
	switch {
	case b&sem.ReturnBehaviour == 0:
		return cf
	case again && continuing:
		return iteration
	}
	return cf1
}
