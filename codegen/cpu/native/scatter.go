package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file makes what goes from active lane to active lane, through memory of the context: operands are stored there, and a loop takes them up
// one by one. And it makes accesses to the memory that invocations have of their own, where the eight of a block lie side by side, word by word.

// walk is a loop over the lanes that are active.
type walk struct {
	left, lane amd64.Operand
	begin, end int
	charge     int // an index of list: what a turn for all lanes is charged
}

// beginWalk begins a loop over the active lanes, of which there is one at least unless blocks are executed together.
func (s *selector) beginWalk() walk {
	w := walk{left: s.freshGeneral(), lane: s.freshGeneral(), begin: s.label()}
	if mask := s.mask(); mask != 0 {
		s.emit(amd64.VMovMskPS, amd64.Wide, w.left, mask)
	} else {
		i := amd64.Of(amd64.Mov, amd64.Narrow, w.left, amd64.Imm)
		i.Immediate = 1<<lanes - 1
		s.append(&i)
	}
	if w.end = -1; s.mayIdle() {
		w.end = s.label()
		s.emit(amd64.Test, amd64.Narrow, w.left, w.left)
		s.jumpIf(amd64.Equal, w.end)
	}
	w.charge = len(s.list)
	s.charge(0)
	s.mark(w.begin)
	s.emit(amd64.TzCnt, amd64.Narrow, w.lane, w.left)
	return w
}

// endWalk goes on to the next lane.
func (s *selector) endWalk(w *walk) {
	next := s.freshGeneral()
	s.emit(amd64.BlsR, amd64.Narrow, next, w.left)
	s.emit(amd64.Mov, amd64.Narrow, w.left, next)
	s.emit(amd64.Test, amd64.Narrow, next, next)
	s.jumpIf(amd64.NotEqual, w.begin)
	s.list[w.charge].Immediate = lanes * spillFactor * int64(len(s.list)-w.charge)
	s.endGuard(w.end)
}

// put stores a vector where loops find its lanes, in slot n of the context, and part of 64-bit values.
func (s *selector) put(n, part int, x amd64.Operand) {
	s.store(amd64.VMovUPS, amd64.Wide, amd64.At(contextRegister, contextSlots+int32(slotBytes*n+32*part)), x)
}

func (s *selector) get(n, part int, x amd64.Operand) {
	s.load(amd64.VMovUPS, amd64.Wide, x, amd64.At(contextRegister, contextSlots+int32(slotBytes*n+32*part)))
}

// laneOf returns the address of a lane in a slot.
func (s *selector) laneOf(n int, lane amd64.Operand, bytes int64) amd64.Address {
	return amd64.Indexed(contextRegister, lane, uint8(max(bytes, 4)), contextSlots+int32(slotBytes*n))
}

// putOffsets stores what addresses differ by in slot 0, and returns the address that a lane's is added to.
func (s *selector) putOffsets(a *address) amd64.Address {
	if a.how == wide {
		for part := range 2 {
			s.put(0, part, s.vector(a.long, part))
		}
		common := *a
		common.how = equal
		return s.first(&common)
	}
	if a.how == equal {
		return s.first(a)
	}
	index, at := s.offsets(a)
	s.put(0, 0, index)
	return at
}

// laneAddress returns the address of a lane.
func (s *selector) laneAddress(a *address, at amd64.Address, lane amd64.Operand) amd64.Address {
	r := s.freshGeneral()
	switch a.how {
	case equal:
		return at
	case wide:
		s.load(amd64.Mov, amd64.Wide, r, s.laneOf(0, lane, 8))
	default:
		s.load(amd64.MovSXD, amd64.Wide, r, s.laneOf(0, lane, 4))
	}
	s.addTo(&at, r)
	return at
}

// gatherWide loads from addresses of 64 bits.
func (s *selector) gatherWide(a *address, r flat.Operand, bytes int64) {
	at := s.putOffsets(a)
	v := s.value(r)
	w := s.beginWalk()
	x := s.freshGeneral()
	s.load([9]amd64.Op{1: amd64.MovZX8, 2: amd64.MovZX16, 4: amd64.Mov, 8: amd64.Mov}[bytes], widthOf(bytes), x, s.laneAddress(a, at, w.lane))
	s.store(amd64.Mov, widthOf(bytes), s.laneOf(1, w.lane, bytes), x)
	s.endWalk(&w)
	s.get(1, 0, v.vector[0])
	if bytes == 8 {
		s.get(1, 1, v.vector[1])
	}
}

func widthOf(bytes int64) amd64.Width {
	if bytes == 8 {
		return amd64.Wide
	}
	return amd64.Narrow
}

// scatter stores to an address for each lane, in the order of lanes.
func (s *selector) scatter(a *address, x flat.Operand, bytes int64) {
	if a.space == ir.Private {
		s.scatterOwn(a, x, bytes)
		return
	}
	at := s.putOffsets(a)
	for part := range max(bytes/4, 1) {
		s.put(1, int(part), s.clean(x, int(part)))
	}
	s.storeLanes(a, at, bytes)
}

func (s *selector) storeLanes(a *address, at amd64.Address, bytes int64) {
	w := s.beginWalk()
	r := s.freshGeneral()
	s.load(amd64.Mov, widthOf(bytes), r, s.laneOf(1, w.lane, bytes))
	s.store([9]amd64.Op{1: amd64.Mov8, 2: amd64.Mov16, 4: amd64.Mov, 8: amd64.Mov}[bytes], widthOf(bytes), s.laneAddress(a, at, w.lane), r)
	s.endWalk(&w)
}

// modifications are the instructions by which atomics make the new value of their operand and of what was there.
var modifications = map[op.AtomicOperation]amd64.Op{op.AtomicAnd: amd64.And, op.AtomicOr: amd64.Or, op.AtomicXor: amd64.Xor}

// atomic emits an atomic of memory that is read and written.
func (s *selector) atomic(i flat.Inst, a *address) {
	f := s.f
	m := f.Memory(i)
	bytes := int64(m.Kind.Bytes())
	width := widthOf(bytes)
	exchange := op.Op(f.Op(i)) == op.AtomicCompareExchange
	if m.Kind.IsFloat() || bytes < 4 || a.space == ir.Private {
		panic(refusal("an atomic of " + m.Kind.String()))
	}
	at := s.putOffsets(a)
	for k, x := range f.Args(i) {
		for part := range bytes / 4 {
			s.put(1+k, int(part), s.clean(x, int(part)))
		}
	}
	locked := a.space != ir.Workgroup
	w := s.beginWalk()
	place := s.laneAddress(a, at, w.lane)
	place.Locked = locked
	x := s.freshGeneral()
	s.load(amd64.Mov, width, x, s.laneOf(1, w.lane, bytes))
	old := amd64.RAX
	operation := op.AtomicOperation(f.Aux(i))
	memory := func(o amd64.Op, operand amd64.Operand) {
		n := amd64.Of(o, width, amd64.Mem, operand)
		n.Address = place
		if o == amd64.XChg {
			n.Address.Locked = false
		}
		s.append(&n)
	}
	switch {
	case exchange:
		y := s.freshGeneral()
		s.load(amd64.Mov, width, y, s.laneOf(2, w.lane, bytes))
		s.emit(amd64.Mov, width, amd64.RAX, x)
		memory(amd64.CmpXchg, y)
	case operation == op.AtomicAdd, operation == op.AtomicSub:
		if operation == op.AtomicSub {
			s.emit(amd64.Neg, width, x)
		}
		memory(amd64.XAdd, x)
		old = x
	case operation == op.AtomicExchange:
		memory(amd64.XChg, x)
		old = x
	default:
		again, next := s.label(), s.freshGeneral()
		unlocked := place
		unlocked.Locked = false
		s.load(amd64.Mov, width, amd64.RAX, unlocked)
		s.mark(again)
		s.emit(amd64.Mov, width, next, x)
		switch operation {
		case op.AtomicMin, op.AtomicMax:
			s.emit(amd64.Cmp, width, amd64.RAX, next)
			n := amd64.Of(amd64.Cmovcc, width, next, amd64.RAX)
			n.Condition = extreme(operation == op.AtomicMin, m.Kind.IsSigned())
			s.append(&n)
		default:
			s.emit(modifications[operation], width, next, amd64.RAX)
		}
		memory(amd64.CmpXchg, next)
		s.jumpIf(amd64.NotEqual, again)
	}
	if len(f.Results(i)) > 0 {
		s.store(amd64.Mov, width, s.laneOf(3, w.lane, bytes), old)
	}
	s.endWalk(&w)
	if len(f.Results(i)) > 0 {
		v := s.value(f.Result(i))
		for part := range bytes / 4 {
			s.get(3, int(part), v.vector[part])
		}
	}
}

// extreme is the condition for what was there to stay.
func extreme(least, signed bool) amd64.Condition {
	switch {
	case least && signed:
		return amd64.Less
	case least:
		return amd64.Below
	case signed:
		return amd64.Greater
	}
	return amd64.Above
}

// loadOwn loads from memory of the invocation's own.
func (s *selector) loadOwn(a *address, r flat.Operand, bytes int64) {
	v := s.value(r)
	if a.how == varied {
		index, narrowed := s.ownOffsets(a, bytes)
		at := amd64.At(s.pointer(ir.Private), 0)
		switch bytes {
		case 4:
			s.gatherWords(v.vector[0], at, index)
		case 8:
			low, high := s.freshVector(), s.freshVector()
			s.gatherWords(low, at, index)
			at.Displacement = 4 * lanes
			s.gatherWords(high, at, index)
			s.join(v.vector, low, high)
		default:
			word, moved := s.freshVector(), s.freshVector()
			s.gatherWords(word, at, index)
			s.emit(amd64.VPSrlVD, amd64.Wide, moved, word, narrowed)
			s.emitConstant(amd64.VPAnd, v.vector[0], moved, 1<<(8*bytes)-1)
		}
		return
	}
	at := s.first(a)
	if bytes == 4 {
		s.load(amd64.VMovUPS, amd64.Wide, v.vector[0], at)
		return
	}
	low, high := s.freshVector(), s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, low, at)
	at.Displacement += 4 * lanes
	s.load(amd64.VMovUPS, amd64.Wide, high, at)
	s.join(v.vector, low, high)
}

// ownOffsets returns the offsets of lanes in memory of their own, and of parts of words by how many bits they are moved.
func (s *selector) ownOffsets(a *address, bytes int64) (index, shift amd64.Operand) {
	sum := s.sumOf(a.varying, a.offset)
	word, scaled, own := s.freshVector(), s.freshVector(), s.freshVector()
	s.emitConstant(amd64.VPAnd, word, sum, ^uint32(3))
	i := amd64.Of(amd64.VPSllD, amd64.Wide, scaled, word, amd64.Imm)
	i.Immediate = 3
	s.append(&i)
	var steps [lanes]uint32
	for n := range steps {
		steps[n] = 4 * uint32(n)
	}
	i = amd64.Of(amd64.VPAddD, amd64.Wide, own, scaled, amd64.Mem)
	i.Address = amd64.At(s.pool.Lanes(&steps), 0)
	s.append(&i)
	if bytes < 4 {
		part, by := s.freshVector(), s.freshVector()
		s.emitConstant(amd64.VPAnd, part, sum, 3)
		i = amd64.Of(amd64.VPSllD, amd64.Wide, by, part, amd64.Imm)
		i.Immediate = 3
		s.append(&i)
		return own, by
	}
	return own, 0
}

// storeOwn stores to memory of the invocation's own, at one place of all lanes. What lanes that are not active have there stays.
func (s *selector) storeOwn(a *address, x flat.Operand, bytes int64) {
	parts := [2]amd64.Operand{s.clean(x, 0)}
	if bytes == 8 {
		parts = s.split([2]amd64.Operand{parts[0], s.clean(x, 1)})
	}
	at := s.first(a)
	for n := range bytes / 4 {
		place := at
		place.Displacement += int32(4*lanes) * int32(n)
		from := parts[n]
		if mask := s.mask(); mask != 0 {
			old, both := s.freshVector(), s.freshVector()
			s.load(amd64.VMovUPS, amd64.Wide, old, place)
			s.emit(amd64.VBlendVPS, amd64.Wide, both, old, from, mask)
			from = both
		}
		s.store(amd64.VMovUPS, amd64.Wide, place, from)
	}
}

// scatterOwn stores to different places of memory of the invocations' own.
func (s *selector) scatterOwn(a *address, x flat.Operand, bytes int64) {
	index, shift := s.ownOffsets(a, bytes)
	if bytes < 4 { // the byte in the word
		part, sum := s.freshVector(), s.freshVector()
		i := amd64.Of(amd64.VPSrlD, amd64.Wide, part, shift, amd64.Imm)
		i.Immediate = 3
		s.append(&i)
		s.emit(amd64.VPAddD, amd64.Wide, sum, index, part)
		index = sum
	}
	s.put(0, 0, index)
	at := amd64.At(s.pointer(ir.Private), 0)
	own := *a
	if bytes < 8 {
		s.put(1, 0, s.clean(x, 0))
		s.storeLanes(&own, at, bytes)
		return
	}
	parts := s.split([2]amd64.Operand{s.clean(x, 0), s.clean(x, 1)})
	for n := range parts {
		s.put(1, 0, parts[n])
		at.Displacement = int32(4*lanes) * int32(n)
		s.storeLanes(&own, at, 4)
	}
}
