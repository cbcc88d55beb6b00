package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file lowers subgroup operations to those of warps. Where the full warp is known to execute
// together, reductions and scans are five exchanges. Elsewhere the mask of active invocations is
// read at the operation and a loop visits its bits, so that inactive invocations never count.

// warp is the subgroup size of every NVIDIA device.
const warp = 32

const allLanes = 0xFFFFFFFF

// findFullWarps finds which instructions full warps execute. It runs only on functions with
// subgroup operations, whose code depends on this.
func (e *emitter) findFullWarps(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i).Is(op.Convergent) {
			e.uniform.SubgroupSize = warp
			e.uniform.Analyse(f, analysis.Subgroup)
			return
		}
	}
}

// members returns the mask of the invocations that execute an instruction.
func (e *emitter) members(b *mir.Builder, i ir.Inst) mir.Operand {
	if !e.uniform.Partial(i) {
		return e.fullMask(b)
	}
	return b.EmitMachine(activeMask, scalar.U32, mir.Word, 0)
}

// isFullWarp reports whether all lanes of the warp exist and execute an instruction.
func (e *emitter) isFullWarp(i ir.Inst) bool {
	return !e.uniform.Partial(i) && e.invocations()%warp == 0
}

func (e *emitter) invocations() uint32 {
	w := e.Info.Workgroup
	return w[0] * w[1] * w[2]
}

// fullMask returns the mask of the lanes that a warp has: all, or in the last
// warp of a workgroup that is no multiple of the warp, those that exist.
func (e *emitter) fullMask(b *mir.Builder) mir.Operand {
	n := e.invocations()
	switch {
	case n%warp == 0:
		return b.U32(allLanes)
	case n < warp:
		return b.U32(1<<n - 1)
	}
	if e.mask == mir.NoOperand {
		b.EnterPrologue()
		last := b.Compute(op.Eq, scalar.U32, b.Builtin(ir.SubgroupID, 0), b.U32(n/warp))
		e.mask = b.Choose(last, b.U32(1<<(n%warp)-1), b.U32(allLanes))
		b.LeavePrologue()
	}
	return e.mask
}

// lane returns the invocation's number in its warp.
func lane(b *mir.Builder) mir.Operand { return b.Builtin(ir.SubgroupInvocationID, 0) }

// lowest emits the number of a mask's lowest bit.
func lowest(b *mir.Builder, mask mir.Operand) mir.Operand {
	if mask.IsConst() { // a full mask
		return b.U32(0)
	}
	return b.Compute(op.FirstTrailingBit, scalar.U32, mask)
}

// vote emits a vote of the invocations in a mask.
func vote(b *mir.Builder, how mir.Op, c mir.Class, x, mask mir.Operand) mir.Operand {
	return b.EmitMachine(how, scalar.Bool, c, 0, x, mask)
}

func (e *emitter) subgroupElect(b *mir.Builder, i ir.Inst) {
	first := lowest(b, e.members(b, i))
	b.Alias(b.F.Result(i), b.Compute(op.Eq, scalar.U32, lane(b), first))
}

func (e *emitter) subgroupVote(b *mir.Builder, i ir.Inst) {
	how := voteAll
	if b.F.Op(i) == op.SubgroupAny {
		how = voteAny
	}
	mask := e.members(b, i)
	b.Alias(b.F.Result(i), vote(b, how, mir.Predicate, b.Slot(b.F.Arg(i, 0)), mask))
}

func (e *emitter) subgroupBallot(b *mir.Builder, i ir.Inst) {
	mask := e.members(b, i)
	r := vote(b, voteBallot, mir.Word, b.Slot(b.F.Arg(i, 0)), mask)
	b.Alias(b.F.Result(i), r, b.U32(0), b.U32(0), b.U32(0))
}

// exchanges are the operations that read another invocation's value.
var exchanges = [op.Count]mir.Op{
	op.SubgroupBroadcast: shuffleIndexed, op.SubgroupShuffle: shuffleIndexed, op.SubgroupShuffleXor: shuffleCrossed,
	op.SubgroupShuffleUp: shuffleUp, op.SubgroupShuffleDown: shuffleDown,
}

// shuffle returns x of another lane. A value is moved in words.
func shuffle(b *mir.Builder, x mir.Operand, how mir.Op, lane, mask mir.Operand) mir.Operand {
	return b.Exchange(x, func(x mir.Operand) mir.Operand { return b.EmitMachine(how, scalar.U32, mir.Word, 0, x, lane, mask) })
}

func (e *emitter) subgroupShuffle(b *mir.Builder, i ir.Inst) {
	mask := e.members(b, i)
	x, from := b.Slot(b.F.Arg(i, 0)), b.Slot(b.F.Arg(i, 1))
	b.Alias(b.F.Result(i), shuffle(b, x, exchanges[b.F.Op(i)], from, mask))
}

func (e *emitter) subgroupBroadcastFirst(b *mir.Builder, i ir.Inst) {
	mask := e.members(b, i)
	first := lowest(b, mask)
	b.Alias(b.F.Result(i), shuffle(b, b.Slot(b.F.Arg(i, 0)), shuffleIndexed, first, mask))
}

func (e *emitter) quad(b *mir.Builder, i ir.Inst) {
	mask := e.members(b, i)
	x := b.Slot(b.F.Arg(i, 0))
	how, from := shuffleCrossed, b.U32(3)
	switch b.F.Op(i) {
	case op.QuadBroadcast:
		how, from = shuffleQuarter, b.Slot(b.F.Arg(i, 1))
	case op.QuadSwapX:
		from = b.U32(1)
	case op.QuadSwapY:
		from = b.U32(2)
	}
	b.Alias(b.F.Result(i), shuffle(b, x, how, from, mask))
}

// reductions are the instructions that join a word of each of a warp's lanes.
var reductions = [op.Count]mir.Op{
	op.Add: reduceAdd, op.Min: reduceMin, op.Max: reduceMax, op.And: reduceAnd, op.Or: reduceOr, op.Xor: reduceXor,
}

func (e *emitter) subgroupReduce(b *mir.Builder, i ir.Inst) {
	x := b.Slot(b.F.Arg(i, 0))
	k := b.M.ScalarOf(b.F.TypeOf(b.F.Arg(i, 0)))
	o := mir.Combining[b.F.Op(i)].Op
	if reduce := reductions[o]; reduce != 0 && (k == scalar.I32 || k == scalar.U32) && e.Profile.Machine >= reducing {
		mask := e.members(b, i)
		b.Alias(b.F.Result(i), b.EmitMachine(reduce, k, mir.Word, 0, x, mask))
		return
	}
	if !e.isFullWarp(i) {
		e.visitMembers(b, i, o, k, x, op.Invalid)
		return
	}
	b.Alias(b.F.Result(i), reduceFullWarp(b, o, k, x))
}

// reduceFullWarp reduces the values of a full warp.
func reduceFullWarp(b *mir.Builder, o op.Op, k scalar.Kind, x mir.Operand) mir.Operand {
	mask := b.U32(allLanes)
	for distance := uint32(warp / 2); distance > 0; distance /= 2 {
		x = b.Compute(o, k, x, shuffle(b, x, shuffleCrossed, b.U32(distance), mask))
	}
	return x
}

// subgroupScan lowers a prefix sum or product.
func (e *emitter) subgroupScan(b *mir.Builder, i ir.Inst) {
	x := b.Slot(b.F.Arg(i, 0))
	k := b.M.ScalarOf(b.F.TypeOf(b.F.Arg(i, 0)))
	row := mir.Combining[b.F.Op(i)]
	if !e.isFullWarp(i) {
		limit := op.Le
		if row.Exclusive {
			limit = op.Lt
		}
		e.visitMembers(b, i, row.Op, k, x, limit)
		return
	}
	b.Alias(b.F.Result(i), scanFullWarp(b, row.Op, k, x, row.Exclusive))
}

// scanFullWarp computes the prefixes of a full warp's values (Hillis and Steele, "Data parallel
// algorithms", 1986).
func scanFullWarp(b *mir.Builder, o op.Op, k scalar.Kind, x mir.Operand, exclusive bool) mir.Operand {
	mask := b.U32(allLanes)
	for distance := uint32(1); distance < warp; distance *= 2 {
		sum := b.Compute(o, k, shuffle(b, x, shuffleUp, b.U32(distance), mask), x)
		x = b.Choose(b.Compute(op.Ge, scalar.U32, lane(b), b.U32(distance)), sum, x)
	}
	if exclusive {
		before := shuffle(b, x, shuffleUp, b.U32(1), mask)
		x = b.Choose(b.Compute(op.Eq, scalar.U32, lane(b), b.U32(0)), b.Identity(o, k), before)
	}
	return x
}

// visitMembers joins the operand's values of the active invocations in the order of their lanes.
// For a reduction it joins all. For a scan it joins those whose lane compares with the invocation's
// own as limit says. Every invocation takes part in each exchange, so the loop is uniform among
// them. Where all lanes turn out to be active, as in the first warp behind `if (local_index < 32)`,
// five exchanges replace the loop.
func (e *emitter) visitMembers(b *mir.Builder, i ir.Inst, o op.Op, k scalar.Kind, x mir.Operand, limit op.Op) {
	c := mir.ClassOf(k)
	mask := e.members(b, i)
	start := b.Identity(o, k)
	if o == op.Min || o == op.Max { // no identity: begin with one's own, which is a member
		start = x
	}
	own := lane(b)
	loop, done := b.Out.NewBlock(), b.Out.NewBlock()
	rest, joined, result := b.Fresh(mir.Word), b.Fresh(c), b.Fresh(c)
	b.Out.SetParams(loop, []mir.Operand{rest, joined})
	b.Out.SetParams(done, []mir.Operand{result})
	if e.invocations() < warp {
		b.Jump(loop, mask, start)
	} else {
		whole := b.Out.NewBlock()
		b.Branch(b.Compute(op.Eq, scalar.U32, mask, b.U32(allLanes)), whole, nil, loop, []mir.Operand{mask, start})
		b.StartBlock(whole)
		if limit == op.Invalid {
			b.Jump(done, reduceFullWarp(b, o, k, x))
		} else {
			b.Jump(done, scanFullWarp(b, o, k, x, limit == op.Lt))
		}
	}
	b.StartBlock(loop)
	at := b.Compute(op.FirstTrailingBit, scalar.U32, rest)
	sum := b.Compute(o, k, joined, shuffle(b, x, shuffleIndexed, at, mask))
	if limit != op.Invalid {
		sum = b.Choose(b.Compute(limit, scalar.U32, at, own), sum, joined)
	}
	// without its lowest bit
	left := b.Compute(op.And, scalar.U32, rest, b.Compute(op.Sub, scalar.U32, rest, b.U32(1)))
	more := b.Compute(op.Ne, scalar.U32, left, b.U32(0))
	b.Branch(more, loop, []mir.Operand{left, sum}, done, []mir.Operand{sum})
	b.StartBlock(done)
	b.Alias(b.F.Result(i), result)
}
