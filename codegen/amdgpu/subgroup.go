package amdgpu

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file lowers subgroup operations to those of waves, which have 32 or 64 lanes. If all lanes
// are known to be active, reductions and scans take five or six exchanges. Otherwise a loop visits
// the lanes that a ballot finds active. An exchange reads 0 from an inactive lane.

// findFullWaves analyses which instructions full waves execute, in functions with subgroup
// operations.
func (e *emitter) findFullWaves(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i).Is(op.Convergent) {
			e.uniform.SubgroupSize = e.wave
			e.uniform.Analyse(f, analysis.Subgroup)
			return
		}
	}
}

// fullWave reports whether all lanes of the wave exist and execute an instruction.
func (e *emitter) fullWave(i ir.Inst) bool {
	return !e.uniform.Partial(i) && e.invocations()%e.wave == 0
}

func (e *emitter) invocations() uint32 {
	w := e.Info.Workgroup
	return w[0] * w[1] * w[2]
}

// maskKind returns the kind of a ballot: one bit for each lane.
func (e *emitter) maskKind() scalar.Kind {
	if e.wave == 32 {
		return scalar.U32
	}
	return scalar.U64
}

// ballot emits the mask of the active lanes for which a condition holds.
func (e *emitter) ballot(b *mir.Builder, x mir.Operand) mir.Operand {
	if e.wave == 32 {
		return b.EmitMachine(lowBallot, scalar.Bool, mir.Word, 0, x)
	}
	return b.EmitMachine(wideBallot, scalar.Bool, mir.Long, 0, x)
}

// active emits the mask of the active lanes.
func (e *emitter) active(b *mir.Builder) mir.Operand {
	return e.ballot(b, mir.Const(b.M.ConstBool(true)))
}

// lowest emits the index of a mask's lowest bit, as a word.
func (e *emitter) lowest(b *mir.Builder, mask mir.Operand) mir.Operand {
	first := b.Compute(op.CountTrailingZeros, e.maskKind(), mask)
	if e.wave == 32 {
		return first
	}
	low, high := b.Fresh(mir.Word), b.Fresh(mir.Word)
	b.Emit(mir.Split, scalar.U64, []mir.Operand{low, high}, first)
	return low
}

// lane returns the index of the invocation in its wave.
func lane(b *mir.Builder) mir.Operand { return b.Builtin(ir.SubgroupInvocationID, 0) }

func (e *emitter) subgroupElect(b *mir.Builder, i ir.Inst) {
	b.Alias(b.F.Result(i), b.Compute(op.Eq, scalar.U32, lane(b), e.lowest(b, e.active(b))))
}

func (e *emitter) subgroupVote(b *mir.Builder, i ir.Inst) {
	x := b.Slot(b.F.Arg(i, 0))
	k := e.maskKind()
	if b.F.Op(i) == op.SubgroupAny {
		b.Alias(b.F.Result(i), b.Compute(op.Ne, k, e.ballot(b, x), b.Int(k, 0)))
		return
	}
	against := e.ballot(b, b.Compute(op.Not, scalar.Bool, x))
	b.Alias(b.F.Result(i), b.Compute(op.Eq, k, against, b.Int(k, 0)))
}

func (e *emitter) subgroupBallot(b *mir.Builder, i ir.Inst) {
	mask := e.ballot(b, b.Slot(b.F.Arg(i, 0)))
	none := b.U32(0)
	if e.wave == 32 {
		b.Alias(b.F.Result(i), mask, none, none, none)
		return
	}
	low, high := b.Fresh(mir.Word), b.Fresh(mir.Word)
	b.Emit(mir.Split, scalar.U64, []mir.Operand{low, high}, mask)
	b.Alias(b.F.Result(i), low, high, none, none)
}

// fetch returns x of another lane, whose index is taken modulo the size of the wave.
func (e *emitter) fetch(b *mir.Builder, x, from mir.Operand) mir.Operand {
	at := b.Compute(op.And, scalar.U32, from, b.U32(e.wave-1))
	at = b.Compute(op.Shl, scalar.U32, at, b.U32(2)) // words
	return b.Exchange(x, func(x mir.Operand) mir.Operand { return b.EmitMachine(permute, scalar.U32, mir.Word, 0, x, at) })
}

// read returns x of a lane whose index is uniform.
func read(b *mir.Builder, x, from mir.Operand) mir.Operand {
	return b.Exchange(x, func(x mir.Operand) mir.Operand { return b.EmitMachine(readLane, scalar.U32, mir.Word, 0, x, from) })
}

// sources are the operations that compute the lane that a shuffle reads, from the index of the
// invocation and the operand.
var sources = [op.Count]op.Op{
	op.SubgroupShuffleXor: op.Xor, op.SubgroupShuffleUp: op.Sub, op.SubgroupShuffleDown: op.Add,
}

func (e *emitter) subgroupShuffle(b *mir.Builder, i ir.Inst) {
	x, from := b.Slot(b.F.Arg(i, 0)), b.Slot(b.F.Arg(i, 1))
	if o := sources[b.F.Op(i)]; o != op.Invalid {
		from = b.Compute(o, scalar.U32, lane(b), from)
	}
	b.Alias(b.F.Result(i), e.fetch(b, x, from))
}

func (e *emitter) subgroupBroadcast(b *mir.Builder, i ir.Inst) {
	b.Alias(b.F.Result(i), read(b, b.Slot(b.F.Arg(i, 0)), b.Slot(b.F.Arg(i, 1))))
}

func (e *emitter) subgroupBroadcastFirst(b *mir.Builder, i ir.Inst) {
	b.Alias(b.F.Result(i), b.Exchange(b.Slot(b.F.Arg(i, 0)), func(x mir.Operand) mir.Operand {
		return b.EmitMachine(readFirst, scalar.U32, mir.Word, 0, x)
	}))
}

func (e *emitter) quad(b *mir.Builder, i ir.Inst) {
	from := b.Compute(op.Xor, scalar.U32, lane(b), b.U32(3))
	switch b.F.Op(i) {
	case op.QuadBroadcast:
		first := b.Compute(op.And, scalar.U32, lane(b), b.U32(^uint32(3)))
		from = b.Compute(op.Or, scalar.U32, first, b.Compute(op.And, scalar.U32, b.Slot(b.F.Arg(i, 1)), b.U32(3)))
	case op.QuadSwapX:
		from = b.Compute(op.Xor, scalar.U32, lane(b), b.U32(1))
	case op.QuadSwapY:
		from = b.Compute(op.Xor, scalar.U32, lane(b), b.U32(2))
	}
	b.Alias(b.F.Result(i), e.fetch(b, b.Slot(b.F.Arg(i, 0)), from))
}

func (e *emitter) subgroupReduce(b *mir.Builder, i ir.Inst) {
	x := b.Slot(b.F.Arg(i, 0))
	k := b.M.ScalarOf(b.F.TypeOf(b.F.Arg(i, 0)))
	o := mir.Combining[b.F.Op(i)].Op
	if !e.fullWave(i) {
		e.visitActive(b, i, o, k, x, op.Invalid)
		return
	}
	for distance := e.wave / 2; distance > 0; distance /= 2 {
		x = b.Compute(o, k, x, e.fetch(b, x, b.Compute(op.Xor, scalar.U32, lane(b), b.U32(distance))))
	}
	b.Alias(b.F.Result(i), x)
}

// subgroupScan lowers a prefix sum or product (Hillis and Steele, "Data parallel algorithms",
// 1986).
func (e *emitter) subgroupScan(b *mir.Builder, i ir.Inst) {
	x := b.Slot(b.F.Arg(i, 0))
	k := b.M.ScalarOf(b.F.TypeOf(b.F.Arg(i, 0)))
	row := mir.Combining[b.F.Op(i)]
	if !e.fullWave(i) {
		limit := op.Le
		if row.Exclusive {
			limit = op.Lt
		}
		e.visitActive(b, i, row.Op, k, x, limit)
		return
	}
	before := func(distance uint32) mir.Operand {
		return e.fetch(b, x, b.Compute(op.Sub, scalar.U32, lane(b), b.U32(distance)))
	}
	for distance := uint32(1); distance < e.wave; distance *= 2 {
		joined := b.Compute(row.Op, k, before(distance), x)
		x = b.Choose(b.Compute(op.Ge, scalar.U32, lane(b), b.U32(distance)), joined, x)
	}
	if row.Exclusive {
		x = b.Choose(b.Compute(op.Eq, scalar.U32, lane(b), b.U32(0)), b.Identity(row.Op, k), before(1))
	}
	b.Alias(b.F.Result(i), x)
}

// visitActive combines the operand's values of the active lanes in a loop, in their order. A
// reduction combines all of them; a scan those whose index compares to that of the invocation as
// limit says. All lanes execute the same iterations.
func (e *emitter) visitActive(b *mir.Builder, i ir.Inst, o op.Op, k scalar.Kind, x mir.Operand, limit op.Op) {
	c, mask := mir.ClassOf(k), e.maskKind()
	start := b.Identity(o, k)
	if o == op.Min || o == op.Max { // there is no identity; the own value is one of them
		start = x
	}
	own, members := lane(b), e.active(b)
	loop, done := b.Out.NewBlock(), b.Out.NewBlock()
	remaining, joined, result := b.Fresh(mir.ClassOf(mask)), b.Fresh(c), b.Fresh(c)
	b.Out.SetParams(loop, []mir.Operand{remaining, joined})
	b.Out.SetParams(done, []mir.Operand{result})
	b.Jump(loop, members, start)
	b.StartBlock(loop)
	at := e.lowest(b, remaining)
	next := b.Compute(o, k, joined, read(b, x, at))
	if limit != op.Invalid {
		next = b.Choose(b.Compute(limit, scalar.U32, at, own), next, joined)
	}
	// clear the lowest bit
	left := b.Compute(op.And, mask, remaining, b.Compute(op.Sub, mask, remaining, b.Int(mask, 1)))
	more := b.Compute(op.Ne, mask, left, b.Int(mask, 0))
	b.Branch(more, loop, []mir.Operand{left, next}, done, []mir.Operand{next})
	b.StartBlock(done)
	b.Alias(b.F.Result(i), result)
}
