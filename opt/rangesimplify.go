package opt

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
)

// RangeSimplify simplifies integer operations by intervals, as LLVM's CorrelatedValuePropagation
// does. These are comparisons with one possible result, min and max of operands that do not
// overlap, and masks that clear nothing. A quotient or remainder by a constant of what is not
// negative needs no sign, and by a power of two it is a shift or a mask:
//
//	%q = div %x, 4i : i32        (0 ≤ %x)     ─►     %q = shr %x, 2u : i32
//	%c = lt %n, 32u : bool       (%n < 32)    ─►     true
//
// Front ends emit code for what a language defines of shifts by any amount, of signed quotients and
// of positions. This pass removes such code where the intervals make it superfluous. The intervals
// cost a walk, so it is done for functions that have such a quotient or such a shift.
var RangeSimplify = Pass{
	Name: "range-simplify",
	Doc:  "simplify by integer intervals: constant comparisons, redundant min, max and masks, unsigned division",
	Run: func(c *Context, m *ir.Module) {
		d := Scratch[rangeSimplifier](c, "range-simplify")
		d.ranges = Scratch[analysis.Ranges](c, "ranges")
		for _, f := range m.Funcs {
			if d.f = f; d.worthwhile() {
				d.run()
			}
		}
	},
}

// rangeSimplifier rewrites one function at a time.
type rangeSimplifier struct {
	f      *ir.Func
	ranges *analysis.Ranges
}

// rangedOps are the operations without which there is nothing to do.
var rangedOps = op.SetOf(op.Div, op.Rem, op.Shl, op.Shr)

// worthwhile reports whether a function divides a signed value by a constant, or chooses the result
// of a shift.
func (d *rangeSimplifier) worthwhile() bool {
	f := d.f
	if !f.Had(&rangedOps) {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.Div, op.Rem:
			if d.isSignedByConstant(i) {
				return true
			}
		case op.Select:
			if o := f.DefOp(f.Arg(i, 1)); f.DefOp(f.Arg(i, 0)) == op.Lt && (o == op.Shl || o == op.Shr) {
				return true
			}
		}
	}
	return false
}

// isSignedByConstant reports whether a quotient or remainder is one of an i32 by a constant.
func (d *rangeSimplifier) isSignedByConstant(i ir.Inst) bool {
	return d.f.Type(i) == ir.I32 && d.f.Arg(i, 1).IsConst()
}

func (d *rangeSimplifier) run() {
	f := d.f
	d.ranges.Decisions = true
	d.ranges.Analyse(f)
	d.ranges.Decisions = false
	changed := false
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		changed = d.instruction(i) || changed
		i = next
	}
	if changed {
		f.ApplyReplacements()
	}
}

// instruction replaces an instruction or makes it simpler, if something is known of it.
func (d *rangeSimplifier) instruction(i ir.Inst) bool {
	f := d.f
	first, second := d.ranges.Proves(i, analysis.First), d.ranges.Proves(i, analysis.Second)
	switch o := f.Op(i); o {
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		if !first && !second {
			return false
		}
		f.Replace(f.Result(i), f.Module.ConstBool(first))
		return true
	case op.Min, op.Max, op.And:
		switch {
		case first:
			f.Replace(f.Result(i), f.Arg(i, 0))
		case second:
			f.Replace(f.Result(i), f.Arg(i, 1))
		}
		return first || second
	case op.Div, op.Rem:
		if second && d.isSignedByConstant(i) {
			d.withoutSign(i, o)
			return true
		}
	}
	return false
}

// withoutSign makes a quotient or remainder of a value that is not negative unsigned. By a power of
// two it becomes a shift or a mask.
func (d *rangeSimplifier) withoutSign(i ir.Inst, o op.Op) {
	f, m := d.f, d.f.Module
	by, _ := m.ConstUint(f.Arg(i, 1))
	b := ir.Builder{F: f, Folds: true}
	b.At(i)
	x := f.Arg(i, 0)
	switch {
	case by&(by-1) != 0:
		x = b.Convert(scalar.I32, b.Op(o, b.Convert(scalar.U32, x), m.ConstU32(uint32(by))))
	case o == op.Div:
		x = b.Op(op.Shr, x, m.ConstU32(uint32(bits.TrailingZeros64(by))))
	default:
		x = b.Op(op.And, x, m.ConstI32(int32(by-1)))
	}
	f.Replace(f.Result(i), x)
	f.Remove(i)
}
