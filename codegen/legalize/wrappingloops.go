package legalize

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// WrappingLoops hides from drivers the comparisons of what loops count, where the
// count may wrap. WGSL's integers wrap, and so do SPIR-V's without NoSignedWrap and
// those of PTX, but NVIDIA's compilers (driver 580, ptxas 12.9 to 13.5) take it from
// a loop's test that they do not, in two ways:
//
// They remove `if k < 0` from a loop that adds to k until k >= n, as C permits. A
// bias makes the test one of numbers without a sign, of which they do not think so:
//
//	ge %k, %n   ─►   ge (bitcast %k) ^ 0x80000000u, (bitcast %n) ^ 0x80000000u : bool
//
// They compute how often a loop runs, with or without a sign, as
// (n - start + step - 1) / step in 32 bits, where start, step and n are constants,
// and unroll it: `for (var k = 0u; k < 0xfffffff0; k += 0x55555555)` ends after one
// turn of three. There the test is one that shows no order:
//
//	lt %k, %n   ─►   ne (max %k, %n), %k : bool
//
// Where ranges.go proves that no sum or product on the way wraps, as it does for
// all loops that step by one to a bound, comparisons stay, and drivers know how
// often the loop runs.
var WrappingLoops = opt.Pass{
	Name: "wrappingloops",
	Doc:  "compare what loops count so that drivers see no order, where it may wrap",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewriter](c, "rewriter")
		*r = rewriter{c: c, m: m, ranges: opt.Scratch[ranges](c, "ranges")}
		for _, f := range m.Funcs {
			if !comparesInLoops(f, f.Entry, false) {
				continue
			}
			r.ranges.arithmetic = true
			r.ranges.analyse(f)
			r.ranges.arithmetic = false
			r.function(&wrappingLoops, f)
		}
	},
}

var wrappingLoops = rules{op.Lt: hideOrder, op.Le: hideOrder, op.Gt: hideOrder, op.Ge: hideOrder}

// isIntegerOrder reports whether an instruction compares i32 or u32 values by order.
func isIntegerOrder(f *ir.Func, i ir.Inst) bool {
	o := f.Op(i)
	return (o == op.Lt || o == op.Le || o == op.Gt || o == op.Ge) && isInteger32(f, f.Arg(i, 0))
}

// isInteger32 reports whether a value is made of i32 or u32.
func isInteger32(f *ir.Func, v ir.Value) bool {
	k := f.Module.ScalarOf(f.TypeOf(v))
	return k == scalar.I32 || k == scalar.U32
}

// comparesInLoops reports whether a block has comparisons that may have to change:
// the analysis is for those functions only.
func comparesInLoops(f *ir.Func, b ir.Block, inside bool) bool {
	for i := f.First(b); i != 0; i = f.Next(i) {
		if o := f.Op(i); o.Is(op.Control) {
			for n := range f.Blocks(i) {
				if comparesInLoops(f, f.Region(i, n), inside || o == op.Loop) {
					return true
				}
			}
		} else if inside && isIntegerOrder(f, i) {
			return true
		}
	}
	return false
}

func hideOrder(r *rewriter) ir.Value {
	a, b := r.x[0], r.x[1]
	if !isIntegerOrder(r.f, r.i) || !r.inLoop() || !r.mayWrap(a, countDepth) && !r.mayWrap(b, countDepth) {
		return ir.NoValue
	}
	o := r.f.Op(r.i)
	var seen followed
	if r.mayBeKnown(a, &seen) && r.mayBeKnown(b, &seen) {
		// a < b and a >= b are about the greater one being a, the others about b
		greater := r.op(op.Max, a, b)
		switch o {
		case op.Lt:
			return r.op(op.Ne, greater, a)
		case op.Ge:
			return r.op(op.Eq, greater, a)
		case op.Le:
			return r.op(op.Eq, greater, b)
		default:
			return r.op(op.Ne, greater, b)
		}
	}
	if r.kind != scalar.I32 {
		return ir.NoValue
	}
	biased := func(x ir.Value) ir.Value {
		u := r.cast(scalar.U32, x)
		return r.op(op.Xor, u, r.bits(r.f.TypeOf(u), 1<<31))
	}
	a = biased(a)
	return r.op(o, a, biased(b))
}

// inLoop reports whether the instruction in hand is in a loop.
func (r *rewriter) inLoop() bool {
	for at := r.f.Parent(r.f.BlockOf(r.i)); at != 0; at = r.f.Parent(r.f.BlockOf(at)) {
		if r.f.Op(at) == op.Loop {
			return true
		}
	}
	return false
}

// countDepth bounds how far values are followed to tell whether they wrap; what lies
// behind counts as wrapping.
const countDepth = 8

// followed is what mayBeKnown has looked at: how many values, which are bounded, and
// which parameters of loops, which depend on themselves.
type followed struct {
	values, loops int
	parameters    [4]ir.Value
}

// mayBeKnown reports whether a driver may be able to compute a value, or to know how
// it goes on in a loop: unless it depends on memory that others see, on the input or
// on other invocations.
func (r *rewriter) mayBeKnown(v ir.Value, seen *followed) bool {
	if seen.values++; !v.IsLocal() || seen.values > 64 {
		return true
	}
	f := r.f
	i, ok := f.Def(v)
	if !ok {
		return r.parameterMayBeKnown(v, seen)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return r.isOwnScalar(f.Arg(i, 0))
	case o.Info().Effects != 0 || len(f.Args(i)) == 0:
		return false
	}
	for _, a := range f.Args(i) {
		if !r.mayBeKnown(f.Resolve(a), seen) {
			return false
		}
	}
	return true
}

// parameterMayBeKnown is mayBeKnown for the parameters of loops and functions. Of
// calls that stay it cannot tell.
func (r *rewriter) parameterMayBeKnown(v ir.Value, seen *followed) bool {
	f := r.f
	b := f.DefBlock(v)
	loop := f.Parent(b)
	if loop == 0 || b != f.Region(loop, 0) {
		return true
	}
	if slices.Contains(seen.parameters[:seen.loops], v) || seen.loops == len(seen.parameters) {
		return true
	}
	seen.parameters[seen.loops] = v
	seen.loops++
	n := position(f.Params(b), v)
	if !r.mayBeKnown(f.Resolve(f.Args(loop)[n]), seen) {
		return false
	}
	next := f.Terminator(f.Region(loop, 1))
	if next == 0 || f.Op(next) != op.Next {
		return true
	}
	after, _, _ := f.NextArgs(next)
	return r.mayBeKnown(f.Resolve(after[n]), seen)
}

// mayWrap reports whether a value may be one that a loop counts and that wraps on
// the way. Values that are no sums or products of such a one tell nothing of it.
func (r *rewriter) mayWrap(v ir.Value, depth int) bool {
	if !v.IsLocal() {
		return false
	}
	if depth == 0 {
		return true
	}
	f := r.f
	i, ok := f.Def(v)
	if !ok {
		return r.parameterMayWrap(v, depth)
	}
	switch o := f.Op(i); {
	case o.Is(op.Control):
		return true
	case o == op.Load:
		return r.isOwnScalar(f.Arg(i, 0))
	case o == op.Add, o == op.Sub, o == op.Mul, o == op.Neg, o == op.Shl:
		if !r.ranges.proves(i, 1) {
			return true
		}
	case o == op.Abs, o == op.Min, o == op.Max, o == op.Clamp, o == op.Select,
		o == op.Not, o == op.Xor, o == op.Bitcast, o == op.Convert, o == op.Extract, o == op.Insert, o == op.Construct, o == op.Splat, o == op.Shuffle:
	default:
		return false
	}
	for _, a := range f.Args(i) {
		if isInteger32(f, a) && r.mayWrap(f.Resolve(a), depth-1) {
			return true
		}
	}
	return false
}

// parameterMayWrap is mayWrap for the parameters of loops and functions.
func (r *rewriter) parameterMayWrap(v ir.Value, depth int) bool {
	f := r.f
	b := f.DefBlock(v)
	loop := f.Parent(b)
	if loop == 0 {
		return false
	}
	next := f.Terminator(f.Region(loop, 1))
	n := position(f.Params(b), v)
	if b != f.Region(loop, 0) || !isInteger32(f, v) || next == 0 || f.Op(next) != op.Next {
		return true
	}
	after, _, _ := f.NextArgs(next)
	step := f.Resolve(after[n])
	if step == v || step.IsConst() {
		return false
	}
	i, ok := f.Def(step)
	if !ok || f.Op(i).Is(op.Control) {
		return true
	}
	switch f.Op(i) {
	case op.Add, op.Sub, op.Mul, op.Neg, op.Shl:
		return !r.ranges.proves(i, 1)
	}
	return r.mayWrap(step, depth-1)
}

// isOwnScalar reports whether a pointer leads to one place in a variable of the
// invocation's own, which a driver makes a value of the loop.
func (r *rewriter) isOwnScalar(pointer ir.Value) bool {
	f := r.f
	for {
		if space := r.m.SpaceOf(f.TypeOf(pointer)); space != ir.Function && space != ir.Private {
			return false
		}
		i, ok := f.Def(pointer)
		if !ok || f.Op(i) != op.Access {
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
