package vector

import (
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file says what a program consists of. Instructions name what they work on by offsets in the
// arena, the memory of a worker, and their details by numbers in tables, so that none holds a
// pointer.

// Program is a compiled kernel. It is safe for concurrent use.
type Program struct {
	source *lower.Program
	name   string
	group  int // lanes of a workgroup
	lanes  int // of as many workgroups as are executed at once
	room   int // that columns have: lanes rounded up to whole vectors

	primitives *[primitiveCount]primitive

	code      []inst
	starts    []uint32 // by offset: its first instruction
	accesses  []access
	lists     []operand // operands of what has many
	scalarOps []scalarOp
	groups    []groupOperation
	textures  []textureOperation
	fixed     []fixed
	arena     int // bytes
}

// inst is an instruction.
type inst struct {
	op         opcode
	primitive  uint16
	d, a, b, c uint32 // offsets in the arena: of the result and the operands
	x          uint32 // a number in a table, or an offset of the code
}

type opcode uint8

// The opcodes.
const (
	opPrimitive opcode = iota // on columns
	opOne                     // a primitive on single values
	opMove                    // d = a, a column of words, in the lanes that run
	opMoveWide                // one of longs
	opFill                    // d = a, a single word, in the lanes that run
	opFillWide
	opScalar // what a function of package eval does, lane by lane: x is in meanings
	opJoin   // the bits of operands one after the other: x is in meanings
	opSplit
	opPack
	opUnpack
	opDot
	opLoad // x is in accesses
	opStore
	opAtomic
	opGroup   // an operation of a subgroup: x is in groups
	opTexture // x is in textures
	// d = a component of a builtin value that is the same in all lanes: x is its aux
	opBuiltin
	opBuiltinColumn // one that is not
	// one that is the same in the lanes of each workgroup, plus the column a if it is that of the
	// global id
	opGroupColumn
	opLength // d = the count of elements of binding x
	opJump   // to offset x
	// a is a column: where it holds on to the next instruction, elsewhere to instruction x
	opBranch
	opBranchOne // a is a single value
	opReturn
)

// operand is what an instruction reads or writes in each lane.
type operand struct {
	at    uint32    // the offset in the arena of the first lane's
	step  uint8     // bytes from lane to lane; 0 is one value for all
	class mir.Class // how it is kept
}

// scalarOp is an operation that is done lane by lane, by package eval.
type scalarOp struct {
	op       op.Op
	kind     scalar.Kind
	function eval.Function
	convert  func(uint64) uint64
	list     uint32 // in lists: results, then operands
	results  uint8
	operands uint8
	one      bool // the results are single values
}

// access is what an instruction does with memory. Lanes look at the sum of the offset, up to two
// single values, and the element of a column times a scale.
type access struct {
	op     op.Op
	atomic op.AtomicOperation
	kind   scalar.Kind
	root   uint32 // in the worker's roots
	narrow bool   // addresses have 32 bits, and wrap
	own    bool   // memory of each invocation
	index  indexKind
	bytes  uint8
	terms  uint8
	term   [2]uint32 // offsets in the arena
	column uint32
	// the offset of what a greater element of the column counts as, plus one; 0 is none
	bound  uint32
	scale  uint32
	offset int64
	data   [2]operand // what is stored, or compared and stored
	result operand    // what is loaded, or was there before; class NoClass if it is not used
}

// indexKind says what the column of an access holds.
type indexKind uint8

const (
	noIndex       indexKind = iota
	unsignedIndex           // words
	signedIndex
	longIndex
)

// groupOperation is an operation that the lanes of a subgroup do together. In lists it has
// components of results, operands, and perhaps one second operand.
type groupOperation struct {
	op         op.Op
	kind       scalar.Kind
	components uint8
	second     bool
	list       uint32
}

// textureOperation is an operation on a texture. In lists it has the results, then the operands.
type textureOperation struct {
	call              lower.TextureCall
	results, operands uint8
	one               bool
	list              uint32
}

// fixed is what is in the arena before a workgroup begins. It is a constant, as one value or in all
// lanes, or a builtin value that is the same in all workgroups.
type fixed struct {
	at      uint32
	wide    bool
	column  bool
	builtin uint32 // an aux plus one, or 0
	bits    uint64
}
