package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What intervals decide: claims that Ranges makes if Decisions is set.

// Claims about instructions that have one result only. A comparison is First if it holds, and
// Second if it does not. A min or max is its First or its Second operand, and so is a bitwise and
// with a mask. Of a signed quotient or remainder, Second says that it is that of the same bits
// without a sign.
const (
	First = iota
	Second
)

// decide notes what the intervals say of an instruction.
func (a *Ranges) decide(i ir.Inst, o op.Op) {
	f := a.f
	switch o {
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne, op.Min, op.Max, op.And, op.Div, op.Rem:
	default:
		return
	}
	t := f.TypeOf(f.Arg(i, 0))
	if t != ir.I32 && t != ir.U32 {
		return
	}
	x, y := a.sharpen(f.Arg(i, 0), sharpenDepth), a.sharpen(f.Arg(i, 1), sharpenDepth)
	if x.Empty() || y.Empty() {
		return
	}
	switch o {
	case op.Lt, op.Gt, op.Le, op.Ge:
		if o == op.Gt || o == op.Le {
			x, y = y, x
		}
		// Lt and Gt hold if x is less, Ge and Le if it is not
		less, notLess := x.high() < y.Low, x.Low >= y.high()
		if o == op.Ge || o == op.Le {
			less, notLess = notLess, less
		}
		a.claimOne(i, less, notLess)
	case op.Eq, op.Ne:
		same, different := x.Low == x.high() && x == y, x.high() < y.Low || y.high() < x.Low
		if o == op.Ne {
			same, different = different, same
		}
		a.claimOne(i, same, different)
	case op.Min:
		a.claimOne(i, x.high() <= y.Low, y.high() <= x.Low)
	case op.Max:
		a.claimOne(i, x.Low >= y.high(), y.Low >= x.high())
	case op.And:
		a.claimOne(i, isCovered(x, y), isCovered(y, x))
	case op.Div, op.Rem:
		if t == ir.I32 && x.Low >= 0 && y.Low > 0 {
			a.claims[i] |= 1 << Second
		}
	}
}

// claimOne makes one of two claims, if either holds.
func (a *Ranges) claimOne(i ir.Inst, first, second bool) {
	switch {
	case first:
		a.claims[i] |= 1 << First
	case second:
		a.claims[i] |= 1 << Second
	}
}

// isCovered reports whether a mask, one number with all of its low bits set, keeps all bits of the
// numbers in x.
func isCovered(x, mask Interval) bool {
	m := mask.Low
	return m == mask.high() && m >= 0 && m&(m+1) == 0 && x.Low >= 0 && x.high() <= m
}
