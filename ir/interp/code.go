package interp

// This file defines the machine that kernels are compiled for: a register
// machine on 64-bit slots, one scalar each.
//
// Vectors, matrices and structures have no separate registers: a value is a list of slots
// (compile.go), so that construct, extract, shuffle and splat cost nothing. No function is active
// twice in one invocation, since recursion does not exist. So every slot, also of a called
// function, has a fixed index, and a call moves no frame pointer.

// opcode is an operation of the machine.
type opcode uint16

const (
	opEnd opcode = iota
	opJump
	opLoop
	opJumpIf
	opJumpUnless
	opJumpEqual
	opJumpUnequal
	opJumpLessU32
	opJumpLessEqualU32
	opJumpLessI32
	opJumpLessEqualI32
	opJumpEqualF32
	opJumpUnequalF32
	opJumpLessF32
	opJumpLessEqualF32
	opJumpUnlessLessF32
	opJumpUnlessLessEqualF32
	opSwitch
	opCall
	opReturn
	opBarrier
	opSubgroup
	opTile
	opCount

	opMove
	opMove2
	opConstant
	opAdd32
	opSub32
	opMul32
	opAnd
	opOr
	opXor
	opNot32
	opNotBool
	opShiftLeft32
	opShiftRightU32
	opShiftRightI32
	opMinU32
	opMaxU32
	opMinI32
	opMaxI32
	opEqual
	opUnequal
	opLessU32
	opLessEqualU32
	opLessI32
	opLessEqualI32
	opSelect
	opAddF32
	opSubF32
	opMulF32
	opDivF32
	opNegF32
	opEqualF32
	opUnequalF32
	opLessF32
	opLessEqualF32
	opEval1
	opEval2
	opEval3
	opEval4
	opConvert
	opPack
	opUnpack
	opBitcast
	opExtract
	opInsert
	opTable

	opIndex
	opOffset
	opAddress
	opLength
	opLoad32
	opLoad32Run
	opLoad
	opLoadIndex32
	opLoadIndex32Run
	opStore32
	opStore32Run
	opStore
	opStoreIndex32
	opZero
	opClear
	opCopy
	opCopyParts
	opAtomicLoad
	opAtomicStore
	opAtomicModify
	opAtomicExchange
	opAtomicAdd32
	opCheck
	opInherit
	opForget
	opChosen
	opTexture
	opCheckTexture
	opTileSplat
	opTileConvert
	opTilePosition
	opTileGet
	opTileSet

	opcodeCount
)

// fields says which of an instruction's fields are slots; the others are
// numbers. Constants get their slots once all code is known, and pack moves them.
type fields uint8

const (
	fieldD fields = 1 << iota
	fieldA
	fieldB
	fieldC

	fieldsDA   = fieldD | fieldA
	fieldsDAB  = fieldsDA | fieldB
	fieldsDABC = fieldsDAB | fieldC
	fieldsAB   = fieldA | fieldB
)

// opcodes describes the instructions. What the fields hold:
//
//	jumps            aux: where to
//	loop             aux: where to, n: instructions of the iteration
//	switch           a: selector, aux: row in Program.switches
//	call             n: arguments, aux: function, x: list of arguments | site<<32
//	return           n: values, aux: list of values
//	barrier          n: memories, x: site<<32
//	subgroup         aux: row in Program.subgroups, x: site<<32
//	tile             d: result, n: memories, aux: row in Program.tiles, x: operands | site<<32
//	eval             aux: row in Program.functions; eval4 has x: list of operands
//	pack, unpack     n: components, aux: list, x: op
//	bitcast          aux: list, x: counts and widths (see bitcast)
//	constant         x: bits
//	extract          d: part, a: index, b: its slots, n: all slots, aux: list; c: a is signed
//	insert           as extract, x: list of the part
//	table            d: part, a: index, b: its slots, n: parts, aux: row of tables; c: a is signed
//	index            d = a + min(b, c-1)·stride + x; x: stride | offset<<32; n: 1 if b is signed
//	offset           d = a + x
//	address          d = a + b + x; n: 1 if the sum wraps at 32 bits
//	length           d = elements of stride x after a
//	load             n: leaves, aux: first in Program.leaves; run: n words
//	store            d: value (32) or aux: list; generic: x: first leaf
//	zero             x: bytes
//	clear            aux: first byte of the invocation's memory, x: bytes
//	copy             a: to, b: from, x: bytes
//	copy_parts       a: to, b: from, n: 1 for zeros instead, aux: first leaf, x: leaves
//	atomic           n: kind, aux: AtomicOperation or function
//	check            a: pointer, n: access, aux: first leaf, x: leaves
//	inherit          d: pointer made of a
//	forget           aux: what an instruction has found
//	chosen           a: whether its value is used, aux: the instruction that has found something
//	texture          n: results, aux: row in Program.textures, x: list of operands
//	check_texture    as texture
//	tile_position    a: element of the invocation, n: 1 for its column, aux: row in Program.tiles
//	tile_get         a: tile, b: element of the invocation, aux: row in Program.tiles
//	tile_set         as tile_get, c: new value
//	other tile_      aux: row in Program.tiles
var opcodes = [opcodeCount]struct {
	name   string
	fields fields
}{
	opEnd:                    {"end", 0},
	opJump:                   {"jump", 0},
	opLoop:                   {"loop", 0},
	opJumpIf:                 {"jump_if", fieldA},
	opJumpUnless:             {"jump_unless", fieldA},
	opJumpEqual:              {"jump_equal", fieldsAB},
	opJumpUnequal:            {"jump_unequal", fieldsAB},
	opJumpLessU32:            {"jump_less_u32", fieldsAB},
	opJumpLessEqualU32:       {"jump_less_equal_u32", fieldsAB},
	opJumpLessI32:            {"jump_less_i32", fieldsAB},
	opJumpLessEqualI32:       {"jump_less_equal_i32", fieldsAB},
	opJumpEqualF32:           {"jump_equal_f32", fieldsAB},
	opJumpUnequalF32:         {"jump_unequal_f32", fieldsAB},
	opJumpLessF32:            {"jump_less_f32", fieldsAB},
	opJumpLessEqualF32:       {"jump_less_equal_f32", fieldsAB},
	opJumpUnlessLessF32:      {"jump_unless_less_f32", fieldsAB},
	opJumpUnlessLessEqualF32: {"jump_unless_less_equal_f32", fieldsAB},
	opSwitch:                 {"switch", fieldA},
	opCall:                   {"call", fieldD},
	opReturn:                 {"return", 0},
	opBarrier:                {"barrier", 0},
	opSubgroup:               {"subgroup", 0},
	opTile:                   {"tile", fieldD},
	opCount:                  {"count", fieldD},

	opMove:           {"move", fieldsDA},
	opMove2:          {"move2", fieldsDABC},
	opConstant:       {"constant", fieldD},
	opAdd32:          {"add32", fieldsDAB},
	opSub32:          {"sub32", fieldsDAB},
	opMul32:          {"mul32", fieldsDAB},
	opAnd:            {"and", fieldsDAB},
	opOr:             {"or", fieldsDAB},
	opXor:            {"xor", fieldsDAB},
	opNot32:          {"not32", fieldsDA},
	opNotBool:        {"not_bool", fieldsDA},
	opShiftLeft32:    {"shift_left32", fieldsDAB},
	opShiftRightU32:  {"shift_right_u32", fieldsDAB},
	opShiftRightI32:  {"shift_right_i32", fieldsDAB},
	opMinU32:         {"min_u32", fieldsDAB},
	opMaxU32:         {"max_u32", fieldsDAB},
	opMinI32:         {"min_i32", fieldsDAB},
	opMaxI32:         {"max_i32", fieldsDAB},
	opEqual:          {"equal", fieldsDAB},
	opUnequal:        {"unequal", fieldsDAB},
	opLessU32:        {"less_u32", fieldsDAB},
	opLessEqualU32:   {"less_equal_u32", fieldsDAB},
	opLessI32:        {"less_i32", fieldsDAB},
	opLessEqualI32:   {"less_equal_i32", fieldsDAB},
	opSelect:         {"select", fieldsDABC},
	opAddF32:         {"add_f32", fieldsDAB},
	opSubF32:         {"sub_f32", fieldsDAB},
	opMulF32:         {"mul_f32", fieldsDAB},
	opDivF32:         {"div_f32", fieldsDAB},
	opNegF32:         {"neg_f32", fieldsDA},
	opEqualF32:       {"equal_f32", fieldsDAB},
	opUnequalF32:     {"unequal_f32", fieldsDAB},
	opLessF32:        {"less_f32", fieldsDAB},
	opLessEqualF32:   {"less_equal_f32", fieldsDAB},
	opEval1:          {"eval1", fieldsDA},
	opEval2:          {"eval2", fieldsDAB},
	opEval3:          {"eval3", fieldsDABC},
	opEval4:          {"eval4", fieldD},
	opConvert:        {"convert", fieldsDA},
	opPack:           {"pack", fieldD},
	opUnpack:         {"unpack", fieldsDA},
	opBitcast:        {"bitcast", fieldD},
	opExtract:        {"extract", fieldsDA},
	opInsert:         {"insert", fieldsDA},
	opTable:          {"table", fieldsDA},
	opIndex:          {"index", fieldsDABC},
	opOffset:         {"offset", fieldsDA},
	opAddress:        {"address", fieldsDAB},
	opLength:         {"length", fieldsDA},
	opLoad32:         {"load32", fieldsDA},
	opLoad32Run:      {"load32_run", fieldsDA},
	opLoad:           {"load", fieldsDA},
	opLoadIndex32:    {"load_index32", fieldsDABC},
	opLoadIndex32Run: {"load_index32_run", fieldsDABC},
	opStore32:        {"store32", fieldsDA},
	opStore32Run:     {"store32_run", fieldA},
	opStore:          {"store", fieldA},
	opStoreIndex32:   {"store_index32", fieldsDABC},
	opZero:           {"zero", fieldA},
	opClear:          {"clear", 0},
	opCopy:           {"copy", fieldsAB},
	opCopyParts:      {"copy_parts", fieldsAB},
	opAtomicLoad:     {"atomic_load", fieldsDA},
	opAtomicStore:    {"atomic_store", fieldsAB},
	opAtomicModify:   {"atomic_modify", fieldsDAB},
	opAtomicExchange: {"atomic_exchange", fieldsDABC},
	opAtomicAdd32:    {"atomic_add32", fieldsDAB},
	opCheck:          {"check", fieldA},
	opInherit:        {"inherit", fieldsDA},
	opForget:         {"forget", 0},
	opChosen:         {"chosen", fieldA},
	opTexture:        {"texture", fieldD},
	opCheckTexture:   {"check_texture", 0},
	opTileSplat:      {"tile_splat", fieldsDA},
	opTileConvert:    {"tile_convert", fieldsDA},
	opTilePosition:   {"tile_position", fieldsDA},
	opTileGet:        {"tile_get", fieldsDAB},
	opTileSet:        {"tile_set", fieldsDABC},
}

// code is an instruction as it runs: 32 bytes without pointers.
type code struct {
	op         opcode
	n          uint16
	d, a, b, c uint32
	aux        uint32
	x          uint64
}

// maxSlots is how many scalars an invocation can hold in slots, constants
// included: a frame of 128 MiB.
const maxSlots = 1 << 24

// frame is the slots of an invocation.
type frame []uint64

// instruction is a code while the compiler works on it: slots are wider, and
// those of constants are marked.
type instruction struct {
	op         opcode
	n          uint16
	d, a, b, c slot
	aux        uint32
	x          uint64
}

// slot numbers a scalar of a frame, or of the constants if constantSlot is set.
type slot uint32

const constantSlot slot = 1 << 31

// A pointer is a number: the root, that is the variable or buffer it points
// into, and a byte offset. The mark says that an index was outside: reads then
// read what the clamped index selects, and writes have no effect.
const (
	offsetBits        = 40
	offsetMask uint64 = 1<<offsetBits - 1
	outside    uint64 = 1 << 63
	rootMask          = 1<<(63-offsetBits) - 1
)

func rootOf(pointer uint64) uint64 { return pointer >> offsetBits & rootMask }
