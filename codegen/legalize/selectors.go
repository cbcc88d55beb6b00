package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Selectors leaves each block of a switch one selector, and its default none:
//
//	switch %x {                      %hit = eq min (xor %x, 4u), (xor %x, 7u), 0u
//	case 4u, 7u { … }          ─►    %y = select %hit, 4u, %x
//	…                                switch %y { case 4u { … } …
//
// With NVIDIA's compilers (driver 580, Vulkan and PTX) a loop in a block of several
// selectors may run fewer turns than it has, or never end, for the invocations of one
// of them: where the block asks for %x again, in tests or in indices, they seem to take
// the paths apart. One small program in 300 of the family "arms" of internal/difftest
// was wrong. The minimum is one test that they leave whole; a select for each selector
// is not enough.
var Selectors = opt.Pass{
	Name:  "selectors",
	Doc:   "give each block of a switch one selector",
	Gives: ir.SingleSelectors,
	Keeps: ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		s := opt.Scratch[selectors](c, "selectors")
		s.r = rewriter{c: c, m: m}
		for _, f := range m.Funcs {
			s.r.f, s.r.b.F = f, f
			s.block(f.Entry)
		}
	},
}

type selectors struct {
	r      rewriter
	blocks []selected
}

// selected is a block of a switch: how many selectors it has, the first of them, and
// what is 0 if any of them is the number in hand.
type selected struct {
	count        int
	first, least ir.Value
}

func (s *selectors) block(b ir.Block) {
	f := s.r.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Switch {
			s.choice(i)
		}
		if f.Op(i).Is(op.Control) {
			for n := range f.Blocks(i) {
				s.block(f.Region(i, n))
			}
		}
	}
}

// choice rewrites a switch.
func (s *selectors) choice(i ir.Inst) {
	r, f := &s.r, s.r.f
	s.blocks = ir.Zeroed(s.blocks, len(f.Blocks(i)))
	several := false
	for n, target := range f.CaseTargets(i) {
		b := &s.blocks[target]
		if b.count++; b.count == 1 {
			b.first = f.Arg(i, n+1)
		}
		several = several || b.count > 1 || int(target) == f.DefaultCase(i)
	}
	if !several {
		return
	}
	s.blocks[f.DefaultCase(i)].count = 0
	r.stand(i)
	x := r.cast(scalar.U32, r.x[0])
	for n, target := range f.CaseTargets(i) {
		b := &s.blocks[target]
		if b.count < 2 {
			continue
		}
		different := r.op(op.Xor, x, r.m.ConstU32(uint32(r.m.ConstBits(f.Arg(i, n+1)))))
		if b.least == ir.NoValue {
			b.least = different
		} else {
			b.least = r.op(op.Min, b.least, different)
		}
	}
	selector := r.x[0]
	for n := range s.blocks {
		if b := &s.blocks[n]; b.count > 1 {
			selector = r.choose(r.op(op.Eq, b.least, r.m.ConstU32(0)), b.first, selector)
		}
	}
	f.SetArg(i, 0, selector)
	f.RemoveCases(i, func(value ir.Value, block int) bool {
		return s.blocks[block].count == 0 || s.blocks[block].first != value
	})
}
