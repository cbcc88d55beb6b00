package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file hoists what a workgroup has in common out of the loop over its blocks of lanes:
// addresses of rows, factors, sizes. Kernels with little work for an invocation would compute
// that as often as there are blocks. It is computed once for a workgroup, in front of its phases,
// and again where the code is resumed between two blocks. Operations in blocks that are not
// always executed are hoisted, too, if they can do no harm.

// findHoisted finds the instructions that are hoisted, in the order of the text.
func (s *selector) findHoisted() {
	f := s.f
	s.isHoisted, s.hoisted = ir.Zeroed(s.isHoisted, len(s.home)), s.hoisted[:0]
	if s.isAlone() || len(s.flow.lives.Predecessors(f.Order[0])) > 0 {
		return
	}
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if s.canHoist(i, n) {
				s.isHoisted[i] = true
				s.hoisted = append(s.hoisted, i)
			}
		}
	}
}

// canHoist reports whether an instruction of a block is hoisted, if all before it have been looked
// at.
func (s *selector) canHoist(i mir.Inst, n int) bool {
	f := s.f
	if len(f.Results(i)) == 0 || !s.isNeeded(i) || s.fused(n) == i || s.delayed(n) == i {
		return false
	}
	for _, r := range f.Results(i) {
		if s.p.Uniform[lower.Always].Varies(r) {
			return false
		}
	}
	switch o := f.Op(i); {
	case o == mir.Builtin, o == mir.BindingAddress, o == mir.BindingLength, o == mir.MulWide:
	case o == mir.Op(op.Load):
		if !s.isUnchanged(i) || n > 0 && !s.isFixed(i) {
			return false
		}
	case o == mir.Op(op.Div), o == mir.Op(op.Rem): // by zero, perhaps
		if f.Kind(i).IsInteger() && !f.Arg(i, 1).IsConst() {
			return false
		}
	case o >= mir.Join, !op.Op(o).Pure(), lower.IsSubgroup(o), mir.IsTexture(o):
		return false
	}
	s.operands = f.AppendReads(s.operands[:0], i)
	for _, o := range s.operands {
		if !o.IsConst() {
			if d, ok := s.definition(o); !ok || !s.isHoisted[d] {
				return false
			}
		}
	}
	return true
}

// isUnchanged reports whether nothing writes what a load reads as long as the kernel runs.
func (s *selector) isUnchanged(i mir.Inst) bool {
	m := s.f.Memory(i)
	return m.Unchanged || m.Space == ir.Immediate
}

// isFixed reports whether the memory of an access exists in every launch, wherever it is executed:
// a member of a uniform buffer, or an immediate.
func (s *selector) isFixed(i mir.Inst) bool {
	m := s.f.Memory(i)
	if m.Space != ir.Uniform && m.Space != ir.Immediate || m.Index != mir.NoOperand {
		return false
	}
	if m.Base == mir.NoOperand || m.Base.IsConst() {
		return true
	}
	d, ok := s.definition(m.Base)
	return ok && s.f.Op(d) == mir.BindingAddress
}

// enterHoisted emits what is hoisted. Code that is resumed between two blocks of lanes comes here,
// too, and goes on from here.
func (s *selector) enterHoisted() {
	if len(s.hoisted) == 0 {
		return
	}
	s.setContext(contextResume, 0)
	s.mark(s.begins)
	s.burn(spillFactor * int64(len(s.hoisted)))
	for _, i := range s.hoisted {
		s.source = uint32(i)
		s.use(0)
		s.instructionOnce(i)
		for u := 1; u < len(s.sets); u++ {
			s.use(u)
			s.share(i, 0)
		}
	}
	s.use(0)
	s.source = 0
	s.epoch++
	s.compareContext(contextResume, 0)
	s.jumpIf(amd64.NotEqual, s.resumed)
}

// dropHoisted takes what is hoisted away from what is live at barriers: it needs no frames.
func (s *selector) dropHoisted(c *cutter) {
	for _, i := range s.hoisted {
		for _, r := range s.f.Results(i) {
			v := s.value(r)
			for _, x := range [...]amd64.Operand{v.general, v.vector[0], v.vector[1]} {
				if x == 0 {
					continue
				}
				if n := c.numbers[c.index(x)]; n >= 0 {
					for k := range c.live {
						c.live[k][n/64] &^= 1 << (n % 64)
					}
				}
			}
		}
	}
}
