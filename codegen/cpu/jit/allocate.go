package jit

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file assigns registers, by a linear scan (Poletto and Sarkar, "Linear Scan Register
// Allocation", 1999) over intervals from the first to the last position where a register is live.
// Where there are too few, those that cost least for their length are kept in memory of the
// context. The cost is the number of uses, ten times as much in each loop around. Instructions take
// them from there, or have a register for each use.

// interval is where a register is live: twice the number of an instruction where it is read, one
// more where it is written.
type interval struct {
	start, end int32
	cost       float32
	hint       int32   // a register that it had better be the same as, or -1
	worth      float32 // what it is used for its length, or fixed
}

// fixed is the worth of registers that are never kept in memory.
const fixed = 1e30

// referred is by how many instructions a register is read and assigned.
type referred struct{ reads, writes int32 }

// following is a list of intervals for each position, and the one after an interval in its list:
// registers, from 1.
type following struct{ first, next int32 }

// move is where an instruction went, and what was added to it.
type move struct{ first, itself int32 }

// allocator is the working memory.
type allocator struct {
	liveness
	intervals []interval // by register
	order     []int32    // those with a register in the order of their starts
	starting  []following
	ending    []following
	active    [banks][registerCount]int32 // by register of the machine: the interval that has it
	free      [banks]uint32
	available [banks]uint32   // see machineRow
	assigned  []int8          // by register: the one of the machine, or -1
	given     []amd64.Operand // and that as an operand
	depth     []int32         // by run
	seenSet   []uint64
	spilled   []int32
	left      []int32
	fitted    [banks][registerCount][]int32 // by register: its intervals by their starts, see refit
	// by position: how many registers are taken, see makeRoom
	crowd [banks][]int16
	kept  []int32 // by register: where it is kept in memory, and 1
	// by register: it is of one use of what is kept in memory
	temporary []bool
	live      []int32 // see dropOnce
	counts    []referred
	moved     []move // by instruction, and the end, before copies were added
	slotEnd   int32
}

// allocate assigns registers, and returns the size of the context with what is kept there. What is
// live is known.
func (s *selector) allocate(a *allocator, contextBytes int32) int32 {
	a.slotEnd, a.available = (contextBytes+31)&^31, s.machine.row().available
	a.temporary = ir.Zeroed(a.temporary, len(s.banks))
	a.findIntervals(s.list)
	for {
		if a.linearScan() || a.secondChance() {
			break
		}
		s.makeRoom(a)
		s.spill(a)
	}
	s.assign(a)
	return a.slotEnd
}

// findIntervals makes an interval of each register.
func (a *allocator) findIntervals(list []amd64.Instruction) {
	a.intervals = a.intervals[:0]
	a.addIntervals()
	a.findDepths()
	a.findEnds()
	for n := range a.runs {
		r := &a.runs[n]
		cost := float32(1)
		for range min(a.depth[n], 6) {
			cost *= 10
		}
		for at := r.first; at < r.end; at++ {
			for _, u := range a.of(at) {
				a.extend(u, at)
				a.intervals[u.index()].cost += cost
			}
			a.findHint(&list[at])
		}
	}
	a.weighIntervals()
}

// addIntervals adds those of registers that have none.
func (a *allocator) addIntervals() {
	from := len(a.intervals)
	a.intervals = slices.Grow(a.intervals, a.total()-from)[:a.total()]
	for n := from; n < len(a.intervals); n++ {
		a.intervals[n] = interval{start: 1 << 30, end: -1, hint: -1}
	}
}

// extend makes an interval have what an instruction reads or writes.
func (a *allocator) extend(r ref, at int32) {
	x := &a.intervals[r.index()]
	if r.reads() {
		x.start, x.end = min(x.start, 2*at), max(x.end, 2*at)
	}
	if r.written() {
		x.start, x.end = min(x.start, 2*at+1), max(x.end, 2*at+1)
	}
}

// findHint notes that registers had better be the same.
func (a *allocator) findHint(i *amd64.Instruction) {
	if (i.Op == amd64.Mov || i.Op == amd64.VMovUPS) && i.Operands[0].IsVirtual() && i.Operands[1].IsVirtual() {
		to, from := a.index(i.Operands[0]), a.index(i.Operands[1])
		a.intervals[to].hint = int32(from)
		if a.intervals[from].hint < 0 {
			a.intervals[from].hint = int32(to)
		}
	}
}

// weighIntervals finds what intervals are worth.
func (a *allocator) weighIntervals() {
	for n := range a.intervals {
		if x := &a.intervals[n]; a.temporary[n] {
			x.worth = fixed
		} else {
			x.worth = x.cost / float32(x.end-x.start+1)
		}
	}
}

// findEnds extends intervals to the first and the last run that a register is live in. A walk
// forward finds the first, a walk back the last.
func (a *allocator) findEnds() {
	seen := ir.Zeroed(a.seenSet, 2*a.words)
	a.seenSet = seen
	forward, back := seen[:a.words], seen[a.words:]
	begin := func(live sparse, at int32) {
		a.fresh(live, forward, func(n int) { a.intervals[n].start = min(a.intervals[n].start, at) })
	}
	end := func(live sparse, at int32) {
		a.fresh(live, back, func(n int) { a.intervals[n].end = max(a.intervals[n].end, at) })
	}
	for n := range a.runs {
		r, last := &a.runs[n], &a.runs[len(a.runs)-1-n]
		begin(r.live, 2*r.first)
		for k := range r.next {
			if to := r.next[k]; to >= 0 {
				begin(a.runs[to].live, 2*r.end-1)
			}
			if to := last.next[k]; to >= 0 {
				end(a.runs[to].live, 2*last.end-1)
			}
		}
		end(last.live, 2*last.first)
	}
}

// fresh calls a function for the registers of a set that another one lacks, and adds them to that.
func (a *allocator) fresh(set sparse, seen []uint64, f func(n int)) {
	for _, p := range set {
		for x := p.bits &^ seen[p.at]; x != 0; x &= x - 1 {
			f(int(a.shared[64*int(p.at)+bits.TrailingZeros64(x)]))
		}
		seen[p.at] |= p.bits
	}
}

// findDepths counts the loops around each run.
func (a *allocator) findDepths() {
	a.depth = ir.Zeroed(a.depth, len(a.runs))
	for n := range a.runs {
		for _, next := range a.runs[n].next {
			if next >= 0 && int(next) <= n {
				for k := next; k <= int32(n); k++ {
					a.depth[k]++
				}
			}
		}
	}
}

// linearScan visits the positions where intervals start and end.
func (a *allocator) linearScan() bool {
	points := 2*len(a.starts) + 1
	a.starting, a.ending = ir.Zeroed(a.starting, max(points, a.total())), ir.Zeroed(a.ending, max(points, a.total()))
	a.assigned = slices.Grow(a.assigned[:0], a.total())[:a.total()]
	for n := len(a.intervals) - 1; n >= 0; n-- {
		a.assigned[n] = -1
		if x := &a.intervals[n]; x.end >= 0 {
			at := &a.starting[x.start].first
			a.starting[n].next, *at = *at, int32(n+1)
		}
	}
	a.spilled, a.order = a.spilled[:0], a.order[:0]
	a.free = a.available
	for point := range points {
		for n := a.ending[point].first; n != 0; n = a.ending[n-1].next {
			if r := a.assigned[n-1]; r >= 0 {
				a.free[a.banks[n-1]] |= 1 << r
			}
		}
		for n := a.starting[point].first; n != 0; n = a.starting[n-1].next {
			a.order = append(a.order, n-1)
			if bank := a.banks[n-1]; a.free[bank] != 0 || a.evict(bank, n-1) {
				a.take(bank, n-1)
			}
		}
	}
	return len(a.spilled) == 0
}

// take gives a register to an interval.
func (a *allocator) take(bank uint8, n int32) {
	x := &a.intervals[n]
	r := bits.TrailingZeros32(a.free[bank])
	if hint := x.hint; hint >= 0 && a.assigned[hint] >= 0 && a.free[bank]>>a.assigned[hint]&1 == 1 {
		r = int(a.assigned[hint])
	}
	a.assigned[n], a.active[bank][r] = int8(r), n
	a.free[bank] &^= 1 << r
	at := &a.ending[x.end+1].first
	a.ending[n].next, *at = *at, n+1
}

// evict leaves an interval without a register, and reports whether it is another one, whose
// register is free now.
func (a *allocator) evict(bank uint8, n int32) bool {
	victim := n
	for taken := a.available[bank]; taken != 0; taken &= taken - 1 {
		if m := a.active[bank][bits.TrailingZeros32(taken)]; a.intervals[m].worth < a.intervals[victim].worth {
			victim = m
		}
	}
	if a.intervals[victim].worth == fixed {
		panic(refusal("more values at once than there are registers"))
	}
	a.spilled = append(a.spilled, victim)
	if victim == n {
		return false
	}
	a.free[bank] |= 1 << a.assigned[victim]
	a.assigned[victim] = -1
	return true
}

// spill keeps registers in memory. Their intervals go, those of the others move with the
// instructions, and there are those of single uses.
func (s *selector) spill(a *allocator) {
	a.kept = ir.Zeroed(a.kept, a.total())
	for _, n := range a.spilled {
		a.kept[n] = a.slotEnd + 1
		a.slotEnd += 32
		a.intervals[n] = interval{end: -1, hint: -1}
	}
	old := s.renew() // copies have no source
	a.remake()
	a.moved = a.moved[:0]
	for next := int32(0); ; next++ {
		from := next
		for int(next) < len(old) && !a.isKept(next) {
			at := int32(len(s.list)) + next - from
			a.moved = append(a.moved, move{at, at})
			next++
		}
		s.list = append(s.list, old[from:next]...)
		a.keepRefs(from, next)
		to := move{first: int32(len(s.list))}
		if int(next) == len(old) {
			a.moved = append(a.moved, to)
			break
		}
		to.itself = s.spillIn(a, old[next], a.kept)
		a.takeRefs(s.list)
		a.moved = append(a.moved, to)
	}
	a.remade()
	a.moveIntervals(s.list, s.banks)
}

// isKept reports whether an instruction has a register that is kept in memory.
func (a *allocator) isKept(at int32) bool {
	for _, r := range a.of(at) {
		if a.kept[r.index()] != 0 {
			return true
		}
	}
	return false
}

// moveIntervals makes intervals those of a list in which copies from and to memory have been added.
// What the first instruction of a run reads, or the last one writes, is perhaps live where the run
// begins or ends. So it is live in front of what was added there, or after it.
func (a *allocator) moveIntervals(list []amd64.Instruction, registers []uint8) {
	for n := range a.intervals {
		x := &a.intervals[n]
		if x.end < 0 {
			continue
		}
		if from := a.moved[x.start>>1]; x.start&1 == 0 {
			x.start = 2 * from.first
		} else {
			x.start = 2*from.itself + 1
		}
		if x.end&1 == 0 {
			x.end = 2 * a.moved[x.end>>1].itself
		} else {
			x.end = 2*a.moved[x.end>>1+1].first - 1
		}
	}
	before := a.total()
	a.banks = registers
	a.addIntervals()
	for range a.total() - before {
		a.temporary = append(a.temporary, true)
	}
	for n := range len(a.moved) - 1 {
		first, end := a.moved[n].first, a.moved[n+1].first
		if end-first == 1 {
			continue
		}
		for at := first; at < end; at++ {
			for _, r := range a.of(at) {
				if r.index() >= before {
					a.extend(r, at)
				}
			}
			a.findHint(&list[at])
		}
	}
	a.weighIntervals()
}

// spillIn emits an instruction whose registers are perhaps kept in memory, and returns its index.
func (s *selector) spillIn(a *allocator, i amd64.Instruction, slots []int32) (itself int32) {
	type replacement struct {
		old, fresh amd64.Operand
		access     amd64.Access
	}
	var list [6]replacement
	count := 0
	a.uses = i.VirtualUses(a.uses[:0])
	for _, u := range a.uses {
		if slots[a.index(u.Register)] == 0 {
			continue
		}
		known := false
		for k := range list[:count] {
			if list[k].old == u.Register {
				list[k].access |= u.Access
				known = true
			}
		}
		if !known {
			list[count] = replacement{old: u.Register, access: u.Access}
			count++
		}
	}
	for k := range list[:count] {
		r := &list[k]
		at := s.context(slots[a.index(r.old)] - 1)
		if s.foldSpill(&i, r.old, r.access, at) {
			continue
		}
		o := amd64.Mov
		if r.old.Kind() == amd64.KindVector {
			o, r.fresh = amd64.VMovUPS, s.freshVector()
		} else {
			r.fresh = s.freshGeneral()
		}
		if r.access&amd64.Read != 0 {
			s.load(o, amd64.Wide, r.fresh, at)
		}
	}
	for k := range list[:count] {
		if r := &list[k]; r.fresh != 0 {
			i.Rename(r.old, r.fresh)
		}
	}
	itself = int32(len(s.list))
	s.list = append(s.list, i)
	for k := range list[:count] {
		if r := &list[k]; r.fresh != 0 && r.access&amd64.Written != 0 {
			o := amd64.Mov
			if r.old.Kind() == amd64.KindVector {
				o = amd64.VMovUPS
			}
			s.store(o, amd64.Wide, s.context(slots[a.index(r.old)]-1), r.fresh)
		}
	}
	return itself
}

// foldSpill makes an instruction take a register from memory itself, if it can.
func (s *selector) foldSpill(i *amd64.Instruction, r amd64.Operand, access amd64.Access, at amd64.Address) bool {
	if i.Address != (amd64.Address{}) {
		return false
	}
	which := -1
	for n, o := range i.Operands {
		if o == amd64.Mem {
			return false
		}
		if o == r {
			if which >= 0 {
				return false
			}
			which = n
		}
	}
	switch {
	case which < 0:
		return false
	case access == amd64.Read && (foldable(i.Op, which) || which == 1 && takesMemory[i.Op]):
	case access == amd64.Written && which == 0 && i.Op == amd64.VMovUPS && i.Operands[1].IsRegister():
	case access == amd64.Written && which == 0 && i.Op == amd64.Mov && i.Operands[1].IsRegister():
		i.Width = amd64.Wide // the upper half of a word is zero
	default:
		return false
	}
	if i.Op == amd64.Mov && i.Width == amd64.Narrow && access == amd64.Written {
		return false
	}
	i.Operands[which], i.Address = amd64.Mem, at
	return true
}

// assign replaces registers by those that they were given, and leaves moves out that have become
// none.
func (s *selector) assign(a *allocator) {
	a.given = slices.Grow(a.given[:0], a.total())[:a.total()]
	for n, r := range a.assigned {
		bank := a.banks[n]
		if r < 0 { // it is written and never read
			r = int8(bits.TrailingZeros32(a.available[bank]))
		}
		if a.given[n] = amd64.General(int(r)); bank == vectors {
			a.given[n] = amd64.Vector(int(r))
		}
	}
	kept := s.list[:0]
	for at := range s.list {
		i := &s.list[at]
		for n, o := range i.Operands {
			if o.IsVirtual() {
				i.Operands[n] = a.given[a.index(o)]
			}
		}
		if i.Address.Base.IsVirtual() {
			i.Address.Base = a.given[a.index(i.Address.Base)]
		}
		if i.Address.Index.IsVirtual() {
			i.Address.Index = a.given[a.index(i.Address.Index)]
		}
		if i.Operands[0] == i.Operands[1] && (i.Op == amd64.VMovUPS || i.Op == amd64.Mov && i.Width == amd64.Wide) && i.Operands[0].IsRegister() {
			continue
		}
		kept = append(kept, *i)
	}
	s.list = kept
}
