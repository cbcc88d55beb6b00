package mesa

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// CompareBeforeExtension is workaround mesa-sext-compare. It compares a sign-extended 64-bit value
// with a constant before the extension:
//
//	i64(x) < 5                 ─►  x < 5
//	i64(x) < 0x100000000       ─►  true
//	max(i64(x), y) < 5         ─►  u64(max(i64(x), y)) ^ 1<<63 < 0x8000000000000005
//
// Mesa's compilers (22.3.6) invert such comparisons: `i64(1) > 5` is true on lavapipe. They find
// the extension through min, max, select, loops and variables. Equality, comparisons of two
// sign-extended values, and zero-extended values are right.
var CompareBeforeExtension = opt.Pass{
	Name: "mesa-sext-compare",
	Doc:  "compare sign-extended values with constants before the extension",
	Run: func(c *opt.Context, m *ir.Module) {
		w := new(sextValues)
		table := rewrite.Rules{op.Lt: w.comparison, op.Le: w.comparison, op.Gt: w.comparison, op.Ge: w.comparison}
		table.Everywhere()(c, m)
	},
}

// sextValues is a forward data-flow analysis: which values of a function may be sign-extended.
type sextValues struct {
	f      *ir.Func
	values []bool
	// variables are the invocation's variables that may hold such a value.
	variables map[ir.Value]bool
	changed   bool
}

func (w *sextValues) add(v ir.Value) {
	if v.IsLocal() && !w.values[v] {
		w.values[v], w.changed = true, true
	}
}

// flow propagates from the operands of a control instruction to the values that receive them.
func (w *sextValues) flow(from, to []ir.Value) {
	for n, v := range from {
		if w.has(v) {
			w.add(to[n])
		}
	}
}

func (w *sextValues) has(v ir.Value) bool {
	return v.IsLocal() && int(v) < len(w.values) && w.values[v]
}

// variable returns the variable that a pointer is to, or into; ok says that it is an invocation's.
func (w *sextValues) variable(pointer ir.Value) (ir.Value, bool) {
	f := w.f
	for f.DefOp(pointer) == op.Access {
		i, _ := f.Def(pointer)
		pointer = f.Arg(i, 0)
	}
	space := f.Module.SpaceOf(f.TypeOf(pointer))
	return pointer, space == ir.Function || space == ir.Private
}

// analyse iterates over a function until a fixed point.
func (w *sextValues) analyse(f *ir.Func) {
	w.f, w.variables, w.changed = f, map[ir.Value]bool{}, true
	w.values = ir.Zeroed(w.values, f.ValueCount())
	if !f.Kernel { // arguments may be sign-extended
		for _, p := range f.Params(f.Entry) {
			w.add(p)
		}
	}
	for w.changed {
		w.changed = false
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			w.instruction(i)
		}
	}
}

func (w *sextValues) instruction(i ir.Inst) {
	f := w.f
	switch o := f.Op(i); o {
	case op.Convert:
		if f.Module.ScalarOf(f.Type(i)) == scalar.I64 && shared.IsSignedWord(f.Module.ScalarOf(f.TypeOf(f.Arg(i, 0)))) {
			w.add(f.Result(i))
		}
	case op.Call:
		if f.Result(i) != 0 {
			w.add(f.Result(i))
		}
	case op.Min, op.Max, op.Neg, op.Abs, op.Clamp, op.Select, op.Splat, op.Construct, op.Extract, op.Insert, op.Shuffle:
		for _, v := range f.Args(i) {
			if w.has(v) {
				w.add(f.Result(i))
			}
		}
	case op.Store:
		if v, ok := w.variable(f.Arg(i, 0)); ok && w.has(f.Arg(i, 1)) && !w.variables[v] {
			w.variables[v], w.changed = true, true
		}
	case op.Load:
		if v, ok := w.variable(f.Arg(i, 0)); ok && w.variables[v] {
			w.add(f.Result(i))
		}
	case op.Loop:
		w.flow(f.Args(i), f.Params(f.Region(i, 0)))
	case op.Exit:
		w.flow(f.Args(i), f.Results(f.Target(i)))
	case op.Continue:
		w.flow(f.Args(i), f.Params(f.Region(f.Target(i), 1)))
	case op.Next:
		params, _, results := f.NextArgs(i)
		w.flow(params, f.Params(f.Region(f.Target(i), 0)))
		w.flow(results, f.Results(f.Target(i)))
	}
}

// comparison rewrites one comparison. If an operand is the extension itself, no analysis is needed.
func (w *sextValues) comparison(r *rewrite.Rewriter) ir.Value {
	if v := narrowComparison(r); v != ir.NoValue || r.Kind != scalar.I64 {
		return v
	}
	if w.f != r.F {
		w.analyse(r.F)
	}
	for n := range 2 {
		if _, constant := r.M.ConstSplatBits(r.X[1-n]); constant && w.has(r.X[n]) {
			return r.Op(r.F.Op(r.Inst), flipSign64(r, r.X[0]), flipSign64(r, r.X[1]))
		}
	}
	return ir.NoValue
}

// flipSign64 maps an i64 to the u64 x + 2^63, which preserves the order.
func flipSign64(r *rewrite.Rewriter, x ir.Value) ir.Value {
	u := r.Cast(scalar.U64, x)
	return r.Op(op.Xor, u, r.Bits(r.F.TypeOf(u), 1<<63))
}

// narrowComparison compares the operand of a sign extension, or returns NoValue.
func narrowComparison(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.I64 {
		return ir.NoValue
	}
	for n := range 2 {
		bits, constant := r.M.ConstSplatBits(r.X[1-n])
		i, ok := r.F.Def(r.X[n])
		if !constant || !ok || r.F.Op(i) != op.Convert {
			continue
		}
		x := r.F.Resolve(r.F.Arg(i, 0))
		t := r.F.TypeOf(x)
		from := r.M.ScalarOf(t)
		if !shared.IsSignedWord(from) {
			continue
		}
		o, limit := r.F.Op(r.Inst), int64(bits)
		if limit < math.MinInt32 || limit > math.MaxInt32 {
			// The constant is the left operand if n is 1. It is above or below every i32.
			greaterLeft := (n == 1) == (limit > math.MaxInt32)
			if greaterLeft == (o == op.Gt || o == op.Ge) {
				return r.Bits(r.Type, 1)
			}
			return r.Bits(r.Type, 0)
		}
		if from != scalar.I32 {
			t = r.With(t, scalar.I32)
			x = r.B.Emit(op.Convert, t, 0, x)
		}
		var args [2]ir.Value
		args[n], args[1-n] = x, r.Integer(t, limit)
		return r.Op(o, args[0], args[1])
	}
	return ir.NoValue
}
