package spirv

// The internal code that is executed. Each invocation has one register file, in which every value
// of the module has slots. There are no stack frames, since functions do not call themselves
// (SPIR-V §2.16.1). No slot is read before it is written, since definitions dominate their uses;
// build.go checks this.

// program is a decoded module.
type program struct {
	code       []inst
	constants  []uint64 // the first registers of every invocation
	pool       []uint64 // constants that are too large for that
	registers  uint32
	variables  []variable
	memory     uint32 // slots of an invocation's variables
	shared     uint32 // slots of a workgroup's variables
	size       [3]uint32
	entries    []uint32  // of functions: where their code begins
	entry      uint32    // the entry point's
	loops      []uint32  // where the code of their headers begins
	blocks     [][]int32 // for each block, the loops around it, the outermost first
	edges      []edge
	moves      []move
	chains     []chain
	lists      []uint32
	parameters [][]uint32 // of functions: where their parameters lie
	// vulkanModel says that the memory model is Vulkan's.
	vulkanModel   bool
	matrixOps     []matrixOp
	fixedMatrices [][]uint64 // of constants
	grain         uint8      // logarithm of the bytes of the narrowest type, at most 2
}

// inst is one instruction. The meaning of a, b, c and e depends on the code.
type inst struct {
	code        code
	width, from uint8
	opcode      uint16
	n           uint32 // components or slots
	d           uint32 // the result's first register
	a, b, c, e  uint32
	table       uint32 // index into one of the program's tables
	block       uint32
	word        uint32
	result      uint32
	name        string
	nonPrivate  bool
	integer     integer
	floating    floating
	relation    relation
	limits      limits
	leaves      []leaf
}

// variable is a variable of the module, or of a function.
type variable struct {
	class                 uint32
	t                     *typ
	id                    uint32
	set, binding, builtin uint32
	readOnly, writeOnly   bool
	base                  uint32 // the first slot, unless it is a buffer
	initial               []uint64
}

// isBuffer reports whether the variable lies in a buffer, whose memory is bytes.
func (v *variable) isBuffer() bool { return explicit(v.class) }

// isBound reports whether a launch binds the variable by group and binding.
func (v *variable) isBound() bool {
	return v.class == classStorage || v.class == classUniform || v.class == classUniformConstant
}

func explicit(class uint32) bool {
	return class == classStorage || class == classUniform || class == classPushConstant
}

// A pointer is the index of a variable and an offset: of bytes in a buffer, 0 in an image, and
// elsewhere the slot.
const offsetBits = 40

func pointer(variable int, offset uint32) uint64 {
	return uint64(variable)<<offsetBits | uint64(offset)
}

// edge is a branch to a block, with the moves that assign the block's phis.
type edge struct {
	target       uint32
	first, count uint32 // of moves
	staged       bool   // some phi reads what another one defines
	loop         int32  // the loop that the target heads, or -1
	back         bool
}

// move copies n slots.
type move struct{ d, s, n uint32 }

// chain is an access chain.
type chain struct {
	base   uint32
	offset uint64
	steps  []step
}

// step is an index that is not constant or out of bounds. count is 0 for the runtime-sized array at
// the end of a buffer.
type step struct {
	index  uint32
	width  uint8
	offset uint64 // the sum of the constant offsets before it
	stride uint64
	count  uint32
}

// code is how an instruction is executed.
type code uint8

const (
	doInteger code = iota
	doFloat
	doRelation
	doConvert
	doFieldInsert
	doFieldSExtract
	doFieldUExtract
	doCopy
	doInsert
	doConstruct
	doShuffle
	doSelect
	doDot
	doAny
	doAll
	doExtractDynamic
	doInsertDynamic
	doBitcast
	doPackHalf
	doUnpackHalf
	doUndef
	doVariable
	doAccess
	doLoadPrivate // of Function, Private and Input variables
	doLoadShared
	doLoadBuffer
	doStorePrivate
	doStoreShared
	doStoreBuffer
	doArrayLength
	doAtomicShared
	doAtomicBuffer
	doTexelLoad
	doTexelStore
	doImageSize
	doImageLevels
	doBranch
	doBranchIf
	doSwitch
	doCall
	doReturn
	doReturnValue
	doUnreachable
	doBarrier
	doSubgroupBarrier
	doSubgroup
	doMatrix
)
