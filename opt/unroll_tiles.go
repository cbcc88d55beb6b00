package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file bounds how long an unrolled loop may become. A loop over a tile in workgroup memory may
// become longer than others, if its iterations are loops themselves, of an invocation with several
// results. Unrolled, it loads what its next iteration needs while this one computes, at constant
// offsets from one address. Targets' compilers leave loops of such a size alone, and wait for
// workgroup memory in each iteration. Where an iteration has one result, they unroll as much of the
// loop as they like by themselves.

// maxTile is how many instructions the iterations of a loop over a tile may come to, at most 38 KiB
// of machine code, and less where products are fused. Larger loops wait for their instructions.
const maxTile = 2400

// maxSteps bounds the instructions of an unrolled loop between whose barriers some invocations have
// nothing to do. Such are the steps of a tree of sums or of a sorting network. The other
// invocations wait there, and tests and addresses that are saved are little beside that.
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

// isTile reports whether a pointer is an address in workgroup memory that is made of what a loop
// counts.
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
