package interp

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file is what the checked mode does with reads outside whose values choices may drop
// (ir.Func.Discardable): what there is to report waits until the last choice. If all choices took
// the value it is an error, and else a note.

// held is a read whose value a path of choices leads on.
type held struct {
	pc   int // of the instruction that finds out
	path ir.ChoicePath
}

// holding marks instructions whose findings wait: in n of checks, and in x of those that index
// values.
const holding = 1 << 8

// emitFinder emits an instruction that may find something wrong with a read. If choices may drop
// the read's value, that waits, and what the instruction has found before is forgotten.
func (c *compiler) emitFinder(i ir.Inst, in instruction) {
	paths := c.dropping[i]
	if len(paths) == 0 {
		c.emit(in)
		return
	}
	switch in.op {
	case opExtract, opTable:
		in.x = holding
	default:
		in.n |= holding
	}
	pc := len(c.out) + 1
	c.emit(instruction{op: opForget, aux: uint32(pc)})
	c.emit(in)
	for _, p := range paths {
		last := p[len(p)-1].At
		c.behind[last] = append(c.behind[last], held{pc, p})
	}
}

// chosen emits, after an instruction, the ends of the paths that it is the last choice on.
func (c *compiler) chosen(i ir.Inst) {
	for _, h := range c.behind[i] {
		taken := c.fresh(1)[0]
		c.move(taken, c.bits(1))
		for _, choice := range h.path {
			by, negated := c.f.Taken(choice)
			all := c.slots(by)
			some := c.fresh(1)[0]
			for n, s := range all {
				if negated {
					opposite := c.fresh(1)[0]
					c.emit(instruction{op: opNotBool, d: opposite, a: s})
					s = opposite
				}
				if n == 0 {
					c.emit(instruction{op: opMove, d: some, a: s})
				} else {
					c.emit(instruction{op: opOr, d: some, a: some, b: s})
				}
			}
			c.emit(instruction{op: opAnd, d: taken, a: taken, b: some})
		}
		c.emit(instruction{op: opChosen, a: taken, aux: uint32(h.pc)})
	}
}

// waitingKey is an instruction and the invocation that it has found something in.
type waitingKey struct {
	local, pc uint32
}

// find reports what the instruction at an address has found, which may be about another
// instruction, or has it wait.
func (k *checker) find(d diag.Diagnostic, about uint32, v *invocation, at uint32) {
	switch c := &k.e.image.code[at]; {
	case c.n&holding != 0 && (c.op == opCheck || c.op == opCheckTexture), c.x == holding && (c.op == opExtract || c.op == opTable):
		k.waiting[waitingKey{v.local, at}] = finding{d, about}
	default:
		k.report(d, about)
	}
}

// finding is a diagnostic that waits, and the instruction that it is about.
type finding struct {
	diag.Diagnostic
	pc uint32
}

// chosen reports what an instruction has found, now that it is known whether its value is used.
func (k *checker) chosen(v *invocation, pc uint32, taken bool) {
	d, ok := k.waiting[waitingKey{v.local, pc}]
	if !ok {
		return
	}
	if !taken {
		d.Code, d.Severity = diag.DiscardedRead, diag.Info
		d.Notes = append([]diag.Note{{Message: "the value that it reads is not used: a select, & or | takes the other operand"}}, d.Notes...)
	}
	k.report(d.Diagnostic, d.pc)
}
