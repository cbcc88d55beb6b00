package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// KnownExtremes compares sums without a sign, by a bias of 2^31, where a driver may come
// to know the numbers that are added:
//
//	max(x + c, y)               ─►  max_u32(x + c ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//	select(x + c > y, x + c, y)  ─►  likewise
//
// For sm_90 ptxas (12.9 to 13.5) makes one instruction, VIADDMNMX, of a sum and a minimum
// or maximum with a sign behind it. Where it then puts a constant for a number, which it does
// late in a loop that it moves out of another one, it gets the signs wrong: of
// max(-1 - k, 0) with a k of 19 it makes max(19 + 1, 0), of max(k - 1, 0) max(1 - 19, 0).
// The same without a sign is right, and so are sums that depend on anything which
// is loaded or passed.
var KnownExtremes = opt.Pass{
	Name:  "knownextremes",
	Doc:   "compare sums that drivers may know without a sign",
	Keeps: ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[knownExtremes](c, "knownextremes")
		x.r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if f.Had(&loops) && f.Had(&extremes) {
				x.function(m, f)
			}
		}
	},
}

var extremes = op.SetOf(op.Min, op.Max, op.Clamp, op.Select)

type knownExtremes struct {
	r rewriter
	known
}

func (x *knownExtremes) function(m *ir.Module, f *ir.Func) {
	x.r.f, x.r.b.F = f, f
	x.enter(m, f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if extremes.Has(f.Op(i)) && m.ScalarOf(f.Type(i)) == scalar.I32 {
			if v := x.extreme(i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// extreme returns what takes the place of an extreme, or NoValue if it stays.
func (x *knownExtremes) extreme(i ir.Inst) ir.Value {
	r := &x.r
	r.stand(i)
	o, args := r.f.Op(i), r.x[:len(r.f.Args(i))]
	if o == op.Select {
		if o, args = x.selected(); o == op.Select {
			return ir.NoValue
		}
	}
	for _, v := range args {
		if x.isKnownSum(v) {
			return r.biased(o, args)
		}
	}
	return ir.NoValue
}

// isKnownSum reports whether a value is a sum of numbers that may be known. Complements
// are subtractions in PTX.
func (x *knownExtremes) isKnownSum(v ir.Value) bool {
	i, ok := x.f.Def(v)
	if !ok {
		return false
	}
	switch x.f.Op(i) {
	case op.Add, op.Sub, op.Not:
		var seen followed
		return x.mayBeKnown(v, &seen)
	}
	return false
}

// selected returns the minimum or maximum that the selection in hand is, with its
// operands, or op.Select.
func (x *knownExtremes) selected() (op.Op, []ir.Value) {
	r := &x.r
	chosen, otherwise := r.x[1], r.x[2]
	i, ok := r.f.Def(r.x[0])
	if !ok {
		return op.Select, nil
	}
	greater := false
	switch r.f.Op(i) {
	case op.Gt, op.Ge:
		greater = true
	case op.Lt, op.Le:
	default:
		return op.Select, nil
	}
	a, b := r.f.Resolve(r.f.Arg(i, 0)), r.f.Resolve(r.f.Arg(i, 1))
	switch {
	case a == chosen && b == otherwise:
	case a == otherwise && b == chosen:
		greater = !greater
	default:
		return op.Select, nil
	}
	r.x[0], r.x[1] = a, b
	if greater {
		return op.Max, r.x[:2]
	}
	return op.Min, r.x[:2]
}
