package gfx942

// Instructions: rows of the table of opcodes, and decoded fields.

// format is an encoding of instructions ("Microcode Formats" of the manual).
type format uint8

const (
	sop2 format = iota
	sopk
	sop1
	sopc
	sopp
	smem
	vop2
	vop1
	vopc
	vop3
	vop3p
	ds
	flat
	global
	scratch
	formats
)

// form is the encoding of a vector operation.
type form uint8

const (
	plain    form = iota // the shortest one: e32, if there are others
	wide                 // 64 bits with modifiers: e64
	subdword             // parts of registers: SDWA
	permuted             // another lane's register: DPP
	forms
)

// formNames are LLVM's suffixes of operations with several forms.
var formNames = [forms]string{"_e32", "_e64", "_sdwa", "_dpp"}

// kind is the type of an operand.
type kind uint8

const (
	none kind = iota
	b16       // in the lowest bits of a register
	f16
	b32
	f32
	p16 // two f16
	b64
	f64
	b96
	b128
	b256
	b512
	mask // a bit for each lane, in two scalar registers
)

// registers is the number of registers of an operand.
var registers = [...]int{none: 0, b16: 1, f16: 1, b32: 1, f32: 1, p16: 1, b64: 2, f64: 2, b96: 3, b128: 4, b256: 8, b512: 16, mask: 2}

// float reports whether inline constants and modifiers are those of floats.
func (k kind) float() bool { return k == f16 || k == f32 || k == f64 || k == p16 }

// row is an opcode. One of the functions executes it.
type row struct {
	code int
	name string
	d    kind    // of the result
	s    [3]kind // of the sources

	// scalar computes the result and the new SCC of a scalar operation from its operands and SCC,
	// and keeping the result of one that does not write SCC.
	scalar  func(a, b, scc uint64) (uint64, uint64)
	keeping func(a, b uint64) uint64
	// lane computes a lane's result. The last operand of an accumulating operation is its
	// destination.
	lane func(a, b, c uint64) uint64
	// compare computes a lane's bit of a comparison.
	compare func(a, b uint64) bool
	// carry computes a lane's result and carry-out from two operands and the carry-in.
	carry func(a, b, c uint64) (uint64, bool)
	// run executes the instruction, if none of the above can.
	run func(x *execution, i *instruction)

	// checkDefined fails if a condition, an execution mask or an address is undefined.
	checkDefined func(w *wave, i *instruction)

	accumulates    bool // the destination is the last source
	constantSecond bool // the second source is the constant, not the third
	keepsHigh      bool // a result of 16 bits keeps the upper half of the register
	saturates      bool // a result of more than 32 bits saturates if clamp is set
	readsSCC       bool
	single         bool // there is only the plain form
	toScalar       bool // the destination is a scalar register
	isProduct      bool // of matrices: instead of modifiers it has banks of registers, and blocks

	// bitwise returns which bits of the result are defined. For other operations all or none are.
	// Exceptions: the lower word of a wordwise result depends only on the lower words of the
	// sources. An operation that moves bits moves undefined ones too. One that selects moves one of
	// two sources.
	bitwise                  func(a, b, definedA, definedB uint64) uint64
	wordwise, moves, selects bool

	format format

	// of memory accesses
	bytes  int
	stores bool
	stride uint32 // the unit of two offsets
}

// operand is a register or constant by its encoding as a source ("Scalar ALU Operands"); vector
// registers begin at 256.
type operand uint16

const (
	vccLow  operand = 106
	m0      operand = 124
	execLow operand = 126
	zero    operand = 128
	literal operand = 255
	vectors operand = 256
	accums  operand = 512  // accumulation registers
	nothing operand = 0x7F // no scalar address
)

// instruction is a decoded instruction.
type instruction struct {
	row     *row
	form    form
	size    uint64 // in bytes
	d       operand
	sd      operand // the scalar destination for bits of lanes
	s       [3]operand
	literal uint32

	// modifiers of the sources, a bit for each
	abs, neg, negHigh, sel, selHigh uint8
	// and of the result
	clamp bool
	omod  uint8

	// of SDWA: parts of registers, in the encoding of "SDWA Instruction Fields"
	part     [3]uint8 // of two sources, and of the result
	extended [2]bool
	unused   uint8

	control           uint16 // of DPP
	rowMask, bankMask uint8
	boundControl      bool
	blocks            uint16 // of a matrix product: blocks that are broadcast, rotated or negated
	immediate         int32
	offsets           [2]uint32 // of LDS, in bytes if there is one
	address           operand   // a vector register
	scalarAddress     operand   // or nothing
	vectorAddress     bool      // of scratch memory: address is used
	data              [2]operand
	returns           bool // an atomic operation returns the old value
	foreign           *foreignInstruction
}

// name returns LLVM's name of an instruction.
func (i *instruction) name() string {
	switch i.row.format {
	case vop1, vop2, vopc:
		if !i.row.single {
			return i.row.name + formNames[i.form]
		}
	}
	return i.row.name
}
