package shared

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// LateConstants tells what a driver's compiler may know of a function's values. Such compilers
// unroll loops and compute what depends on constants alone, late and with rules that they
// seldom get to use, which is where they are wrong. Passes hide what they can from them,
// and leave alone what depends on memory, on the input or on other invocations.
type LateConstants struct {
	M         *ir.Module
	F         *ir.Func
	continued analysis.Continued
	// inputs says that what a kernel is given about its invocation counts as known, as
	// loops that it bounds may be unrolled.
	inputs bool
}

// Enter begins with a function.
func (w *LateConstants) Enter(m *ir.Module, f *ir.Func) {
	w.M, w.F = m, f
	w.continued.Enter(f)
}

// Visited is what mayBeKnown has looked at: how many values, which are bounded, and
// which parameters of loops, which depend on themselves.
type Visited struct {
	values, loops int
	parameters    [4]ir.Value
}

// MayBeKnown reports whether a driver may be able to compute a value, or to know how
// it goes on in a loop: unless it depends on memory that others see, on the input or
// on other invocations.
func (w *LateConstants) MayBeKnown(v ir.Value, seen *Visited) bool {
	if seen.values++; !v.IsLocal() || seen.values > 64 {
		return true
	}
	f := w.F
	i, ok := f.Def(v)
	if !ok {
		return w.parameterMayBeKnown(v, seen)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return w.IsOwnScalar(f.Arg(i, 0))
	case o == op.Extract && w.IsInput(f.Resolve(f.Arg(i, 0))):
		return w.inputs || w.isOneOf(f.Resolve(f.Arg(i, 0)), f.Arg(i, 1))
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

// parameterMayBeKnown is mayBeKnown for the parameters of loops and functions. Of
// calls that stay it cannot tell.
func (w *LateConstants) parameterMayBeKnown(v ir.Value, seen *Visited) bool {
	if w.IsInput(v) {
		return w.inputs || w.isOneOf(v, ir.NoValue)
	}
	start, next, ok := w.Phi(v)
	if !ok || slices.Contains(seen.parameters[:seen.loops], v) || seen.loops == len(seen.parameters) {
		return true
	}
	seen.parameters[seen.loops] = v
	seen.loops++
	return w.MayBeKnown(start, seen) && (next == ir.NoValue || w.MayBeKnown(next, seen))
}

// IsInput reports whether a value is what a kernel is given about its invocation.
func (w *LateConstants) IsInput(v ir.Value) bool {
	_, defined := w.F.Def(v)
	return w.F.Kernel && v.IsLocal() && !defined && w.F.Parent(w.F.DefBlock(v)) == 0
}

// isOneOf reports whether there is only one number that an input may be, or that its
// component may be: a workgroup has one invocation, if only in that direction, or drivers
// know the size of their subgroups.
func (w *LateConstants) isOneOf(input, component ir.Value) bool {
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

// IsOwnScalar reports whether a pointer leads to one place in a variable of the
// invocation's own, which a driver makes a value of the loop.
func (w *LateConstants) IsOwnScalar(pointer ir.Value) bool {
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

// Phi returns what a parameter is at a loop's beginning and what it is in the next
// turn, if there is one; ok says whether it is the parameter of a loop's body. What all
// continues pass to the continuing block means its parameter there.
func (w *LateConstants) Phi(v ir.Value) (start, next ir.Value, ok bool) {
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
