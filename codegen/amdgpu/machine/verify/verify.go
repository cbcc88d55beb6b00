// Package verify finds faults in the machine code of a kernel that no emulator finds:
//
//   - registers that are used while the access to memory that writes them is outstanding
//   - barriers with accesses outstanding
//   - missing wait states
//   - registers that the kernel does not have
//   - lanes that are lost between blocks
//
// It checks instructions as they are encoded, with the targets of branches. It shares only the
// table of instructions with the code generator. It builds its own control-flow graph, and has its
// own rules. Both follow the same manuals: LLVM, User Guide for AMDGPU Backend, "Memory Model
// gfx942", and "AMD Instinct MI300 Instruction Set Architecture", "Manually Inserted Wait States".
//
//	verify.go     the code, its control-flow graph, registers
//	waits.go      outstanding accesses
//	hazards.go    wait states; matrix.go: those of matrix products
//	masks.go      masks of waiting lanes
//	partition.go  no lane is lost in a basic block
package verify

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// Code is the machine code of a kernel.
type Code struct {
	Family       isa.Family
	Instructions []isa.Instruction
	// Targets are, by instruction, the index of the instruction that a branch leads to; else 0.
	Targets []int
	// Roles are, by instruction, what it does with lanes.
	Roles []Role
	// VGPRs and SGPRs are the numbers of registers in the descriptor.
	VGPRs, SGPRs int
}

// Role is what a scalar instruction does with lanes.
type Role uint8

// The roles.
const (
	None   Role = iota
	Clear       // the result becomes a mask without lanes
	Park        // lanes are added to the mask of waiting ones that is the result
	Resume      // the lanes that wait in the second source become active
	Exit        // the active lanes end
)

// Error is a fault of the code.
type Error struct {
	At      int    // index of the instruction
	Text    string // its mnemonic
	Problem string
}

// Error returns the fault and the instruction.
func (e *Error) Error() string { return fmt.Sprintf("instruction %d, %s: %s", e.At, e.Text, e.Problem) }

// Check returns the first fault that it finds in code, an *Error, or nil.
func Check(c *Code) error {
	v := verifier{Code: c}
	v.graph()
	v.checkRegisters()
	v.checkWaits()
	v.checkHazards()
	v.checkMasks()
	v.checkPartition()
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

// graph finds the successors and predecessors of instructions.
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

// register is a register of a wave: vector registers from 0, then scalar ones.
type register int

const firstScalar register = 256

// Special registers, and the number of all registers.
const (
	vccLow  = firstScalar + 106
	execLow = firstScalar + 126
	all     = firstScalar + 128
)

// eachRegister calls a function for each register of each operand.
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

// checkRegisters checks that the kernel has the registers that are used.
func (v *verifier) checkRegisters() {
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

// flow solves a forward data-flow problem: it visits instructions until no state changes. step
// computes the state after an instruction from the one before it. join merges that into the state
// before another instruction, and reports whether it changed.
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
