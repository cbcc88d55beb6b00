// Package amd64 writes machine code for x86-64-v3: the general registers, and vectors of 128 and
// 256 bits with AVX, AVX2, FMA, F16C and BMI. It knows instructions one at a time, as the "Intel 64
// and IA-32 Architectures Software Developer's Manual" (SDM), volume 2, has them. What a kernel is
// made of and which registers it has is decided elsewhere.
//
//	Instruction ──► Assembler.Assemble ──► bytes: code, and after it the constants of a Pool
//	     │                 │
//	     │                 └─► labels become distances, of 8 bits if they reach, else of 32
//	     ├─► Append: one instruction to bytes; AppendText: to text in Intel's syntax
//	     └─► Uses, Effects, Flags: what it reads and writes
//
// An Op is an instruction by its meaning. Rows of a table (table_*.go) say how it is encoded. An Op
// that takes several kinds of operands has a row for each, as Add has for registers, memory and
// immediates. The first row that the operands fit is taken. Operands are in the order of Intel's
// syntax: destinations come first.
//
// Widths are the instruction's, not those of registers: General(0) is rax where Width is Wide and
// eax where it is Narrow, Vector(0) is ymm0 or xmm0. Instructions that have one width only, such as
// VAddSS or VMovD, leave Width as it is, and each slot of the row says how many bits it means.
//
// Append chooses the shortest encoding, and exchanges operands for it where the result has the same
// bits whatever they are. Sums and products of floats keep their order: of two NaNs the first
// operand is the result.
package amd64

// Width is how wide the registers of an instruction are that has more than one width.
type Width uint8

// The widths.
const (
	Wide Width = iota // 64 bits of a general register, 256 of a vector
	// 32 bits, and the upper 32 become zero; 128 bits, and the upper 128 become zero
	Narrow
	widths
)

// Condition is the condition code of Jcc, Setcc and Cmovcc.
type Condition uint8

// The conditions. Below and Above compare unsigned values, Less and Greater signed ones.
// After a comparison of floats (VUComISS), Below, Equal and Above are those of the floats. Parity
// means that one of them is a NaN; Below and Equal hold then, too.
const (
	Overflow Condition = iota
	NotOverflow
	Below
	AboveEqual
	Equal
	NotEqual
	BelowEqual
	Above
	Sign
	NotSign
	Parity
	NotParity
	Less
	GreaterEqual
	LessEqual
	Greater
	conditions
)

// Carry and NotCarry are Below and AboveEqual by the flag that they test.
const (
	Carry    = Below
	NotCarry = AboveEqual
)

// Negated returns the condition that holds where c does not.
func (c Condition) Negated() Condition { return c ^ 1 }

// conditionRows have what mnemonics end with, and the flags that are read (SDM volume 1, appendix
// B).
var conditionRows = [conditions]struct {
	suffix string
	reads  Flags
}{
	Overflow: {"o", OF}, NotOverflow: {"no", OF}, Below: {"b", CF}, AboveEqual: {"ae", CF}, Equal: {"e", ZF}, NotEqual: {"ne", ZF},
	BelowEqual: {"be", CF | ZF}, Above: {"a", CF | ZF}, Sign: {"s", SF}, NotSign: {"ns", SF}, Parity: {"p", PF}, NotParity: {"np", PF},
	Less: {"l", SF | OF}, GreaterEqual: {"ge", SF | OF}, LessEqual: {"le", ZF | SF | OF}, Greater: {"g", ZF | SF | OF},
}

// Predicates of VCmpPS, VCmpPD, VCmpSS and VCmpSD, which are their immediates. Ordered ones are
// false if an operand is a NaN, the others true; none of these signals quiet NaNs, which no result
// shows as exceptions are masked.
const (
	CompareEQ    = 0x00 // ordered
	CompareLT    = 0x11
	CompareLE    = 0x12
	CompareUNORD = 0x03
	CompareNEQ   = 0x04 // or unordered
	CompareNLT   = 0x15 // or unordered
	CompareNLE   = 0x16 // or unordered
	CompareORD   = 0x07
	CompareEQU   = 0x08 // or unordered
	CompareNEQO  = 0x0C // ordered
	CompareGE    = 0x1D // ordered
	CompareGT    = 0x1E // ordered
)

// Roundings of VRoundPS and its like, and of VCvtPS2PH, which are their immediates. MXCSR is not
// used. Inexact results raise no exception with the first four.
const (
	RoundNearest  = 0x08 // ties to even
	RoundDown     = 0x09
	RoundUp       = 0x0A
	RoundTruncate = 0x0B
	// HalfNearest is for VCvtPS2PH: to nearest, ties to even.
	HalfNearest = 0x00
)
