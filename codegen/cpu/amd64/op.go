package amd64

// This file enumerates the instructions. Names are those of the mnemonics.

// Op is an instruction by its meaning. Numbers are dense, from 0 on.
type Op uint16

// The pseudo-instructions and those of general registers.
const (
	// Mark is where its operand, a Label, leads.
	Mark Op = iota
	// Align has the next instruction begin at a multiple of Immediate, a power of two up to 64;
	// what lies between does nothing.
	Align

	// Arithmetic: the first operand with the second. Memory may be either, an immediate the second.
	Add
	Or
	Adc
	Sbb
	And
	Sub
	Xor
	Cmp
	Test
	// Mov takes registers, memory and immediates of 32 bits, extended by their sign to 64. MovAbs
	// takes 64 bits.
	Mov
	MovAbs
	// Mov8 and Mov16 store the lower 8 or 16 bits of a register, or an immediate.
	Mov8
	Mov16
	// MovZX8 and its like extend 8 or 16 bits by zeros or by the sign; MovSXD 32 bits to 64.
	MovZX8
	MovZX16
	MovSX8
	MovSX16
	MovSXD
	Lea
	Inc
	Dec
	Neg
	Not
	// Shifts and rotations by an immediate, and those by cl: RCX is read.
	Shl
	Shr
	Sar
	Rol
	Ror
	ShlCL
	ShrCL
	SarCL
	RolCL
	RorCL
	// IMul has two operands, the first of which is read, too; IMulImm has three, the last of which
	// is an immediate.
	IMul
	IMulImm
	// Mul and IMulWide multiply RAX and their operand to RDX:RAX. Div and IDiv divide RDX:RAX: the
	// quotient is in RAX, the remainder in RDX.
	Mul
	IMulWide
	Div
	IDiv
	// SignRAX extends RAX by its sign to RDX:RAX (cdq, cqo).
	SignRAX
	PopCnt
	LzCnt
	TzCnt
	BSwap
	BT
	// Instructions of BMI, which change no flag from ShlX on.
	AndN
	BExtr
	Bzhi
	BlsR
	BlsI
	BlsMsk
	ShlX
	ShrX
	SarX
	RorX
	MulX // two destinations, the upper half first; RDX is the other factor
	PDep
	PExt
	// Setcc writes the lower 8 bits of a register, Cmovcc a register or nothing, Jcc jumps or does
	// not.
	Setcc
	Cmovcc
	Jcc
	Jmp
	Call
	Ret
	Push
	Pop
	// Accesses that others see as one if they are locked.
	XAdd
	CmpXchg // compares RAX with memory: equal, the operand is stored; else RAX is loaded
	XChg    // always locked
	MFence
	SFence
	LFence
	Pause
	PrefetchT0
	PrefetchNTA
	Nop
	UD2
	Int3

	firstVector
)
