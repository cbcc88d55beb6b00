package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file bounds what the passes that write out loops make of a function. They have one budget,
// which follows from what the function is before the first of them (ir.Func.Before) and comes to
// about three times the code at -O0. Unroll and UnrollOdd spend of it first, on short loops from
// inside, then RuntimeUnroll on loops that read memory, fewer turns of each where there is not
// enough for eight; Coarsen looks at what they have left of it.
//
// Loops that are worth more than their size are no matter of the budget, but of maxUnrolled alone:
// those whose counts are all that an array of the invocation is indexed by, which becomes values
// (chooseByArrays), and those around them over a tile in workgroup memory (isTiled).
// docs/decisions/0027-code-growth.md says what this costs and is worth.

const (
	// mostGrowth is how many times as large a function may become, with what its kernel's interface
	// takes.
	mostGrowth = 3
	// What the beginning and the end of a kernel and each variable of its module count for, in
	// instructions: declarations, parameters, addresses, lengths.
	frameSize, globalSize = 10, 6
	// What tests and branches of control instructions count for, those of each case of a switch,
	// too.
	ifSize, caseSize = 2, 2
	// foldedShare is the inverse of what is left of short loops once they are written out: indices,
	// tests and conditions by what they count become constants. In 45 exec kernels and those of the
	// bench the median is 0.49 of what size says.
	foldedShare = 2
	// partlySize is what a loop with several iterations in one has before it: its end, and what
	// says that accesses are in bounds.
	partlySize = 12
)

// mostInstructions returns how many instructions a function may come to, by how many it has.
func mostInstructions(m *ir.Module, before int) int {
	return mostGrowth*before + (mostGrowth-1)*(frameSize+globalSize*len(m.Globals))
}

// weigh returns how many instructions the function has for the budget, with the loops that are
// wanted written out.
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
