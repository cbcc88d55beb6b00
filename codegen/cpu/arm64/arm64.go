// Package arm64 writes machine code for AArch64: the general registers, and vectors of 64 and 128
// bits with Advanced SIMD (NEON), as every processor has them that Go runs on. It knows
// instructions one at a time, as the "Arm Architecture Reference Manual for A-profile architecture"
// (DDI 0487, part C) has them.
//
//	Instruction ──► Append: a word of machine code    Assembler.Assemble: a function, with labels
//	            ├────────► AppendText: the same in the syntax that LLVM's disassembler writes
//	            └────────► Uses, Effects: what it reads and writes
//
// An Op is an instruction by its meaning. Rows of a table (table_*.go) say how it is encoded. An Op
// that takes several kinds of operands has a row for each, as Add has for registers, shifted or
// extended, and immediates. The first row that the operands fit is taken. Operands are in the order
// of the text: destinations come first, except of stores.
//
// Shapes are the instruction's, not those of registers: General(0) is x0 where Shape is Wide and w0
// where it is Narrow, Vector(0) is v0.4s, d0 and so on. Where registers of one instruction have
// different shapes, as those that widen have, Shape is that of the narrower elements. Alternative
// names of instructions (aliases) are in the table only where LLVM's disassembler writes them.
package arm64

// Shape is what registers of an instruction are taken for.
type Shape uint8

// The shapes.
const (
	Wide   Shape = iota // 64 bits of general registers
	Narrow              // 32 bits, and the upper 32 become zero

	B8  // vectors of so many bytes
	B16 //
	H4  // halves
	H8  //
	S2  // words
	S4  //
	D2  // longs

	Byte // the first element of a vector alone, or one that an index chooses
	Half
	Single
	Double
	Quad // all 128 bits
	shapes
)

// shapeRows have the logarithm of an element's bytes, whether all 128 bits are meant, and how
// registers are written.
var shapeRows = [shapes]struct {
	log    uint8
	full   bool
	vector bool
	text   string // behind the number of a vector, or in front of that of another register
}{
	Wide: {log: 3, text: "x"}, Narrow: {log: 2, text: "w"},
	B8: {0, false, true, ".8b"}, B16: {0, true, true, ".16b"}, H4: {1, false, true, ".4h"}, H8: {1, true, true, ".8h"},
	S2: {2, false, true, ".2s"}, S4: {2, true, true, ".4s"}, D2: {3, true, true, ".2d"},
	Byte: {log: 0, text: "b"}, Half: {log: 1, text: "h"}, Single: {log: 2, text: "s"}, Double: {log: 3, text: "d"}, Quad: {log: 4, text: "q"},
}

// bits returns how many bits an element has.
func (s Shape) bits() int { return 8 << shapeRows[s].log }

// shapeSet is a set of shapes, by the bits of their numbers.
type shapeSet uint16

func (set shapeSet) has(s Shape) bool { return set>>s&1 != 0 }

// The sets that rows take.
const (
	general  = 1<<Wide | 1<<Narrow
	onlyWide = 1 << Wide
	narrow   = 1 << Narrow
	bytes    = 1<<B8 | 1<<B16
	halves   = 1<<H4 | 1<<H8
	words    = 1<<S2 | 1<<S4
	toWords  = bytes | halves | words
	integers = toWords | 1<<D2
	floats   = words | 1<<D2
	paired   = toWords &^ (1 << S2)
	reduced  = paired
	scalars  = 1<<Single | 1<<Double
	elements = 1<<Byte | 1<<Half | 1<<Single | 1<<Double
	loadable = elements | 1<<Quad
)

// Condition is the condition code of conditional instructions.
type Condition uint8

// The conditions, by their names. Of floats that have been compared, Minus is less, and LowerSame
// less or equal, neither of which is so if one is a NaN.
const (
	Equal Condition = iota
	NotEqual
	HigherSame // unsigned
	Lower
	Minus
	Plus
	Overflow
	NoOverflow
	Higher
	LowerSame
	GreaterEqual // signed
	Less
	Greater
	LessEqual
	Always
	conditions
)

// conditionNames are what the text has.
var conditionNames = [conditions]string{"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"}

// Negated returns the condition that holds where c does not. There is none of Always.
func (c Condition) Negated() Condition { return c ^ 1 }
