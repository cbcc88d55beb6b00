package arm64

// This file says what operands are.

// Operand is what an instruction reads or writes: its kind in the upper 4 bits and a number in the
// lower 28. The zero value is no operand.
type Operand uint32

// Kind is a kind of operands.
type Kind uint8

// The kinds of operands, and what their numbers are.
const (
	NoOperand     Kind = iota
	KindGeneral        // general register, of which 31 is zero
	KindStack          // none: the stack pointer
	KindVector         // vector register
	KindImmediate      // none: the value is Instruction.Immediate
	KindMemory         // none: the address is Instruction.Address
	KindDistance       // none: the distance in bytes is Instruction.Immediate
	KindLabel          // a location in the code
	kinds
)

const (
	kindShift  = 28
	numberMask = 1<<kindShift - 1
)

// FirstVirtual is the first number of registers that the machine does not have: numbers from there
// on are for those who have not assigned registers yet. Encoding them is an error.
const FirstVirtual = 32

func operand(k Kind, n int) Operand { return Operand(k)<<kindShift | Operand(n)&numberMask }

// Kind returns the operand's kind.
func (o Operand) Kind() Kind { return Kind(o >> kindShift) }

// Number returns the number of a register.
func (o Operand) Number() int { return int(o & numberMask) }

// IsRegister reports whether the operand is a register.
func (o Operand) IsRegister() bool { return o.Kind() >= KindGeneral && o.Kind() <= KindVector }

// IsVirtual reports whether the operand is a register that the machine does not have.
func (o Operand) IsVirtual() bool { return o.IsRegister() && o.Number() >= FirstVirtual }

// General returns a general register by its number, which is not negative; 31 is Zero.
func General(n int) Operand { return operand(KindGeneral, n) }

// Vector returns a vector register by its number.
func Vector(n int) Operand { return operand(KindVector, n) }

// Label returns the location of the code where Mark has the same label. An Assembler makes it a
// Distance.
func Label(n int) Operand { return operand(KindLabel, n) }

// X0 and V0 are the first registers: those that follow have the numbers after them.
const (
	X0 = Operand(KindGeneral) << kindShift
	V0 = Operand(KindVector) << kindShift
)

// Zero is the register that reads as zero and forgets what is written, SP the stack pointer. Each
// instruction takes one of them at most in each location.
const (
	Zero = Operand(KindGeneral)<<kindShift | 31
	SP   = Operand(KindStack)<<kindShift | 31
)

// Imm is the operand for Instruction.Immediate, Mem that for Instruction.Address, and Distance is
// Instruction.Immediate as the distance of a jump.
const (
	Imm      = Operand(KindImmediate) << kindShift
	Mem      = Operand(KindMemory) << kindShift
	Distance = Operand(KindDistance) << kindShift
)

// Mode is what becomes of the base of an address.
type Mode uint8

// The modes.
const (
	Offset Mode = iota // it stays
	Before             // the displacement is added to it first
	After              // the displacement is added to it afterwards, and the access is at the base
)

// Extension is how an operand or the index of an address is widened, or shifted.
type Extension uint8

// The extensions. The first eight are numbered as encodings have them; LSL64 is none, of an index
// of 64 bits.
const (
	UXTB Extension = iota
	UXTH
	UXTW
	UXTX
	SXTB
	SXTH
	SXTW
	SXTX
	LSL // shifts, by the numbers of the encoding from here on
	LSR
	ASR
	ROR
	extensions
)

var extensionNames = [extensions]string{"uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "lsl", "lsr", "asr", "ror"}

// Address is a location in memory: Base + Displacement, or Base + Index, extended and shifted.
type Address struct {
	// Base is a general register other than Zero, or SP.
	Base Operand
	// Index is a general register or nothing: of 64 bits, if Extend is LSL or SXTX, and else of 32.
	Index        Operand
	Displacement int32
	Mode         Mode
	Extend       Extension
	// Shift is by how much the index is shifted: 0, or the logarithm of the bytes that are
	// accessed.
	Shift uint8
}

// At returns the address after a register by so many bytes.
func At(base Operand, displacement int32) Address {
	return Address{Base: base, Displacement: displacement}
}

// Indexed returns the address with an index, which is extended and shifted.
func Indexed(base, index Operand, extend Extension, shift uint8) Address {
	return Address{Base: base, Index: index, Extend: extend, Shift: shift}
}
