package amdgpu

import (
	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"

	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the operations of this machine on the machine level, and computes builtin values.
// The operations are mostly those of waves (subgroup.go). Only components of builtin values that
// are used cost instructions. The workgroup size is a constant.

// The operations of the machine, which package machine has, too.
const (
	lowBallot       = machine.LowBallot
	wideBallot      = machine.WideBallot
	readLane        = machine.ReadLane
	readFirst       = machine.ReadFirst
	permute         = machine.Permute
	waveBarrier     = machine.WaveBarrier
	matrix          = machine.Matrix
	afterMachineOps = machine.AfterOps
)

// machineRows are their names in the text form of package mir, and their templates.
var machineRows = [afterMachineOps - mir.MachineOps]struct{ name, template string }{
	lowBallot - mir.MachineOps:   {"ballot", "$d = call i32 @llvm.amdgcn.ballot.i32(i1 $a)"},
	wideBallot - mir.MachineOps:  {"wide_ballot", "$d = call i64 @llvm.amdgcn.ballot.i64(i1 $a)"},
	readLane - mir.MachineOps:    {"read_lane", "$d = call i32 @llvm.amdgcn.readlane.i32(i32 #a, i32 #b)"},
	readFirst - mir.MachineOps:   {"read_first", "$d = call i32 @llvm.amdgcn.readfirstlane.i32(i32 #a)"},
	permute - mir.MachineOps:     {"permute", "$d = call i32 @llvm.amdgcn.ds.bpermute(i32 #b, i32 #a)"},
	waveBarrier - mir.MachineOps: {"wave_barrier", ""},
	matrix - mir.MachineOps:      {"matrix", ""},
}

func machineNames() (names []string) {
	for n := range machineRows {
		names = append(names, machineRows[n].name)
	}
	return names
}

// machineOp translates an operation of the machine.
func (e *emitter) machineOp(i mir.Inst) {
	switch e.f.Op(i) {
	case waveBarrier:
		e.barrierOf("wavefront", "llvm.amdgcn.wave.barrier")
		return
	case matrix:
		e.multiplyMatrices(i)
		return
	}
	e.expand(machineRows[e.f.Op(i)-mir.MachineOps].template, e.arguments(i))
}

// lanes lowers operations between the invocations of a subgroup.
var lanes = mir.Lanes[*emitter]{
	Barrier: (*emitter).barrier, Elect: (*emitter).subgroupElect, Vote: (*emitter).subgroupVote, Ballot: (*emitter).subgroupBallot,
	Broadcast: (*emitter).subgroupBroadcast, BroadcastFirst: (*emitter).subgroupBroadcastFirst, Shuffle: (*emitter).subgroupShuffle,
	Reduce: (*emitter).subgroupReduce, Scan: (*emitter).subgroupScan, Quad: (*emitter).quad,
}

// Native lowers an instruction for which the machine has operations, and reports whether it did.
func (e *emitter) Native(b *mir.Builder, i ir.Inst) bool {
	if b.F.Op(i) == op.Intrinsic {
		lowerMatrix(b, i)
		return true
	}
	return lanes.Native(e, b, i)
}

// barrier lowers a barrier: that of a subgroup is an operation of the machine.
func (e *emitter) barrier(b *mir.Builder, i ir.Inst) {
	if op.Memory(b.F.Aux(i))&op.SubgroupScope != 0 {
		b.Emit(waveBarrier, scalar.None, nil)
		return
	}
	b.Emit(mir.Op(op.ControlBarrier), scalar.None, nil)
}

// Builtin computes a component of a builtin value.
func (e *emitter) Builtin(b *mir.Builder, x ir.Builtin, c int) mir.Operand {
	size := e.Info.Workgroup
	get := b.Builtin
	special := func() mir.Operand {
		return b.EmitMachine(mir.Builtin, scalar.None, mir.Word, uint32(x)*4+uint32(c))
	}
	switch x {
	case ir.LocalInvocationID:
		if size[c] == 1 {
			return b.U32(0)
		}
		return special()
	case ir.WorkgroupID, ir.NumWorkgroups, ir.SubgroupInvocationID:
		return special()
	case ir.GlobalInvocationID:
		if size[c] == 1 {
			return get(ir.WorkgroupID, c)
		}
		return sum(b, product(b, get(ir.WorkgroupID, c), b.U32(size[c])), get(ir.LocalInvocationID, c))
	case ir.LocalInvocationIndex:
		index := get(ir.LocalInvocationID, 0)
		if size[1] > 1 {
			index = sum(b, product(b, get(ir.LocalInvocationID, 1), b.U32(size[0])), index)
		}
		if size[2] > 1 {
			index = sum(b, product(b, get(ir.LocalInvocationID, 2), b.U32(size[0]*size[1])), index)
		}
		return index
	case ir.SubgroupSize:
		return b.U32(e.wave)
	case ir.SubgroupID: // waves take invocations in the order of their index, x first
		return b.Compute(op.Shr, scalar.U32, get(ir.LocalInvocationIndex, 0), b.U32(log2(e.wave)))
	case ir.NumSubgroups:
		return b.U32((e.invocations() + e.wave - 1) / e.wave)
	case ir.WorkgroupIndex:
		return e.index(b, ir.WorkgroupID, [3]uint32{1, 1, 1})
	case ir.GlobalInvocationIndex:
		return e.index(b, ir.GlobalInvocationID, size)
	}
	panic("amdgpu: unknown builtin " + x.String())
}

// index computes the linear index x + X·(y + Y·z) of a builtin value, where X and Y are the number
// of workgroups times a size.
func (e *emitter) index(b *mir.Builder, of ir.Builtin, size [3]uint32) mir.Operand {
	width := product(b, b.Builtin(ir.NumWorkgroups, 0), b.U32(size[0]))
	height := product(b, b.Builtin(ir.NumWorkgroups, 1), b.U32(size[1]))
	z := sum(b, product(b, b.Builtin(of, 2), height), b.Builtin(of, 1))
	return sum(b, product(b, z, width), b.Builtin(of, 0))
}

// product emits x·y on words, unless y is 1.
func product(b *mir.Builder, x, y mir.Operand) mir.Operand {
	if y == b.U32(1) {
		return x
	}
	return b.Compute(op.Mul, scalar.U32, x, y)
}

// sum emits x + y on words, unless y is 0.
func sum(b *mir.Builder, x, y mir.Operand) mir.Operand {
	if y == b.U32(0) {
		return x
	}
	return b.Compute(op.Add, scalar.U32, x, y)
}

// dimensions are the names of components in intrinsics and attributes.
var dimensions = [...]string{"x", "y", "z"}

// special reads a builtin value that the machine provides. The number of workgroups is one of the
// implicit arguments (User Guide for AMDGPU Backend, "hidden_block_count_x" at offset 0, y at 4, z
// at 8).
func (e *emitter) special(r mir.Operand, x ir.Builtin, component uint32) {
	switch x {
	case ir.LocalInvocationID:
		e.set(r, e.call("llvm.amdgcn.workitem.id."+dimensions[component], types.I32))
	case ir.WorkgroupID:
		e.set(r, e.call("llvm.amdgcn.workgroup.id."+dimensions[component], types.I32))
	case ir.NumWorkgroups:
		base := e.temp(e.call("llvm.amdgcn.implicitarg.ptr", constantPointer))
		at := e.temp(offset(base, integer(types.I64, int64(component)*4)))
		e.set(r, &llvm.InstLoad{ElemType: types.I32, Src: at, Align: 4, Metadata: invariantLoad})
	case ir.SubgroupInvocationID: // the number of lanes below this one
		low := e.call("llvm.amdgcn.mbcnt.lo", types.I32, integer(types.I32, -1), integer(types.I32, 0))
		if e.wave == 32 {
			e.set(r, low)
		} else {
			e.set(r, e.call("llvm.amdgcn.mbcnt.hi", types.I32, integer(types.I32, -1), e.temp(low)))
		}
	}
}

// barrierOf appends a barrier between two fences.
func (e *emitter) barrierOf(scope, intrinsic string) {
	e.add(&llvm.InstFence{SyncScope: scope, Ordering: enum.AtomicOrderingRelease})
	e.add(e.call(intrinsic, types.Void))
	e.add(&llvm.InstFence{SyncScope: scope, Ordering: enum.AtomicOrderingAcquire})
}
