package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file makes what goes from active lane to active lane, through memory of the context.
// Operands are stored there, and a loop takes them up one by one. Where all lanes are known to be
// active, the loop is unrolled. And it makes accesses to the memory that invocations have of their
// own, where the eight of a block lie side by side, word by word.

// lane is one of a block: a register with its index, or its index.
type lane struct {
	register amd64.Operand
	number   int32
}

// eachLane emits what is to be done for each active lane. In a row, for all of them, it takes a
// third of the instructions of the loop.
func (s *selector) eachLane(inRow bool, body func(lane)) {
	if inRow {
		for n := range int32(lanes) {
			body(lane{number: n})
		}
		return
	}
	w := s.beginWalk()
	body(lane{register: w.lane})
	s.endWalk(&w)
}

// walk is a loop over the lanes that are active.
type walk struct {
	left, lane amd64.Operand
	begin, end int
	fuelAt     int // an index of list: the fuel of an iteration for all lanes
}

// beginWalk begins a loop over the active lanes, of which there is one at least unless blocks are
// executed together.
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
	w.fuelAt = len(s.list)
	s.burn(0)
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
	s.list[w.fuelAt].Immediate = lanes * spillFactor * int64(len(s.list)-w.fuelAt)
	s.endGuard(w.end)
}

// put stores a vector where loops find its lanes, in slot n of the context, and part of 64-bit
// values.
func (s *selector) put(n, part int, x amd64.Operand) {
	s.store(amd64.VMovUPS, amd64.Wide, amd64.At(contextRegister, contextSlots+int32(slotBytes*n+32*part)), x)
}

func (s *selector) get(n, part int, x amd64.Operand) {
	s.load(amd64.VMovUPS, amd64.Wide, x, amd64.At(contextRegister, contextSlots+int32(slotBytes*n+32*part)))
}

// laneOf returns the address of a lane in a slot.
func (s *selector) laneOf(n int, l lane, bytes int64) amd64.Address {
	slot, size := contextSlots+int32(slotBytes*n), max(bytes, 4)
	if l.register == 0 {
		return amd64.At(contextRegister, slot+l.number*int32(size))
	}
	return amd64.Indexed(contextRegister, l.register, uint8(size), slot)
}

// addrs are the addresses of lanes.
type addrs struct {
	at     amd64.Address // what all have in common, or the first lane's
	stride int32         // by which lanes in a row differ, or 0
	bytes  int64         // of what slot 0 has of each lane, and is added to it, or 0
}

// maxStride bounds the distance between lanes whose addresses are displacements.
const maxStride = 1 << 20

// addressesOf stores what addresses differ by in slot 0, unless lanes in a row grow.
func (s *selector) addressesOf(a *address, inRow bool) addrs {
	switch {
	case a.pattern == uniformAddress:
		return addrs{at: s.first(a)}
	case a.pattern == stridedAddress && inRow && a.stride > -maxStride && a.stride < maxStride:
		return addrs{at: s.first(a), stride: int32(a.stride)}
	case a.pattern == longAddress:
		for part := range 2 {
			s.put(0, part, s.vector(a.long, part))
		}
		common := *a
		common.pattern = uniformAddress
		return addrs{at: s.first(&common), bytes: 8}
	}
	index, at := s.offsets(a)
	s.put(0, 0, index)
	return addrs{at: at, bytes: 4}
}

// laneAddress returns the address of a lane.
func (s *selector) laneAddress(p *addrs, l lane) amd64.Address {
	at := p.at
	if p.bytes == 0 {
		at.Displacement += l.number * p.stride
		return at
	}
	r, o := s.freshGeneral(), amd64.MovSXD
	if p.bytes == 8 {
		o = amd64.Mov
	}
	s.load(o, amd64.Wide, r, s.laneOf(0, l, p.bytes))
	s.addTo(&at, r)
	return at
}

// gatherWide loads from addresses of 64 bits.
func (s *selector) gatherWide(a *address, r mir.Operand, bytes int64) {
	inRow := s.inRow()
	p := s.addressesOf(a, inRow)
	v := s.value(r)
	s.eachLane(inRow, func(l lane) {
		x := s.freshGeneral()
		s.load([9]amd64.Op{1: amd64.MovZX8, 2: amd64.MovZX16, 4: amd64.Mov, 8: amd64.Mov}[bytes], widthOf(bytes), x, s.laneAddress(&p, l))
		s.store(amd64.Mov, widthOf(bytes), s.laneOf(1, l, bytes), x)
	})
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
func (s *selector) scatter(a *address, x mir.Operand, bytes int64) {
	if a.space == ir.Private {
		s.scatterOwn(a, x, bytes)
		return
	}
	inRow := s.inRow()
	p := s.addressesOf(a, inRow)
	for part := range max(bytes/4, 1) {
		s.put(1, int(part), s.stored(a, x, int(part)))
	}
	s.storeLanes(&p, inRow, bytes)
}

func (s *selector) storeLanes(p *addrs, inRow bool, bytes int64) {
	s.eachLane(inRow, func(l lane) {
		r := s.freshGeneral()
		s.load(amd64.Mov, widthOf(bytes), r, s.laneOf(1, l, bytes))
		s.store([9]amd64.Op{1: amd64.Mov8, 2: amd64.Mov16, 4: amd64.Mov, 8: amd64.Mov}[bytes], widthOf(bytes), s.laneAddress(p, l), r)
	})
}

// loadOwn loads from memory of the invocation's own.
func (s *selector) loadOwn(a *address, r mir.Operand, bytes int64) {
	v := s.value(r)
	if a.pattern == indexedAddress {
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

// ownOffsets returns the offsets of lanes in memory of their own, and of parts of words by how many
// bits they are moved.
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

// storeOwn stores to memory of the invocation's own, at one address of all lanes. What lanes that
// are not active have there stays.
func (s *selector) storeOwn(a *address, x mir.Operand, bytes int64) {
	parts := [2]amd64.Operand{s.stored(a, x, 0)}
	if bytes == 8 {
		parts = s.split([2]amd64.Operand{parts[0], s.stored(a, x, 1)})
	}
	at := s.first(a)
	for n := range bytes / 4 {
		addr := at
		addr.Displacement += int32(4*lanes) * int32(n)
		from := parts[n]
		if mask := s.mask(); mask != 0 {
			old, both := s.freshVector(), s.freshVector()
			s.load(amd64.VMovUPS, amd64.Wide, old, addr)
			s.emit(amd64.VBlendVPS, amd64.Wide, both, old, from, mask)
			from = both
		}
		s.store(amd64.VMovUPS, amd64.Wide, addr, from)
	}
}

// scatterOwn stores to different addresses of memory of the invocations' own.
func (s *selector) scatterOwn(a *address, x mir.Operand, bytes int64) {
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
	p, inRow := addrs{at: amd64.At(s.pointer(ir.Private), 0), bytes: 4}, s.inRow()
	if bytes < 8 {
		s.put(1, 0, s.stored(a, x, 0))
		s.storeLanes(&p, inRow, bytes)
		return
	}
	parts := s.split([2]amd64.Operand{s.stored(a, x, 0), s.stored(a, x, 1)})
	for n := range parts {
		s.put(1, 0, parts[n])
		p.at.Displacement = int32(4*lanes) * int32(n)
		s.storeLanes(&p, inRow, 4)
	}
}
