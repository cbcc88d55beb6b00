package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// SignedLoops hides from drivers the signed comparisons of what loops count, where
// the count may wrap:
//
//	ge %k, %n   ─►   ge (bitcast %k) ^ 0x80000000u, (bitcast %n) ^ 0x80000000u : bool
//
// WGSL's i32 wraps, and so do SPIR-V's integers without NoSignedWrap and those of
// PTX. NVIDIA's compilers (driver 580, ptxas 12.9 to 13.5) take it from a loop's
// signed test that they do not, as C does, and draw conclusions: they remove
// `if k < 0` from a loop that adds to k until k >= n. A bias turns the test into one
// of numbers without a sign, for which they do not.
//
// Where ranges.go proves that no sum or product on the way wraps, as it does for
// all loops that step by one to a bound, comparisons stay, and drivers know how
// often the loop runs.
var SignedLoops = opt.Pass{
	Name: "signedloops",
	Doc:  "compare what loops count without signs, where it may wrap",
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
			r.function(&signedLoops, f)
		}
	},
}

var signedLoops = rules{op.Lt: hideSign, op.Le: hideSign, op.Gt: hideSign, op.Ge: hideSign}

// isSignedOrder reports whether an instruction compares i32 values by order.
func isSignedOrder(f *ir.Func, i ir.Inst) bool {
	o := f.Op(i)
	return (o == op.Lt || o == op.Le || o == op.Gt || o == op.Ge) && f.Module.ScalarOf(f.TypeOf(f.Arg(i, 0))) == scalar.I32
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
		} else if inside && isSignedOrder(f, i) {
			return true
		}
	}
	return false
}

func hideSign(r *rewriter) ir.Value {
	if !isSignedOrder(r.f, r.i) || !r.inLoop() || !r.mayWrap(r.x[0], wrapDepth) && !r.mayWrap(r.x[1], wrapDepth) {
		return ir.NoValue
	}
	biased := func(x ir.Value) ir.Value {
		u := r.cast(scalar.U32, x)
		return r.op(op.Xor, u, r.bits(r.f.TypeOf(u), 1<<31))
	}
	x := biased(r.x[0])
	return r.op(r.f.Op(r.i), x, biased(r.x[1]))
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

// wrapDepth bounds how far values are followed; what lies behind counts as wrapping.
const wrapDepth = 8

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
		o == op.Extract, o == op.Insert, o == op.Construct, o == op.Splat, o == op.Shuffle:
	default:
		return false
	}
	for _, a := range f.Args(i) {
		if r.m.ScalarOf(f.TypeOf(a)) == scalar.I32 && r.mayWrap(f.Resolve(a), depth-1) {
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
	if b != f.Region(loop, 0) || f.TypeOf(v) != ir.I32 || next == 0 || f.Op(next) != op.Next {
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
