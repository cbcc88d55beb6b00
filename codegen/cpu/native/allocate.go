package native

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file assigns registers, by a linear scan (Poletto and Sarkar, "Linear Scan Register Allocation", 1999) over intervals from the first to the last
// place where a register is live. Where there are too few, those are kept in memory of the context that cost least for their length, which is
// what they are used, ten times as much in each loop around; instructions take them from there, or have a register of their own for each use.

// interval is where a register is live: twice the number of an instruction where it is read, one more where it is written.
type interval struct {
	register   int32
	start, end int32
	cost       float32
	hint       int32   // a register that it had better be the same as, or -1
	worth      float32 // what it is used for its length, or fixed
}

// fixed is the worth of registers that are never kept in memory.
const fixed = 1e30

// referred is by how many instructions a register is read and assigned.
type referred struct{ reads, writes int32 }

// allocator is the working memory.
type allocator struct {
	liveness
	intervals []interval
	order     []int32
	heads     []int32 // by place: the first interval that starts there, and 1
	next      []int32 // by interval: the next one that starts at the same place, and 1
	active    [banks][]int32
	free      [banks]uint32
	available [banks]uint32 // see machineRow
	soonest   [banks]int32  // no active interval ends before
	assigned  []int8
	depth     []int32 // by run
	seenSet   []uint64
	spilled   []int32
	left      []int32
	fitted    [banks][registerCount][]int32 // by register: its intervals by their starts, see refit
	crowd     [banks][]int16                // by place: how many registers are taken, see makeRoom
	kept      []int32                       // by register: where it is kept in memory, and 1
	temporary []bool                        // by register: it is of one use of what is kept in memory
	live      []int32                       // see dropOnce
	counts    []referred
	slotEnd   int32
}

// allocate assigns registers, and returns the size of the context with what is kept there. What is live is known.
func (s *selector) allocate(a *allocator, contextBytes int32) int32 {
	a.slotEnd, a.available = (contextBytes+31)&^31, s.machine.row().available
	a.temporary = ir.Zeroed(a.temporary, len(s.banks))
	for {
		a.findIntervals(s.list)
		if a.scan() || a.refit() {
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
	for n := range a.total() {
		a.intervals = append(a.intervals, interval{register: int32(n), start: 1 << 30, end: -1, hint: -1})
	}
	extend := func(n int, at int32) {
		x := &a.intervals[n]
		x.start, x.end = min(x.start, at), max(x.end, at)
	}
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
				x := u.index()
				if u.reads() {
					extend(x, 2*at)
				}
				if u.written() {
					extend(x, 2*at+1)
				}
				a.intervals[x].cost += cost
			}
			i := &list[at]
			if (i.Op == amd64.Mov || i.Op == amd64.VMovUPS) && i.Operands[0].IsVirtual() && i.Operands[1].IsVirtual() {
				to, from := a.index(i.Operands[0]), a.index(i.Operands[1])
				a.intervals[to].hint = int32(from)
				if a.intervals[from].hint < 0 {
					a.intervals[from].hint = int32(to)
				}
			}
		}
	}
	for n := range a.intervals {
		if x := &a.intervals[n]; a.temporary[n] {
			x.worth = fixed
		} else {
			x.worth = x.cost / float32(x.end-x.start+1)
		}
	}
}

// findEnds extends intervals to the first and the last run that a register is live in: the first is that of the way forward in which it has not been seen, the last that
// of the way back.
func (a *allocator) findEnds() {
	seen := ir.Zeroed(a.seenSet, 2*a.words)
	a.seenSet = seen
	forward, back := seen[:a.words], seen[a.words:]
	begin := func(live []uint64, at int32) {
		a.fresh(live, forward, func(n int) { a.intervals[n].start = min(a.intervals[n].start, at) })
	}
	end := func(live []uint64, at int32) {
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
func (a *allocator) fresh(set, seen []uint64, f func(n int)) {
	for w, x := range set {
		for x &^= seen[w]; x != 0; x &= x - 1 {
			f(int(a.shared[64*w+bits.TrailingZeros64(x)]))
		}
		seen[w] |= set[w]
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

// sort puts the intervals in the order of their starts, and of their registers where those are the same.
func (a *allocator) sort(places int) {
	a.heads, a.next = ir.Zeroed(a.heads, places), ir.Zeroed(a.next, len(a.intervals))
	for n := len(a.intervals) - 1; n >= 0; n-- {
		if x := &a.intervals[n]; x.end >= 0 {
			a.next[n], a.heads[x.start] = a.heads[x.start], int32(n+1)
		}
	}
	a.order = a.order[:0]
	for _, n := range a.heads {
		for ; n != 0; n = a.next[n-1] {
			a.order = append(a.order, n-1)
		}
	}
}

// scan goes through the intervals by their starts.
func (a *allocator) scan() bool {
	a.sort(2 * len(a.starts))
	a.assigned = slices.Grow(a.assigned[:0], a.total())[:a.total()]
	for n := range a.assigned {
		a.assigned[n] = -1
	}
	a.spilled = a.spilled[:0]
	for bank := range banks {
		a.active[bank], a.free[bank], a.soonest[bank] = a.active[bank][:0], a.available[bank], 1<<30
	}
	for _, n := range a.order {
		x := &a.intervals[n]
		bank := a.banks[n]
		if a.soonest[bank] < x.start {
			a.expire(bank, x.start)
		}
		if a.free[bank] == 0 {
			a.evict(bank, n)
			continue
		}
		a.take(bank, n)
	}
	return len(a.spilled) == 0
}

// expire frees the registers of intervals that have ended.
func (a *allocator) expire(bank uint8, at int32) {
	kept := a.active[bank][:0]
	soonest := int32(1 << 30)
	for _, m := range a.active[bank] {
		if end := a.intervals[m].end; end < at {
			a.free[bank] |= 1 << a.assigned[m]
		} else {
			soonest = min(soonest, end)
			kept = append(kept, m)
		}
	}
	a.active[bank], a.soonest[bank] = kept, soonest
}

func (a *allocator) take(bank uint8, n int32) {
	at := bits.TrailingZeros32(a.free[bank])
	if hint := a.intervals[n].hint; hint >= 0 && a.assigned[hint] >= 0 && a.free[bank]>>a.assigned[hint]&1 == 1 {
		at = int(a.assigned[hint])
	}
	a.assigned[n] = int8(at)
	a.free[bank] &^= 1 << at
	a.active[bank], a.soonest[bank] = append(a.active[bank], n), min(a.soonest[bank], a.intervals[n].end)
}

// evict keeps a register in memory so that another one has its place.
func (a *allocator) evict(bank uint8, n int32) {
	victim, at := n, -1
	for k, m := range a.active[bank] {
		if a.intervals[m].worth < a.intervals[victim].worth {
			victim, at = m, k
		}
	}
	if a.intervals[victim].worth == fixed {
		panic(refusal("more values at once than there are registers"))
	}
	a.spilled = append(a.spilled, victim)
	if at >= 0 {
		a.free[bank] |= 1 << a.assigned[victim]
		a.assigned[victim] = -1
		a.active[bank] = slices.Delete(a.active[bank], at, at+1)
		a.take(bank, n)
	}
}

// spill keeps registers in memory. What is live is known behind that, too: registers that are kept are nowhere, and those of one use nowhere but there.
func (s *selector) spill(a *allocator) {
	a.kept = ir.Zeroed(a.kept, a.total())
	for _, n := range a.spilled {
		a.kept[n] = a.slotEnd + 1
		a.slotEnd += 32
		if at := a.numbers[n]; at >= 0 {
			for k := range a.runs {
				a.runs[k].live[at/64] &^= 1 << (at % 64)
			}
		}
	}
	old := s.renew() // copies have no source
	a.remake()
	for n := range a.runs {
		r := &a.runs[n]
		first := int32(len(s.list))
		for at := r.first; at < r.end; at++ {
			if slices.ContainsFunc(a.of(at), func(r ref) bool { return a.kept[r.index()] != 0 }) {
				s.spillIn(a, old[at], a.kept)
				a.takeRefs(s.list)
			} else {
				s.list = append(s.list, old[at])
				a.keepRefs(at)
			}
		}
		r.first, r.end = first, int32(len(s.list))
	}
	a.remade()
	a.liveness.banks = s.banks
	for n := len(a.temporary); n < len(s.banks); n++ {
		a.temporary, a.numbers = append(a.temporary, true), append(a.numbers, -1)
	}
}

// spillIn emits an instruction whose registers are perhaps kept in memory.
func (s *selector) spillIn(a *allocator, i amd64.Instruction, place []int32) {
	type replacement struct {
		old, fresh amd64.Operand
		access     amd64.Access
	}
	var list [6]replacement
	count := 0
	a.uses = i.VirtualUses(a.uses[:0])
	for _, u := range a.uses {
		if place[a.index(u.Register)] == 0 {
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
		at := s.context(place[a.index(r.old)] - 1)
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
	s.list = append(s.list, i)
	for k := range list[:count] {
		if r := &list[k]; r.fresh != 0 && r.access&amd64.Written != 0 {
			o := amd64.Mov
			if r.old.Kind() == amd64.KindVector {
				o = amd64.VMovUPS
			}
			s.store(o, amd64.Wide, s.context(place[a.index(r.old)]-1), r.fresh)
		}
	}
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

// assign replaces registers by those that they were given, and leaves moves out that have become none.
func (s *selector) assign(a *allocator) {
	real := func(o amd64.Operand) amd64.Operand {
		if !o.IsVirtual() {
			return o
		}
		n := a.assigned[a.index(o)]
		if n < 0 { // it is written and never read
			n = int8(bits.TrailingZeros32(a.available[a.banks[a.index(o)]]))
		}
		if o.Kind() == amd64.KindVector {
			return amd64.Vector(int(n))
		}
		return amd64.General(int(n))
	}
	kept := s.list[:0]
	for at := range s.list {
		i := &s.list[at]
		for n := range i.Operands {
			i.Operands[n] = real(i.Operands[n])
		}
		i.Address.Base, i.Address.Index = real(i.Address.Base), real(i.Address.Index)
		if i.Operands[0] == i.Operands[1] && (i.Op == amd64.VMovUPS || i.Op == amd64.Mov && i.Width == amd64.Wide) && i.Operands[0].IsRegister() {
			continue
		}
		kept = append(kept, *i)
	}
	s.list = kept
}
