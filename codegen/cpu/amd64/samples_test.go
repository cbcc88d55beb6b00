package amd64_test

import (
	"math/rand/v2"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file makes instructions for tests: of every row of the table, with operands of every kind
// that its slots take.

// samples makes instructions from a seed, always the same.
type samples struct {
	random  *rand.Rand
	list    []amd64.Instruction
	vectors int // how many registers there are
}

// Numbers of registers that encodings tell apart: with and without REX, those that mean SIB and no
// base, their like after 8, and those whose lower 8 bits need REX.
var (
	numbers = []int{0, 1, 3, 4, 5, 6, 7, 8, 11, 12, 13, 15}
	bases   = []amd64.Operand{0, amd64.RAX, amd64.RSP, amd64.RBP, amd64.RDI, amd64.R8, amd64.R12, amd64.R13, amd64.R15}
	indices = []amd64.Operand{amd64.RCX, amd64.RBP, amd64.R9, amd64.R12, amd64.R13}
	scales  = []uint8{1, 2, 4, 8}
	// displacements are the limits of their sizes.
	displacements = []int32{0, 1, -1, 127, -128, 128, -129, 1 << 20, 1<<31 - 1, -1 << 31}
)

// addresses returns all kinds of addresses there are, for a gather or not.
func addresses(gathers bool) (list []amd64.Address) {
	indices := indices
	if gathers {
		indices = []amd64.Operand{amd64.Vector(2), amd64.Vector(4), amd64.Vector(5), amd64.Vector(9), amd64.Vector(12)}
	}
	for _, base := range bases {
		for _, d := range displacements {
			if !gathers {
				list = append(list, amd64.At(base, d))
			}
			for _, index := range indices {
				for _, scale := range scales {
					list = append(list, amd64.Indexed(base, index, scale, d))
				}
			}
		}
	}
	return list
}

func pick[T any](s *samples, list []T) T { return list[s.random.IntN(len(list))] }

// candidates returns operands for a slot, other than memory and immediates.
func (s *samples) candidates(slot amd64.Slot, row *amd64.Row, n int) (list []amd64.Operand) {
	if n == 0 && row.Accumulator() {
		return []amd64.Operand{amd64.RAX}
	}
	for _, r := range numbers {
		if slot.Class>>amd64.KindGeneral&1 != 0 {
			list = append(list, amd64.General(r))
		}
		if slot.Class>>amd64.KindVector&1 != 0 {
			list = append(list, amd64.Vector(r))
			if s.vectors > amd64.HighVectors && row.Op.HasEVEX() {
				list = append(list, amd64.Vector(r+amd64.HighVectors))
			}
		}
	}
	return list
}

// plain returns an instruction of a row whose operands are different registers, or memory where
// that alone may be.
func (s *samples) plain(row *amd64.Row, w amd64.Width) (i amd64.Instruction) {
	i.Op, i.Width = row.Op, w
	for n, slot := range row.Slots {
		switch {
		case n == 0 && row.Accumulator():
			i.Operands[n] = amd64.RAX
		case slot.Class>>amd64.KindGeneral&1 != 0:
			i.Operands[n] = amd64.General([]int{1, 2, 3, 6}[n])
		case slot.Class>>amd64.KindVector&1 != 0:
			i.Operands[n] = amd64.Vector(1 + 2*n)
		case slot.Class>>amd64.KindImmediate&1 != 0:
			i.Operands[n], i.Immediate = amd64.Imm, 1
		case slot.Class>>amd64.KindMemory&1 != 0:
			i.Operands[n] = amd64.Mem
			i.Address = amd64.At(amd64.RDI, 0)
			if slot.Gathers {
				i.Address = amd64.Indexed(amd64.RDI, amd64.Vector(2), 4, 0)
			}
		}
	}
	return i
}

// row makes the instructions of a row: of each slot all registers, some addresses and the limits of
// immediates, the rest plain, and some with everything drawn.
func (s *samples) row(row *amd64.Row, all bool) {
	if row.Pseudo() || row.Branch() {
		return
	}
	for _, w := range row.Widths {
		plain := s.plain(row, w)
		s.add(row, plain)
		for n, slot := range row.Slots {
			for _, o := range s.candidates(slot, row, n) {
				i := plain
				i.Operands[n] = o
				s.add(row, i)
			}
			if slot.Class>>amd64.KindMemory&1 != 0 {
				list := addresses(slot.Gathers)
				for k := range list {
					if !all && s.random.IntN(len(list)) >= 20 {
						continue
					}
					i := plain
					i.Operands[n], i.Address = amd64.Mem, list[k]
					s.add(row, i)
				}
			}
			if slot.Class>>amd64.KindImmediate&1 != 0 {
				for _, x := range immediates(slot, w) {
					i := plain
					i.Immediate = x
					s.add(row, i)
				}
			}
		}
		for range 16 {
			i := plain
			for n, slot := range row.Slots {
				list := s.candidates(slot, row, n)
				switch {
				case slot.Class>>amd64.KindMemory&1 != 0 && (len(list) == 0 || s.random.IntN(2) == 0):
					i.Operands[n], i.Address = amd64.Mem, pick(s, addresses(slot.Gathers))
				case slot.Class>>amd64.KindImmediate&1 != 0:
					i.Immediate = pick(s, immediates(slot, w))
				default:
					i.Operands[n] = pick(s, list)
				}
			}
			s.add(row, i)
		}
	}
}

// immediates returns the limits of a slot, and some numbers between them.
func immediates(slot amd64.Slot, w amd64.Width) (list []int64) {
	least, most := slot.Least[w], slot.Most[w]
	for _, x := range []int64{least, -129, -128, -1, 0, 1, 2, 3, 8, 31, 127, 128, 255, 1000, 1 << 16, 1<<31 - 1, 1<<32 - 1, 0x123456789ABC, most} {
		if x >= least && x <= most {
			list = append(list, x)
		}
	}
	return list
}

// add adds an instruction, and the same with every condition and locked if that is possible.
// Gathers get registers that are not the same.
func (s *samples) add(row *amd64.Row, i amd64.Instruction) {
	if i.Op.Distinct() {
		for i.Operands[0] == i.Operands[2] || i.Operands[0] == i.Address.Index || i.Operands[2] == i.Address.Index {
			i.Operands[0] = amd64.Vector(s.random.IntN(16))
			i.Operands[2] = amd64.Vector(s.random.IntN(16))
		}
	}
	s.list = append(s.list, i)
	if i.Op.Lockable() && i.Operands[0] == amd64.Mem {
		i.Address.Locked = true
		s.list = append(s.list, i)
	}
	if i.Op.Conditional() {
		for c := amd64.NotOverflow; c <= amd64.Greater; c++ {
			i.Condition = c
			s.list = append(s.list, i)
		}
	}
}
