package isa

// MaxOperands is the maximum of operands of an instruction.
const MaxOperands = 5

// Instruction is an instruction. It has no pointers: a kernel is a slice of them.
type Instruction struct {
	// Operands are in the order of the instruction's slots (Op.Slots). Those that it does not have
	// are zero.
	Operands [MaxOperands]Operand
	// Immediate is that of SOPK and SOPP: the distance of a branch, in words from its end; the
	// counts of a wait (Wait.Encode); the wait states of a nop. For accesses to memory it is the
	// offset in bytes. Two offsets of DS are in units of the data: the first one plus 256 times the
	// second.
	Immediate int32
	Modifiers Modifiers
	Op        Op
	// Form selects the form of VOP1, VOP2 and VOPC, if it is not the shortest one.
	Form Form
	// Parts are the parts of operands of an instruction in the form SDWA.
	Parts Parts
}

// Form is a way to encode an instruction of VOP1, VOP2 and VOPC.
type Form uint8

// The forms.
const (
	// Shortest is the short form if operands and modifiers fit it, or else VOP3.
	Shortest Form = iota
	// Long is VOP3.
	Long
	// SDWA is the form of gfx942 with parts of words as operands.
	SDWA
)

// Modifiers change operands and results, and how memory is accessed.
type Modifiers uint32

// The modifiers.
const (
	// Neg and Abs are of float operands, in the order of the sources: Neg<<n is that of source n.
	// Abs is applied first.
	Neg Modifiers = 1 << 0
	Abs Modifiers = 1 << 3
	// Clamp limits a float result to [0,1], and an integer result to its type instead of wrapping.
	Clamp Modifiers = 1 << 6
	// Twice, FourTimes and HalfOf scale a float result (omod). Denormals and -0 become 0.
	Twice     Modifiers = 1 << 7
	FourTimes Modifiers = 2 << 7
	HalfOf    Modifiers = 3 << 7
	// High<<n takes the upper 16 bits of source n. HighResult writes the upper 16 bits of the
	// destination and keeps the others. The assembler calls them op_sel.
	High       Modifiers = 1 << 9
	HighResult Modifiers = 1 << 12
	// Low<<n computes the upper half of a packed result from the lower 16 (or 32) bits of source n,
	// instead of the upper ones. The assembler's op_sel_hi is the opposite.
	Low Modifiers = 1 << 13
	// HalfFloat<<n makes source n of v_fma_mix a float of 16 bits; High<<n selects which half.
	HalfFloat = Low
	// NegHigh<<n negates source n for the upper half of the result of packed instructions, as
	// Neg<<n does for the lower. For dot products of integers of either signedness (VDot4I32Iu8),
	// Neg<<n makes source n signed.
	NegHigh Modifiers = 1 << 16
	// SC0, SC1 and NT are of accesses to memory on gfx942: two bits of the scope, and nontemporal.
	SC0 Modifiers = 1 << 19
	SC1 Modifiers = 1 << 20
	NT  Modifiers = 1 << 21
	// GLC, SLC and DLC are of accesses to memory on gfx1100: globally, system and device coherent.
	// Scalar loads of gfx942 have GLC.
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

// Parts select the parts of words that an instruction in the form SDWA reads and writes, and the
// sources that are sign-extended.
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

// Unused is what becomes of the bits of the destination that are not written (dst_unused).
type Unused uint8

// The values of Unused.
const (
	Zeroed Unused = iota
	SignExtended
	Preserved
	unusedModes
)

var unusedNames = [unusedModes]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}

// Sext0 and Sext1 sign-extend a source.
const (
	Sext0 Parts = 1 << 11
	Sext1 Parts = 1 << 12
)

// PartsOf returns the parts of the destination and the sources, and what becomes of the unused bits
// of the destination. Instructions with one source have DWord for the other.
func PartsOf(destination Part, unused Unused, source0, source1 Part) Parts {
	return Parts(destination) | Parts(unused)<<3 | Parts(source0)<<5 | Parts(source1)<<8
}

// Destination returns the part that is written.
func (p Parts) Destination() Part { return Part(p & 7) }

// Unused returns what becomes of the unused bits of the destination.
func (p Parts) Unused() Unused { return Unused(p >> 3 & 3) }

// Source returns the part of a source that is read.
func (p Parts) Source(n int) Part { return Part(p >> (5 + 3*n) & 7) }
