// Package shared has workarounds for faults that several compilers have, and analyses for others.
package shared

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// lateConstants analyses which values of a function a driver's compiler may fold to constants. Such
// compilers unroll loops and fold late, by rules that are seldom used, and that is where they are
// wrong. Passes leave alone values that depend on memory, on inputs or on other invocations.
type lateConstants struct {
	M         *ir.Module
	F         *ir.Func
	continued analysis.Continued
	// inputs says that the builtins of a kernel count as known, since a loop that they bound may be
	// unrolled.
	inputs bool
}

// Enter starts the analysis of a function.
func (w *lateConstants) Enter(m *ir.Module, f *ir.Func) {
	w.M, w.F = m, f
	w.continued.Enter(f)
}

// Visited is the state of one query of MayBeKnown: the number of visited values, which is bounded,
// and the visited loop parameters, which may depend on themselves.
type Visited struct {
	values, loops int
	parameters    [4]ir.Value
}

// MayBeKnown reports whether a driver may be able to fold a value, in all iterations if it is
// carried by a loop. It cannot if the value depends on shared memory, inputs or other invocations.
func (w *lateConstants) MayBeKnown(v ir.Value, seen *Visited) bool {
	if seen.values++; !v.IsLocal() || seen.values > 64 {
		return true
	}
	f := w.F
	i, ok := f.Def(v)
	if !ok {
		return w.phiMayBeKnown(v, seen)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return w.IsPromotable(f.Arg(i, 0))
	case o == op.Extract && w.IsInput(f.Resolve(f.Arg(i, 0))):
		return w.inputs || w.isSingleValued(f.Resolve(f.Arg(i, 0)), f.Arg(i, 1))
	case !o.Pure():
		return false
	}
	for _, a := range f.Args(i) {
		if !w.MayBeKnown(f.Resolve(a), seen) {
			return false
		}
	}
	return true
}

// phiMayBeKnown is MayBeKnown for parameters of loops and functions. Parameters of functions that
// are called may be known.
func (w *lateConstants) phiMayBeKnown(v ir.Value, seen *Visited) bool {
	if w.IsInput(v) {
		return w.inputs || w.isSingleValued(v, ir.NoValue)
	}
	start, next, ok := w.Phi(v)
	if !ok || slices.Contains(seen.parameters[:seen.loops], v) || seen.loops == len(seen.parameters) {
		return true
	}
	seen.parameters[seen.loops] = v
	seen.loops++
	return w.MayBeKnown(start, seen) && (next == ir.NoValue || w.MayBeKnown(next, seen))
}

// IsInput reports whether a value is a builtin parameter of a kernel.
func (w *lateConstants) IsInput(v ir.Value) bool {
	_, defined := w.F.Def(v)
	return w.F.Kernel && v.IsLocal() && !defined && w.F.Parent(w.F.DefBlock(v)) == 0
}

// isSingleValued reports whether an input, or its component unless that is NoValue, has one
// possible value. That is so for ids in a workgroup of one invocation, or of size 1 in that
// direction, and for the size of subgroups.
func (w *lateConstants) isSingleValued(input, component ir.Value) bool {
	f := w.F
	ones := 0
	for k := range f.Workgroup {
		if f.Workgroup[k] == f.Module.ConstU32(1) {
			ones |= 1 << k
		}
	}
	switch f.Builtins[slices.Index(f.Params(f.Entry), input)] {
	case ir.SubgroupSize:
		return true
	case ir.LocalInvocationIndex, ir.SubgroupInvocationID, ir.SubgroupID:
		return ones == 7
	case ir.LocalInvocationID:
		if k, ok := f.Module.ConstIndex(f.TypeOf(input), component); ok {
			return ones>>k&1 == 1
		}
		return ones != 0
	}
	return false
}

// IsPromotable reports whether a pointer has a constant offset in a variable of the invocation. A
// driver may promote such a variable to a value (mem2reg).
func (w *lateConstants) IsPromotable(pointer ir.Value) bool {
	f := w.F
	for {
		if space := w.M.SpaceOf(f.TypeOf(pointer)); space != ir.Function && space != ir.Private {
			return false
		}
		i, ok := f.Def(pointer)
		if !ok || f.Op(i) != op.Access && f.Op(i) != op.Address {
			return true
		}
		for _, index := range f.Args(i)[1:] {
			if !index.IsConst() {
				return false
			}
		}
		pointer = f.Arg(i, 0)
	}
}

// Phi returns the initial value of a parameter of a loop's body and its value in the next
// iteration, or NoValue if there is none. ok says whether v is such a parameter. If all continues
// pass the same value to a parameter of the continuing block, next is that value.
func (w *lateConstants) Phi(v ir.Value) (start, next ir.Value, ok bool) {
	f := w.F
	b := f.DefBlock(v)
	loop := f.Parent(b)
	if loop == 0 || b != f.Region(loop, 0) {
		return ir.NoValue, ir.NoValue, false
	}
	n := slices.Index(f.Params(b), v)
	start = f.Resolve(f.Args(loop)[n])
	if end := f.Terminator(f.Region(loop, 1)); end != 0 && f.Op(end) == op.Next {
		after, _, _ := f.NextArgs(end)
		next = f.Resolve(after[n])
		if passed := w.continued.Through(loop, next); passed != analysis.Mixed {
			next = f.Resolve(passed)
		}
	}
	return start, next, true
}
