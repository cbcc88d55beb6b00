package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file follows counts through branches. An index may be chosen by what loops count, as that of
// a packed triangle, and a counter may be stepped only in some iterations. In each iteration the
// conditions are constants, so that one side is taken.
//
//	if i < j { n = j*(j+1)/2 + i } else { n = i*(i+1)/2 + j }     m[n]
//
// What a loop has counted, as a position that an inner loop steps, is found by going through it.

// maxFollowed bounds the instructions that are gone through for the loops of a function.
const maxFollowed = 1 << 17

// leaves returns the terminator that ends a block in the iteration of a loop, or 0 if that is not
// known. What ends in the block is gone through.
func (u *unroller) leaves(b ir.Block, loop ir.Inst, depth int) ir.Inst {
	f := u.f
	for i := f.First(b); i != 0 && u.steps > 0; i = f.Next(i) {
		u.steps--
		if f.Op(i).Is(op.Terminator) {
			return i
		}
		if !f.Op(i).Is(op.Control) || u.staysInside(i) {
			continue
		}
		t := u.leavesControl(i, loop, depth)
		if t == 0 || f.Op(t) != op.Exit || f.Target(t) != i {
			return t
		}
	}
	return 0
}

// leavesControl returns the terminator by which a control instruction is left, or 0.
func (u *unroller) leavesControl(i, loop ir.Inst, depth int) ir.Inst {
	f := u.f
	if depth == 0 {
		return 0
	}
	switch f.Op(i) {
	case op.Scope:
		return u.leaves(f.Region(i, 0), loop, depth-1)
	case op.If:
		if x := u.valueIn(f.Arg(i, 0), loop, depth-1); x != ir.NoValue {
			n := 0
			if u.m.ConstBits(x) == 0 {
				n = 1
			}
			return u.leaves(f.Region(i, n), loop, depth-1)
		}
	case op.Switch:
		if x := u.valueIn(f.Arg(i, 0), loop, depth-1); x != ir.NoValue {
			n := f.DefaultCase(i)
			if k := slices.Index(f.Args(i)[1:], x); k >= 0 {
				n = int(f.CaseTargets(i)[k])
			}
			return u.leaves(f.Region(i, n), loop, depth-1)
		}
	}
	return 0
}

// staysInside reports whether all that leaves a control instruction goes on behind it.
func (u *unroller) staysInside(control ir.Inst) bool {
	f := u.f
	b := f.BlockOf(control)
	for i, end := f.After(control, b), f.AfterRegions(control, b); i != end; i = f.After(i, b) {
		if u.steps--; !f.Op(i).Is(op.Terminator) {
			continue
		}
		switch f.Op(i) {
		case op.Exit, op.Continue, op.Next:
			if target := f.Target(i); target != control && !isInsideOf(f, target, control) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isInsideOf reports whether an instruction is in a control instruction.
func isInsideOf(f *ir.Func, i, control ir.Inst) bool {
	for p := f.Parent(f.BlockOf(i)); p != 0; p = f.Parent(f.BlockOf(p)) {
		if p == control {
			return true
		}
	}
	return false
}

// resultIn returns the constant that a result of a branch, or of a loop that is counted, is in the
// iteration of a loop, or NoValue.
func (u *unroller) resultIn(v ir.Value, control, loop ir.Inst, depth int) ir.Value {
	f := u.f
	if f.Op(control) == op.Loop {
		return u.loopResult(v, control, loop)
	}
	t := u.leavesControl(control, loop, depth)
	if t == 0 || f.Op(t) != op.Exit || f.Target(t) != control {
		return ir.NoValue
	}
	return u.valueIn(f.Arg(t, analysis.Position(f.Results(control), v)), loop, depth-1)
}

// loopResult returns the constant that a result of a loop is in the iteration of another one, or
// NoValue.
func (u *unroller) loopResult(v ir.Value, inner, loop ir.Inst) (result ir.Value) {
	exit := u.onlyExit(inner)
	if exit == 0 || inner == loop || u.steps <= 0 || len(u.outer) > maxIndexDepth {
		return ir.NoValue
	}
	now, then := u.now, u.then
	u.now, u.then = nil, nil
	if loop != 0 {
		u.outer = append(u.outer, outerLoop{loop, now})
	}
	result = ir.NoValue
	if l, ok := u.count(inner, maxTurns); ok {
		u.steps -= 8 * l.turns
		result = u.valueIn(u.f.Arg(exit, analysis.Position(u.f.Results(inner), v)), inner, maxIndexDepth)
	}
	if loop != 0 {
		u.outer = u.outer[:len(u.outer)-1]
	}
	u.now, u.then = now, then
	return result
}

// onlyExit returns the exit from a loop at its first test if that is its only one, else 0. A
// break_if is another one.
func (u *unroller) onlyExit(loop ir.Inst) (exit ir.Inst) {
	f := u.f
	test := u.firstTest(loop)
	if test == 0 {
		return 0
	}
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.AfterRegions(loop, b); i != end; i = f.After(i, b) {
		u.steps--
		if f.Op(i) == op.Next && f.Target(i) == loop {
			if _, breaks, _ := f.NextArgs(i); breaks != ir.NoValue {
				return 0
			}
		}
		if f.Op(i) != op.Exit || f.Target(i) != loop {
			continue
		}
		if exit != 0 || f.Parent(f.BlockOf(i)) != test {
			return 0
		}
		exit = i
	}
	return exit
}

// continuedIn returns the constant that a parameter of a loop's continuing block is in an
// iteration, where several continues pass it.
func (u *unroller) continuedIn(v ir.Value, loop ir.Inst, depth int) ir.Value {
	f := u.f
	n := analysis.Position(f.Params(f.Region(loop, 1)), v)
	t := u.leaves(f.Region(loop, 0), loop, depth)
	if t == 0 || f.Op(t) != op.Continue || f.Target(t) != loop {
		return ir.NoValue
	}
	return u.valueIn(f.Arg(t, n), loop, depth-1)
}

// dependsOn collects the loops whose counts decide a result of a branch, and reports whether
// nothing else does.
func (u *unroller) dependsOn(v ir.Value, control ir.Inst, depth int) bool {
	f := u.f
	if f.Op(control) == op.Loop {
		exit := u.onlyExit(control)
		return exit != 0 && u.number[control] != 0 && u.depends(f.Arg(exit, analysis.Position(f.Results(control), v)), depth-1)
	}
	n := analysis.Position(f.Results(control), v)
	b := f.BlockOf(control)
	for i, end := control, f.AfterRegions(control, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); {
		case o == op.If, o == op.Switch:
			if !u.depends(f.Arg(i, 0), depth-1) {
				return false
			}
		case o == op.Exit && f.Target(i) == control:
			if !u.depends(f.Arg(i, n), depth-1) {
				return false
			}
		case o.Is(op.Control) && o != op.Scope:
			return false
		}
	}
	return true
}
