package jit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file assigns registers of the machine to live ranges (ranges.go), by their worth (Chow and
// Hennessy, "The Priority-Based Coloring Approach to Register Allocation", 1990). That is the
// number of uses, each loop around them counting tenfold, divided by the size of the range. Ranges
// that find no register are kept in the context. Instructions read them there, or have a register
// for each use.

// referred is by how many instructions a register is read and assigned.
type referred struct{ reads, writes int32 }

// move is where an instruction went, and what was added to it.
type move struct{ first, itself int32 }

// allocator is the working memory.
type allocator struct {
	liveness
	intervals []interval // by register
	segments  []segment
	order     []int32 // the registers by their worth, from the highest
	// by register of the machine: the positions where it is taken, a bit each
	taken     [banks][registerCount][]uint64
	available [banks]uint32   // see machineRow
	low       []bool          // by register: an instruction has it that EVEX is not for
	assigned  []int8          // by register: the one of the machine, or -1
	given     []amd64.Operand // and that as an operand
	copies    []copied
	same      []int32 // by register: the one that it was merged into, see coalesce
	spilled   []int32
	kept      []int32 // by register: where it is kept in memory plus 1, or 0
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
	a.findRanges(s.list)
	s.coalesce(a)
	for !a.choose(s.list) {
		s.spill(a)
	}
	s.assign(a)
	return a.slotEnd
}

// choose gives live ranges their registers, and reports whether there is one for each. Those that
// need a register below 16 come first.
func (a *allocator) choose(list []amd64.Instruction) bool {
	a.findLow(list)
	words := (2*len(list) + 63) / 64
	for bank := range banks {
		for r := range a.taken[bank] {
			a.taken[bank][r] = ir.Zeroed(a.taken[bank][r], words)
		}
	}
	a.order, a.spilled = a.order[:0], a.spilled[:0]
	a.assigned = slices.Grow(a.assigned[:0], a.total())[:a.total()]
	for n := range a.intervals {
		a.assigned[n] = -1
		if !a.intervals[n].isEmpty() {
			a.order = append(a.order, int32(n))
		}
	}
	slices.SortFunc(a.order, func(n, m int32) int {
		if a.low[n] != a.low[m] {
			if a.low[n] {
				return -1
			}
			return 1
		}
		if c := cmp.Compare(a.intervals[m].worth, a.intervals[n].worth); c != 0 {
			return c
		}
		return cmp.Compare(n, m)
	})
	for _, n := range a.order {
		if a.fit(n) {
			continue
		}
		if a.intervals[n].worth == fixed {
			panic(refusal("more values at once than there are registers"))
		}
		a.spilled = append(a.spilled, n)
	}
	return len(a.spilled) == 0
}

// fit gives a register to a live range if there is one.
func (a *allocator) fit(n int32) bool {
	x := &a.intervals[n]
	bank := a.banks[n]
	free := a.available[bank]
	if a.low[n] {
		free &= 1<<amd64.HighVectors - 1
	}
	if x.hint >= 0 && a.assigned[x.hint] >= 0 && a.banks[x.hint] == bank {
		if r := int(a.assigned[x.hint]); free>>r&1 == 1 && a.isFree(x, bank, r) {
			a.take(n, r)
			return true
		}
	}
	for ; free != 0; free &= free - 1 {
		if r := bits.TrailingZeros32(free); a.isFree(x, bank, r) {
			a.take(n, r)
			return true
		}
	}
	return false
}

// findLow finds the registers that have to be below 16.
func (a *allocator) findLow(list []amd64.Instruction) {
	a.low = ir.Zeroed(a.low, a.total())
	if a.available[vectors]>>amd64.HighVectors == 0 {
		return
	}
	for n := range list {
		i := &list[n]
		if !i.Op.HasEVEX() {
			for _, o := range i.Operands { // also one that does not count as read
				if o.IsVirtual() {
					a.low[a.index(o)] = true
				}
			}
		}
		if x := i.Address.Index; x.IsVirtual() && x.Kind() == amd64.KindVector {
			a.low[a.index(x)] = true
		}
	}
}

// isFree reports whether a register of the machine is not taken where a live range is.
func (a *allocator) isFree(x *interval, bank uint8, r int) bool {
	taken := a.taken[bank][r]
	for k := x.first; k != 0; k = a.segments[k].next {
		s := &a.segments[k]
		first, last := s.start/64, s.end/64
		from, to := ^uint64(0)<<(s.start%64), ^uint64(0)>>(63-s.end%64)
		if first == last {
			if taken[first]&from&to != 0 {
				return false
			}
			continue
		}
		if taken[first]&from|taken[last]&to != 0 {
			return false
		}
		for w := first + 1; w < last; w++ {
			if taken[w] != 0 {
				return false
			}
		}
	}
	return true
}

// take gives a register of the machine to a live range.
func (a *allocator) take(n int32, r int) {
	taken := a.taken[a.banks[n]][r]
	for k := a.intervals[n].first; k != 0; k = a.segments[k].next {
		s := &a.segments[k]
		first, last := s.start/64, s.end/64
		from, to := ^uint64(0)<<(s.start%64), ^uint64(0)>>(63-s.end%64)
		if first == last {
			taken[first] |= from & to
			continue
		}
		taken[first] |= from
		taken[last] |= to
		for w := first + 1; w < last; w++ {
			taken[w] = ^uint64(0)
		}
	}
	a.assigned[n] = int8(r)
}

// spill keeps registers in memory. Their intervals go, those of the others move with the
// instructions, and there are those of single uses.
func (s *selector) spill(a *allocator) {
	a.kept = ir.Zeroed(a.kept, a.total())
	for _, n := range a.spilled {
		a.kept[n] = a.slotEnd + 1
		a.slotEnd += 32
		a.intervals[n] = interval{hint: -1}
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
	for n := range a.segments[1:] {
		x := &a.segments[n+1]
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
		if i.Op == amd64.Nop { // a copy that has gone
			continue
		}
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
