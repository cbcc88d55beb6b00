// Package verify says what is wrong with the machine code of a kernel that no emulator finds out:
// registers that are used before the access to memory that writes them has ended, memory that is
// not there yet when a barrier is passed, instructions that follow each other too closely,
// registers that the kernel does not have, and lanes that are lost between blocks.
//
// It looks at instructions as they are encoded, with the places that branches lead to, and shares
// nothing with what chose and inserted them but the table of instructions: it has a graph of its
// own, and rules of its own after the same manuals (LLVM, User Guide for AMDGPU Backend, "Memory
// Model gfx942"; "AMD Instinct MI300 Instruction Set Architecture", "Manually Inserted Wait
// States").
//
//	verify.go   the code, its graph, registers
//	waits.go    what is under way
//	pauses.go   what is too close
//	lanes.go    where lanes wait
//	parts.go    that none is lost where they part
package verify

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// Code is the machine code of a kernel.
type Code struct {
	Family       isa.Family
	Instructions []isa.Instruction
	// Targets are, by instruction, where a branch leads, another instruction's number; else 0.
	Targets []int
	// Roles are, by instruction, what it does with lanes.
	Roles []Role
	// VGPRs and SGPRs are how many registers the descriptor asks for.
	VGPRs, SGPRs int
}

// Role is what a scalar instruction does with lanes.
type Role uint8

// The roles.
const (
	None  Role = iota
	Empty      // the result is a register in which no lanes wait
	Park       // lanes are added to those that wait in the result
	Admit      // those that wait in the second source become active
	Leave      // those that are active come to an end
)

// Error is what is wrong, and where.
type Error struct {
	At      int // the number of the instruction
	Text    string
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("instruction %d, %s: %s", e.At, e.Text, e.Problem) }

// Check returns what is wrong with code, or nil.
func Check(c *Code) error {
	v := verifier{Code: c}
	v.graph()
	v.registers()
	v.waits()
	v.pauses()
	v.lanes()
	v.parting()
	if v.err != nil {
		return v.err
	}
	return nil
}

type verifier struct {
	*Code
	successors   [][]int
	predecessors [][]int
	err          *Error
}

func (v *verifier) fail(at int, format string, arguments ...any) {
	if v.err == nil {
		i := &v.Instructions[at]
		v.err = &Error{at, i.Op.Name(v.Family), fmt.Sprintf(format, arguments...)}
	}
}

// graph finds which instructions follow which.
func (v *verifier) graph() {
	count := len(v.Instructions)
	v.successors, v.predecessors = make([][]int, count), make([][]int, count)
	lead := func(from, to int) {
		if to < 0 || to >= count {
			v.fail(from, "it leads out of the code")
			return
		}
		v.successors[from] = append(v.successors[from], to)
		v.predecessors[to] = append(v.predecessors[to], from)
	}
	for n := range v.Instructions {
		o := v.Instructions[n].Op
		if o.Effects()&isa.Jumps != 0 {
			lead(n, v.Targets[n])
		}
		if o.Effects()&isa.Ends == 0 && o != isa.SBranch {
			lead(n, n+1)
		}
	}
}

// register is a register of a wave: vector registers from 0, scalar ones behind.
type register int

const firstScalar register = 256

// Places of registers with names among the scalar ones.
const (
	vccLow  = firstScalar + 106
	execLow = firstScalar + 126
	all     = firstScalar + 128
)

// eachRegister calls a function for the registers of operands.
func (v *verifier) eachRegister(at int, f func(r register, operand int, slot isa.Slot)) {
	i := &v.Instructions[at]
	for n, slot := range i.Op.Slots() {
		first := register(-1)
		switch o := i.Operands[n]; o.Kind() {
		case isa.KindVGPR:
			first = register(o.Number())
		case isa.KindSGPR:
			first = firstScalar + register(o.Number())
		case isa.KindSpecial:
			switch o {
			case isa.VCC, isa.VCCHi:
				first = vccLow + register(o-isa.VCC)
			case isa.EXEC, isa.EXECHi:
				first = execLow + register(o-isa.EXEC)
			}
		}
		if first < 0 {
			continue
		}
		for w := range register(i.Words(v.Family, n)) {
			f(first+w, n, slot)
		}
	}
}

// registers checks that there are those that are named, and no others.
func (v *verifier) registers() {
	for at := range v.Instructions {
		for _, o := range v.Instructions[at].Operands {
			if o.IsRegister() && o.Number() >= isa.FirstVirtual {
				v.fail(at, "a virtual register is left")
				return
			}
		}
		v.eachRegister(at, func(r register, _ int, _ isa.Slot) {
			switch {
			case r < firstScalar && int(r) >= v.VGPRs:
				v.fail(at, "v%d is used, of %d vector registers", r, v.VGPRs)
			case r >= firstScalar && r < vccLow && int(r-firstScalar) >= v.SGPRs:
				v.fail(at, "s%d is used, of %d scalar registers", r-firstScalar, v.SGPRs)
			}
		})
	}
}

// flow visits instructions until what is known in front of each does not change: step returns what
// is known behind one, and join adds that to what is known in front of another one and reports
// whether it is more.
func (v *verifier) flow(step func(at int), join func(from, to int) bool) {
	work, queued := []int{0}, make([]bool, len(v.Instructions))
	for len(work) > 0 && v.err == nil {
		at := work[len(work)-1]
		work, queued[at] = work[:len(work)-1], false
		step(at)
		for _, to := range v.successors[at] {
			if join(at, to) && !queued[to] {
				work, queued[to] = append(work, to), true
			}
		}
	}
}
