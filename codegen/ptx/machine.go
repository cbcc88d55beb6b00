package ptx

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has what PTX adds as a machine: the operations that instructions of the IR become
// (subgroup.go makes most of them), and how builtin values are computed. Only components that are
// used cost an instruction. The workgroup size is a constant of the module, so multiplications by
// it are cheap.

// The machine's operations.
const (
	activeMask = mir.MachineOps + iota
	shuffleIndexed
	shuffleCrossed
	shuffleUp
	shuffleDown
	shuffleQuarter
	voteAll
	voteAny
	voteBallot
	reduceAdd
	reduceMin
	reduceMax
	reduceAnd
	reduceOr
	reduceXor
	warpBarrier
	multiplyAdd
	dotAdd
	rotateRight
	logic3 // aux is its table
	reciprocal
	compareAnd // aux is the comparison, as of the next
	compareOr
	textureChannels   // aux is the texture's number
	textureComparison // aux is mir.HandlesAux
	surfaceLoad       // aux is the texture's number, as of the next
	surfaceStore
	intrinsic // aux is its op.IntrinsicID; on a variable if there is one (intrinsic.go)
	afterMachineOps
)

// machineRows are their names in the text form of package mir, and their templates.
var machineRows = [afterMachineOps - mir.MachineOps]struct {
	name, text string
	register   bool // the first operand is no immediate
}{
	activeMask - mir.MachineOps:     {"activemask", "activemask.b32 $d", false},
	shuffleIndexed - mir.MachineOps: {"shuffle_indexed", "shfl.sync.idx.b32 $d, $a, #b, 31, #c", true},
	shuffleCrossed - mir.MachineOps: {"shuffle_crossed", "shfl.sync.bfly.b32 $d, $a, #b, 31, #c", true},
	shuffleUp - mir.MachineOps:      {"shuffle_up", "shfl.sync.up.b32 $d, $a, #b, 0, #c", true},
	shuffleDown - mir.MachineOps:    {"shuffle_down", "shfl.sync.down.b32 $d, $a, #b, 31, #c", true},
	// segments of four: (32-4)<<8 | 31
	shuffleQuarter - mir.MachineOps: {"shuffle_quarter", "shfl.sync.idx.b32 $d, $a, #b, 7199, #c", true},
	voteAll - mir.MachineOps:        {"vote_all", "vote.sync.all.pred $d, $a, #b", false},
	voteAny - mir.MachineOps:        {"vote_any", "vote.sync.any.pred $d, $a, #b", false},
	voteBallot - mir.MachineOps:     {"vote_ballot", "vote.sync.ballot.b32 $d, $a, #b", false},
	reduceAdd - mir.MachineOps:      {"reduce_add", "redux.sync.add.$T $d, $a, #b", true},
	reduceMin - mir.MachineOps:      {"reduce_min", "redux.sync.min.$T $d, $a, #b", true},
	reduceMax - mir.MachineOps:      {"reduce_max", "redux.sync.max.$T $d, $a, #b", true},
	reduceAnd - mir.MachineOps:      {"reduce_and", "redux.sync.and.b32 $d, $a, #b", true},
	reduceOr - mir.MachineOps:       {"reduce_or", "redux.sync.or.b32 $d, $a, #b", true},
	reduceXor - mir.MachineOps:      {"reduce_xor", "redux.sync.xor.b32 $d, $a, #b", true},
	warpBarrier - mir.MachineOps:    {"warp_barrier", "bar.warp.sync #a", false},
	multiplyAdd - mir.MachineOps:    {"multiply_add", "mad.lo.u32 $d, $a, $b, $c", false},
	dotAdd - mir.MachineOps:         {"dot_add", "dp4a.$T.$T $d, $a, $b, $c", false},
	rotateRight - mir.MachineOps:    {"rotate_right", "shf.r.wrap.b32 $d, $a, $a, $b", false},
	reciprocal - mir.MachineOps:     {"reciprocal", "rcp.approx.ftz.f32 $d, $a", false},

	// without templates: see fuse.go
	logic3 - mir.MachineOps:     {"logic3", "", false},
	compareAnd - mir.MachineOps: {"compare_and", "", false},
	compareOr - mir.MachineOps:  {"compare_or", "", false},

	// and texture_print.go
	textureChannels - mir.MachineOps:   {"texture_channels", "", false},
	textureComparison - mir.MachineOps: {"texture_comparison", "", false},
	surfaceLoad - mir.MachineOps:       {"surface_load", "", false},
	surfaceStore - mir.MachineOps:      {"surface_store", "", false},

	intrinsic - mir.MachineOps: {"intrinsic", "", false},
}

func machineNames() (names []string) {
	for n := range machineRows {
		names = append(names, machineRows[n].name)
	}
	return names
}

// lanes are how the machine lowers operations between the invocations of a subgroup.
var lanes = mir.Lanes[*emitter]{
	Barrier: (*emitter).barrier, Elect: (*emitter).subgroupElect, Vote: (*emitter).subgroupVote, Ballot: (*emitter).subgroupBallot,
	Broadcast: (*emitter).subgroupShuffle, BroadcastFirst: (*emitter).subgroupBroadcastFirst, Shuffle: (*emitter).subgroupShuffle,
	Reduce: (*emitter).subgroupReduce, Scan: (*emitter).subgroupScan, Quad: (*emitter).quad,
}

// Native lowers an instruction that the machine has operations of its own for.
func (e *emitter) Native(b *mir.Builder, i ir.Inst) bool {
	if lower := textureLowerings[b.F.Op(i)]; lower != nil {
		lower(e, b, i)
		return true
	}
	if b.F.Op(i) == op.Intrinsic {
		e.lowerIntrinsic(b, i)
		return true
	}
	if b.F.Op(i) == op.Div && e.Context.Math != codegen.MathStrict && b.F.Arg(i, 0) == b.M.ConstFloat(ir.F32, 1) {
		b.Alias(b.F.Result(i), b.EmitMachine(reciprocal, scalar.F32, mir.Word, 0, b.Slot(b.F.Arg(i, 1))))
		return true
	}
	return lanes.Native(e, b, i)
}

// barrier lowers a barrier of a subgroup; that of a workgroup is the IR's.
func (e *emitter) barrier(b *mir.Builder, i ir.Inst) {
	if op.Memory(b.F.Aux(i))&op.SubgroupScope != 0 {
		b.Emit(warpBarrier, scalar.U32, nil, e.members(b, i))
		return
	}
	b.SetAux(b.Emit(mir.Op(op.ControlBarrier), scalar.None, nil), b.F.Aux(i))
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
		return mad(b, get(ir.WorkgroupID, c), b.U32(size[c]), get(ir.LocalInvocationID, c))
	case ir.LocalInvocationIndex:
		sum := get(ir.LocalInvocationID, 0)
		if size[1] > 1 {
			sum = mad(b, get(ir.LocalInvocationID, 1), b.U32(size[0]), sum)
		}
		if size[2] > 1 {
			sum = mad(b, get(ir.LocalInvocationID, 2), b.U32(size[0]*size[1]), sum)
		}
		return sum
	case ir.SubgroupSize:
		return b.U32(warp)
	case ir.SubgroupID:
		return b.Compute(op.Shr, scalar.U32, get(ir.LocalInvocationIndex, 0), b.U32(5))
	case ir.NumSubgroups:
		return b.U32((size[0]*size[1]*size[2] + warp - 1) / warp)
	case ir.WorkgroupIndex:
		// x + X·(y + Y·z)
		z := mad(b, get(ir.WorkgroupID, 2), get(ir.NumWorkgroups, 1), get(ir.WorkgroupID, 1))
		return mad(b, z, get(ir.NumWorkgroups, 0), get(ir.WorkgroupID, 0))
	case ir.GlobalInvocationIndex:
		none := b.U32(0)
		width := mad(b, get(ir.NumWorkgroups, 0), b.U32(size[0]), none)
		height := mad(b, get(ir.NumWorkgroups, 1), b.U32(size[1]), none)
		z := mad(b, get(ir.GlobalInvocationID, 2), height, get(ir.GlobalInvocationID, 1))
		return mad(b, z, width, get(ir.GlobalInvocationID, 0))
	}
	panic("ptx: unknown builtin " + x.String())
}

// mad emits x·y + z, where x is a register or 0.
func mad(b *mir.Builder, x, y, z mir.Operand) mir.Operand {
	none, one := b.U32(0), b.U32(1)
	switch {
	case x == none:
		return z
	case y == one && z == none:
		return x
	case y == one:
		return b.Compute(op.Add, scalar.U32, x, z)
	case z == none:
		return b.Compute(op.Mul, scalar.U32, x, y)
	}
	return b.EmitMachine(multiplyAdd, scalar.U32, mir.Word, 0, x, y, z)
}

// specials spell the builtin values that are special registers (PTX ISA, "Special Registers").
var specials = [ir.BuiltinCount]string{ir.LocalInvocationID: "%tid.", ir.WorkgroupID: "%ctaid.", ir.NumWorkgroups: "%nctaid."}

// special prints the read of a special register.
func (e *emitter) special(r mir.Operand, x ir.Builtin, component uint32) {
	e.text("\tmov.u32 ")
	e.name(r)
	if x == ir.SubgroupInvocationID {
		e.text(", %laneid;\n")
		return
	}
	e.text(", ", specials[x], [...]string{"x", "y", "z"}[component], ";\n")
}
