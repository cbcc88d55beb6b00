package jit

import "github.com/gpuc/gpuc/codegen/cpu/amd64"

// This file appends instructions to the list, with registers that the machine does not have yet.

func (s *selector) label() int {
	s.labs++
	return s.labs - 1
}

func (s *selector) freshGeneral() amd64.Operand {
	s.banks = append(s.banks, generals)
	return amd64.General(amd64.FirstVirtual + len(s.banks) - 1)
}

func (s *selector) freshVector() amd64.Operand {
	s.banks = append(s.banks, vectors)
	return amd64.Vector(amd64.FirstVirtual + len(s.banks) - 1)
}

// renew begins another list, and returns the last one, from which it is made; what is added has no
// source.
func (s *selector) renew() (old []amd64.Instruction) {
	old = s.list
	s.list, s.spare, s.source = s.spare[:0], old, 0
	return old
}

func (s *selector) append(i *amd64.Instruction) {
	i.Source = s.source
	s.list = append(s.list, *i)
}

func (s *selector) emit(o amd64.Op, w amd64.Width, operands ...amd64.Operand) {
	i := amd64.Instruction{Op: o, Source: s.source}
	if o.Widths() {
		i.Width = w
	}
	copy(i.Operands[:], operands)
	s.list = append(s.list, i)
}

func (s *selector) load(o amd64.Op, w amd64.Width, d amd64.Operand, at amd64.Address) {
	s.emit(o, w, d, amd64.Mem)
	s.list[len(s.list)-1].Address = at
}

func (s *selector) store(o amd64.Op, w amd64.Width, at amd64.Address, x amd64.Operand) {
	s.emit(o, w, amd64.Mem, x)
	s.list[len(s.list)-1].Address = at
}

func (s *selector) immediate(o amd64.Op, w amd64.Width, n int64, operands ...amd64.Operand) {
	s.emit(o, w, operands...)
	i := &s.list[len(s.list)-1]
	i.Operands[len(operands)], i.Immediate = amd64.Imm, n
}

func (s *selector) mark(label int) {
	s.emit(amd64.Mark, 0, amd64.Label(label))
	s.straight = len(s.list)
}
func (s *selector) jump(label int) { s.emit(amd64.Jmp, 0, amd64.Label(label)) }

func (s *selector) jumpIf(c amd64.Condition, label int) {
	s.emit(amd64.Jcc, 0, amd64.Label(label))
	s.list[len(s.list)-1].Condition = c
}

func (s *selector) compareWith(w amd64.Width, r amd64.Operand, n int64) {
	s.immediate(amd64.Cmp, w, n, r)
}
