package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file adds to sums where they are. The parameter of a loop and the sum that the next
// iteration gets would be two registers otherwise, since both are live for a part of the loop. A
// product of matrices has twelve of them.

// inPlace emits a sum into the registers of what is added to, if that is the parameter of the block
// or a sum that began with one. It must have no other use. A loop then needs no other registers for
// its sums, and no copies at its end.
func (s *selector) inPlace(i mir.Inst) bool {
	f := s.f
	k, d := f.Kind(i), f.Result(i)
	v := s.value(d)
	form := inPlaceForms[f.Op(i)][k]
	if form == 0 || v.needs&inVector == 0 || s.flow.partial[s.block] || s.flow.kept[f.Index(d)] || len(s.sets) > 1 {
		return false
	}
	args := f.Args(i)
	sum := args[len(args)-1]
	if f.Op(i) == mir.Op(op.Add) && !s.isSum(sum) {
		args = []mir.Operand{args[1], args[0]}
		sum = args[1]
	}
	if !s.isSum(sum) || slices.Contains(args[:len(args)-1], sum) {
		return false
	}
	s.sums[f.Index(d)] = true
	v.vector = s.value(sum).vector
	for part, to := range v.vector {
		if to == 0 {
			continue
		}
		e := amd64.Of(form, amd64.Wide, to, to)
		if f.Op(i) == mir.Op(op.Fma) {
			e.Operands[1] = s.vector(args[0], part)
		}
		x := s.vectorSource(args[len(args)-2], part)
		s.operand(&e, 2, &x)
		s.append(&e)
	}
	return true
}

// inPlaceForms are the instructions that add to their first operand, or to their second one.
var inPlaceForms = [op.Count][scalar.Count]amd64.Op{
	op.Fma: {scalar.F32: amd64.VFMAdd231PS, scalar.F64: amd64.VFMAdd231PD},
	op.Add: {scalar.F32: amd64.VAddPS, scalar.F64: amd64.VAddPD, scalar.I32: amd64.VPAddD, scalar.U32: amd64.VPAddD},
}

// isSum reports whether a value is in registers of a parameter of the block that is selected, which
// nothing else will read.
func (s *selector) isSum(o mir.Operand) bool {
	if o.IsConst() || s.reads[s.f.Index(o)] != 1 || s.p.DefBlock(o) != s.block {
		return false
	}
	v := s.value(o)
	return v.form == inVector && v.needs == inVector && (s.p.Def(o) == 0 || s.sums[s.f.Index(o)])
}
