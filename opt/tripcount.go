package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file finds trip counts by evaluating the iterations of a loop (LLVM: ScalarEvolution's
// exhaustive exit counts). Parameters that begin with constants are followed through pure
// operations until a test leaves the loop.
//
// Induction variables are followed through branches, too. A condition on them may select an index,
// as that of a packed triangle, and a counter may be stepped only in some iterations. In each
// iteration the conditions are constants, so that one side is executed.
//
//	if i < j { n = j*(j+1)/2 + i } else { n = i*(i+1)/2 + j }     m[n]
//
// The result of an inner loop, such as a position that it steps, is found by evaluating that loop.

// maxFollowed bounds the instructions that are gone through for the loops of a function.
const maxFollowed = 1 << 17

// count finds out how many iterations a loop has, if they are not too many.
func (u *unroller) count(loop ir.Inst, most int) (l countedLoop, ok bool) {
	f := u.f
	body := f.Region(loop, 0)
	next := f.Terminator(f.Region(loop, 1))
	if n := len(f.Params(body)); next == 0 || f.Op(next) != op.Next || n == 0 || n > 64 {
		return l, false
	}
	l = countedLoop{loop: loop, test: firstTest(u.f, loop), known: ^uint64(0)}
	after, condition, _ := f.NextArgs(next)
	u.start(loop)
	if u.hasMoreThan(most, &l) {
		return l, false
	}
	for ; l.tripCount <= most; l.tripCount++ {
		for n, v := range u.now {
			if !v.IsConst() {
				l.known &^= 1 << n
			}
		}
		if l.known == 0 {
			return l, false
		}
		if l.test != 0 {
			leaves, ok := u.truth(f.Arg(l.test, 0), loop)
			if !ok {
				return l, false
			}
			if leaves == leavesIfTrue(u.f, l.test, loop) {
				return l, true
			}
		}
		u.step(loop, after)
		if l.test == 0 {
			if condition == ir.NoValue {
				return l, false
			}
			leaves, ok := u.truth(condition, loop)
			if !ok {
				return l, false
			}
			if leaves {
				l.tripCount++
				return l, true
			}
		}
		u.now, u.then = u.then, u.now
	}
	return l, false
}

// hasMoreThan reports whether a loop surely has more iterations than that, by its start, step and
// bound if these are constants.
func (u *unroller) hasMoreThan(most int, l *countedLoop) bool {
	f, m := u.f, u.m
	if l.test == 0 {
		return false
	}
	compare, ok := f.Def(f.Arg(l.test, 0))
	if !ok || f.Op(compare) != op.Lt || leavesIfTrue(u.f, l.test, l.loop) || !f.Arg(compare, 1).IsConst() {
		return false
	}
	counter := f.Arg(compare, 0)
	n := slices.Index(f.Params(f.Region(l.loop, 0)), counter)
	if t := f.TypeOf(counter); n < 0 || !u.now[n].IsConst() || t != ir.I32 && t != ir.U32 {
		return false
	}
	_, by := increment(f, &u.continued, l.loop, n)
	if !by.IsConst() {
		return false
	}
	from, to := analysis.Constant(m, f.TypeOf(counter), u.now[n]), analysis.Constant(m, f.TypeOf(counter), f.Arg(compare, 1))
	steps := analysis.Constant(m, f.TypeOf(counter), by).Low
	return steps > 0 && steps < 1<<31 && to.Low-from.Low > int64(most)*steps
}

// start sets now to what the parameters of a loop begin with.
func (u *unroller) start(loop ir.Inst) {
	u.now = u.now[:0]
	for _, v := range u.f.Args(loop) {
		if x := u.valueIn(v, 0, maxIndexDepth); x != ir.NoValue {
			v = x
		}
		u.now = append(u.now, v)
	}
}

// step sets then to what comes after now.
func (u *unroller) step(loop ir.Inst, after []ir.Value) {
	u.then = u.then[:0]
	for _, v := range after {
		u.then = append(u.then, u.valueIn(v, loop, maxIndexDepth))
	}
}

// truth returns what a condition is in the iteration of a loop whose parameters are in now.
func (u *unroller) truth(v ir.Value, loop ir.Inst) (truth, ok bool) {
	x := u.valueIn(v, loop, maxIndexDepth)
	return x != ir.NoValue && u.m.ConstBits(x) != 0, x != ir.NoValue
}

// valueIn returns the constant that a value is in the iteration of a loop whose parameters are in
// now, and of those in outer, or NoValue. Loop 0 means none but those.
func (u *unroller) valueIn(v ir.Value, loop ir.Inst, depth int) ir.Value {
	f := u.f
	if loop != 0 {
		passed := u.continued.Through(loop, v)
		// v may be the variable that means mixed
		if passed == analysis.Mixed && passed != v && depth > 0 {
			return u.continuedIn(v, loop, depth)
		}
		v = passed
	}
	if v = f.Resolve(v); v.IsConst() {
		return v
	}
	i, ok := f.Def(v)
	if !v.IsLocal() || depth == 0 {
		return ir.NoValue
	}
	if !ok {
		if p := u.parameter(v, loop); p.IsConst() {
			return p
		}
		return ir.NoValue
	}
	if f.Op(i).Is(op.Control) {
		return u.resultIn(v, i, loop, depth)
	}
	if !f.Op(i).Pure() || len(f.Args(i)) > 3 {
		return ir.NoValue
	}
	var args [3]ir.Value
	for n, a := range f.Args(i) {
		if args[n] = u.valueIn(a, loop, depth-1); args[n] == ir.NoValue {
			return ir.NoValue
		}
	}
	x, ok := u.m.Fold(f.Op(i), f.Type(i), f.Aux(i), args[:len(f.Args(i))])
	if !ok {
		return ir.NoValue
	}
	return x
}

// parameter returns what a parameter of a loop, or of those in outer, is in the current iteration,
// or NoValue.
func (u *unroller) parameter(v ir.Value, loop ir.Inst) ir.Value {
	f := u.f
	if loop != 0 {
		if n := slices.Index(f.Params(f.Region(loop, 0)), v); n >= 0 {
			return u.now[n]
		}
	}
	for _, o := range u.outer {
		if n := slices.Index(f.Params(f.Region(o.loop, 0)), v); n >= 0 {
			return o.now[n]
		}
	}
	return ir.NoValue
}

// terminatorOf returns the terminator that ends a block in the iteration of a loop, or 0 if that is
// not known. What ends in the block is gone through.
func (u *unroller) terminatorOf(b ir.Block, loop ir.Inst, depth int) ir.Inst {
	f := u.f
	for i := f.First(b); i != 0 && u.steps > 0; i = f.Next(i) {
		u.steps--
		if f.Op(i).Is(op.Terminator) {
			return i
		}
		if !f.Op(i).Is(op.Control) || u.exitsBehind(i) {
			continue
		}
		t := u.terminatorOfControl(i, loop, depth)
		if t == 0 || f.Op(t) != op.Exit || f.Target(t) != i {
			return t
		}
	}
	return 0
}

// terminatorOfControl returns the terminator by which a control instruction is left, or 0.
func (u *unroller) terminatorOfControl(i, loop ir.Inst, depth int) ir.Inst {
	f := u.f
	if depth == 0 {
		return 0
	}
	switch f.Op(i) {
	case op.Scope:
		return u.terminatorOf(f.Region(i, 0), loop, depth-1)
	case op.If:
		if x := u.valueIn(f.Arg(i, 0), loop, depth-1); x != ir.NoValue {
			n := 0
			if u.m.ConstBits(x) == 0 {
				n = 1
			}
			return u.terminatorOf(f.Region(i, n), loop, depth-1)
		}
	case op.Switch:
		if x := u.valueIn(f.Arg(i, 0), loop, depth-1); x != ir.NoValue {
			n := f.DefaultCase(i)
			if k := slices.Index(f.Args(i)[1:], x); k >= 0 {
				n = int(f.CaseTargets(i)[k])
			}
			return u.terminatorOf(f.Region(i, n), loop, depth-1)
		}
	}
	return 0
}

// exitsBehind reports whether all that leaves a control instruction goes on after it.
func (u *unroller) exitsBehind(control ir.Inst) bool {
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

// resultIn returns the constant that a result of a branch, or of a loop that is counted, is in the
// iteration of a loop, or NoValue.
func (u *unroller) resultIn(v ir.Value, control, loop ir.Inst, depth int) ir.Value {
	f := u.f
	if f.Op(control) == op.Loop {
		return u.loopResult(v, control, loop)
	}
	t := u.terminatorOfControl(control, loop, depth)
	if t == 0 || f.Op(t) != op.Exit || f.Target(t) != control {
		return ir.NoValue
	}
	return u.valueIn(f.Arg(t, slices.Index(f.Results(control), v)), loop, depth-1)
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
	if l, ok := u.count(inner, maxTripCount); ok {
		u.steps -= 8 * l.tripCount
		result = u.valueIn(u.f.Arg(exit, slices.Index(u.f.Results(inner), v)), inner, maxIndexDepth)
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
	test := firstTest(u.f, loop)
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
	n := slices.Index(f.Params(f.Region(loop, 1)), v)
	t := u.terminatorOf(f.Region(loop, 0), loop, depth)
	if t == 0 || f.Op(t) != op.Continue || f.Target(t) != loop {
		return ir.NoValue
	}
	return u.valueIn(f.Arg(t, n), loop, depth-1)
}
