package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes what concerns several invocations: atomics, barriers and
// subgroup operations.

// atomic returns the operands that all atomics begin with: pointer, scope and
// memory semantics. WGSL's atomics are relaxed (WGSL §17.8).
func (w *emitter) atomic(i ir.Inst) (operands [3]uint32, k scalar.Kind) {
	p := w.f.Arg(i, 0)
	scope := grammar.ScopeDevice
	if w.fragments {
		scope = grammar.ScopeQueueFamily
	}
	if w.m.SpaceOf(w.f.TypeOf(p)) == ir.Workgroup {
		scope = grammar.ScopeWorkgroup
	}
	pointer, _ := w.pointer(p)
	k = w.m.ScalarOf(w.m.Element(w.f.TypeOf(p)))
	if k.Bits() == 64 {
		w.capability(grammar.CapabilityInt64Atomics)
		w.requires(abi.Int64Atomics)
	}
	if k.IsFloat() && w.f.Op(i) != op.AtomicLoad && w.f.Op(i) != op.AtomicStore {
		if w.f.Op(i) != op.AtomicReadModifyWrite || op.AtomicOperation(w.f.Aux(i)) != op.AtomicExchange {
			w.lacks(i, "atomic arithmetic on floats")
		}
	}
	return [3]uint32{pointer, w.u32(scope), w.u32(0)}, k
}

func emitAtomicLoad(w *emitter, i ir.Inst) {
	a, _ := w.atomic(i)
	w.set(i, w.emit(grammar.OpAtomicLoad, w.valueType(w.f.Type(i)), a[0], a[1], a[2]))
}

func emitAtomicStore(w *emitter, i ir.Inst) {
	a, _ := w.atomic(i)
	w.body.op(grammar.OpAtomicStore, a[0], a[1], a[2], w.value(w.f.Arg(i, 1)))
}

// atomics are the instructions for signed and unsigned integers.
var atomics = [op.AtomicOperations][2]uint32{
	op.AtomicAdd:      {grammar.OpAtomicIAdd, grammar.OpAtomicIAdd},
	op.AtomicSub:      {grammar.OpAtomicISub, grammar.OpAtomicISub},
	op.AtomicMax:      {grammar.OpAtomicSMax, grammar.OpAtomicUMax},
	op.AtomicMin:      {grammar.OpAtomicSMin, grammar.OpAtomicUMin},
	op.AtomicAnd:      {grammar.OpAtomicAnd, grammar.OpAtomicAnd},
	op.AtomicOr:       {grammar.OpAtomicOr, grammar.OpAtomicOr},
	op.AtomicXor:      {grammar.OpAtomicXor, grammar.OpAtomicXor},
	op.AtomicExchange: {grammar.OpAtomicExchange, grammar.OpAtomicExchange},
}

func emitAtomicReadModifyWrite(w *emitter, i ir.Inst) {
	a, k := w.atomic(i)
	opcode := atomics[w.f.Aux(i)][1]
	if k.IsSigned() {
		opcode = atomics[w.f.Aux(i)][0]
	}
	w.set(i, w.emit(opcode, w.valueType(w.f.Type(i)), a[0], a[1], a[2], w.value(w.f.Arg(i, 1))))
}

func emitAtomicCompareExchange(w *emitter, i ir.Inst) {
	a, _ := w.atomic(i)
	compare, value := w.value(w.f.Arg(i, 1)), w.value(w.f.Arg(i, 2))
	w.set(i, w.emit(grammar.OpAtomicCompareExchange, w.valueType(w.f.Type(i)), a[0], a[1], a[2], a[2], value, compare))
}

// barrierSemantics are the memory semantics of each memory bit.
var barrierSemantics = [op.MemoryBits]uint32{
	grammar.MemorySemanticsWorkgroupMemory, grammar.MemorySemanticsUniformMemory, grammar.MemorySemanticsImageMemory, 0,
}

func emitBarrier(w *emitter, i ir.Inst) {
	memory := w.f.Aux(i)
	scope := grammar.ScopeWorkgroup
	if op.Memory(memory)&op.SubgroupScope != 0 {
		scope = grammar.ScopeSubgroup
		w.subgroup(grammar.CapabilityGroupNonUniform)
	}
	semantics := uint32(0)
	for n, s := range barrierSemantics {
		if memory>>n&1 != 0 {
			semantics |= s
		}
	}
	if semantics != 0 {
		semantics = w.ordering(semantics)
	}
	w.body.op(grammar.OpControlBarrier, w.u32(scope), w.u32(scope), w.u32(semantics))
}

// ordering returns the memory semantics of a barrier that orders accesses to some memory.
func (w *emitter) ordering(memory uint32) (semantics uint32) {
	if w.fragments { // fragment.go says why
		memory |= grammar.MemorySemanticsMakeAvailable | grammar.MemorySemanticsMakeVisible
	}
	return memory | grammar.MemorySemanticsAcquireRelease
}

// subgroup declares one of the capabilities of subgroup operations.
func (w *emitter) subgroup(capability uint32) {
	w.capability(capability)
	w.requires(abi.Subgroups)
}

// subgroupRow is the instruction of a subgroup operation.
type subgroupRow struct {
	capability              uint32
	signed, unsigned, float uint32
	group                   int    // a GroupOperation operand, or -1
	last                    int    // a constant operand after the others, or -1
	bits                    uint32 // for booleans
}

func vote(capability, opcode uint32) subgroupRow {
	return subgroupRow{capability: capability, bits: opcode, signed: opcode, unsigned: opcode, float: opcode, group: -1, last: -1}
}

func arithmetic(group, signed, unsigned, float uint32) subgroupRow {
	return subgroupRow{capability: grammar.CapabilityGroupNonUniformArithmetic,
		signed: signed, unsigned: unsigned, float: float, group: int(group), last: -1}
}

func swap(direction int) subgroupRow {
	r := vote(grammar.CapabilityGroupNonUniformQuad, grammar.OpGroupNonUniformQuadSwap)
	r.last = direction
	return r
}

var subgroups = [op.Count]subgroupRow{
	op.SubgroupElect:          vote(grammar.CapabilityGroupNonUniform, grammar.OpGroupNonUniformElect),
	op.SubgroupAll:            vote(grammar.CapabilityGroupNonUniformVote, grammar.OpGroupNonUniformAll),
	op.SubgroupAny:            vote(grammar.CapabilityGroupNonUniformVote, grammar.OpGroupNonUniformAny),
	op.SubgroupBallot:         vote(grammar.CapabilityGroupNonUniformBallot, grammar.OpGroupNonUniformBallot),
	op.SubgroupBroadcast:      vote(grammar.CapabilityGroupNonUniformBallot, grammar.OpGroupNonUniformBroadcast),
	op.SubgroupBroadcastFirst: vote(grammar.CapabilityGroupNonUniformBallot, grammar.OpGroupNonUniformBroadcastFirst),
	op.SubgroupShuffle:        vote(grammar.CapabilityGroupNonUniformShuffle, grammar.OpGroupNonUniformShuffle),
	op.SubgroupShuffleXor:     vote(grammar.CapabilityGroupNonUniformShuffle, grammar.OpGroupNonUniformShuffleXor),
	op.SubgroupShuffleUp:      vote(grammar.CapabilityGroupNonUniformShuffleRelative, grammar.OpGroupNonUniformShuffleUp),
	op.SubgroupShuffleDown:    vote(grammar.CapabilityGroupNonUniformShuffleRelative, grammar.OpGroupNonUniformShuffleDown),
	op.SubgroupAdd:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformFAdd),
	op.SubgroupMul:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformFMul),
	op.SubgroupMin:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformSMin, grammar.OpGroupNonUniformUMin, grammar.OpGroupNonUniformFMin),
	op.SubgroupMax:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformSMax, grammar.OpGroupNonUniformUMax, grammar.OpGroupNonUniformFMax),
	op.SubgroupAnd:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformBitwiseAnd, grammar.OpGroupNonUniformBitwiseAnd, 0),
	op.SubgroupOr:             arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformBitwiseOr, grammar.OpGroupNonUniformBitwiseOr, 0),
	op.SubgroupXor:            arithmetic(grammar.GroupOperationReduce, grammar.OpGroupNonUniformBitwiseXor, grammar.OpGroupNonUniformBitwiseXor, 0),
	op.SubgroupInclusiveAdd:   arithmetic(grammar.GroupOperationInclusiveScan, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformFAdd),
	op.SubgroupInclusiveMul:   arithmetic(grammar.GroupOperationInclusiveScan, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformFMul),
	op.SubgroupExclusiveAdd:   arithmetic(grammar.GroupOperationExclusiveScan, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformIAdd, grammar.OpGroupNonUniformFAdd),
	op.SubgroupExclusiveMul:   arithmetic(grammar.GroupOperationExclusiveScan, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformIMul, grammar.OpGroupNonUniformFMul),
	op.QuadBroadcast:          vote(grammar.CapabilityGroupNonUniformQuad, grammar.OpGroupNonUniformQuadBroadcast),
	op.QuadSwapX:              swap(0),
	op.QuadSwapY:              swap(1),
	op.QuadSwapDiagonal:       swap(2),
}

// emitSubgroup writes a subgroup operation from its row.
func emitSubgroup(w *emitter, i ir.Inst) {
	f := w.f
	o := f.Op(i)
	args := f.Args(i)
	if o == op.SubgroupBroadcast && !args[1].IsConst() {
		o = op.SubgroupShuffle // before SPIR-V 1.5 a broadcast's id is constant
	}
	if o == op.QuadBroadcast && !args[1].IsConst() {
		w.lacks(i, "a quad_broadcast whose index is not constant")
		return
	}
	r := &subgroups[o]
	w.subgroup(grammar.CapabilityGroupNonUniform)
	w.subgroup(r.capability)
	k := scalar.Bool
	if len(args) > 0 {
		k = w.kindOf(args[0])
	}
	opcode := r.bits
	if k != scalar.Bool {
		opcode = (&row{signed: r.signed, unsigned: r.unsigned, float: r.float}).opcode(k)
	}
	operands := [6]uint32{w.u32(grammar.ScopeSubgroup)}
	n := 1
	if r.group >= 0 {
		operands[n] = uint32(r.group)
		n++
	}
	for _, a := range args {
		operands[n] = w.value(a)
		n++
	}
	if r.last >= 0 {
		operands[n] = w.u32(uint32(r.last))
		n++
	}
	w.set(i, w.emit(opcode, w.valueType(f.Type(i)), operands[:n]...))
}
