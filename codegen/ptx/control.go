package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file flattens structured control to branches. Results and parameters of
// regions are registers that moves fill before a branch; registers live
// throughout the function, so a result that only one value reaches is that
// value's own registers and needs no move.

// label is a place in the text; 0 is none.
type label uint32

// control is what the emitter knows of a control instruction.
type control struct {
	end, continuing label
	// exits and continues count the terminators that lead to the end and to the
	// continuing block.
	exits, continues uint32
	// same marks the results for which all exits pass one value.
	same uint64
	// first holds the first exit seen.
	first ir.Inst
	// start is a loop's label for the next iteration.
	start label
}

// survey walks a block ahead of emission: it counts exits and finds which
// values instructions take in without needing them in registers.
func (e *emitter) survey(b ir.Block) {
	f := e.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		if o.Is(op.Convergent) {
			e.flow.needed = true
		}
		switch {
		case o == op.Exit:
			e.surveyExit(i, f.Args(i))
		case o == op.Next:
			if _, condition, results := f.NextArgs(i); condition != 0 {
				e.surveyExit(i, results)
			}
		case o == op.Continue:
			e.control[f.Target(i)].continues++
		case o == op.Mul:
			if k, _, _ := e.wideProduct(i); k != scalar.None {
				for _, a := range f.Args(i) {
					if a.IsLocal() {
						e.uses[a]--
					}
				}
			}
		case o.Is(op.Control):
			if b := e.certain(i); b != 0 {
				e.survey(b)
				continue
			}
			for _, inner := range f.Blocks(i) {
				e.survey(ir.Block(inner))
			}
		}
	}
}

// certain returns the block that an if with a constant condition runs, or 0.
// The other one is not emitted, so nothing in it counts.
func (e *emitter) certain(i ir.Inst) ir.Block {
	f := e.f
	if f.Op(i) != op.If || !f.Arg(i, 0).IsConst() {
		return 0
	}
	if e.m.IsZero(f.Arg(i, 0)) {
		return f.Region(i, 1)
	}
	return f.Region(i, 0)
}

func (e *emitter) surveyExit(i ir.Inst, values []ir.Value) {
	c := &e.control[e.f.Target(i)]
	c.exits++
	if c.first == 0 {
		c.first = i
		c.same = 1<<min(len(values), 63) - 1
		return
	}
	before := e.exitValues(c.first)
	for n, v := range values {
		if n < 63 && before[n] != v {
			c.same &^= 1 << n
		}
	}
}

// exitValues returns the results that an exit, or a next, passes.
func (e *emitter) exitValues(i ir.Inst) []ir.Value {
	if e.f.Op(i) == op.Next {
		_, _, results := e.f.NextArgs(i)
		return results
	}
	return e.f.Args(i)
}

func (e *emitter) newLabel() label {
	e.labels++
	e.jumped = append(e.jumped, false)
	return label(e.labels)
}

func (e *emitter) labelName(l label) {
	e.text("$L")
	e.number(int64(l))
}

// mark prints a label if something jumps to it.
func (e *emitter) mark(l label) {
	if e.jumped[l] {
		e.labelName(l)
		e.text(":\n")
	}
}

// jump emits a branch unless the text goes on at the label.
func (e *emitter) jump(to, next label) {
	if to == next {
		return
	}
	e.jumped[to] = true
	e.text("\tbra ")
	e.labelName(to)
	e.text(";\n")
}

// branch emits a branch taken where a predicate has a value. One that is taken
// where it is false is written as a branch over an unconditional one: ptxas 12.9
// and 13.0 do not unroll a loop whose exit is a branch on a negated predicate,
// which costs a quarter of a tiled matrix product's speed. The machine code of
// both forms is the same otherwise.
func (e *emitter) branch(p operand, holds bool, to label) {
	if !holds {
		over := e.newLabel()
		e.branch(p, true, over)
		e.jump(to, 0)
		e.mark(over)
		return
	}
	e.jumped[to] = true
	e.text("\t@")
	e.name(p)
	e.text(" bra ")
	e.labelName(to)
	e.text(";\n")
}

// follow returns the label behind a control instruction: that of the block's
// text if the instruction is followed by a plain jump only.
func (e *emitter) follow(i ir.Inst) label { return e.destination(e.f.Next(i)) }

// destination returns where a terminator leads if it is a jump that moves
// nothing, or 0.
func (e *emitter) destination(i ir.Inst) label {
	switch e.f.Op(i) {
	case op.Exit:
		if c := &e.control[e.f.Target(i)]; c.passesByName(len(e.f.Args(i))) {
			return c.end
		}
	case op.Continue:
		if c := &e.control[e.f.Target(i)]; c.continues == 1 || len(e.f.Args(i)) == 0 {
			return c.continuing
		}
	}
	return 0
}

// passesByName reports whether none of the first n results needs moves.
func (c *control) passesByName(n int) bool {
	return c.exits == 1 || n < 63 && c.same&(1<<n-1) == 1<<n-1
}

// byName reports whether result n is the registers of the one value that all
// exits pass.
func (c *control) byName(n int) bool { return c.exits == 1 || n < 63 && c.same>>n&1 == 1 }

// skip handles a block of nothing but a jump that moves nothing: it returns
// where the block leads, and names the results on the way. Else it returns 0.
func (e *emitter) skip(b ir.Block) label {
	i := e.f.First(b)
	to := e.destination(i)
	if to != 0 {
		e.deliver(i)
	}
	return to
}

// returns reports whether a block only leaves the kernel.
func (e *emitter) returns(b ir.Block) bool {
	i := e.f.First(b)
	return e.f.Op(i) == op.Return && e.f.Kernel
}

// structured emits a control instruction. Behind is where its end leads if that
// is known, else 0.
func (e *emitter) structured(i ir.Inst, behind label) {
	c := &e.control[i]
	own := behind == 0
	if c.end = behind; own {
		c.end = e.newLabel()
	}
	for n, r := range e.f.Results(i) {
		if !c.byName(n) || c.exits == 0 {
			e.define(r)
		}
	}
	switch e.f.Op(i) {
	case op.If:
		e.conditional(i)
	case op.Loop:
		e.loop(i)
	case op.Switch:
		e.choice(i)
	case op.Scope:
		e.block(e.f.Region(i, 0), c.end)
	}
	if own {
		e.mark(c.end)
	}
}

// conditional emits an if.
func (e *emitter) conditional(i ir.Inst) {
	f := e.f
	end := e.control[i].end
	then, other := f.Region(i, 0), f.Region(i, 1)
	if b := e.certain(i); b != 0 {
		e.block(b, end)
		return
	}
	p := e.register(e.slot(f.Arg(i, 0))) // a part of a composite may turn out to be constant
	if a, b := f.First(then), f.First(other); f.Op(a) == op.Exit && f.Op(b) == op.Exit && f.Target(a) == i && f.Target(b) == i {
		e.chosen(i, p, f.Args(a), f.Args(b))
		return
	}
	if e.returns(then) || e.returns(other) {
		e.leaveIf(p, e.returns(then))
		if e.returns(then) {
			then = other
		}
		e.block(then, end)
		return
	}
	toThen, toOther := e.skip(then), e.skip(other)
	switch {
	case toThen != 0 && toOther != 0:
		if toThen == end {
			e.branch(p, false, toOther)
			return
		}
		e.branch(p, true, toThen)
		e.jump(toOther, end)
	case toThen != 0:
		e.branch(p, true, toThen)
		e.block(other, end)
	case toOther != 0:
		e.branch(p, false, toOther)
		e.block(then, end)
	default:
		otherwise := e.newLabel()
		e.branch(p, false, otherwise)
		e.block(then, otherwise)
		e.mark(otherwise)
		e.block(other, end)
	}
}

// leaveIf emits a return taken where a predicate has a value.
func (e *emitter) leaveIf(p operand, holds bool) {
	e.text("\t@")
	if !holds {
		e.text("!")
	}
	e.name(p)
	e.text(" ret;\n")
}

// chosen emits an if whose blocks are empty: its results are choices.
func (e *emitter) chosen(i ir.Inst, p operand, x, y []ir.Value) {
	for n, r := range e.f.Results(i) {
		xs, ys := e.slotsOf(x[n]), e.slotsOf(y[n])
		if x[n] == y[n] {
			e.alias(r, xs...)
			continue
		}
		at := e.values[r]
		for k := range at.count {
			e.choose(e.slots[at.first+k], p, xs[k], ys[k])
		}
	}
}

// loop emits a loop.
func (e *emitter) loop(i ir.Inst) {
	f := e.f
	c := &e.control[i]
	c.continuing = e.newLabel()
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	e.moves = e.moves[:0]
	for n, p := range f.Params(body) {
		e.define(p)
		e.move(p, f.Arg(i, n))
	}
	e.flushMoves()
	if c.continues != 1 {
		for _, p := range f.Params(continuing) {
			e.define(p)
		}
	}
	c.start = e.newLabel()
	e.jumped[c.start] = true // by the next
	e.mark(c.start)
	e.block(body, c.continuing)
	e.mark(c.continuing)
	e.block(continuing, c.end)
}

// choice emits a switch: a chain of comparisons, then the blocks that have text of
// their own, the default block first, for the chain runs into it. A block that
// only jumps has none: the comparison, or the end of the chain, jumps where it leads.
func (e *emitter) choice(i ir.Inst) {
	f := e.f
	blocks, other := f.Blocks(i), f.DefaultCase(i)
	base, placed := len(e.cases), len(e.placed)
	for n, b := range blocks {
		to := e.skip(ir.Block(b))
		own := to == 0
		if own {
			to = e.newLabel()
		}
		e.cases = append(e.cases, to)
		if own && n != other {
			e.placed = append(e.placed, uint32(n))
		}
	}
	for n, value := range f.Args(i)[1:] {
		to := int(f.CaseTargets(i)[n])
		if to == other {
			continue
		}
		p := e.fresh(predicate)
		selector := f.Arg(i, 0)
		e.expand("setp.eq.b32 $d, #a, #b", arguments{scalar.U32, []operand{p},
			[]operand{e.register(e.slot(selector)), e.slot(value)}})
		e.branch(p, true, e.cases[base+to])
	}
	if b := ir.Block(blocks[other]); e.destination(f.First(b)) != 0 {
		e.jump(e.cases[base+other], e.behindCase(i, base, placed))
	} else {
		e.block(b, e.behindCase(i, base, placed))
	}
	for k := placed; k < len(e.placed); k++ {
		n := int(e.placed[k])
		e.mark(e.cases[base+n])
		e.block(ir.Block(blocks[n]), e.behindCase(i, base, k+1))
	}
	e.cases, e.placed = e.cases[:base], e.placed[:placed]
}

// behindCase returns the label that stands before the k-th placed block of a
// switch, whose labels begin at base, or where its end leads if there is none.
func (e *emitter) behindCase(i ir.Inst, base, k int) label {
	if k < len(e.placed) {
		return e.cases[base+int(e.placed[k])]
	}
	return e.control[i].end
}

// terminator emits the end of a block.
func (e *emitter) terminator(i ir.Inst, next label) {
	f := e.f
	switch f.Op(i) {
	case op.Exit:
		e.deliver(i)
		e.jump(e.control[f.Target(i)].end, next)
	case op.Continue:
		e.deliver(i)
		e.jump(e.control[f.Target(i)].continuing, next)
	case op.Next:
		e.next(i, next)
	case op.Return:
		e.leaveFunction(i)
	case op.Unreachable:
		e.text("\ttrap;\n")
	}
}

// deliver passes what an exit or a continue carries.
func (e *emitter) deliver(i ir.Inst) {
	f := e.f
	if f.Op(i) == op.Exit {
		e.leave(i, f.Args(i))
		return
	}
	params := f.Params(f.Region(f.Target(i), 1))
	e.moves = e.moves[:0]
	for n, p := range params {
		if e.control[f.Target(i)].continues == 1 {
			e.alias(p, e.slotsOf(f.Arg(i, n))...)
		} else {
			e.move(p, f.Arg(i, n))
		}
	}
	e.flushMoves()
}

// leave passes an exit's values to the results of its target.
func (e *emitter) leave(i ir.Inst, values []ir.Value) {
	target := e.f.Target(i)
	c := &e.control[target]
	e.moves = e.moves[:0]
	for n, r := range e.f.Results(target) {
		switch {
		case !c.byName(n):
			e.move(r, values[n])
		case e.values[r].count == 0:
			e.alias(r, e.slotsOf(values[n])...)
		}
	}
	e.flushMoves()
}

// next emits the end of an iteration.
func (e *emitter) next(i ir.Inst, after label) {
	f := e.f
	target := f.Target(i)
	params, condition, results := f.NextArgs(i)
	places := f.Params(f.Region(target, 0))
	c := &e.control[target]
	start, end := c.start, c.end
	if condition == 0 {
		e.moves = e.moves[:0]
		for n, p := range places {
			e.move(p, params[n])
		}
		e.flushMoves()
		e.jump(start, 0)
		return
	}
	// results go first: they may be parameters, which are about to change
	e.leave(i, results)
	p := e.register(e.slot(condition))
	e.moves = e.moves[:0]
	kept := true
	for n, place := range places {
		e.move(place, params[n])
		for _, s := range e.slotsOf(place) {
			kept = kept && s != p
		}
	}
	// a result that is the very register of a parameter must leave before that
	// parameter changes
	for n := range results {
		for _, s := range e.slotsOf(f.Results(target)[n]) {
			kept = kept && !e.moved(s)
		}
	}
	if kept {
		e.flushMoves()
		e.branch(p, false, start)
		e.jump(end, after)
		return
	}
	e.branch(p, true, end)
	e.flushMoves()
	e.jump(start, 0)
}

// moved reports whether a pending move changes a register.
func (e *emitter) moved(o operand) bool {
	for _, m := range e.moves {
		if m.to == o && m.from != o {
			return true
		}
	}
	return false
}
