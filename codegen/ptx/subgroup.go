package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file emits subgroup operations on warps. Where the whole warp is known
// to execute together, reductions and scans are five exchanges; elsewhere the
// active invocations' mask is taken at the operation and a loop visits its
// bits, so that inactive invocations never count.

// warp is the subgroup size of every NVIDIA device.
const warp = 32

const allLanes = 0xFFFFFFFF

// members returns the mask of the invocations that execute an instruction.
func (e *emitter) members(i ir.Inst) operand {
	if !e.flow.partial[i] {
		return e.fullMask()
	}
	r := e.fresh(word)
	e.expand("activemask.b32 $d", arguments{scalar.U32, []operand{r}, nil})
	return r
}

// whole reports whether all lanes of the warp exist and execute an instruction.
func (e *emitter) whole(i ir.Inst) bool { return !e.flow.partial[i] && e.invocations()%warp == 0 }

func (e *emitter) invocations() uint32 {
	w := e.Info.Workgroup
	return w[0] * w[1] * w[2]
}

// fullMask returns the mask of the lanes that a warp has: all, or in the last
// warp of a workgroup that is no multiple of the warp, those that exist.
func (e *emitter) fullMask() operand {
	n := e.invocations()
	switch {
	case n%warp == 0:
		return e.u32(allLanes)
	case n < warp:
		return e.u32(1<<n - 1)
	}
	if e.mask == noOperand {
		e.swap()
		id := e.builtin(ir.SubgroupID, 0)
		e.mask = e.fresh(word)
		e.expand("setp.eq.u32 $p0, $a, $b; selp.b32 $d, #c, 0xFFFFFFFF, $p0",
			arguments{scalar.U32, []operand{e.mask}, []operand{id, e.u32(n / warp), e.u32(1<<(n%warp) - 1)}})
		e.swap()
	}
	return e.mask
}

// lane returns the invocation's number in its warp.
func (e *emitter) lane() operand {
	e.swap()
	r := e.builtin(ir.SubgroupInvocationID, 0)
	e.swap()
	return r
}

// lowest emits the number of a mask's lowest bit.
func (e *emitter) lowest(mask operand) operand {
	if mask.isConst() { // a full mask
		return e.u32(0)
	}
	r := e.fresh(word)
	e.expand("brev.b32 $r0, $a; bfind.shiftamt.u32 $d, $r0", arguments{scalar.U32, []operand{r}, []operand{mask}})
	return r
}

func (e *emitter) subgroupElect(i ir.Inst) {
	first := e.lowest(e.members(i))
	e.expand("setp.eq.u32 $d, $a, $b", arguments{scalar.U32, e.define(e.f.Result(i)), []operand{e.lane(), first}})
}

func (e *emitter) subgroupVote(i ir.Inst) {
	text := "vote.sync.all.pred $d, $a, #b"
	if e.f.Op(i) == op.SubgroupAny {
		text = "vote.sync.any.pred $d, $a, #b"
	}
	mask := e.members(i)
	e.expand(text, arguments{scalar.Bool, e.define(e.f.Result(i)), []operand{e.slot(e.f.Arg(i, 0)), mask}})
}

func (e *emitter) subgroupBallot(i ir.Inst) {
	mask := e.members(i)
	r := e.fresh(word)
	e.expand("vote.sync.ballot.b32 $d, $a, #b", arguments{scalar.Bool, []operand{r}, []operand{e.slot(e.f.Arg(i, 0)), mask}})
	e.alias(e.f.Result(i), r, e.u32(0), e.u32(0), e.u32(0))
}

// exchange is a mode of shfl and its bounds operand.
type exchange struct{ mode, bounds string }

var (
	indexed = exchange{"idx", "31"}
	crossed = exchange{"bfly", "31"}
	upward  = exchange{"up", "0"}
	onward  = exchange{"down", "31"}
	quarter = exchange{"idx", "7199"} // segments of four: (32-4)<<8 | 31
)

var exchanges = [op.Count]exchange{
	op.SubgroupBroadcast: indexed, op.SubgroupShuffle: indexed, op.SubgroupShuffleXor: crossed,
	op.SubgroupShuffleUp: upward, op.SubgroupShuffleDown: onward,
}

// shuffle emits r = x of another lane. A value is moved in words.
func (e *emitter) shuffle(r, x operand, how exchange, lane, mask operand) {
	switch e.kindOf(x).Bits() {
	case 16:
		x = e.register(x)
		wide, got := e.fresh(word), e.fresh(word)
		e.join(wide, []operand{x, x})
		e.shuffleWord(got, wide, how, lane, mask)
		e.split([]operand{r, e.fresh(half)}, got)
	case 64:
		var parts, got [2]operand
		for n := range parts {
			parts[n], got[n] = e.fresh(word), e.fresh(word)
		}
		e.split(parts[:], x)
		for n := range parts {
			e.shuffleWord(got[n], parts[n], how, lane, mask)
		}
		e.join(r, got[:])
	default:
		e.shuffleWord(r, e.register(x), how, lane, mask)
	}
}

func (e *emitter) shuffleWord(r, x operand, how exchange, lane, mask operand) {
	e.text("\tshfl.sync.", how.mode, ".b32 ")
	e.name(r)
	e.text(", ")
	e.name(x)
	e.text(", ")
	e.bits(lane)
	e.text(", ", how.bounds, ", ")
	e.bits(mask)
	e.text(";\n")
}

func (e *emitter) subgroupShuffle(i ir.Inst) {
	mask := e.members(i)
	x, lane := e.slot(e.f.Arg(i, 0)), e.slot(e.f.Arg(i, 1))
	e.shuffle(e.define(e.f.Result(i))[0], x, exchanges[e.f.Op(i)], lane, mask)
}

func (e *emitter) subgroupBroadcastFirst(i ir.Inst) {
	mask := e.members(i)
	first := e.lowest(mask)
	e.shuffle(e.define(e.f.Result(i))[0], e.slot(e.f.Arg(i, 0)), indexed, first, mask)
}

func (e *emitter) quad(i ir.Inst) {
	mask := e.members(i)
	x := e.slot(e.f.Arg(i, 0))
	r := e.define(e.f.Result(i))[0]
	switch e.f.Op(i) {
	case op.QuadBroadcast:
		e.shuffle(r, x, quarter, e.slot(e.f.Arg(i, 1)), mask)
	case op.QuadSwapX:
		e.shuffle(r, x, crossed, e.u32(1), mask)
	case op.QuadSwapY:
		e.shuffle(r, x, crossed, e.u32(2), mask)
	default:
		e.shuffle(r, x, crossed, e.u32(3), mask)
	}
}

// combining is the operation by which a reduction or scan joins two values, and
// whether a scan leaves out the invocation's own.
var combining = [op.Count]struct {
	o         op.Op
	exclusive bool
}{
	op.SubgroupAdd: {o: op.Add}, op.SubgroupMul: {o: op.Mul}, op.SubgroupMin: {o: op.Min}, op.SubgroupMax: {o: op.Max},
	op.SubgroupAnd: {o: op.And}, op.SubgroupOr: {o: op.Or}, op.SubgroupXor: {o: op.Xor},
	op.SubgroupInclusiveAdd: {o: op.Add}, op.SubgroupInclusiveMul: {o: op.Mul},
	op.SubgroupExclusiveAdd: {op.Add, true}, op.SubgroupExclusiveMul: {op.Mul, true},
}

func (e *emitter) subgroupReduce(i ir.Inst) {
	x := e.slot(e.f.Arg(i, 0))
	k := e.m.ScalarOf(e.f.TypeOf(e.f.Arg(i, 0)))
	o := combining[e.f.Op(i)].o
	if text := redux(o, k); text != "" && e.Profile.Machine >= reducing {
		mask := e.members(i)
		e.expand(text, arguments{k, e.define(e.f.Result(i)), []operand{e.register(x), mask}})
		return
	}
	if !e.whole(i) {
		e.visitMembers(i, o, k, x, "")
		return
	}
	mask := e.u32(allLanes)
	for distance := uint32(warp / 2); distance > 0; distance /= 2 {
		other, sum := e.fresh(kinds[k].class), e.fresh(kinds[k].class)
		e.shuffle(other, x, crossed, e.u32(distance), mask)
		e.compute(o, k, []operand{sum}, []operand{x, other})
		x = sum
	}
	e.alias(e.f.Result(i), x)
}

// redux returns the instruction that joins a word of each of a warp's lanes, or "".
func redux(o op.Op, k scalar.Kind) string {
	if k != scalar.I32 && k != scalar.U32 {
		return ""
	}
	switch o {
	case op.Add:
		return "redux.sync.add.$T $d, $a, #b"
	case op.Min:
		return "redux.sync.min.$T $d, $a, #b"
	case op.Max:
		return "redux.sync.max.$T $d, $a, #b"
	case op.And:
		return "redux.sync.and.b32 $d, $a, #b"
	case op.Or:
		return "redux.sync.or.b32 $d, $a, #b"
	case op.Xor:
		return "redux.sync.xor.b32 $d, $a, #b"
	}
	return ""
}

// subgroupScan emits a prefix sum or product (Hillis and Steele, "Data parallel
// algorithms", 1986).
func (e *emitter) subgroupScan(i ir.Inst) {
	x := e.slot(e.f.Arg(i, 0))
	k := e.m.ScalarOf(e.f.TypeOf(e.f.Arg(i, 0)))
	row := combining[e.f.Op(i)]
	if !e.whole(i) {
		limit := "setp.le.u32"
		if row.exclusive {
			limit = "setp.lt.u32"
		}
		e.visitMembers(i, row.o, k, x, limit)
		return
	}
	mask := e.u32(allLanes)
	lane := e.lane()
	c := kinds[k].class
	x = e.register(x)
	for distance := uint32(1); distance < warp; distance *= 2 {
		other, sum, next, p := e.fresh(c), e.fresh(c), e.fresh(c), e.fresh(predicate)
		e.shuffle(other, x, upward, e.u32(distance), mask)
		e.compute(row.o, k, []operand{sum}, []operand{other, x})
		e.expand("setp.ge.u32 $d, $a, $b", arguments{scalar.U32, []operand{p}, []operand{lane, e.u32(distance)}})
		e.choose(next, p, sum, x)
		x = next
	}
	if row.exclusive {
		before, result, p := e.fresh(c), e.fresh(c), e.fresh(predicate)
		e.shuffle(before, x, upward, e.u32(1), mask)
		e.expand("setp.eq.u32 $d, $a, 0", arguments{scalar.U32, []operand{p}, []operand{lane}})
		e.choose(result, p, e.identity(row.o, k), before)
		x = result
	}
	e.alias(e.f.Result(i), x)
}

// identity returns the value that leaves others as they are when joined.
func (e *emitter) identity(o op.Op, k scalar.Kind) operand {
	t := ir.Type(k)
	switch o {
	case op.Mul:
		return constantOperand(e.m.ConstInt(t, 1))
	case op.And:
		return constantOperand(e.m.ConstInt(t, -1))
	}
	return constantOperand(e.m.ConstInt(t, 0))
}

// visitMembers joins the operand's values of the active invocations in the order
// of their lanes: for a reduction all, for a scan those whose lane compares with
// the invocation's own as limit says. Every invocation takes part in each
// exchange, so the loop is uniform among them.
func (e *emitter) visitMembers(i ir.Inst, o op.Op, k scalar.Kind, x operand, limit string) {
	c := kinds[k].class
	result := e.define(e.f.Result(i))[0]
	mask := e.members(i)
	x = e.register(x)
	first := o == op.Min || o == op.Max // no identity: begin with one's own, which is a member
	if first {
		e.assign(result, x)
	} else {
		e.assign(result, e.identity(o, k))
	}
	rest, other, sum := e.fresh(word), e.fresh(c), e.fresh(c)
	e.assign(rest, mask)
	start := e.newLabel()
	e.jumped[start] = true
	e.mark(start)
	at := e.lowest(rest)
	e.shuffle(other, x, indexed, at, mask)
	e.compute(o, k, []operand{sum}, []operand{result, other})
	if limit == "" {
		e.assign(result, sum)
	} else {
		p := e.fresh(predicate)
		e.expand(limit+" $d, $a, $b", arguments{scalar.U32, []operand{p}, []operand{at, e.lane()}})
		e.choose(result, p, sum, result)
	}
	p := e.fresh(predicate)
	e.expand("sub.u32 $r0, $a, 1; and.b32 $a, $a, $r0; setp.ne.u32 $d, $a, 0",
		arguments{scalar.U32, []operand{p}, []operand{rest}})
	e.branch(p, true, start)
}
