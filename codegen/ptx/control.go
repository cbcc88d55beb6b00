package ptx

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file prints blocks, what they pass to each other, and how they end. Parameters of
// blocks are registers that moves fill before a jump.

// label is a position in the text: a block, or, numbered after those, one that the printer adds.
type label uint32

// span is a part of the text.
type span struct{ start, end int }

// blocks prints the blocks of a function, but for those that only leave a kernel: who leads
// there leaves at once. A label is printed for each block, and those that nothing jumps
// to are taken out in the end.
func (e *emitter) blocks() {
	f := e.f
	e.jumped = ir.Zeroed(e.jumped, f.Blocks())
	e.marked = ir.Zeroed(e.marked, f.Blocks())
	e.extra = 0
	if slices.ContainsFunc(f.Order, e.passesInBranch) {
		e.live.Analyse(f, true)
	}
	e.order = slices.DeleteFunc(append(e.order[:0], f.Order...), func(b mir.Block) bool { return b != f.Order[0] && e.returns(b) })
	e.findGuards()
	e.findQuiet()
	for n, b := range e.order {
		e.current = b
		next := mir.Block(0)
		if n+1 < len(e.order) {
			next = e.order[n+1]
		}
		start := len(e.body)
		e.mark(label(b))
		e.marked[b] = span{start, len(e.body)}
		for i := f.First(b); i != f.Last(b); i = f.Next(i) {
			e.location(i)
			e.instruction(i)
		}
		e.guard = mir.NoOperand
		if holds, ok := e.guards(b, next); ok && e.guarding {
			e.guard, e.guardHolds = e.register(f.Arg(f.Last(b), 0)), holds
			continue
		}
		e.terminator(f.Last(b), next)
	}
	e.printLateExit()
	e.labels += uint32(f.Blocks()) + e.extra
	kept := e.body[:0]
	at := 0
	for _, b := range e.order {
		if m := e.marked[b]; !e.jumped[b] {
			kept = append(kept, e.body[at:m.start]...)
			at = m.end
		}
		e.jumped[b] = false
	}
	e.body = append(kept, e.body[at:]...)
	if n := slices.Index(e.jumped, true); n >= 0 {
		panic("ptx: something jumps to block " + strconv.Itoa(n) + ", which is not printed")
	}
}

// passesInBranch reports whether a block ends in a branch that passes something.
func (e *emitter) passesInBranch(b mir.Block) bool {
	i := e.f.Last(b)
	return e.f.Op(i) == mir.Branch && slices.ContainsFunc(e.f.Edges(i), e.passes)
}

func (e *emitter) passes(x mir.Edge) bool { return len(e.f.EdgeArgs(x)) > 0 }

// newLabel makes a label that is no block.
func (e *emitter) newLabel() label {
	e.extra++
	return label(uint32(e.f.Blocks()) + e.extra - 1)
}

func (e *emitter) labelName(l label) {
	e.text("$L")
	e.number(int64(e.labels) + int64(l))
}

func (e *emitter) mark(l label) {
	e.labelName(l)
	e.text(":\n")
}

// jump prints a branch unless the text continues at the block.
func (e *emitter) jump(to, next mir.Block) {
	if to == next {
		return
	}
	if e.returns(to) {
		e.location(e.f.First(to))
		e.text("\t")
		e.leaves()
		return
	}
	e.jumped[to] = true
	e.text("\tbra ")
	e.labelName(label(to))
	e.text(";\n")
}

// branch prints a branch taken where a predicate has a value. One that is taken where the predicate
// is false is written as a branch over an unconditional one. ptxas then unrolls loops that exit
// there; the machine code is otherwise the same.
func (e *emitter) branch(p mir.Operand, holds bool, to mir.Block) {
	if !holds {
		over := e.newLabel()
		e.branchTo(p, over)
		e.jump(to, 0)
		e.mark(over)
		return
	}
	if e.returns(to) {
		e.leaveIf(p, true)
		return
	}
	e.jumped[to] = true
	e.branchTo(p, label(to))
}

func (e *emitter) branchTo(p mir.Operand, to label) {
	e.text("\t@")
	e.name(p)
	e.text(" bra ")
	e.labelName(to)
	e.text(";\n")
}

// pass prints the moves of edges, all at once.
func (e *emitter) pass(edges ...mir.Edge) {
	e.copies.Begin(e.f)
	for _, x := range edges {
		e.copies.Edge(x)
	}
	for _, c := range e.copies.Ordered() {
		e.text("\tmov.", kinds[c.To.Class().Kind()].bits, " ")
		e.name(c.To)
		e.text(", ")
		e.bits(c.From)
		e.text(";\n")
	}
}

// returns reports whether a block only leaves the kernel.
func (e *emitter) returns(b mir.Block) bool {
	i := e.f.First(b)
	return e.f.Op(i) == mir.Return && e.source.Kernel && len(e.f.BlockParams(b)) == 0
}

// terminator prints the end of a block, after which the text continues with next.
func (e *emitter) terminator(i mir.Inst, next mir.Block) {
	if e.f.Op(i) == mir.Jump {
		x := e.f.Edges(i)[0]
		if e.passes(x) || x.To != next && !e.returns(x.To) {
			e.location(i)
		}
		e.pass(x)
		e.jump(x.To, next)
		return
	}
	e.location(i)
	switch e.f.Op(i) {
	case mir.Branch:
		e.conditional(i, next)
	case mir.Return:
		e.leave(i)
	case mir.Trap:
		e.text("\ttrap;\n")
	}
}

// conditional prints a branch. What an edge passes is moved ahead of it where that does no
// harm on the other edge, and after it elsewhere.
func (e *emitter) conditional(i mir.Inst, next mir.Block) {
	edges := e.f.Edges(i)
	then, other := edges[0], edges[1]
	p := e.register(e.f.Arg(i, 0))
	thenPasses, otherPasses := e.passes(then), e.passes(other)
	switch {
	case thenPasses && otherPasses && e.live.Early(i, 0, true) && e.live.Early(i, 1, true):
		e.pass(then, other)
		thenPasses, otherPasses = false, false
	case thenPasses && e.live.Early(i, 0, false):
		e.pass(then)
		thenPasses = false
	case otherPasses && e.live.Early(i, 1, false):
		e.pass(other)
		otherPasses = false
	}
	switch {
	case thenPasses && otherPasses:
		over := e.newLabel()
		e.branchTo(p, over)
		e.pass(other)
		e.jump(other.To, 0)
		e.mark(over)
		e.pass(then)
		e.jump(then.To, next)
	case thenPasses:
		e.branch(p, false, other.To)
		e.pass(then)
		e.jump(then.To, next)
	case otherPasses:
		e.branch(p, true, then.To)
		e.pass(other)
		e.jump(other.To, next)
	case e.returns(other.To) && !e.returns(then.To):
		e.leaveIf(p, false)
		e.jump(then.To, next)
	case then.To == next:
		e.branch(p, false, other.To)
	default:
		e.branch(p, true, then.To)
		e.jump(other.To, next)
	}
}

// leaveIf prints a return taken where a predicate has a value.
func (e *emitter) leaveIf(p mir.Operand, holds bool) {
	e.text("\t@")
	if !holds {
		e.text("!")
	}
	e.name(p)
	e.text(" ")
	e.leaves()
}
