package machine

import (
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects for builtin values and the operations of waves, and names the instructions that selection chooses itself.

// The operations that this machine has of its own on the machine level, which its target numbers alike.
const (
	LowBallot   = flat.MachineOps + iota // of a wave of 32: a word
	WideBallot                           // of a wave of 64
	ReadLane                             // the value of a lane that is the same for all
	ReadFirst                            // the value of the first active lane
	Permute                              // the value of a lane, by its place in bytes
	WaveBarrier                          // all lanes have come here, and memory is as they left it
)

// own selects for one of them.
func (s *selector) own(i flat.Inst) {
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
	case WaveBarrier:
		// a wave's own accesses are in order, and its lanes execute together
	}
}

// builtin selects for a builtin value that the machine provides.
func (s *selector) builtin(r flat.Operand, x ir.Builtin, component int) {
	switch x {
	case ir.LocalInvocationID:
		if s.k.Identifiers == 1 { // nothing is above it
			s.values[s.index(r)] = s.local
			return
		}
		s.extract(s.define(r), s.local, uint32(10*component), 10)
	case ir.WorkgroupID:
		s.setScalar(r, s.groups[component])
	case ir.NumWorkgroups:
		n := s.fresh(scalars, 1)
		s.emit(opLoadWord, n, s.kernarg).offset = s.k.Implicit + int32(4*component)
		s.setScalar(r, n)
	case ir.SubgroupInvocationID: // the lanes below this one, which are as many as its number
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

// The instructions that are chosen by code.
var (
	opNop, opWaitCount                             = named("s_nop"), named("s_waitcnt")
	opEnd, opBarrier, opBranchNone, opBranchSome   = named("s_endpgm"), named("s_barrier"), named("s_cbranch_execz"), named("s_cbranch_execnz")
	opMoveMask, opNotMask, opAndMask               = named("s_mov_b?"), named("s_not_b?"), named("s_and_b?")
	opOrMask, opXorMask, opAndNotMask              = named("s_or_b?"), named("s_xor_b?"), named("s_andn2_b?")
	opMoveScalar, opGetPC, opAddCarry              = named("s_mov_b32"), named("s_getpc_b64"), named("s_addc_u32")
	opAddTable                                     = named("s_add_u32") // the constant is counted from behind the code
	opLoadWord, opLoadPair                         = named("s_load_dword"), named("s_load_dwordx2")
	opMove, opChoose, opNotEqual, opAnd, opShiftOr = named("v_mov_b32"), named("v_cndmask_b32"), named("v_cmp_ne_u32"), named("v_and_b32"), named("v_lshl_or_b32")
	opShiftRight, opField, opAdd, opAddLong        = named("v_lshrrev_b32"), named("v_bfe_u32"), named("v_add_u32"), named("v_lshl_add_u64")
	opWidenHalf, opNarrowHalf, opReadFirst         = named("v_cvt_f32_f16"), named("v_cvt_f16_f32"), named("v_readfirstlane_b32")
	opReadLane, opPermute, opBelowLow, opBelowHigh = named("v_readlane_b32"), named("ds_bpermute_b32"), named("v_mbcnt_lo_u32_b32"), named("v_mbcnt_hi_u32_b32")
	opSharedCompareExchange, opCompareExchange     = named("ds_cmpst_rtn_b32"), named("global_atomic_cmpswap")
	opSpillStore, opSpillLoad                      = named("scratch_store_dword"), named("scratch_load_dword")
	scalarLoads                                    = [3]opcode{named("s_load_dword"), named("s_load_dwordx2"), named("s_load_dwordx4")}
	loads                                          = [3][5]opcode{accessesOf("global_load_", loadSuffixes), accessesOf("ds_read_", sharedLoads), accessesOf("scratch_load_", loadSuffixes)}
	stores                                         = [3][5]opcode{accessesOf("global_store_", storeSuffixes), accessesOf("ds_write_", sharedStores), accessesOf("scratch_store_", storeSuffixes)}
)

// The suffixes of accesses by width.
var (
	loadSuffixes  = [5]string{"ubyte", "ushort", "dword", "dwordx2", "dwordx4"}
	storeSuffixes = [5]string{"byte", "short", "dword", "dwordx2", "dwordx4"}
	sharedLoads   = [5]string{"u8", "u16", "b32", "b64", "b128"}
	sharedStores  = [5]string{"b8", "b16", "b32", "b64", "b128"}
)

func accessesOf(prefix string, suffixes [5]string) (list [5]opcode) {
	for n, suffix := range suffixes {
		list[n] = named(prefix + suffix)
	}
	return list
}

// atomics are the instructions of atomic operations, without a sign and with one.
var atomics = func() (list [op.AtomicOperations]struct{ global, shared [2]opcode }) {
	for o, names := range map[op.AtomicOperation][4]string{
		op.AtomicAdd: {"add", "add", "add_rtn_u32", "add_rtn_u32"}, op.AtomicSub: {"sub", "sub", "sub_rtn_u32", "sub_rtn_u32"},
		op.AtomicMax: {"umax", "smax", "max_rtn_u32", "max_rtn_i32"}, op.AtomicMin: {"umin", "smin", "min_rtn_u32", "min_rtn_i32"},
		op.AtomicAnd: {"and", "and", "and_rtn_b32", "and_rtn_b32"}, op.AtomicOr: {"or", "or", "or_rtn_b32", "or_rtn_b32"},
		op.AtomicXor: {"xor", "xor", "xor_rtn_b32", "xor_rtn_b32"}, op.AtomicExchange: {"swap", "swap", "wrxchg_rtn_b32", "wrxchg_rtn_b32"},
	} {
		for n := range 2 {
			list[o].global[n], list[o].shared[n] = named("global_atomic_"+names[n]), named("ds_"+names[2+n])
		}
	}
	return list
}()

// compareOps are the comparisons by operation and kind.
var compareOps = func() (list [op.Count][scalar.Count]opcode) {
	for o, c := range comparisons {
		if c.integer == "" {
			continue
		}
		for k, name := range map[scalar.Kind]string{scalar.I32: "i32", scalar.U32: "u32", scalar.I64: "i64", scalar.U64: "u64"} {
			list[o][k] = named("v_cmp_" + c.integer + "_" + name)
		}
		for k, name := range map[scalar.Kind]string{scalar.F16: "f16", scalar.F32: "f32", scalar.F64: "f64"} {
			list[o][k] = named("v_cmp_" + c.float + "_" + name)
		}
	}
	return list
}()
