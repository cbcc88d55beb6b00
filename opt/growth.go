package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file bounds what the passes that write out loops make of a function. They have one budget, which follows from what the function is before the first of
// them (ir.Func.Before) and comes to about three times the code at -O0. Unroll and UnrollOdd spend of it first, on short loops from inside, then UnrollPartly on
// loops that read memory, fewer turns of each where there is not enough for eight; Coarsen looks at what they have left of it.
//
// Loops that are worth more than their size are no matter of the budget, but of maxUnrolled alone:
//   - those whose counts are all that an array of the invocation is indexed by, which becomes values (choose), and those around them over a tile in workgroup memory,
//   - those by whose counts they divide: quotients become shifts, and remainders masks (divides),
//   - those in another loop that read the same places of memory each time (rereads): what they read may stay in registers.
//
// docs/decisions.md says what each of the three is worth, and how large nvcc's code of the same sources is.

const (
	// mostGrowth is how many times as large a function may become, with what its kernel's interface takes.
	mostGrowth = 3
	// What the beginning and the end of a kernel and each variable of its module count for, in instructions: declarations, parameters, addresses, lengths.
	frameSize, globalSize = 10, 6
	// What tests and branches of control instructions count for, those of each case of a switch, too.
	ifSize, caseSize = 2, 2
	// foldedShare is the inverse of what is left of short loops once they are written out: indices, tests and conditions by what they count become constants. In 45
	// exec kernels and those of the bench the median is 0.49 of what size says.
	foldedShare = 2
	// partlySize is what a loop with several turns in one has before it: its end, and what says that accesses are in bounds.
	partlySize = 12
)

// mostInstructions returns how many instructions a function may come to, by how many it has.
func mostInstructions(m *ir.Module, before int) int {
	return mostGrowth*before + (mostGrowth-1)*(frameSize+globalSize*len(m.Globals))
}

// weigh returns how many instructions the function has for the budget, with the loops that are wanted written out.
func (u *unroller) weigh() int {
	u.weighs = true
	n := u.size(u.f.Entry)
	u.weighs = false
	return n
}

// present returns how many instructions a function has for the budget as it is.
func (u *unroller) present(m *ir.Module, f *ir.Func) int {
	u.m, u.f, u.loops, u.number = m, f, u.loops[:0], ir.Zeroed(u.number, f.InstCount())
	return u.weigh()
}

// controlSize is what a control instruction counts for without what is in it.
func controlSize(f *ir.Func, i ir.Inst) int {
	switch f.Op(i) {
	case op.If:
		return ifSize
	case op.Switch:
		return caseSize * len(f.Args(i))
	}
	return 0
}

// isWorthAll reports whether a loop that is wanted is one of those that are worth more than their size.
func (u *unroller) isWorthAll(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	inner := false // whether it is in a loop that stays
	for p := f.Parent(b); p != 0 && !inner; p = f.Parent(f.BlockOf(p)) {
		inner = f.Op(p) == op.Loop && (u.number[p] == 0 || !u.loops[u.number[p]-1].wanted)
	}
	for i, end := f.After(l.loop, b), f.Beyond(l.loop, b); i != end; i = f.After(i, b) {
		if u.divides(i) || inner && u.rereads(i) {
			return true
		}
	}
	return false
}

// divides reports whether an instruction divides an integer that nobody knows by one that is made of counts.
func (u *unroller) divides(i ir.Inst) bool {
	f := u.f
	if o := f.Op(i); o != op.Div && o != op.Rem || !u.m.ScalarOf(f.Type(i)).IsInteger() {
		return false
	}
	divisor := f.Arg(i, 1)
	return divisor.IsLocal() && u.isCounted(divisor) && !u.isCounted(f.Arg(i, 0))
}

// rereads reports whether an instruction reads a place of a buffer that is made of counts alone, and that nobody writes.
func (u *unroller) rereads(i ir.Inst) bool {
	f, m := u.f, u.m
	if f.Op(i) != op.Load {
		return false
	}
	access, ok := f.Def(f.Arg(i, 0))
	if !ok || f.Op(access) != op.Access || !f.Arg(access, 0).IsGlobal() {
		return false
	}
	t := f.Type(access)
	if s := m.SpaceOf(t); s != ir.Uniform && (s != ir.Storage || m.AccessOf(t) != ir.Read) {
		return false
	}
	counted := false
	for _, index := range f.Args(access)[1:] {
		if !u.isCounted(index) && !index.IsConst() {
			return false
		}
		counted = counted || index.IsLocal()
	}
	return counted
}
