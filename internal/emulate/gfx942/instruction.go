package gfx942

// This file says what an instruction is: a row of the table of opcodes, and the fields that the
// decoder found.

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

// form is the way in which an operation of vectors is encoded. Each has fields of its own.
type form uint8

const (
	plain    form = iota // the format's own encoding, which LLVM calls e32 where there is another
	wide                 // 64 bits with modifiers: e64
	subdword             // parts of registers: SDWA
	permuted             // another lane's register: DPP
	forms
)

// formNames are what LLVM appends to the names of operations that have several forms.
var formNames = [forms]string{"_e32", "_e64", "_sdwa", "_dpp"}

// kind is what an operand holds.
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

// registers is how many registers an operand of a kind takes.
var registers = [...]int{none: 0, b16: 1, f16: 1, b32: 1, f32: 1, p16: 1, b64: 2, f64: 2, b96: 3, b128: 4, b256: 8, b512: 16, mask: 2}

// float reports whether inline constants and modifiers are those of floats.
func (k kind) float() bool { return k == f16 || k == f32 || k == f64 || k == p16 }

// row is an opcode. What it does is in one of the functions.
type row struct {
	code int
	name string
	d    kind    // of the result
	s    [3]kind // of the sources

	// scalar computes a result and the status bit SCC of scalar operands and the SCC before;
	// keeping one of those that leave it.
	scalar  func(a, b, scc uint64) (uint64, uint64)
	keeping func(a, b uint64) uint64
	// lane computes a lane's result. An operation that adds to its destination gets that as the
	// last operand.
	lane func(a, b, c uint64) uint64
	// compare computes a lane's bit.
	compare func(a, b uint64) bool
	// carry computes a lane's result and carry of two numbers and the carry before.
	carry func(a, b, c uint64) (uint64, bool)
	// run is all of the instruction, where nothing simpler fits.
	run func(x *execution, i *instruction)

	// decides fails if what decides where execution goes, which lanes are active or what is loaded
	// is not defined.
	decides func(w *wave, i *instruction)

	accumulates    bool // the destination is the last source
	constantSecond bool // of the two sources behind the first, the constant is the first one
	keepsHigh      bool // a result of 16 bits leaves the upper half of the register as it is
	// a result beyond 32 bits becomes the nearest number if the instruction says so
	saturates bool
	readsSCC  bool
	single    bool // there is no other form than the format's own
	toScalar  bool // the destination is a scalar register

	// bitwise is which bits of the result are defined. Elsewhere all or none are, but of what has
	// two words and is wordwise, the lower depends on the lower words of the sources alone. What
	// moves bits moves undefined ones too; selects says that it moves one of two sources.
	bitwise                  func(a, b, definedA, definedB uint64) uint64
	wordwise, moves, selects bool

	format format

	// of accesses to memory that MGPUSim may execute
	bytes  int
	stores bool
	stride uint32 // between the units of two offsets
}

// operand is a register or a constant, as sources encode it ("Scalar ALU Operands"), with vector
// registers from 256 on.
type operand uint16

const (
	vccLow  operand = 106
	m0      operand = 124
	execLow operand = 126
	zero    operand = 128
	literal operand = 255
	vectors operand = 256
	accums  operand = 512  // accumulation registers
	nothing operand = 0x7F // in the place of a scalar address
)

// instruction is what the decoder makes of its bytes.
type instruction struct {
	row     *row
	form    form
	size    uint64 // in bytes
	d       operand
	sd      operand // where the bits of lanes go
	s       [3]operand
	literal uint32

	// modifiers of the sources, a bit for each
	abs, neg, negHigh, sel, selHigh uint8
	// and of the result
	clamp bool
	omod  uint8

	// parts of registers, in the numbers of "SDWA Instruction Fields"
	part     [3]uint8 // of two sources, and of the result
	extended [2]bool
	unused   uint8

	control           uint16 // of DPP
	rowMask, bankMask uint8
	boundControl      bool
	immediate         int32
	offsets           [2]uint32 // of LDS, in bytes if there is one
	address           operand   // a vector register
	scalarAddress     operand   // or nothing
	vectorAddress     bool      // of scratch memory: address is used
	data              [2]operand
	returns           bool // an atomic operation returns what was there
	theirs            *foreignInstruction
}

// name is what LLVM calls an instruction.
func (i *instruction) name() string {
	switch i.row.format {
	case vop1, vop2, vopc:
		if !i.row.single {
			return i.row.name + formNames[i.form]
		}
	}
	return i.row.name
}
