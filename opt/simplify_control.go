package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file simplifies control: choices that are known, scopes left at their end
// only, loops that run once. Blocks were simplified before the instruction that
// owns them.

// control simplifies a control instruction and returns the instruction to go on
// with.
func (s *simplifier) control(i ir.Inst) ir.Inst {
	f := s.f
	m := f.Module
	switch f.Op(i) {
	case op.If:
		if condition := f.Arg(i, 0); condition.IsConst() {
			if m.ConstBits(condition) != 0 {
				return s.replaceByBlock(i, f.Region(i, 0))
			}
			return s.replaceByBlock(i, f.Region(i, 1))
		}
		s.ifToSelect(i)
	case op.Switch:
		if b := s.knownCase(i); b != 0 {
			return s.replaceByBlock(i, b)
		}
	case op.Scope:
		s.join(i)
		return s.splice(i)
	case op.Loop:
		if s.runsOnce(i) {
			return s.replaceByBlock(i, f.Region(i, 0))
		}
	}
	if s.exits[i] == 0 {
		s.removeUnreachable(i)
	}
	return f.Next(i)
}

// knownCase returns the block that a switch always selects, or 0.
func (s *simplifier) knownCase(i ir.Inst) ir.Block {
	f := s.f
	args := f.Args(i)
	if len(args) > 1 && !args[0].IsConst() {
		return 0
	}
	for n, c := range args[1:] {
		if c == args[0] {
			return f.Region(i, int(f.CaseTargets(i)[n]))
		}
	}
	return f.Region(i, f.DefaultCase(i))
}

// removeUnreachable removes what is after an instruction that is never left normally.
func (s *simplifier) removeUnreachable(i ir.Inst) {
	f := s.f
	if next := f.Next(i); next != 0 && f.Op(next) != op.Unreachable {
		truncate(f, i)
		s.changed = true
	}
}

// replaceByBlock replaces a control instruction by one of its blocks. The block is spliced in if it
// leaves the instruction only at its end, and becomes a scope otherwise.
func (s *simplifier) replaceByBlock(i ir.Inst, b ir.Block) ir.Inst {
	f := s.f
	s.changed = true
	scope := f.NewScope(f.SpanOf(i))
	for int(scope) >= len(s.exits) {
		s.exits = append(s.exits, 0)
		s.continues = append(s.continues, 0)
	}
	f.SetLabelName(scope, f.LabelName(i))
	f.InsertBefore(i, scope)
	f.MoveBlock(b, f.Region(scope, 0))
	s.exits[scope] = s.retarget(f.Region(scope, 0), i, scope)
	for n := 0; n < len(f.Results(i)); n++ {
		old := f.Results(i)[n]
		r := f.AddResult(scope, f.TypeOf(old))
		f.SetName(r, f.ValueName(old))
		f.Replace(old, r)
	}
	f.Remove(i)
	return s.splice(scope)
}

// retarget makes the terminators in a block that leave one control instruction
// leave another, and counts them.
func (s *simplifier) retarget(b ir.Block, from, to ir.Inst) uint32 {
	f := s.f
	count := uint32(0)
	for i := f.First(b); i != 0; i = f.After(i, b) {
		if f.Op(i) == op.Exit && f.Target(i) == from {
			f.SetAux(i, uint32(to))
			count++
		}
	}
	return count
}

// splice puts the instructions of a scope instead if its only exit is its
// last instruction, or if it is never left normally.
func (s *simplifier) splice(scope ir.Inst) ir.Inst {
	f := s.f
	last := f.Last(f.Region(scope, 0))
	atEnd := f.Op(last) == op.Exit && f.Target(last) == scope
	switch {
	case s.exits[scope] == 1 && atEnd:
		for n, r := range f.Results(scope) {
			f.Replace(r, f.Resolve(f.Arg(last, n)))
		}
		f.Remove(last)
		f.MoveBlockBefore(f.Region(scope, 0), scope)
		next := f.Next(scope)
		f.Remove(scope)
		s.changed = true
		return next
	case s.exits[scope] == 0:
		// what the scope leaves for ends the block now
		f.MoveBlockBefore(f.Region(scope, 0), scope)
		for f.Last(f.BlockOf(scope)) != scope {
			f.Remove(f.Last(f.BlockOf(scope)))
		}
		f.Remove(scope)
		s.changed = true
		return 0
	}
	return f.Next(scope)
}

// maxJoined bounds how often join nests what is after an if in one of its arms.
const maxJoined = 8

// join turns early exits of a scope into one at its end, where an arm of an if does nothing more
// than leave it. What is after the if becomes part of the other arm. Functions that return early
// become such scopes, and a scope with one exit at its end needs no code.
func (s *simplifier) join(scope ir.Inst) {
	f := s.f
	body := f.Region(scope, 0)
	last := f.Last(body)
	if s.exits[scope] > maxJoined || f.Op(last) != op.Exit || f.Target(last) != scope {
		return
	}
	for i := f.Prev(last); i != 0 && s.exits[scope] > 1; i = f.Prev(i) {
		if f.Op(i) != op.If || s.exits[i] != 1 || len(f.Results(i)) > 0 {
			continue
		}
		early, other := f.Last(f.Region(i, 0)), f.Last(f.Region(i, 1))
		if f.Op(early) != op.Exit || f.Target(early) != scope {
			early, other = other, early
		}
		if f.Op(early) != op.Exit || f.Target(early) != scope || f.Op(other) != op.Exit || f.Target(other) != i {
			continue
		}
		arm := f.BlockOf(other)
		f.Remove(other)
		for f.Next(i) != 0 {
			moved := f.Next(i)
			f.Unlink(moved)
			f.Append(arm, moved)
		}
		f.SetAux(early, uint32(i))
		f.SetAux(last, uint32(i))
		s.exits[i], s.exits[scope] = 2, s.exits[scope]-1
		for _, r := range f.Results(scope) {
			f.AddResult(i, f.TypeOf(r))
		}
		last = f.NewInst(op.Exit, ir.Void, uint32(scope), f.SpanOf(last), f.Results(i)...)
		f.Append(body, last)
		s.ifToSelect(i)
		s.changed = true
	}
}

// runsOnce prepares a loop whose body is never run twice for being replaced by
// its body.
func (s *simplifier) runsOnce(i ir.Inst) bool {
	f := s.f
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	switch s.continues[i] {
	case 0:
	case 1:
		// body and continuing block run once, one after the other, and the loop is left
		last, next := f.Last(body), f.Last(continuing)
		if f.Op(last) != op.Continue || f.Target(last) != i || f.Op(next) != op.Next {
			return false
		}
		_, condition, results := f.NextArgs(next)
		if condition == 0 || !condition.IsConst() || f.Module.ConstBits(condition) == 0 {
			return false
		}
		for n, p := range f.Params(continuing) {
			f.Replace(p, f.Resolve(f.Arg(last, n)))
		}
		f.Remove(last)
		f.MoveBlock(continuing, body)
		s.parts = append(s.parts[:0], results...)
		f.SetOp(next, op.Exit)
		f.SetArgs(next, s.parts...)
	default:
		return false
	}
	for n, p := range f.Params(body) {
		f.Replace(p, f.Resolve(f.Arg(i, n)))
	}
	return true
}

// ifToSelect replaces the results of an if that does nothing: a bool by the logic that it is,
// others by what selects between two.
func (s *simplifier) ifToSelect(i ir.Inst) {
	f := s.f
	m := f.Module
	if s.exits[i] != 2 || !s.onlyExits(i, 0) || !s.onlyExits(i, 1) {
		return
	}
	a, b := f.Last(f.Region(i, 0)), f.Last(f.Region(i, 1))
	condition := f.Arg(i, 0)
	yes, no := m.ConstBool(true), m.ConstBool(false)
	before := ir.Builder{F: f}
	before.At(i)
	for n, r := range f.Results(i) {
		if f.Resolve(r) != r {
			continue
		}
		x, y := f.Resolve(f.Arg(a, n)), f.Resolve(f.Arg(b, n))
		var v ir.Value
		switch {
		case x == yes && y == no:
			v = condition
		case x == no && y == yes:
			v = before.Op(op.Not, condition)
		case y == no:
			v = before.Op(op.And, condition, x)
		case x == yes:
			v = before.Op(op.Or, condition, y)
		case f.TypeOf(r) != ir.Bool && m.IsScalar(f.TypeOf(r)):
			v = before.Op(op.Select, condition, x, y)
		default:
			continue
		}
		f.Replace(r, v)
		s.changed = true
	}
}

// onlyExits reports whether the n-th side of an if does nothing but leave it with values from
// elsewhere. Instructions without uses may still be there.
func (s *simplifier) onlyExits(i ir.Inst, n int) bool {
	f := s.f
	b := f.Region(i, n)
	last := f.Last(b)
	if f.Op(last) != op.Exit || f.Target(last) != i {
		return false
	}
	for k := f.First(b); k != last; k = f.Next(k) {
		if !f.Op(k).Pure() || f.Op(k).Is(op.Control) {
			return false
		}
	}
	for _, v := range f.Args(last) {
		if v = f.Resolve(v); v.IsLocal() && f.DefBlock(v) == b {
			return false
		}
	}
	return true
}
