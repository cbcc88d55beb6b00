package amd64

// This file says what an instruction is, and what it reads and writes.

// MaxOperands is how many operands an instruction has at most.
const MaxOperands = 4

// Instruction is one instruction, or one of the pseudo-instructions Place and Align. It has no pointers: code is a slice of them.
type Instruction struct {
	// Operands are in the order of Intel's syntax. Those that the instruction does not have are zero.
	Operands [MaxOperands]Operand
	// Address is that of the operand Mem, if there is one.
	Address Address
	// Immediate is the number of the operand Imm, if there is one. Of Align it is the power of two, in bytes.
	Immediate int64
	Op        Op
	// Width is that of the registers, for instructions with more than one width.
	Width Width
	// Condition is that of Jcc, Setcc and Cmovcc.
	Condition Condition
	// Source is where the instruction comes from, whatever its maker counts by: the package passes it on.
	Source uint32
}

// Of returns an instruction with operands; the rest is for the caller to fill in.
func Of(o Op, w Width, operands ...Operand) (i Instruction) {
	i.Op, i.Width = o, w
	copy(i.Operands[:], operands)
	return i
}

// Flags is a set of the flags that conditions ask.
type Flags uint8

// The flags.
const (
	CF Flags = 1 << iota
	PF
	ZF
	SF
	OF

	allFlags = CF | PF | ZF | SF | OF
)

// Effects are what an instruction reads and writes besides its operands and flags.
type Effects uint16

// The effects.
const (
	ReadsRAX Effects = 1 << iota
	WritesRAX
	ReadsRCX
	ReadsRDX
	WritesRDX
	// Stack is that RSP is read and written.
	Stack
	// Jumps is what goes on elsewhere, perhaps; Ends what never goes on behind.
	Jumps
	Ends
	// Calls is what executes other code, which may change any register.
	Calls
	// Loads and Stores are what reads and writes memory, whether by an operand or not.
	Loads
	Stores
	// Fences keeps accesses to memory in their order.
	Fences
	// Uppers is that the upper halves of all vector registers become zero.
	Uppers
	// Traps is what may end the program: a division, or ud2.
	Traps
)

// Access is whether an operand is read or written. A register of which a part is written is read, too.
type Access uint8

// The accesses.
const (
	Read Access = 1 << iota
	Written
)

// Use is a register that an instruction reads or writes.
type Use struct {
	Register Operand
	Access   Access
}

// MaxUses is how many registers an instruction reads or writes at most, those without an operand included.
const MaxUses = 8
