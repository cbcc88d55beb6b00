package isa

import "math"

// Operand is a register or constant that an instruction reads or writes: a Kind in the upper 32
// bits and a number in the lower ones. A register of several words is named by its first; the
// instruction determines the number of words (Slot.Words). The zero value is no operand, for
// optional parts of addresses.
type Operand uint64

// Kind is a kind of operands.
type Kind uint8

// The kinds of operands, and the meaning of their numbers.
const (
	NoOperand   Kind = iota
	KindSGPR         // scalar register
	KindVGPR         // vector register
	KindAGPR         // accumulation register of gfx942
	KindTTMP         // register of trap handlers
	KindSpecial      // Special
	KindInt          // an inline constant: an integer from -16 to 64, as int32
	KindFloat        // an inline constant: an index in floatCodes
	KindLiteral      // 32 bits, that follow the instruction if they are not an inline constant
	KindFixed        // 32 bits that always follow the instruction
)

// FirstVirtual is the first number of virtual registers, for code whose registers are not assigned
// yet. Encoding one is an error.
const FirstVirtual = 1 << 12

func operand(k Kind, n uint32) Operand { return Operand(k)<<32 | Operand(n) }

// Kind returns the operand's kind.
func (o Operand) Kind() Kind { return Kind(o >> 32) }

// Number returns the number of a register, the bits of a literal, or the integer of an inline
// constant.
func (o Operand) Number() uint32 { return uint32(o) }

// IsRegister reports whether the operand is a scalar, vector or accumulation register.
func (o Operand) IsRegister() bool { return o.Kind() >= KindSGPR && o.Kind() <= KindAGPR }

// IsConstant reports whether the operand is an inline constant or a literal.
func (o Operand) IsConstant() bool { return o.Kind() >= KindInt }

// SGPR returns a scalar register by its number. Numbers are not negative.
func SGPR(n int) Operand { return operand(KindSGPR, uint32(n)) }

// VGPR returns a vector register.
func VGPR(n int) Operand { return operand(KindVGPR, uint32(n)) }

// AGPR returns an accumulation register of gfx942.
func AGPR(n int) Operand { return operand(KindAGPR, uint32(n)) }

// TTMP returns a trap handler register. They hold the workgroup ID on some processors.
func TTMP(n int) Operand { return operand(KindTTMP, uint32(n)) }

// The special registers. Those of two words have either width: VCC is vcc where the operand has two
// words, and vcc_lo where it has one.
const (
	VCC Operand = Operand(KindSpecial)<<32 + iota
	VCCHi
	EXEC
	EXECHi
	M0
	Null // of gfx1100: reads as 0, and discards results
	FlatScratch
	FlatScratchHi
	XnackMask
	XnackMaskHi
	SharedBase
	SharedLimit
	PrivateBase
	PrivateLimit
	SCC // as a source, 0 or 1
	afterSpecials
)

const specials = afterSpecials - VCC

// specialRows are the special registers, by the difference to VCC. pair is the name of the pair
// that begins with the register. code is by family, 0 if a family does not have the register.
var specialRows = [specials]struct {
	name, pair string
	code       [families]uint16
}{
	0:                   {"vcc_lo", "vcc", [families]uint16{106, 106}},
	VCCHi - VCC:         {"vcc_hi", "", [families]uint16{107, 107}},
	EXEC - VCC:          {"exec_lo", "exec", [families]uint16{126, 126}},
	EXECHi - VCC:        {"exec_hi", "", [families]uint16{127, 127}},
	M0 - VCC:            {"m0", "", [families]uint16{124, 125}},
	Null - VCC:          {"null", "null", [families]uint16{0, 124}},
	FlatScratch - VCC:   {"flat_scratch_lo", "flat_scratch", [families]uint16{102, 0}},
	FlatScratchHi - VCC: {"flat_scratch_hi", "", [families]uint16{103, 0}},
	XnackMask - VCC:     {"xnack_mask_lo", "xnack_mask", [families]uint16{104, 0}},
	XnackMaskHi - VCC:   {"xnack_mask_hi", "", [families]uint16{105, 0}},
	SharedBase - VCC:    {"src_shared_base", "src_shared_base", [families]uint16{235, 235}},
	SharedLimit - VCC:   {"src_shared_limit", "src_shared_limit", [families]uint16{236, 236}},
	PrivateBase - VCC:   {"src_private_base", "src_private_base", [families]uint16{237, 237}},
	PrivateLimit - VCC:  {"src_private_limit", "src_private_limit", [families]uint16{238, 238}},
	SCC - VCC:           {"src_scc", "", [families]uint16{253, 253}},
}

// Codes of sources beyond scalar registers (reference guides, "SSRC0").
const (
	codeTTMP     = 108
	codeZero     = 128
	codeNegative = 192
	codeFloats   = 240
	codeLiteral  = 255
	codeVGPR     = 256
	lastTTMP     = 15
	smallestInt  = -16
	largestInt   = 64
)

// floatCodes are the inline constants that are floats, from code 240 on: their text, and their bits
// in each width.
var floatCodes = [...]struct {
	text   string
	half   uint16
	single uint32
}{
	{"0.5", 0x3800, 0x3F000000},
	{"-0.5", 0xB800, 0xBF000000},
	{"1.0", 0x3C00, 0x3F800000},
	{"-1.0", 0xBC00, 0xBF800000},
	{"2.0", 0x4000, 0x40000000},
	{"-2.0", 0xC000, 0xC0000000},
	{"4.0", 0x4400, 0x40800000},
	{"-4.0", 0xC400, 0xC0800000},
	{"", 0x3118, 0x3E22F983}, // 1/(2π), whose text depends on the width
}

// inverseOfTau is the text of 1/(2π) for operands of 16, 32 and 64 bits.
var inverseOfTau = [...]string{"0.1592", "0.15915494", "0.15915494309189532"}

// inlineInt returns the inline constant of an integer, if there is one.
func inlineInt(n int32) (Operand, bool) {
	if n < smallestInt || n > largestInt {
		return 0, false
	}
	return operand(KindInt, uint32(n)), true
}

// Literal returns a constant of 32 bits. For operands of 32 bits and integers of 16 bits the
// encoder uses an inline constant of the same bits if there is one. Operands of 64 bits have them
// as the upper half of a float, or extended to an integer.
func Literal(bits uint32) Operand { return operand(KindLiteral, bits) }

// Fixed returns a literal that is never an inline constant, so that the size of the instruction
// does not depend on its bits. The assembler has no text for it.
func Fixed(bits uint32) Operand { return operand(KindFixed, bits) }

// Constant returns a 32-bit operand: an inline constant, or else a literal.
func Constant(bits uint32) Operand {
	if o, ok := inlineInt(int32(bits)); ok {
		return o
	}
	for n := range floatCodes {
		if floatCodes[n].single == bits {
			return operand(KindFloat, uint32(n))
		}
	}
	return Literal(bits)
}

// Float returns a 32-bit operand with the bits of a float.
func Float(x float32) Operand { return Constant(math.Float32bits(x)) }

// Half returns a 16-bit float operand of the given bits.
func Half(bits uint16) Operand {
	if o, ok := inlineInt(int32(bits)); ok {
		return o
	}
	if o, ok := inlineInt(int32(int16(bits))); ok {
		return o
	}
	for n := range floatCodes {
		if floatCodes[n].half == bits {
			return operand(KindFloat, uint32(n))
		}
	}
	return Literal(uint32(bits))
}
