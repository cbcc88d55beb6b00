package opt

import (
	"slices"

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
// whose induction variables are the only indices of an array of the invocation, so that the array
// becomes values (chooseByArrays). Loops over a tile in workgroup memory around such loops are
// others (isTiled). docs/decisions/0026-unrolling.md says what this costs and is worth.
//
// A loop over a tile may become longer than others, if its iterations are loops themselves, of an
// invocation with several results. Unrolled, it loads what its next iteration needs while this one
// computes, at constant offsets from one address. Targets' compilers leave loops of such a size
// alone, and wait for workgroup memory in each iteration. Where an iteration has one result, they
// unroll as much of the loop as they like by themselves.

const (
	// maxGrowthFactor is the factor by which a function may grow, with the weight of its kernel's
	// interface.
	maxGrowthFactor = 3
	// frameSize is the weight of the beginning and the end of a kernel, and globalSize that of each
	// variable of its module, in instructions. They are for declarations, parameters, addresses and
	// lengths.
	frameSize, globalSize = 10, 6
	// ifSize is the weight of an if, for its test and branches, and caseSize that of each case of a
	// switch.
	ifSize, caseSize = 2, 2
	// foldedShare is the inverse of the share that is left of short loops once they are unrolled.
	// Indices, tests and conditions that are computed from induction variables become constants.
	foldedShare = 2
	// runtimeUnrollCost is the weight of what RuntimeUnroll puts before a loop: the end of its
	// count, and the tests that accesses are in bounds.
	runtimeUnrollCost = 12
)

// growthBudget returns how many instructions a function may grow to that had so many before.
func growthBudget(m *ir.Module, before int) int {
	return maxGrowthFactor*before + (maxGrowthFactor-1)*(frameSize+globalSize*len(m.Globals))
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

// maxTile is how many instructions the iterations of a loop over a tile may come to, at most 38 KiB
// of machine code, and less where products are fused. Larger loops wait for their instructions.
const maxTile = 2400

// maxSteps bounds the instructions of an unrolled loop between whose barriers some invocations have
// nothing to do. Such are the steps of a tree of sums or of a sorting network. The other
// invocations wait there, and tests and addresses that are saved are little beside that.
const maxSteps = 128

// sizeLimit returns how many instructions the iterations of a loop that is wanted may come to
// together, and whether they are worth more than their size.
func (u *unroller) sizeLimit(l *countedLoop) (most int, worth bool) {
	switch {
	case u.all && u.isTiled(l):
		return maxTile, true
	case u.hasSteps(l):
		return maxSteps, false
	case u.all:
		return maxShort, false
	}
	return maxNonUnitStride, false
}

// hasSteps reports whether a loop has barriers and work that is done under a condition.
func (u *unroller) hasSteps(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	barrier, condition := false, false
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		barrier = barrier || f.Op(i) == op.ControlBarrier
		condition = condition || f.Op(i) == op.If && i != l.test
	}
	return barrier && condition
}

// isTiled reports whether a loop works on a tile of workgroup memory, and its iterations are loops
// that will be unrolled.
func (u *unroller) isTiled(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	tile, inner := false, false
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		switch f.Op(i) {
		case op.Loop:
			if n := u.number[i]; n == 0 || !u.loops[n-1].wanted {
				return false
			}
			inner = true
		case op.ControlBarrier:
			return false
		case op.Load:
			tile = tile || u.isTile(l, f.Arg(i, 0))
		}
	}
	return tile && inner
}

// isTile reports whether a pointer is an address in workgroup memory that depends on an induction
// variable of a loop.
func (u *unroller) isTile(l *countedLoop, pointer ir.Value) bool {
	f := u.f
	access, ok := f.Def(pointer)
	if !ok || f.Op(access) != op.Access || u.m.SpaceOf(f.Type(access)) != ir.Workgroup {
		return false
	}
	for _, index := range f.Args(access)[1:] {
		if u.countsIn(index, l, maxIndexDepth) {
			return true
		}
	}
	return false
}

// countsIn reports whether a value is computed by pure operations from an induction variable of a
// loop, among others.
func (u *unroller) countsIn(v ir.Value, l *countedLoop, depth int) bool {
	f := u.f
	if !v.IsLocal() || depth == 0 {
		return false
	}
	i, ok := f.Def(v)
	if !ok {
		n := slices.Index(f.Params(f.Region(l.loop, 0)), v)
		return n >= 0 && l.known>>n&1 == 1
	}
	if !f.Op(i).Pure() || f.Op(i).Is(op.Control) {
		return false
	}
	for _, a := range f.Args(i) {
		if u.countsIn(a, l, depth-1) {
			return true
		}
	}
	return false
}
