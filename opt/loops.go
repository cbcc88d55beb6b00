package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file has what the passes on loops know of the shape of a loop.

// firstTest returns the first control instruction of a loop's body, or 0 if that is no such test. A
// test is an if of which one side leaves the loop, without other effects.
func firstTest(f *ir.Func, loop ir.Inst) ir.Inst {
	for i := f.First(f.Region(loop, 0)); i != 0; i = f.Next(i) {
		if !f.Op(i).Is(op.Control) {
			continue
		}
		if f.Op(i) == op.If && (exits(f, f.Region(i, 0), loop) || exits(f, f.Region(i, 1), loop)) {
			return i
		}
		return 0
	}
	return 0
}

// exits reports whether a block ends by leaving a loop, and has no blocks in it.
func exits(f *ir.Func, b ir.Block, loop ir.Inst) bool {
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i).Is(op.Control) {
			return false
		}
	}
	last := f.Terminator(b)
	return last != 0 && f.Op(last) == op.Exit && f.Target(last) == loop
}

// leavesIfTrue reports whether the first test of a loop leaves it if the condition holds.
func leavesIfTrue(f *ir.Func, test, loop ir.Inst) bool { return exits(f, f.Region(test, 0), loop) }

// exitTest returns firstTest and the index of its region that leaves the loop.
func exitTest(f *ir.Func, loop ir.Inst) (test ir.Inst, region int) {
	if test = firstTest(f, loop); test != 0 && !leavesIfTrue(f, test, loop) {
		region = 1
	}
	return test, region
}

// continuesAtEnd reports whether the last instruction of a loop's body is its only continue.
func continuesAtEnd(f *ir.Func, loop ir.Inst) bool {
	body := f.Region(loop, 0)
	last := f.Terminator(body)
	for i := f.First(body); i != 0; i = f.After(i, body) {
		if f.Op(i) == op.Continue && f.Target(i) == loop && i != last {
			return false
		}
	}
	return last != 0 && f.Op(last) == op.Continue && f.Target(last) == loop
}

// increment returns the sum that is the next value of the n-th parameter of a loop, and what is
// added to the parameter. It returns 0 if the next value is another one.
func increment(f *ir.Func, continued *analysis.Continued, loop ir.Inst, n int) (step ir.Inst, by ir.Value) {
	next := f.Terminator(f.Region(loop, 1))
	if n < 0 || next == 0 || f.Op(next) != op.Next {
		return 0, ir.NoValue
	}
	after, _, _ := f.NextArgs(next)
	step, ok := f.Def(continued.Through(loop, after[n]))
	if !ok || f.Op(step) != op.Add {
		return 0, ir.NoValue
	}
	p := f.Params(f.Region(loop, 0))[n]
	x, y := continued.Through(loop, f.Arg(step, 0)), continued.Through(loop, f.Arg(step, 1))
	switch p {
	case x:
		return step, y
	case y:
		return step, x
	}
	return 0, ir.NoValue
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

// isInside reports whether a loop defines a value, which then may differ from iteration to
// iteration.
func isInside(f *ir.Func, v ir.Value, loop ir.Inst) bool {
	if !v.IsLocal() {
		return false
	}
	for b := f.DefBlock(v); ; {
		owner := f.Parent(b)
		if owner == loop || owner == 0 {
			return owner != 0
		}
		b = f.BlockOf(owner)
	}
}
