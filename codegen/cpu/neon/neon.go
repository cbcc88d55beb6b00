// Package neon makes machine code for AArch64 of functions in instructions of x86-64-v3 (package
// amd64), as package jit selects them. Each instruction becomes those that do the same on a
// processor with Advanced SIMD (NEON).
//
//	[]amd64.Instruction ──► Translator.Assemble: rows by operation
//	                    ──► []arm64.Instruction ──► bytes, and the constants of a Pool
//
// So there is one selection of instructions, one plan of masks and blocks of lanes and one
// assignment of registers for both machines. The rows (table.go) say which instructions there are
// of x86-64, and what they become. A row can be tested on both sides: on the processor that has the
// instruction, and on one that executes what it becomes.
//
// # Registers
//
// A vector of 256 bits is two registers, v2n and v2n+1, of which the lower one has lanes 0 to 3.
// Most instructions are done on both halves, one after the other; lanes change halves in few.
// Vectors says how many there are; the last four registers are for what an instruction needs
// besides. General registers have the same numbers, so that rax is x0, where the argument comes in
// and the status goes out. x16, x17, x19 and x20 are for what an instruction needs, and x24 has the
// address of constants. Nothing else is changed; x18, x28 and those after never are (package
// execmem).
//
// # Flags
//
// Both machines set flags for later conditions, but not by the same instructions, and
// mean another thing with the carry. An instruction sets flags here only where a condition reads
// them after it, and which conditions it serves depends on the instruction (flags.go). No other
// instruction changes flags.
//
// # Memory
//
// Accesses that x86 makes in order are made in any order here, but for locked ones, which are in
// order with all before and after. Kernels rely on no other order, as WGSL promises none (section
// "Memory model"). What is locked lies at a multiple of its size, or the processor faults.
package neon

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// Vectors is how many vectors of 256 bits there are: functions may have those with lower numbers.
const Vectors = 14

// The registers that instructions have for themselves.
const (
	zero      = arm64.Zero
	scratch   = arm64.X0 + 16 // for addresses
	value     = arm64.X0 + 17 // of operands
	constants = arm64.X0 + 24
	link      = arm64.X0 + 30
)

var (
	helpers = [2]arm64.Operand{arm64.X0 + 19, arm64.X0 + 20}
	loaded  = pair{arm64.V0 + 2*Vectors, arm64.V0 + 2*Vectors + 1} // what is in memory
	spare   = pair{arm64.V0 + 2*Vectors + 2, arm64.V0 + 2*Vectors + 3}
)

// pair is a vector of 256 bits: its lower half and its upper one.
type pair [2]arm64.Operand

// Translator makes code. Its memory is reused from one function to the next; the zero value is
// ready.
type Translator struct {
	list      []arm64.Instruction
	flagsUsed []bool // by instruction: a condition reads its flags
	flags     flagSource
	pool      *amd64.Pool
	lanes     amd64.Operand // the constant with a bit for each lane, if there is one
	end       int           // the label after the code
	assembler arm64.Assembler
	fault     string
	at        int // the instruction that is translated
}

// Unknown is the error for an instruction that has no row, or not with those operands.
type Unknown struct{ Instruction, Reason string }

func (u *Unknown) Error() string {
	return fmt.Sprintf("there are no instructions of AArch64 for %s: %s", u.Instruction, u.Reason)
}

// Assemble appends the code of a function, whose argument is in rdi, and after it, at a multiple
// of 32 from the function's beginning, the constants of the pool. The code may lie at any multiple
// of 32. If there is an error, code is returned as it was; an *Unknown names the instruction.
func (t *Translator) Assemble(code []byte, list []amd64.Instruction, pool *amd64.Pool) ([]byte, error) {
	t.list, t.pool, t.fault, t.lanes, t.flags = t.list[:0], pool, "", 0, ofNothing
	t.findFlagUses(list)
	pool.Layout()
	t.emit(arm64.Orr, arm64.Wide, general(amd64.RDI), zero, arm64.General(0))
	t.emit(arm64.Adr, arm64.Wide, constants, arm64.Label(t.end))
	for n := range list {
		i := &list[n]
		t.at = n
		r := &rows[min(i.Op, amd64.Ops)]
		if r.make == nil {
			t.fail("no row has it")
		} else {
			r.make(t, i, r)
		}
		if t.fault != "" {
			return code, &Unknown{string(amd64.AppendText(nil, i)), t.fault}
		}
	}
	const words = amd64.Alignment / 4
	// a branch that does not reach becomes two words: see below
	for count := t.Instructions(); count%words != 0; count++ {
		t.emit(arm64.Brk, arm64.Wide, arm64.Imm)
	}
	t.emit(arm64.Mark, arm64.Wide, arm64.Label(t.end))
	start := len(code)
	code, err := t.assembler.Assemble(code, t.list)
	if err != nil {
		return code[:start], err
	}
	if (len(code)-start)%amd64.Alignment != 0 { // a branch did not reach, and became two
		return code[:start], errors.New("the code for AArch64 is larger than branches reach, a megabyte")
	}
	return pool.AppendTo(code), nil
}

// Instructions returns how many instructions the last function has.
func (t *Translator) Instructions() int {
	count := 0
	for n := range t.list {
		if t.list[n].Op != arm64.Mark {
			count++
		}
	}
	return count
}

// Known reports whether an instruction has a row. Operands may be such that it is refused all the
// same.
func Known(o amd64.Op) bool { return o < amd64.Ops && rows[o].make != nil }

// fail says why an instruction has no translation.
func (t *Translator) fail(reason string) {
	if t.fault == "" {
		t.fault = reason
	}
}

// findFlagUses finds the instructions whose flags are read, and what all of the list need.
func (t *Translator) findFlagUses(list []amd64.Instruction) {
	if cap(t.flagsUsed) < len(list) {
		t.flagsUsed = make([]bool, len(list))
	}
	t.flagsUsed = t.flagsUsed[:len(list)]
	used := false
	t.end = 0
	for n := len(list) - 1; n >= 0; n-- {
		i := &list[n]
		reads, writes, loses := i.Flags()
		t.flagsUsed[n] = used && writes|loses != 0
		switch {
		case i.Op == amd64.Mark:
			t.end = max(t.end, i.Operands[0].Number()+1)
			if used {
				t.at = n
				t.fail("a condition reads flags that were set in front of it")
			}
		case i.Op == amd64.VMovMskPS && t.lanes == 0:
			t.lanes = t.pool.Lanes(&[8]uint32{1, 2, 4, 8, 16, 32, 64, 128})
		}
		used = used && writes|loses == 0 || reads != 0
		if i.Op == amd64.Jmp || i.Op == amd64.Ret {
			used = false
		}
	}
}

func (t *Translator) emit(o arm64.Op, s arm64.Shape, operands ...arm64.Operand) {
	i := arm64.Instruction{Op: o, Shape: s}
	copy(i.Operands[:], operands)
	t.list = append(t.list, i)
}

// last is the instruction that was emitted last, whose fields are filled in.
func (t *Translator) last() *arm64.Instruction { return &t.list[len(t.list)-1] }

// immediate emits an instruction whose last operand is an immediate.
func (t *Translator) immediate(o arm64.Op, s arm64.Shape, n int64, operands ...arm64.Operand) {
	t.emit(o, s, operands...)
	i := t.last()
	i.Operands[len(operands)], i.Immediate = arm64.Imm, n
}

// skip emits a branch over so many instructions, of which this is not one.
func (t *Translator) skip(count int64, o arm64.Op, s arm64.Shape, operands ...arm64.Operand) {
	t.emit(o, s, operands...)
	i := t.last()
	k := 0
	for i.Operands[k] != 0 {
		k++
	}
	i.Operands[k], i.Immediate = arm64.Distance, 4*(count+1)
}

// general returns a general register.
func general(o amd64.Operand) arm64.Operand { return arm64.General(o.Number()) }

// vector returns the halves of a vector.
func vector(o amd64.Operand) pair {
	return pair{arm64.Vector(2 * o.Number()), arm64.Vector(2*o.Number() + 1)}
}

// shapeOf is that of general registers.
func shapeOf(w amd64.Width) arm64.Shape {
	if w == amd64.Wide {
		return arm64.Wide
	}
	return arm64.Narrow
}

// bytesOf is the size of general registers.
func bytesOf(w amd64.Width) int32 {
	if w == amd64.Wide {
		return 8
	}
	return 4
}

// halvesOf is how many halves of vectors an instruction has.
func halvesOf(i *amd64.Instruction) int {
	if i.Width == amd64.Narrow {
		return 1
	}
	return 2
}
