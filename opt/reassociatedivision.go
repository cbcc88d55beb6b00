package opt

import (
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
		s := Scratch[simplifier](c, "reassociate-division")
		s.ranges = Scratch[analysis.Ranges](c, "reassociate-division-ranges")
		s.c, s.fresh = c, true
		for _, f := range m.Funcs {
			if f.Had(&dividing) {
				s.divisions(f)
			}
		}
	},
}

var dividing = op.SetOf(op.And, op.Shr, op.Div, op.Rem)

// divisions applies the rules of the group to each instruction once.
func (s *simplifier) divisions(f *ir.Func) {
	s.f, s.analysed = f, false
	changed := false
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if dividing.Has(f.Op(i)) && s.rules(i, divisionRules[f.Op(i)], f.Args(i)) {
			changed = true
		}
		i = next
	}
	if changed {
		f.ApplyReplacements()
	}
}
