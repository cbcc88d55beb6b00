package shared

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// HideLoopCount is workaround loop-count. It hides comparisons of induction variables that may
// wrap. Integers wrap in WGSL, in SPIR-V without NoSignedWrap, and in PTX. NVIDIA's compilers
// (driver 580, ptxas 12.9 to 13.5) assume that a loop's counter does not wrap, in two ways.
//
// They remove `if k < 0` from a loop that adds to k until k >= n, as C permits. An unsigned
// comparison with a bias of 2^31 prevents that:
//
//	ge %k, %n   ─►   ge (bitcast %k) ^ 0x80000000u, (bitcast %n) ^ 0x80000000u : bool
//
// They compute the trip count as (n - start + step - 1) / step in 32 bits
// where start, step and n are constants, and unroll the loop. `for (var k = 0u; k < 0xfffffff0; k
// += 0x55555555)` ends after one iteration of three. There the comparison becomes an equality,
// which gives no bound:
//
//	lt %k, %n   ─►   ne (max %k, %n), %k : bool
//
// A min or max of a min or max is unsigned. The signed comparisons are max(max(x, 0), 0) == 0 and
// max(max(x, 0), 0) == min(max(x, 0), 0). ptxas (12.9 to 13.5) fuses them into an instruction that
// is true for some x other than 0.
//
// If one of the three is not constant, ptxas unrolls by four where (n - k) > 3 * step. Three steps
// may wrap although one does not: `for (var k = start; k < 0x80000000; k += 0x7ffffffe)` ran many
// times for start = 3. Loops with such a large step get an equality, too.
//
// Mesa (22.3.6) computes the trip count for each test alone, and also for one that holds only after
// the counter wrapped. `var k = 5u; loop { if (k == 0u) { break; } k--; …; if (k > 4u) { break; }
// }` ran one iteration.
//
// Comparisons stay where analysis.Ranges proves that no sum or product wraps. It does for all loops
// that step by one to a bound, so that drivers still compute their trip counts.
var HideLoopCount = opt.Pass{
	Name: "loop-count",
	Doc:  "hide comparisons of induction variables that may wrap",
	Run: func(c *opt.Context, m *ir.Module) {
		w := opt.Scratch[loopCounts](c, "loop-count")
		w.r = rewrite.New(c, m)
		w.inputs = true
		// drivers see through the variables that -O0 leaves
		known := m
		if slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool { return f.Had(&rewrite.Loops) && hasIntegerVars(f) && w.mayRewrite(m, f) }) {
			known = m.Clone()
			opt.Mem2Reg.Apply(c, known)
		}
		for n, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && w.classifyFunc(known, known.Funcs[n], f.InstCount()) {
				w.r.F, w.r.B.F = f, f
				w.rewrite()
				f.ApplyReplacements()
			}
		}
	},
}

// form is the form that a comparison gets.
type form uint8

const (
	unchanged form = iota
	biased
	minMaxEquality
)

// loopCounts classifies the comparisons of a function and rewrites them.
type loopCounts struct {
	r rewrite.Rewriter
	// of the function that is analysed, which is the module's or one of a copy with fewer variables
	lateConstants
	ranges analysis.Ranges
	forms  []form      // by instruction
	senses []exitSense // by instruction, or empty if not computed yet
	// large says that the function has large constants, if largeKnown
	largeKnown, large bool
	analysed          bool // ranges holds the function
}

// classifyFunc finds the forms of the comparisons of a function, and reports whether any changes.
// count is the number of instructions of the function that is rewritten.
func (w *loopCounts) classifyFunc(m *ir.Module, f *ir.Func, count int) bool {
	w.enter(m, f)
	w.forms = ir.Zeroed(w.forms, count)
	return w.classifyBlock(f.Entry, false)
}

// enter starts the analysis of a function.
func (w *loopCounts) enter(m *ir.Module, f *ir.Func) {
	w.lateConstants.Enter(m, f)
	w.largeKnown, w.large, w.analysed = false, false, false
	w.senses = w.senses[:0]
}

func (w *loopCounts) classifyBlock(b ir.Block, inside bool) (any bool) {
	f := w.F
	for i := f.First(b); i != 0; i = f.Next(i) {
		if o := f.Op(i); o.Is(op.Control) {
			for n := range f.Blocks(i) {
				any = w.classifyBlock(f.Region(i, n), inside || o == op.Loop) || any
			}
		} else if inside && rewrite.IsIntegerComparison(f, i) {
			w.forms[i] = w.classify(i, f.Arg(i, 0), f.Arg(i, 1))
			any = any || w.forms[i] != unchanged
		}
	}
	return any
}

// classify returns the form for a comparison of a and b in a loop. Whether they may wrap is tested
// last, since that may need the analysis of ranges.
func (w *loopCounts) classify(i ir.Inst, a, b ir.Value) form {
	if w.hasLargeStep(a, b) {
		return minMaxEquality
	}
	if !w.dependsOnPhi(a, SearchDepth) && !w.dependsOnPhi(b, SearchDepth) {
		return unchanged
	}
	var seen Visited
	how := unchanged
	countsAway, known := w.countsAway(i), w.MayBeKnown(a, &seen) && w.MayBeKnown(b, &seen)
	switch {
	case countsAway && known: // another test ends the loop
		return minMaxEquality
	case countsAway || known:
		how = minMaxEquality
	case w.isBiasable(i):
		how = biased
	}
	if how == unchanged || !w.mayWrap(a, SearchDepth) && !w.mayWrap(b, SearchDepth) {
		return unchanged
	}
	return how
}

func (w *loopCounts) rewrite() {
	f := w.r.F
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if int(i) < len(w.forms) && w.forms[i] != unchanged {
			w.r.At(i)
			f.Replace(f.Result(i), w.hide(w.forms[i]))
			f.Remove(i)
		}
		i = next
	}
}

// hide returns the replacement of the current comparison.
func (w *loopCounts) hide(how form) ir.Value {
	r := &w.r
	a, b, o := r.X[0], r.X[1], r.F.Op(r.Inst)
	nested := o == op.Eq || o == op.Ne || w.isMinMax(a) || w.isMinMax(b)
	if how == biased || nested && r.Kind == scalar.I32 {
		a = r.FlipSign(a)
		b = r.FlipSign(b)
	}
	if how == biased {
		return r.Op(o, a, b)
	}
	// a < b and a >= b test whether the greater one is a, the others whether it is b
	greater := r.Op(op.Max, a, b)
	switch o {
	case op.Lt:
		return r.Op(op.Ne, greater, a)
	case op.Ge:
		return r.Op(op.Eq, greater, a)
	case op.Le:
		return r.Op(op.Eq, greater, b)
	case op.Gt:
		return r.Op(op.Ne, greater, b)
	default: // equality, whatever the order
		return r.Op(o, greater, r.Op(op.Min, a, b))
	}
}

// isMinMax reports whether a value is or may be a min or max.
func (w *loopCounts) isMinMax(v ir.Value) bool {
	i, ok := w.r.F.Def(w.r.F.Resolve(v))
	return ok && MinMaxOps.Has(w.r.F.Op(i))
}

// isBiasable reports whether a comparison is a signed, ordered one.
func (w *loopCounts) isBiasable(i ir.Inst) bool {
	o := w.F.Op(i)
	return o != op.Eq && o != op.Ne && w.M.ScalarOf(w.F.TypeOf(w.F.Arg(i, 0))) == scalar.I32
}

// mayRewrite reports whether a function may have comparisons that change. It is cheaper than
// classifyFunc, and decides whether the module is copied.
func (w *loopCounts) mayRewrite(m *ir.Module, f *ir.Func) bool {
	w.enter(m, f)
	return w.comparesInLoops(f.Entry, false)
}

func (w *loopCounts) comparesInLoops(b ir.Block, inside bool) bool {
	f := w.F
	for i := f.First(b); i != 0; i = f.Next(i) {
		if o := f.Op(i); o.Is(op.Control) {
			for n := range f.Blocks(i) {
				if w.comparesInLoops(f.Region(i, n), inside || o == op.Loop) {
					return true
				}
			}
		} else if inside && rewrite.IsIntegerComparison(f, i) {
			a, b := f.Arg(i, 0), f.Arg(i, 1)
			var seen Visited
			if w.isBiasable(i) || w.countsAway(i) || w.isLoad(a) || w.isLoad(b) ||
				w.MayBeKnown(a, &seen) && w.MayBeKnown(b, &seen) || w.hasLargeStep(a, b) {
				return true
			}
		}
	}
	return false
}

// isLoad reports whether a value is loaded from a promotable variable, which may be an induction
// variable.
func (w *loopCounts) isLoad(v ir.Value) bool {
	i, ok := w.F.Def(v)
	return ok && w.F.Op(i) == op.Load && w.IsPromotable(w.F.Arg(i, 0))
}

// hasIntegerVars reports whether a function declares 32-bit integer variables, which it does at its
// start.
func hasIntegerVars(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0 && f.Op(i) == op.Var; i = f.Next(i) {
		if t := f.Module.Element(f.Type(i)); t == ir.I32 || t == ir.U32 {
			return true
		}
	}
	return false
}

// SearchDepth bounds the depth of the searches below, in operations. Beyond it the answer is true.
const SearchDepth = 8

// dependsOnPhi reports whether a value may depend on a phi. A loop does not count by values from
// outside of it.
func (w *loopCounts) dependsOnPhi(v ir.Value, depth int) bool {
	if !v.IsLocal() {
		return false
	}
	f := w.F
	i, ok := f.Def(v)
	switch {
	case depth == 0:
		return true
	case !ok:
		return f.Parent(f.DefBlock(v)) != 0
	case f.Op(i).Is(op.Control):
		return true
	case f.Op(i) == op.Load:
		return w.IsPromotable(f.Arg(i, 0))
	}
	for _, a := range f.Args(i) {
		if w.dependsOnPhi(f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// mayWrap reports whether a value may be computed from a loop's phi by a sum or product that wraps.
// Operations that are not listed here hide the phi from the driver.
func (w *loopCounts) mayWrap(v ir.Value, depth int) bool {
	if !v.IsLocal() {
		return false
	}
	if depth == 0 {
		return true
	}
	f := w.F
	i, ok := f.Def(v)
	if !ok {
		return w.phiMayWrap(v, depth)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return w.IsPromotable(f.Arg(i, 0))
	case o == op.Add, o == op.Sub, o == op.Mul, o == op.Neg, o == op.Shl:
		if !w.provesNoWrap(i) {
			return true
		}
	case o == op.Abs, o == op.Min, o == op.Max, o == op.Clamp, o == op.Select,
		o == op.Not, o == op.Xor, o == op.Bitcast, o == op.Convert, o == op.Extract, o == op.Insert, o == op.Construct, o == op.Splat, o == op.Shuffle:
	default:
		return false
	}
	for _, a := range f.Args(i) {
		if rewrite.IsInteger32(f, a) && w.mayWrap(f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// phiMayWrap is mayWrap for parameters of loops and functions.
func (w *loopCounts) phiMayWrap(v ir.Value, depth int) bool {
	f := w.F
	if f.Parent(f.DefBlock(v)) == 0 {
		return false
	}
	_, step, _ := w.Phi(v)
	if step == ir.NoValue || !rewrite.IsInteger32(f, v) {
		return true
	}
	if step == v || step.IsConst() {
		return false
	}
	i, ok := f.Def(step)
	if !ok || f.Op(i).Is(op.Control) {
		return true
	}
	switch f.Op(i) {
	case op.Add, op.Sub, op.Mul, op.Neg, op.Shl:
		return !w.provesNoWrap(i)
	}
	return w.mayWrap(step, depth-1)
}

// provesNoWrap reports whether a sum or product provably does not wrap.
func (w *loopCounts) provesNoWrap(i ir.Inst) bool {
	if w.stepsToBound(i) {
		return true
	}
	if !w.analysed {
		w.analysed = true
		w.ranges.Arithmetic = true
		w.ranges.Analyse(w.F)
	}
	return w.ranges.Proves(i, 1)
}
