package machine

import "github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"

// This file represents code between selection and encoding. Operands are virtual registers until
// allocation, and registers of the machine after it.

// operand is a register or a constant. 0 is none.
type operand uint32

// The kinds of operands, in the upper four bits.
const (
	noOperand      operand = iota << kindShift
	vector                 // a word of a virtual vector register
	scalarWord             // a word of a virtual scalar register
	assignedVector         // a vector register of the machine
	assignedScalar         // a scalar register of the machine, and what is encoded like one
	constantWord           // 32 bits, by the index in code.constants
	kindMask       operand = 15 << kindShift
	kindShift              = 28
	wordShift              = 20 // of the index of a word in a virtual register of several words
	numberMask     operand = 1<<wordShift - 1
)

// Registers with a meaning, as scalar operands are numbered (manual of the processor, "Scalar ALU
// Operands").
const (
	vccNumber  = 106
	nullNumber = 124 // of gfx1100
	execNumber = 126
	vcc        = assignedScalar | vccNumber
	exec       = assignedScalar | execNumber
	null       = assignedScalar | nullNumber
)

func (o operand) kind() operand  { return o & kindMask }
func (o operand) number() uint32 { return uint32(o & numberMask) }
func (o operand) virtual() bool  { return o.kind() == vector || o.kind() == scalarWord }
func (o operand) isVector() bool { return o.kind() == vector || o.kind() == assignedVector }
func (o operand) isScalar() bool { return o.kind() == scalarWord || o.kind() == assignedScalar }
func (o operand) word() uint32   { return uint32(o&^kindMask) >> wordShift }

// at returns the n-th word of the register that begins at o.
func (o operand) at(n int) operand {
	if o.virtual() {
		return o + operand(n)<<wordShift
	}
	return o + operand(n)
}

// instruction is an instruction of the machine, or a label.
type instruction struct {
	op    opcode
	neg   uint8 // bit set of operands that are negated
	abs   uint8 // bit set of operands whose absolute value is taken, before neg
	flags uint8
	role  verify.Role
	count uint8
	// offset is that of an access to memory, or the immediate of an instruction without registers:
	// a count, a wait, a label.
	offset int32
	args   [6]operand
}

// coherent is the flag of an access that the whole device sees.
const coherent = 1

// virtual describes a virtual register.
type virtual struct {
	words uint8
	bank  uint8 // vectors or scalars
	fixed int16 // the register of the machine that it has to be, or -1
	spill bool  // it holds a spilled value for one instruction
	mask  bool  // it has a bit for each lane, and may be VCC, which has shorter encodings
}

const (
	vectors = iota
	scalars
)

// span is a range of instructions: [first, end).
type span struct{ first, end int }

// block is a block of the function: its instructions, and among them the copies of each edge.
type block struct {
	span
	copies [2]span
}

// code is a function between selection and encoding.
type code struct {
	target    *processor
	list      []instruction
	registers []virtual
	constants []uint32
	blocks    []block // in the order of the function
	labels    int
}

// reset prepares for another function.
func (c *code) reset(p *processor) {
	c.target = p
	c.list, c.registers, c.constants, c.blocks = c.list[:0], append(c.registers[:0], virtual{}), append(c.constants[:0], 0), c.blocks[:0]
	c.labels = 0
}

// fresh returns a new virtual register of the given number of words.
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

// label returns a new label.
func (c *code) label() int32 {
	c.labels++
	return int32(c.labels)
}

// append appends an instruction as it is.
func (c *code) append(i instruction) { c.list = append(c.list, i) }

// emit appends an instruction. Its operands have to be ones that it can encode.
func (c *code) emit(o opcode, args ...operand) *instruction {
	if c.target.wave == 32 {
		o = wave32Ops[o]
	}
	i := instruction{op: o, count: uint8(len(args))}
	copy(i.args[:], args)
	c.list = append(c.list, i)
	return &c.list[len(c.list)-1]
}

// refusal is a Refusal as a panic within this package.
type refusal string

func unsupported(reason string) { panic(refusal(reason)) }
