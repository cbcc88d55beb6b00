package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file says how long the iterations of a loop may become together. A loop over a tile in
// workgroup memory whose iterations are loops themselves, of an invocation with several results,
// may become longer than others: written out, it loads what its next iteration takes while this one
// computes, at places that are constants behind one address. Drivers leave loops of such a size
// alone, and wait for workgroup memory in each iteration: of a product of matrices with 8×8 results
// for each invocation, whose loop takes eight iterations of 64 products, an H200 does 38,900
// GFLOP/s turn by turn and 42,200 written out. Where a turn has one result drivers write out as
// much of the loop as they like by themselves.

// maxTile is how many instructions the iterations of a loop over a tile may come to, at most 38 KiB
// of machine code, and less where products are fused. Larger loops wait for their instructions.
const maxTile = 2400

// maxSteps is how many instructions the iterations of a loop may come to between whose barriers
// some invocations have nothing to do, the steps of a tree of sums or of a sorting network: the
// others wait there, and tests and places that are saved are little beside that.
const maxSteps = 128

// mostOf returns how many instructions the iterations of a loop that is wanted may come to
// together, and whether they are worth more than their size (growth.go).
func (u *unroller) mostOf(l *countedLoop) (most int, worth bool) {
	switch {
	case u.all && u.isTiled(l):
		return maxTile, true
	case u.hasSteps(l):
		return maxSteps, false
	case u.all:
		return maxShort, false
	}
	return maxOdd, false
}

// hasSteps reports whether a loop has barriers and work that is done under a condition.
func (u *unroller) hasSteps(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	barrier, condition := false, false
	for i, end := f.After(l.loop, b), f.Beyond(l.loop, b); i != end; i = f.After(i, b) {
		barrier = barrier || f.Op(i) == op.ControlBarrier
		condition = condition || f.Op(i) == op.If && i != l.test
	}
	return barrier && condition
}

// isTiled reports whether a loop works on a tile of workgroup memory, and its turns are loops that
// will be unrolled.
func (u *unroller) isTiled(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	tile, inner := false, false
	for i, end := f.After(l.loop, b), f.Beyond(l.loop, b); i != end; i = f.After(i, b) {
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

// isTile reports whether a pointer leads to a place in workgroup memory that a loop counts.
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

// countsIn reports whether a value is made by pure operations of what a loop counts, among others.
func (u *unroller) countsIn(v ir.Value, l *countedLoop, depth int) bool {
	f := u.f
	if !v.IsLocal() || depth == 0 {
		return false
	}
	i, ok := f.Def(v)
	if !ok {
		n := analysis.Position(f.Params(f.Region(l.loop, 0)), v)
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
