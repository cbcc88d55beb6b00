package opt

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// ReassociateDivision moves multiples of the divisor out of sums that are divided by a constant.
// Addresses that differ by a constant then share one address, with constant offsets:
//
//	tile[(t + 256) % 8][(t + 256) / 8]  ─►  tile[t % 8][t / 8 + 32]
//
// Remainders by powers of two are masks here, and quotients are shifts. A mask needs no proof: what
// wraps is a multiple, too. For all else analysis.Ranges has to prove that the sum does not wrap.
// Such sums come from unrolled loops, each of whose iterations would need a register for its
// address.
var ReassociateDivision = Pass{
	Name: "reassociate-division",
	Doc:  "reassociate constant divisions of sums, so that multiples of the divisor become constant offsets",
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[divisionReassociator](c, "reassociate-division")
		for _, f := range m.Funcs {
			if f.Had(&dividing) {
				s.run(f)
			}
		}
	},
}

var dividing = op.SetOf(op.And, op.Shr, op.Div, op.Rem)

type divisionReassociator struct {
	f      *ir.Func
	ranges analysis.Ranges
}

func (s *divisionReassociator) run(f *ir.Func) {
	s.f = f
	analysed, changed := false, false
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		sum, addend, ok := s.match(i)
		if ok && f.Op(i) != op.And {
			if !analysed {
				s.ranges.Arithmetic = true
				s.ranges.Analyse(f)
				analysed = true
			}
			ok = s.ranges.Proves(sum, 1)
		}
		if ok {
			s.rewrite(i, sum, addend)
			changed = true
		}
		i = next
	}
	if changed {
		f.ApplyReplacements()
	}
}

// match tells of a remainder or quotient by a constant of a sum whose constant is a multiple: the
// sum, and what the constant adds to the result.
func (s *divisionReassociator) match(i ir.Inst) (sum ir.Inst, addend uint64, ok bool) {
	f, m := s.f, s.f.Module
	o := f.Op(i)
	if o != op.And && o != op.Shr && o != op.Div && o != op.Rem || f.Type(i) != ir.U32 {
		return 0, 0, false
	}
	by, ok := m.ConstUint(f.Arg(i, 1))
	if !ok {
		return 0, 0, false
	}
	sum, ok = f.Def(f.Arg(i, 0))
	if !ok || f.Op(sum) != op.Add {
		return 0, 0, false
	}
	more, ok := m.ConstUint(f.Arg(sum, 1))
	if !ok {
		return 0, 0, false
	}
	switch {
	case o == op.And && by&(by+1) == 0:
		return sum, 0, by != 0 && more&by == 0
	case o == op.Shr && by < 32:
		return sum, more >> by, bits.TrailingZeros64(more) >= int(by)
	case o == op.Rem && by != 0:
		return sum, 0, more%by == 0
	case o == op.Div && by != 0:
		return sum, more / by, more%by == 0
	}
	return 0, 0, false
}

// rewrite divides what is added to the constant, and adds the constant's part.
func (s *divisionReassociator) rewrite(i, sum ir.Inst, addend uint64) {
	f := s.f
	made := f.NewInst(f.Op(i), ir.U32, f.Aux(i), f.SpanOf(i), f.Arg(sum, 0), f.Arg(i, 1))
	f.InsertBefore(i, made)
	if addend != 0 {
		rest := made
		made = f.NewInst(op.Add, ir.U32, 0, f.SpanOf(i), f.Result(rest), f.Module.ConstU32(uint32(addend)))
		f.InsertBefore(i, made)
	}
	f.SetName(f.Result(made), f.ValueName(f.Result(i)))
	f.Replace(f.Result(i), f.Result(made))
	f.Remove(i)
}
