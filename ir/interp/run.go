package interp

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
)

// This file executes code: one large switch, in which the instructions that
// kernels execute most compute directly and the others call package eval.

// memory is what a root of a running invocation points to.
type memory struct {
	base unsafe.Pointer
	size uint64
}

// state is what an invocation waits for.
type state uint8

const (
	runnable state = iota
	atBarrier
	atSubgroup
	ended
)

// invocation is the state of one invocation of the workgroup being run.
type invocation struct {
	slots frame
	roots []memory
	arena []byte
	stack []uint32 // where calls return to
	key   []uint64 // order of the instruction where it waits, see meet
	pc    uint32
	state state
	local uint32 // index in the workgroup
	spent uint64 // instructions of loops in the slices used up
	left  int64  // of the slice, when it waits
}

// quietNaN is the NaN that arithmetic gives, as in package eval.
const quietNaN = 0x7FC00000

func float(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

func floatBits(x float32) uint64 {
	if x != x {
		return quietNaN
	}
	return uint64(math.Float32bits(x))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// word returns the address of 4 bytes behind a pointer, or nil outside.
func word(roots []memory, pointer uint64) *uint32 {
	m := &roots[pointer>>offsetBits&rootMask]
	if offset := pointer & offsetMask; offset+4 <= m.size {
		return (*uint32)(unsafe.Add(m.base, offset))
	}
	return nil
}

// slice is how many instructions of loops an invocation executes before it checks for cancellation
// and its fuel. Where invocations run side by side, it then lets the others go on.
const slice = 1 << 18

// run executes an invocation until it ends or waits.
func (w *worker) run(v *invocation) {
	slots, roots := v.slots, v.roots
	image := w.image
	all := image.code
	pc := v.pc
	budget := v.left
	for {
		c := &all[pc]
		pc++
		switch c.op {
		case opEnd:
			v.pc, v.state = pc-1, ended
			return
		case opJump:
			pc = c.aux
		case opLoop:
			pc = c.aux
			if budget -= int64(c.n); budget < 0 {
				v.pc = pc
				if !w.more(v) {
					return
				}
				budget = slice
			}
		case opJumpIf:
			if slots[c.a] != 0 {
				pc = c.aux
			}
		case opJumpUnless:
			if slots[c.a] == 0 {
				pc = c.aux
			}
		case opJumpEqual:
			if slots[c.a] == slots[c.b] {
				pc = c.aux
			}
		case opJumpUnequal:
			if slots[c.a] != slots[c.b] {
				pc = c.aux
			}
		case opJumpLessU32:
			if uint32(slots[c.a]) < uint32(slots[c.b]) {
				pc = c.aux
			}
		case opJumpLessEqualU32:
			if uint32(slots[c.a]) <= uint32(slots[c.b]) {
				pc = c.aux
			}
		case opJumpLessI32:
			if int32(slots[c.a]) < int32(slots[c.b]) {
				pc = c.aux
			}
		case opJumpLessEqualI32:
			if int32(slots[c.a]) <= int32(slots[c.b]) {
				pc = c.aux
			}
		case opJumpEqualF32:
			if float(slots[c.a]) == float(slots[c.b]) {
				pc = c.aux
			}
		case opJumpUnequalF32:
			if float(slots[c.a]) != float(slots[c.b]) {
				pc = c.aux
			}
		case opJumpLessF32:
			if float(slots[c.a]) < float(slots[c.b]) {
				pc = c.aux
			}
		case opJumpLessEqualF32:
			if float(slots[c.a]) <= float(slots[c.b]) {
				pc = c.aux
			}
		case opJumpUnlessLessF32:
			if !(float(slots[c.a]) < float(slots[c.b])) {
				pc = c.aux
			}
		case opJumpUnlessLessEqualF32:
			if !(float(slots[c.a]) <= float(slots[c.b])) {
				pc = c.aux
			}
		case opSwitch:
			pc = image.switches[c.aux].find(slots[c.a])
		case opCall:
			to := &image.callees[c.aux]
			for k, s := range image.lists[uint32(c.x):][:c.n] {
				slots[int(to.param)+k] = slots[s]
				if w.checks != nil {
					w.checks.inherit(v, to.param+uint32(k), s)
				}
			}
			v.stack = append(v.stack, pc)
			pc = to.entry
			if budget -= callCost; budget < 0 {
				v.pc = pc
				if !w.more(v) {
					return
				}
				budget = slice
			}
		case opReturn:
			last := len(v.stack) - 1
			pc = v.stack[last]
			v.stack = v.stack[:last]
			d := int(all[pc-1].d)
			for k, s := range image.lists[c.aux:][:c.n] {
				slots[d+k] = slots[s]
			}
		case opBarrier, opTile:
			v.pc, v.state, v.left = pc-1, atBarrier, budget
			return
		case opSubgroup:
			v.pc, v.state, v.left = pc-1, atSubgroup, budget
			return
		case opCount:
			slots[c.d]++

		case opMove:
			slots[c.d] = slots[c.a]
		case opConstant:
			slots[c.d] = c.x
		case opMove2:
			slots[c.d] = slots[c.a]
			slots[c.b] = slots[c.c]
		case opAdd32:
			slots[c.d] = uint64(uint32(slots[c.a]) + uint32(slots[c.b]))
		case opSub32:
			slots[c.d] = uint64(uint32(slots[c.a]) - uint32(slots[c.b]))
		case opMul32:
			slots[c.d] = uint64(uint32(slots[c.a]) * uint32(slots[c.b]))
		case opAnd:
			slots[c.d] = slots[c.a] & slots[c.b]
		case opOr:
			slots[c.d] = slots[c.a] | slots[c.b]
		case opXor:
			slots[c.d] = slots[c.a] ^ slots[c.b]
		case opNot32:
			slots[c.d] = uint64(^uint32(slots[c.a]))
		case opNotBool:
			slots[c.d] = slots[c.a] ^ 1
		case opShiftLeft32:
			slots[c.d] = uint64(uint32(slots[c.a]) << (slots[c.b] & 31))
		case opShiftRightU32:
			slots[c.d] = uint64(uint32(slots[c.a]) >> (slots[c.b] & 31))
		case opShiftRightI32:
			slots[c.d] = uint64(uint32(int32(slots[c.a]) >> (slots[c.b] & 31)))
		case opMinU32:
			slots[c.d] = min(slots[c.a], slots[c.b])
		case opMaxU32:
			slots[c.d] = max(slots[c.a], slots[c.b])
		case opMinI32:
			slots[c.d] = uint64(uint32(min(int32(slots[c.a]), int32(slots[c.b]))))
		case opMaxI32:
			slots[c.d] = uint64(uint32(max(int32(slots[c.a]), int32(slots[c.b]))))
		case opEqual:
			slots[c.d] = truth(slots[c.a] == slots[c.b])
		case opUnequal:
			slots[c.d] = truth(slots[c.a] != slots[c.b])
		case opLessU32:
			slots[c.d] = truth(slots[c.a] < slots[c.b])
		case opLessEqualU32:
			slots[c.d] = truth(slots[c.a] <= slots[c.b])
		case opLessI32:
			slots[c.d] = truth(int32(slots[c.a]) < int32(slots[c.b]))
		case opLessEqualI32:
			slots[c.d] = truth(int32(slots[c.a]) <= int32(slots[c.b]))
		case opSelect:
			if slots[c.a] != 0 {
				slots[c.d] = slots[c.b]
			} else {
				slots[c.d] = slots[c.c]
			}
		case opAddF32:
			slots[c.d] = floatBits(float(slots[c.a]) + float(slots[c.b]))
		case opSubF32:
			slots[c.d] = floatBits(float(slots[c.a]) - float(slots[c.b]))
		case opMulF32:
			slots[c.d] = floatBits(float(slots[c.a]) * float(slots[c.b]))
		case opDivF32:
			slots[c.d] = floatBits(float(slots[c.a]) / float(slots[c.b]))
		case opNegF32:
			slots[c.d] = slots[c.a] ^ 1<<31
		case opEqualF32:
			slots[c.d] = truth(float(slots[c.a]) == float(slots[c.b]))
		case opUnequalF32:
			slots[c.d] = truth(float(slots[c.a]) != float(slots[c.b]))
		case opLessF32:
			slots[c.d] = truth(float(slots[c.a]) < float(slots[c.b]))
		case opLessEqualF32:
			slots[c.d] = truth(float(slots[c.a]) <= float(slots[c.b]))
		case opEval1:
			slots[c.d] = image.functions[c.aux](slots[c.a], 0, 0, 0)
		case opEval2:
			slots[c.d] = image.functions[c.aux](slots[c.a], slots[c.b], 0, 0)
		case opEval3:
			slots[c.d] = image.functions[c.aux](slots[c.a], slots[c.b], slots[c.c], 0)
		case opEval4:
			o := image.lists[c.x:][:4]
			slots[c.d] = image.functions[c.aux](slots[o[0]], slots[o[1]], slots[o[2]], slots[o[3]])
		case opConvert:
			slots[c.d] = image.converts[c.aux](slots[c.a])
		case opPack:
			var components [4]uint64
			for k, s := range image.lists[c.aux:][:c.n] {
				components[k] = slots[s]
			}
			slots[c.d] = eval.Pack(op.Op(c.x), components[:c.n])
		case opUnpack:
			eval.Unpack(op.Op(c.x), slots[c.a], slots[c.d:][:c.n])
		case opBitcast:
			bitcast(slots, c, image.lists[c.aux:][:c.n])
		case opExtract:
			o := image.lists[c.aux:][:c.n]
			i, n := slots[c.a], uint64(len(o))/uint64(c.b)
			if i >= n {
				i = w.clampIndex(v, pc-1, i, n)
			}
			for k, s := range o[i*uint64(c.b):][:c.b] {
				slots[int(c.d)+k] = slots[s]
			}
		case opInsert:
			o := image.lists[c.aux:][:c.n]
			i, n := slots[c.a], uint64(len(o))/uint64(c.b)
			if i >= n {
				i = w.clampIndex(v, pc-1, i, n)
			}
			for k, s := range o {
				slots[int(c.d)+k] = slots[s]
			}
			for k, s := range image.lists[c.x:][:c.b] {
				slots[int(c.d)+int(i)*int(c.b)+k] = slots[s]
			}
		case opTable:
			i := slots[c.a]
			if i >= uint64(c.n) {
				i = w.clampIndex(v, pc-1, i, uint64(c.n))
			}
			copy(slots[c.d:][:c.b], image.tables[uint64(c.aux)+i*uint64(c.b):])

		case opIndex:
			p, i := slots[c.a], slots[c.b]
			if n := slots[c.c]; i >= n {
				p, i = w.clampPointer(v, pc-1, p, i, n)
			}
			slots[c.d] = p + i*(c.x&math.MaxUint32) + c.x>>32
		case opOffset:
			slots[c.d] = slots[c.a] + c.x
		case opAddress:
			p := slots[c.a]
			sum := p + slots[c.b] + c.x
			if c.n == 1 {
				sum &= math.MaxUint32
			}
			slots[c.d] = p&^offsetMask | sum&offsetMask
		case opLength:
			slots[c.d] = elements(roots, slots[c.a], c.x)
		case opLoad32:
			if p := word(roots, slots[c.a]); p != nil {
				slots[c.d] = uint64(*p)
			} else {
				slots[c.d] = 0
			}
		case opLoad32Run:
			loadRun(slots, roots, c, slots[c.a])
		case opLoad:
			load(slots, roots, c, image.leaves[c.aux:][:c.n])
		case opLoadIndex32:
			i := slots[c.b]
			if n := slots[c.c]; i >= n {
				i = max(n, 1) - 1
			}
			if p := word(roots, slots[c.a]+i*(c.x&math.MaxUint32)+c.x>>32); p != nil {
				slots[c.d] = uint64(*p)
			} else {
				slots[c.d] = 0
			}
		case opLoadIndex32Run:
			i := slots[c.b]
			if n := slots[c.c]; i >= n {
				i = max(n, 1) - 1
			}
			loadRun(slots, roots, c, slots[c.a]+i*(c.x&math.MaxUint32)+c.x>>32)
		case opStore32:
			if p := word(roots, slots[c.a]); p != nil && slots[c.a]&outside == 0 {
				*p = uint32(slots[c.d])
			}
		case opStoreIndex32:
			i := slots[c.b]
			if base := slots[c.a]; i < slots[c.c] && base&outside == 0 {
				if p := word(roots, base+i*(c.x&math.MaxUint32)+c.x>>32); p != nil {
					*p = uint32(slots[c.d])
				}
			}
		case opStore32Run:
			if bytes := span(roots, slots[c.a], 4*uint64(c.n)); bytes != nil && slots[c.a]&outside == 0 {
				for k, s := range image.lists[c.aux:][:c.n] {
					*(*uint32)(unsafe.Add(bytes, 4*k)) = uint32(slots[s])
				}
			}
		case opStore:
			store(slots, roots, slots[c.a], image.leaves[c.x:][:c.n], image.lists[c.aux:][:c.n])
		case opZero:
			if bytes := span(roots, slots[c.a], c.x); bytes != nil && slots[c.a]&outside == 0 {
				clear(unsafe.Slice((*byte)(bytes), c.x))
			}
		case opClear:
			clear(v.arena[c.aux:][:c.x])
		case opCopy:
			to, from := span(roots, slots[c.a], c.x), span(roots, slots[c.b], c.x)
			if to != nil && slots[c.a]&outside == 0 {
				bytes := unsafe.Slice((*byte)(to), c.x)
				if from != nil {
					copy(bytes, unsafe.Slice((*byte)(from), c.x))
				} else {
					clear(bytes)
				}
			}
		case opCopyParts:
			copyParts(roots, slots[c.a], slots[c.b], c.n == 1, image.leaves[c.aux:][:c.x])
		case opAtomicLoad:
			if p := atomicAddress(roots, slots[c.a], c.n); p == nil {
				slots[c.d] = 0
			} else if c.n == 4 {
				slots[c.d] = uint64(atomic.LoadUint32((*uint32)(p)))
			} else {
				slots[c.d] = modify(p, c.n, true, 0, nil)
			}
		case opAtomicStore:
			if p := atomicAddress(roots, slots[c.a], c.n); p == nil || slots[c.a]&outside != 0 {
			} else if c.n == 4 {
				atomic.StoreUint32((*uint32)(p), uint32(slots[c.b]))
			} else {
				modify(p, c.n, false, slots[c.b], second)
			}
		case opAtomicAdd32:
			if p := (*uint32)(atomicAddress(roots, slots[c.a], 4)); p == nil {
				slots[c.d] = 0
			} else if slots[c.a]&outside != 0 {
				slots[c.d] = uint64(atomic.LoadUint32(p))
			} else {
				n := uint32(slots[c.b])
				slots[c.d] = uint64(atomic.AddUint32(p, n) - n)
			}
		case opAtomicModify:
			slots[c.d] = modify(atomicAddress(roots, slots[c.a], c.n), c.n, slots[c.a]&outside != 0, slots[c.b], image.functions[c.aux])
		case opAtomicExchange:
			slots[c.d] = exchange(atomicAddress(roots, slots[c.a], c.n), c.n, slots[c.a]&outside != 0, slots[c.b], slots[c.c])
		case opCheck:
			w.checks.access(w, v, pc-1, c)
			if w.launch.Stopping() {
				v.state = ended
				return
			}
		case opInherit:
			w.checks.inherit(v, c.d, c.a)
		case opForget:
			delete(w.checks.waiting, waitingKey{v.local, c.aux})
		case opChosen:
			w.checks.chosen(v, c.aux, slots[c.a] != 0)
			if w.launch.Stopping() {
				v.state = ended
				return
			}
		case opTexture:
			w.texture(slots, c)
		case opCheckTexture:
			w.checks.texture(w, v, pc-1, c)
			if w.launch.Stopping() {
				v.state = ended
				return
			}
		case opTileSplat:
			slots[c.d] = w.splatTile(v, c)
		case opTileConvert:
			slots[c.d] = w.convertTile(v, c)
		case opTilePosition:
			slots[c.d] = w.tilePosition(v, c)
		case opTileGet:
			slots[c.d] = w.tileElement(v, pc-1, c)
		case opTileSet:
			slots[c.d] = w.withElement(v, pc-1, c)
		default:
			panic("interp: unknown instruction " + opcodes[c.op].name)
		}
	}
}

// callCost is what a call takes from the fuel, so that nested calls without
// loops cannot run for ever.
const callCost = 16
