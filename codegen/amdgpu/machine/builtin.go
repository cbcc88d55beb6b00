package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file selects builtin values and wave operations, and names the instructions that selection
// emits without a template.

// The operations of this machine on the machine level, beyond those of package mir.
const (
	LowBallot   = mir.MachineOps + iota // ballot in a wave of 32: a word
	WideBallot                          // ballot in a wave of 64: two words
	ReadLane                            // the value of a lane whose index is uniform
	ReadFirst                           // the value of the first active lane
	Permute                             // the value of a lane, by its index times 4
	WaveBarrier                         // a barrier of the wave
	Matrix                              // a product of matrices: aux is its op.IntrinsicID
	AfterOps                            // one more than the last
)

// machineOp selects one of them.
func (s *selector) machineOp(i mir.Inst) {
	f := s.f
	switch f.Op(i) {
	case LowBallot, WideBallot:
		m := s.freshMask()
		s.emit(opAndMask, m, exec, s.mask(f.Arg(i, 0)))
		r := s.define(f.Result(i))
		for n := range s.target.maskWords() {
			s.emit(opMove, r.at(n), m.at(n))
		}
	case ReadLane:
		lane := s.word(f.Arg(i, 1))
		if lane.isVector() {
			first := s.fresh(scalars, 1)
			s.emit(opReadFirst, first, lane)
			lane = first
		}
		r := s.fresh(scalars, 1)
		s.put(opReadLane, 0, 0, r, s.inVector(s.word(f.Arg(i, 0)), 1), lane)
		s.emit(opMove, s.define(f.Result(i)), r)
	case ReadFirst:
		r := s.fresh(scalars, 1)
		s.emit(opReadFirst, r, s.inVector(s.word(f.Arg(i, 0)), 1))
		s.emit(opMove, s.define(f.Result(i)), r)
	case Permute:
		s.put(opPermute, 0, 0, s.define(f.Result(i)), s.word(f.Arg(i, 1)), s.word(f.Arg(i, 0)))
	case Matrix:
		s.multiplyMatrices(i)
	case WaveBarrier:
		// nothing: the accesses of a wave are in order, and its lanes execute together
	}
}

// builtin selects a builtin value that the machine provides.
func (s *selector) builtin(r mir.Operand, x ir.Builtin, component int) {
	switch x {
	case ir.LocalInvocationID:
		if s.k.Identifiers == 1 { // the upper bits are zero
			s.values[s.f.Index(r)] = s.local
			return
		}
		s.extract(s.define(r), s.local, uint32(10*component), 10)
	case ir.WorkgroupID:
		s.setScalar(r, s.groups[component])
	case ir.NumWorkgroups:
		n := s.fresh(scalars, 1)
		s.emit(opLoadWord, n, s.kernarg, noOperand).offset = s.k.Implicit + int32(4*component)
		s.setScalar(r, n)
	case ir.SubgroupInvocationID: // the number of lanes below this one
		all := s.constant(^uint32(0))
		if s.target.wave == 32 {
			s.put(opBelowLow, 0, 0, s.define(r), all, s.constant(0))
			return
		}
		low := s.fresh(vectors, 1)
		s.put(opBelowLow, 0, 0, low, all, s.constant(0))
		s.put(opBelowHigh, 0, 0, s.define(r), all, low)
	default:
		unsupported("the builtin value " + x.String())
	}
}

// The instructions that selection emits without a template.
const (
	opNop, opEnd, opBarrier           = isa.SNop, isa.SEndpgm, isa.SBarrier
	opBranchNone, opBranchSome        = isa.SCbranchExecz, isa.SCbranchExecnz
	opMoveMask, opNotMask, opAndMask  = isa.SMovB64, isa.SNotB64, isa.SAndB64
	opOrMask, opXorMask, opAndNotMask = isa.SOrB64, isa.SXorB64, isa.SAndNot1B64
	opGetPC, opAddCarry               = isa.SGetpcB64, isa.SAddcU32
	// its constant is an offset from the end of the code
	opAddTable                              = isa.SAddU32
	opLoadWord, opLoadPair                  = isa.SLoadB32, isa.SLoadB64
	opMove, opChoose, opNotEqual            = isa.VMovB32, isa.VCndmaskB32, isa.VCmpNeU32
	opAnd, opShiftOr, opShiftRight, opField = isa.VAndB32, isa.VLshlOrB32, isa.VLshrrevB32, isa.VBfeU32
	opAdd, opAddLong                        = isa.VAddNcU32, isa.VLshlAddU64
	opWidenHalf, opNarrowHalf               = isa.VCvtF32F16, isa.VCvtF16F32
	opReadFirst, opReadLane, opPermute      = isa.VReadfirstlaneB32, isa.VReadlaneB32, isa.DsBpermuteB32
	opBelowLow, opBelowHigh                 = isa.VMbcntLoU32B32, isa.VMbcntHiU32B32
	opSpillStore, opSpillLoad               = isa.ScratchStoreB32, isa.ScratchLoadB32
)

// Loads and stores by memory (global, workgroup, private: segmentOf) and by size, from a byte to
// four words (sizeIndex).
var (
	scalarLoads = [...]opcode{isa.SLoadB32, isa.SLoadB64, isa.SLoadB128}
	loads       = [3][5]opcode{
		{isa.GlobalLoadU8, isa.GlobalLoadU16, isa.GlobalLoadB32, isa.GlobalLoadB64, isa.GlobalLoadB128},
		{isa.DsLoadU8, isa.DsLoadU16, isa.DsLoadB32, isa.DsLoadB64, isa.DsLoadB128},
		{isa.ScratchLoadU8, isa.ScratchLoadU16, isa.ScratchLoadB32, isa.ScratchLoadB64, isa.ScratchLoadB128},
	}
	stores = [3][5]opcode{
		{isa.GlobalStoreB8, isa.GlobalStoreB16, isa.GlobalStoreB32, isa.GlobalStoreB64, isa.GlobalStoreB128},
		{isa.DsStoreB8, isa.DsStoreB16, isa.DsStoreB32, isa.DsStoreB64, isa.DsStoreB128},
		{isa.ScratchStoreB8, isa.ScratchStoreB16, isa.ScratchStoreB32, isa.ScratchStoreB64, isa.ScratchStoreB128},
	}
)

// atomics are the instructions of atomic operations, by width (32, 64 bits) and by signedness
// (unsigned, signed).
var atomics = [op.AtomicOperations]struct{ global, shared [2][2]opcode }{
	op.AtomicAdd: {
		[2][2]opcode{both(isa.GlobalAtomicAddRtnU32), both(isa.GlobalAtomicAddRtnU64)},
		[2][2]opcode{both(isa.DsAddRtnU32), both(isa.DsAddRtnU64)}},
	op.AtomicSub: {
		[2][2]opcode{both(isa.GlobalAtomicSubRtnU32), both(isa.GlobalAtomicSubRtnU64)},
		[2][2]opcode{both(isa.DsSubRtnU32), both(isa.DsSubRtnU64)}},
	op.AtomicMax: {
		[2][2]opcode{{isa.GlobalAtomicMaxRtnU32, isa.GlobalAtomicMaxRtnI32}, {isa.GlobalAtomicMaxRtnU64, isa.GlobalAtomicMaxRtnI64}},
		[2][2]opcode{{isa.DsMaxRtnU32, isa.DsMaxRtnI32}, {isa.DsMaxRtnU64, isa.DsMaxRtnI64}}},
	op.AtomicMin: {
		[2][2]opcode{{isa.GlobalAtomicMinRtnU32, isa.GlobalAtomicMinRtnI32}, {isa.GlobalAtomicMinRtnU64, isa.GlobalAtomicMinRtnI64}},
		[2][2]opcode{{isa.DsMinRtnU32, isa.DsMinRtnI32}, {isa.DsMinRtnU64, isa.DsMinRtnI64}}},
	op.AtomicAnd: {
		[2][2]opcode{both(isa.GlobalAtomicAndRtnB32), both(isa.GlobalAtomicAndRtnB64)},
		[2][2]opcode{both(isa.DsAndRtnB32), both(isa.DsAndRtnB64)}},
	op.AtomicOr: {
		[2][2]opcode{both(isa.GlobalAtomicOrRtnB32), both(isa.GlobalAtomicOrRtnB64)},
		[2][2]opcode{both(isa.DsOrRtnB32), both(isa.DsOrRtnB64)}},
	op.AtomicXor: {
		[2][2]opcode{both(isa.GlobalAtomicXorRtnB32), both(isa.GlobalAtomicXorRtnB64)},
		[2][2]opcode{both(isa.DsXorRtnB32), both(isa.DsXorRtnB64)}},
	op.AtomicExchange: {
		[2][2]opcode{both(isa.GlobalAtomicSwapRtnB32), both(isa.GlobalAtomicSwapRtnB64)},
		[2][2]opcode{both(isa.DsStorexchgRtnB32), both(isa.DsStorexchgRtnB64)}},
}

// both is an instruction for unsigned and signed values.
func both(o opcode) [2]opcode { return [2]opcode{o, o} }

// compareExchanges are the instructions of compare-exchange on 32 and on 64 bits. Later families
// have other ones for workgroup memory, with the last two operands swapped.
var compareExchanges = [2]struct{ global, shared, sharedLater opcode }{
	{isa.GlobalAtomicCmpswapRtnB32, isa.DsCmpstRtnB32, isa.DsCmpstoreRtnB32},
	{isa.GlobalAtomicCmpswapRtnB64, isa.DsCmpstRtnB64, isa.DsCmpstoreRtnB64},
}
