package machine

import "github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"

// This file is the code between selection and encoding: instructions with operands that are virtual
// registers until allocation and registers behind it.

// operand is a register, a constant, or a place in the code. 0 is none.
type operand uint32

// The kinds of operands, in the upper four bits.
const (
	noOperand    operand = iota << kindShift
	vector               // a word of a virtual vector register
	scalarWord           // a word of a virtual scalar register
	vectorAt             // a vector register by its number
	scalarAt             // a scalar register by its number, and what is encoded like one
	constantWord         // 32 bits, by the place in code.constants
	kindMask     operand = 15 << kindShift
	kindShift            = 28
	wordShift            = 20 // of the word in a virtual register of several
	numberMask   operand = 1<<wordShift - 1
)

// Registers with a meaning, as scalar operands are numbered (manual of the processor, "Scalar ALU
// Operands").
const (
	vccNumber  = 106
	nullNumber = 124 // of gfx1100
	execNumber = 126
	vcc        = scalarAt | vccNumber
	exec       = scalarAt | execNumber
	null       = scalarAt | nullNumber
)

func (o operand) kind() operand  { return o & kindMask }
func (o operand) number() uint32 { return uint32(o & numberMask) }
func (o operand) virtual() bool  { return o.kind() == vector || o.kind() == scalarWord }
func (o operand) isVector() bool { return o.kind() == vector || o.kind() == vectorAt }
func (o operand) isScalar() bool { return o.kind() == scalarWord || o.kind() == scalarAt }
func (o operand) word() uint32   { return uint32(o&^kindMask) >> wordShift }
func (o operand) at(n int) operand { // the n-th word behind
	if o.virtual() {
		return o + operand(n)<<wordShift
	}
	return o + operand(n)
}

// instruction is one of the machine, or a mark in the code.
type instruction struct {
	op    opcode
	neg   uint8 // bits of operands whose sign is changed
	abs   uint8
	flags uint8
	role  verify.Role
	count uint8
	// of memory, or what an instruction without registers has: a count, a wait, a label
	offset int32
	args   [6]operand
}

// coherent is the flag of an access to memory that the whole device sees.
const coherent = 1

// virtual is what is known of a virtual register.
type virtual struct {
	words uint8
	bank  uint8 // 0 vector, 1 scalar
	fixed int16 // the register that it is, or -1
	spill bool  // it holds for one instruction what is in memory
	mask  bool  // it has a bit for each lane, and may be VCC, of which shorter encodings know
}

const (
	vectors = iota
	scalars
)

// span is a run of instructions.
type span struct{ first, end int }

// block is a block of the function: its instructions, and the runs of copies that its edges make.
type block struct {
	span
	copies [2]span
}

// code is a function on its way.
type code struct {
	target    *processor
	list      []instruction
	registers []virtual
	constants []uint32
	blocks    []block // by place in the order of the function
	labels    int
}

// reset prepares for another function.
func (c *code) reset(p *processor) {
	c.target = p
	c.list, c.registers, c.constants, c.blocks = c.list[:0], append(c.registers[:0], virtual{}), append(c.constants[:0], 0), c.blocks[:0]
	c.labels = 0
}

// fresh makes a virtual register of so many words.
func (c *code) fresh(bank uint8, words int) operand {
	c.registers = append(c.registers, virtual{words: uint8(words), bank: bank, fixed: -1})
	n := operand(len(c.registers) - 1)
	if n > numberMask {
		unsupported("the kernel has more than a million values")
	}
	if bank == vectors {
		return vector | n
	}
	return scalarWord | n
}

// constant returns the operand of 32 bits.
func (c *code) constant(x uint32) operand {
	for n := len(c.constants) - 1; n > 0 && n > len(c.constants)-16; n-- {
		if c.constants[n] == x {
			return constantWord | operand(n)
		}
	}
	c.constants = append(c.constants, x)
	return constantWord | operand(len(c.constants)-1)
}

func (c *code) value(o operand) uint32 { return c.constants[o.number()] }

// label makes a place in the code.
func (c *code) label() int32 {
	c.labels++
	return int32(c.labels)
}

// append puts an instruction at the end as it is.
func (c *code) append(i instruction) { c.list = append(c.list, i) }

// emit appends an instruction whose operands an encoding has.
func (c *code) emit(o opcode, args ...operand) *instruction {
	if c.target.wave == 32 {
		o = narrowed[o]
	}
	i := instruction{op: o, count: uint8(len(args))}
	copy(i.args[:], args)
	c.list = append(c.list, i)
	return &c.list[len(c.list)-1]
}

// refusal is why a kernel cannot be compiled. It is a panic within this package.
type refusal string

func unsupported(reason string) { panic(refusal(reason)) }
