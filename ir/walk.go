package ir

import "github.com/gpuc/gpuc/ir/op"

// This file walks over functions in the order of their text, which has what a control
// instruction owns after it. A walk is a loop and needs no memory, however deep blocks
// are nested in each other:
//
//	for i := f.First(b); i != 0; i = f.After(i, b)
//
// A pass that removes the instruction it is at gets the next one before. A pass that does something
// when a block begins or ends recurses over blocks instead.

// After returns the instruction after i in a walk over a block and all blocks nested in it, or 0
// at its end. Blocks that are not empty end with a terminator. Operations from op.If on own blocks,
// up to op.Scope, or are terminators. For all others it is inlined, so that a walk costs no more
// than one over a single block.
func (f *Func) After(i Inst, root Block) Inst {
	if f.insts[i].op < op.If {
		return f.insts[i].next
	}
	return f.around(i, root)
}

// around is After for an instruction that owns blocks or ends one.
func (f *Func) around(i Inst, root Block) Inst {
	if r := &f.insts[i]; r.op <= op.Scope {
		if l := f.controls[r.aux].blocks; l.count > 0 {
			if first := f.firstFrom(Block(f.targets[l.start])); first != 0 {
				return first
			}
		}
	}
	return f.AfterRegions(i, root)
}

// AfterRegions is After without the blocks that i owns.
func (f *Func) AfterRegions(i Inst, root Block) Inst {
	for {
		r := &f.insts[i]
		if r.next != 0 {
			return r.next
		}
		if r.block == root {
			return 0
		}
		b := &f.blocks[r.block]
		if first := f.firstFrom(b.sibling); first != 0 {
			return first
		}
		i = b.parent
	}
}

// firstFrom returns the first instruction of a block or of those that its owner has after it.
func (f *Func) firstFrom(b Block) Inst {
	for b != 0 {
		r := &f.blocks[b]
		if r.first != 0 {
			return r.first
		}
		b = r.sibling
	}
	return 0
}

// Leaves reports how a control instruction is left from inside: whether an exit names it,
// and whether anything leads further than after it, as returns do. The condition of a
// loop's last test is neither.
func (f *Func) Leaves(control Inst) (exits, further bool) {
	b := f.BlockOf(control)
	for i, end := f.After(control, b), f.AfterRegions(control, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); {
		case o == op.Return:
			further = true
		case o == op.Exit && f.Target(i) == control:
			exits = true
		case o.Is(op.Terminator) && o != op.Unreachable:
			at := f.Target(i)
			for at != 0 && at != control {
				at = f.Parent(f.BlockOf(at))
			}
			further = further || at == 0
		}
	}
	return exits, further
}
