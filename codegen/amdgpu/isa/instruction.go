package isa

// This file says what an instruction is.

// MaxOperands is how many operands an instruction has at most.
const MaxOperands = 5

// Instruction is one instruction. It has no pointers: a kernel is a slice of them.
type Instruction struct {
	// Operands are in the order of the instruction's slots (Op.Slots). Those that it does not have
	// are zero.
	Operands [MaxOperands]Operand
	// Immediate is the number of SOPK and SOPP: how far a branch goes, in words from its end; what
	// a wait waits for (Wait.Encode); how long a nop takes. For accesses to memory it is the
	// offset: in bytes, and for two offsets of DS, in units of the data, the first one and 256
	// times the second.
	Immediate int32
	Modifiers Modifiers
	Op        Op
	// Form is how the instruction is to be encoded if not the shortest way.
	Form Form
	// Parts are what an instruction in the form SDWA takes of its operands.
	Parts Parts
}

// Form is a way to encode an instruction of VOP1, VOP2 and VOPC.
type Form uint8

// The forms.
const (
	// Shortest is the short form if operands and modifiers fit it, and else VOP3.
	Shortest Form = iota
	// Long is VOP3.
	Long
	// SDWA is the form of gfx942 that takes parts of words.
	SDWA
)

// Modifiers change what is done with operands and results, and how memory is accessed.
type Modifiers uint32

// The modifiers.
const (
	// Neg and Abs are of float operands, in the order of the sources: Neg<<n is that of source n.
	// Abs is applied first.
	Neg Modifiers = 1 << 0
	Abs Modifiers = 1 << 3
	// Clamp limits a float result to [0,1], and an integer result to its type instead of wrapping.
	Clamp Modifiers = 1 << 6
	// Twice, FourTimes and HalfOf scale a float result. They do not keep denormals, and -0 neither.
	Twice     Modifiers = 1 << 7
	FourTimes Modifiers = 2 << 7
	HalfOf    Modifiers = 3 << 7
	// High<<n takes the upper 16 bits of source n, and HighResult writes the upper 16 bits of the
	// destination and keeps the others. What the assembler calls op_sel.
	High       Modifiers = 1 << 9
	HighResult Modifiers = 1 << 12
	// Low<<n has packed instructions take for the upper half of the result the lower 16 (or 32)
	// bits of source n, not the upper as they do without. The assembler's op_sel_hi has the
	// opposite.
	Low Modifiers = 1 << 13
	// HalfFloat<<n says of v_fma_mix that source n is a float of 16 bits; High<<n says which.
	HalfFloat = Low
	// NegHigh<<n negates source n for the upper half of the result of packed instructions, as
	// Neg<<n does for the lower. For dot products of integers without a sign of their own
	// (VDot4I32Iu8), Neg<<n says that those of source n have one.
	NegHigh Modifiers = 1 << 16
	// SC0, SC1 and NT are of accesses to memory on gfx942: scope, scope, not temporal.
	SC0 Modifiers = 1 << 19
	SC1 Modifiers = 1 << 20
	NT  Modifiers = 1 << 21
	// GLC, SLC and DLC are of accesses to memory on gfx1100: globally coherent, system coherent,
	// device coherent. Scalar loads of gfx942 have GLC.
	GLC Modifiers = 1 << 22
	SLC Modifiers = 1 << 23
	DLC Modifiers = 1 << 24
)

// Groups of modifiers.
const (
	allNeg      = Neg | Neg<<1 | Neg<<2
	allAbs      = Abs | Abs<<1 | Abs<<2
	allScale    = HalfOf
	allHigh     = High | High<<1 | High<<2
	allLow      = Low | Low<<1 | Low<<2
	allNegHigh  = NegHigh | NegHigh<<1 | NegHigh<<2
	cache942    = SC0 | SC1 | NT
	cache1100   = GLC | SLC | DLC
	negShift    = 0
	absShift    = 3
	scaleShift  = 7
	highShift   = 9
	lowShift    = 13
	highNegated = 16
)

// Parts say which parts of words an instruction in the form SDWA takes and writes, and of its
// sources whether they are extended by their signs.
type Parts uint16

// Part is a part of a word.
type Part uint8

// The parts.
const (
	Byte0 Part = iota
	Byte1
	Byte2
	Byte3
	Word0
	Word1
	DWord
	parts
)

var partNames = [parts]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"}

// Rest is what becomes of the bits of the destination that are not written.
type Rest uint8

// What becomes of them.
const (
	Zeroed Rest = iota
	SignExtended
	Preserved
	rests
)

var restNames = [rests]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}

// Sext0 and Sext1 extend a source by its sign.
const (
	Sext0 Parts = 1 << 11
	Sext1 Parts = 1 << 12
)

// PartsOf returns parts: of the destination, of what becomes of its rest, and of the sources.
// Instructions with one source take DWord for the other.
func PartsOf(destination Part, rest Rest, source0, source1 Part) Parts {
	return Parts(destination) | Parts(rest)<<3 | Parts(source0)<<5 | Parts(source1)<<8
}

// Destination returns the part that is written.
func (p Parts) Destination() Part { return Part(p & 7) }

// Rest returns what becomes of the rest of the destination.
func (p Parts) Rest() Rest { return Rest(p >> 3 & 3) }

// Source returns the part of a source that is read.
func (p Parts) Source(n int) Part { return Part(p >> (5 + 3*n) & 7) }
