package amd64

// This file says what operands are.

// Operand is what an instruction reads or writes: its kind in the upper 4 bits and a number in the
// lower 28. The zero value is no operand.
type Operand uint32

// Kind is a kind of operands.
type Kind uint8

// The kinds of operands, and what their numbers are.
const (
	NoOperand     Kind = iota
	KindGeneral        // general register
	KindVector         // vector register
	KindImmediate      // none: the value is Instruction.Immediate
	KindMemory         // none: the address is Instruction.Address
	KindLabel          // a location in the code
	KindConstant       // a constant of the Pool
)

const (
	kindShift  = 28
	numberMask = 1<<kindShift - 1
)

// FirstVirtual is the first number of registers that the machine does not have: numbers from there
// on are for those who have not assigned registers yet. Encoding them is an error.
const FirstVirtual = 32

// LastLabel is the largest number of a label. The assembler has memory for all up to the largest
// that is used.
const LastLabel = 1<<20 - 1

func operand(k Kind, n int) Operand { return Operand(k)<<kindShift | Operand(n)&numberMask }

// Kind returns the operand's kind.
func (o Operand) Kind() Kind { return Kind(o >> kindShift) }

// Number returns the number of a register, label or constant.
func (o Operand) Number() int { return int(o & numberMask) }

// IsRegister reports whether the operand is a register.
func (o Operand) IsRegister() bool { return o.Kind()-KindGeneral <= KindVector-KindGeneral }

// IsVirtual reports whether the operand is a register that the machine does not have.
func (o Operand) IsVirtual() bool { return o.IsRegister() && o&numberMask >= FirstVirtual }

// General returns a general register by its number, which is not negative.
func General(n int) Operand { return operand(KindGeneral, n) }

// Vector returns a vector register by its number.
func Vector(n int) Operand { return operand(KindVector, n) }

// Label returns the location of the code where the pseudo-instruction Mark has the same label. It
// is the target of a jump, and it may be the base of an address.
func Label(n int) Operand { return operand(KindLabel, n) }

// Constant returns the base of the address of a constant by its number in the Pool.
func Constant(n int) Operand { return operand(KindConstant, n) }

// The general registers.
const (
	RAX Operand = Operand(KindGeneral)<<kindShift + iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Imm is the operand for Instruction.Immediate, and Mem that for Instruction.Address.
const (
	Imm = Operand(KindImmediate) << kindShift
	Mem = Operand(KindMemory) << kindShift
)

// Address is a location in memory: Base + Index*Scale + Displacement. An instruction has one at
// most.
type Address struct {
	// Base is a general register; or a Constant or a Label, which have no Index; or nothing.
	Base Operand
	// Index is a general register other than RSP, or nothing. For gathers it is a vector register.
	Index        Operand
	Displacement int32
	// Scale is 1, 2, 4 or 8, and 0 without Index.
	Scale uint8
	// Locked is of instructions that read, compute and write: other processors see that as one
	// access. Only what Op.Lockable reports can be locked; XChg is, always.
	Locked bool
}

// At returns the address after a register, constant or label by so many bytes.
func At(base Operand, displacement int32) Address {
	return Address{Base: base, Displacement: displacement}
}

// Indexed returns the address with an index of so many bytes each.
func Indexed(base, index Operand, scale uint8, displacement int32) Address {
	return Address{Base: base, Index: index, Scale: scale, Displacement: displacement}
}
