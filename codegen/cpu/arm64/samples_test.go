package arm64_test

import (
	"math/rand/v2"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file makes instructions for tests: of every row of the table in every shape, with registers,
// numbers and addresses of every kind that its slots take.

// numbers are of registers: the first ones, the last ones, and such with few bits in common.
var numbers = []int{0, 1, 2, 5, 10, 15, 16, 21, 29, 30}

// candidates returns the registers to try in a slot.
func candidates(s arm64.Slot) (list []arm64.Operand) {
	for _, n := range numbers {
		if s.Class>>arm64.KindVector&1 != 0 {
			list = append(list, arm64.Vector(n))
		}
		if s.Class>>arm64.KindGeneral&1 != 0 {
			list = append(list, arm64.General(n))
		}
	}
	switch {
	case s.Stack:
		list = append(list, arm64.SP)
	case s.Class>>arm64.KindGeneral&1 != 0:
		list = append(list, arm64.Zero)
	default:
		list = append(list, arm64.Vector(31))
	}
	return list
}

// set sets the numbers of an instruction that another has.
func set(i *arm64.Instruction, numbers arm64.Instruction) {
	if numbers.Immediate != 0 || numbers.Amount == 0 {
		i.Immediate = numbers.Immediate
	}
	if numbers.Amount != 0 {
		i.Amount = numbers.Amount
	}
}

// samplesOf returns the instructions of a row. The first has different registers; others differ
// from it in one slot, one tail or one element; some have all registers drawn.
func samplesOf(r *arm64.Row) (list []arm64.Instruction) {
	random := rand.New(rand.NewPCG(uint64(r.Op), 1))
	for _, shape := range r.Shapes {
		plain := arm64.Instruction{Op: r.Op, Shape: shape}
		if tails := r.Tails(shape); len(tails) > 0 {
			plain.Extend, plain.Amount, plain.Condition = tails[0].Extend, tails[0].Amount, tails[0].Condition
		}
		for n, s := range r.Slots {
			switch {
			case s.Class>>arm64.KindMemory&1 != 0:
				plain.Operands[n] = arm64.Mem
			case s.Class>>arm64.KindImmediate&1 != 0:
				plain.Operands[n] = arm64.Imm
				set(&plain, s.Numbers(shape)[0])
			case s.Class>>arm64.KindDistance&1 != 0:
				plain.Operands[n] = arm64.Distance
			case s.Class>>arm64.KindVector&1 != 0:
				plain.Operands[n] = arm64.Vector(3 + 5*n)
			default:
				plain.Operands[n] = arm64.General(4 + 7*n)
			}
		}
		for _, s := range r.Slots {
			if s.Class>>arm64.KindMemory&1 != 0 {
				plain.Address = s.Addresses(&plain)[0]
			}
		}
		list = append(list, plain)
		for n, s := range r.Slots {
			switch {
			case s.Class>>arm64.KindMemory&1 != 0:
				for _, a := range s.Addresses(&plain) {
					i := plain
					i.Address = a
					list = append(list, i)
				}
			case s.Class>>arm64.KindImmediate&1 != 0 || s.Class>>arm64.KindDistance&1 != 0:
				for _, x := range s.Numbers(shape) {
					i := plain
					set(&i, x)
					list = append(list, i)
				}
			default:
				for _, o := range candidates(s) {
					i := plain
					i.Operands[n] = o
					list = append(list, i)
				}
			}
			if s.Lane {
				for k := range uint8(16) {
					i := plain
					i.Amount = k
					list = append(list, i)
					i.Amount, i.Element = 0, k
					list = append(list, i)
				}
			}
		}
		for _, t := range r.Tails(shape) {
			i := plain
			i.Extend, i.Amount, i.Condition = t.Extend, t.Amount, t.Condition
			list = append(list, i)
		}
		for range 6 {
			i := plain
			for n, s := range r.Slots {
				if i.Operands[n].IsRegister() {
					all := candidates(s)
					i.Operands[n] = all[random.IntN(len(all))]
				}
			}
			list = append(list, i)
		}
	}
	return list
}

// everything returns the samples of all rows, without those that a row does not take or that
// another row in front takes.
func everything() (list []arm64.Instruction) {
	rows := arm64.Rows()
	for n := range rows {
		for _, i := range samplesOf(&rows[n]) {
			if rows[n].Taken(&i) {
				list = append(list, i)
			}
		}
	}
	return list
}
