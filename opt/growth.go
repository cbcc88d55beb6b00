package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file bounds how much a function grows by the passes that unroll loops. They share one budget
// of about three times the code at -O0, by the function's size before the first of them
// (ir.Func.Before). Unroll and its variants spend it first, on short loops, innermost first.
// RuntimeUnroll then spends it on loops that read memory, with fewer iterations of each where it
// does not allow eight. ThreadCoarsening keeps within the same budget times the items of an
// invocation.
//
// Loops that are worth more than their size are bounded by maxUnrolled alone. These are the loops
// whose counts are all that an array of the invocation is indexed by, so that the array becomes
// values (chooseByArrays). Loops over a tile in workgroup memory around such loops are others
// (isTiled). docs/decisions/0026-unrolling.md says what this costs and is worth.

const (
	// mostGrowth is the factor by which a function may grow, with the weight of its kernel's
	// interface.
	mostGrowth = 3
	// frameSize is the weight of the beginning and the end of a kernel, and globalSize that of each
	// variable of its module, in instructions. They are for declarations, parameters, addresses and
	// lengths.
	frameSize, globalSize = 10, 6
	// ifSize is the weight of an if, for its test and branches, and caseSize that of each case of a
	// switch.
	ifSize, caseSize = 2, 2
	// foldedShare is the inverse of the share that is left of short loops once they are unrolled.
	// Indices, tests and conditions that are made of counts become constants.
	foldedShare = 2
	// partlySize is the weight of what RuntimeUnroll puts before a loop: the end of its count, and
	// the tests that accesses are in bounds.
	partlySize = 12
)

// mostInstructions returns how many instructions a function may grow to that had so many before.
func mostInstructions(m *ir.Module, before int) int {
	return mostGrowth*before + (mostGrowth-1)*(frameSize+globalSize*len(m.Globals))
}

// weigh returns how many instructions the function has for the budget, with the loops that are
// wanted unrolled.
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

// controlSize returns the weight of a control instruction, without that of its blocks.
func controlSize(f *ir.Func, i ir.Inst) int {
	switch f.Op(i) {
	case op.If:
		return ifSize
	case op.Switch:
		return caseSize * len(f.Args(i))
	}
	return 0
}
