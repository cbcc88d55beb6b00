package mir

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file is what machines share that lower operations between the invocations of a subgroup.

// Lanes are how a machine lowers those operations, and barriers, by its emitter.
type Lanes[E any] struct {
	Barrier, Elect, Vote, Ballot, Broadcast, BroadcastFirst, Shuffle, Reduce, Scan, Quad func(e E, b *Builder, i ir.Inst)
}

// Native lowers an instruction, and reports whether it is one of those.
func (l *Lanes[E]) Native(e E, b *Builder, i ir.Inst) bool {
	switch o := b.F.Op(i); {
	case o == op.ControlBarrier:
		l.Barrier(e, b, i)
	case o < op.SubgroupElect || o > op.QuadSwapDiagonal:
		return false
	case o == op.SubgroupElect:
		l.Elect(e, b, i)
	case o <= op.SubgroupAny:
		l.Vote(e, b, i)
	case o == op.SubgroupBallot:
		l.Ballot(e, b, i)
	case o == op.SubgroupBroadcast:
		l.Broadcast(e, b, i)
	case o == op.SubgroupBroadcastFirst:
		l.BroadcastFirst(e, b, i)
	case o <= op.SubgroupShuffleDown:
		l.Shuffle(e, b, i)
	case o <= op.SubgroupXor:
		l.Reduce(e, b, i)
	case o <= op.SubgroupExclusiveMul:
		l.Scan(e, b, i)
	default:
		l.Quad(e, b, i)
	}
	return true
}

// Combining is the operation by which a reduction or scan joins two values, and whether a scan
// leaves out the invocation's own.
var Combining = [op.Count]struct {
	Op        op.Op
	Exclusive bool
}{
	op.SubgroupAdd: {Op: op.Add}, op.SubgroupMul: {Op: op.Mul}, op.SubgroupMin: {Op: op.Min}, op.SubgroupMax: {Op: op.Max},
	op.SubgroupAnd: {Op: op.And}, op.SubgroupOr: {Op: op.Or}, op.SubgroupXor: {Op: op.Xor},
	op.SubgroupInclusiveAdd: {Op: op.Add}, op.SubgroupInclusiveMul: {Op: op.Mul},
	op.SubgroupExclusiveAdd: {op.Add, true}, op.SubgroupExclusiveMul: {op.Mul, true},
}

// Identity returns the value that leaves others as they are when joined.
func (b *Builder) Identity(o op.Op, k scalar.Kind) Operand {
	switch o {
	case op.Mul:
		return b.Int(k, 1)
	case op.And:
		return b.Int(k, -1)
	}
	return b.Int(k, 0)
}

// Exchange returns what an operation on words makes of a value, word by word.
func (b *Builder) Exchange(x Operand, word func(x Operand) Operand) Operand {
	k := b.Out.KindOf(x)
	switch k.Bits() {
	case 16:
		low, high := b.Fresh(Half), b.Fresh(Half)
		wide := b.EmitMachine(Join, scalar.U32, Word, 0, x, x)
		b.Emit(Split, scalar.U32, []Operand{low, high}, word(wide))
		return low
	case 64:
		low, high := b.Fresh(Word), b.Fresh(Word)
		b.Emit(Split, k, []Operand{low, high}, x)
		got := word(low)
		return b.EmitMachine(Join, k, Long, 0, got, word(high))
	}
	return word(x)
}
