package jit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file looks at what a scan has left without a register. Some of it finds one after all; for
// the rest there has to be room where it is used.

// secondChance finds registers for intervals that the scan has spilled, now that all others are
// known (second-chance binpacking; Traub, Holloway and Smith, 1998). A scan spills what has no
// register at one position, and more of that afterwards. What costs most for its length is put
// first where there is a gap. It reports whether that was all.
func (a *allocator) secondChance() bool {
	left := append(a.left[:0], a.spilled...)
	a.left = left
	for bank := range banks {
		for r := range a.fitted[bank] {
			a.fitted[bank][r] = a.fitted[bank][r][:0]
		}
	}
	for _, n := range a.order {
		if at := a.assigned[n]; at >= 0 {
			list := &a.fitted[a.banks[n]][at]
			*list = append(*list, n)
		}
	}
	slices.SortFunc(left, func(n, m int32) int {
		if c := cmp.Compare(a.intervals[m].worth, a.intervals[n].worth); c != 0 {
			return c
		}
		return cmp.Compare(n, m)
	})
	a.spilled = a.spilled[:0]
	for _, n := range left {
		if !a.fit(n) {
			a.spilled = append(a.spilled, n)
		}
	}
	return len(a.spilled) == 0
}

// fit gives a register to an interval if one has a gap for it.
func (a *allocator) fit(n int32) bool {
	x := &a.intervals[n]
	bank := a.banks[n]
	for free := a.available[bank]; free != 0; free &= free - 1 {
		r := bits.TrailingZeros32(free)
		list := a.fitted[bank][r]
		at, _ := slices.BinarySearchFunc(list, x.start, func(m, start int32) int { return cmp.Compare(a.intervals[m].start, start) })
		if (at == 0 || a.intervals[list[at-1]].end < x.start) && (at == len(list) || x.end < a.intervals[list[at]].start) {
			a.fitted[bank][r] = slices.Insert(list, at, n)
			a.assigned[n] = int8(r)
			return true
		}
	}
	return false
}

// makeRoom leaves more registers without where those that are kept in memory need one for a use and
// there is none: else that would be found out by another scan.
func (s *selector) makeRoom(a *allocator) {
	points := 2*len(s.list) + 1
	for bank := range banks {
		a.crowd[bank] = ir.Zeroed(a.crowd[bank], points)
	}
	for n := range a.intervals {
		if x := &a.intervals[n]; x.end >= 0 && a.assigned[n] >= 0 {
			crowd := a.crowd[a.banks[n]]
			crowd[x.start]++
			crowd[x.end+1]--
		}
	}
	for bank := range banks {
		sum := int16(0)
		for n, more := range a.crowd[bank] {
			sum += more
			a.crowd[bank][n] = sum
		}
	}
	a.kept = ir.Zeroed(a.kept, a.total())
	for _, n := range a.spilled {
		a.kept[n] = 1
	}
	// what leaves needs room itself, in front of the position, too
	for before := 0; before < len(a.spilled); {
		before = len(a.spilled)
		s.makeRoomOnce(a)
	}
}

func (s *selector) makeRoomOnce(a *allocator) {
	for at := range s.list {
		if !a.isKept(int32(at)) {
			continue
		}
		var needs [banks][2]int16 // of each bank, for what is read, and for what is written
		any := false
		i := s.list[at]
		for _, x := range a.of(int32(at)) {
			if a.kept[x.index()] == 0 {
				continue
			}
			if access := amd64.Access(x & (1<<refShift - 1)); s.foldSpill(&i, a.operand(x.index()), access, amd64.At(contextRegister, 0)) {
				continue
			}
			any = true
			if x.reads() {
				needs[a.banks[x.index()]][0]++
			}
			if x.written() {
				needs[a.banks[x.index()]][1]++
			}
		}
		if !any {
			continue
		}
		for bank := range banks {
			for k, need := range needs[bank] {
				for need > 0 && a.crowd[bank][2*at+k]+need > int16(bits.OnesCount32(a.available[bank])) && a.evictLive(uint8(bank), int32(at), int32(2*at+k)) {
				}
			}
		}
	}
}

// leave takes the register of an interval that is live at a position, but no operand of the
// instruction there, and reports whether there is one.
func (a *allocator) evictLive(bank uint8, at, point int32) bool {
	victim := int32(-1)
	for n := range a.intervals {
		x := &a.intervals[n]
		if x.start > point || x.end < point || a.assigned[n] < 0 || a.banks[n] != bank || x.worth == fixed || victim >= 0 && a.intervals[victim].worth <= x.worth {
			continue
		}
		if !slices.ContainsFunc(a.of(at), func(r ref) bool { return r.index() == n }) {
			victim = int32(n)
		}
	}
	if victim < 0 {
		return false
	}
	x := &a.intervals[victim]
	for n := x.start; n <= x.end; n++ {
		a.crowd[bank][n]--
	}
	a.assigned[victim], a.kept[victim] = -1, 1
	a.spilled = append(a.spilled, victim)
	return true
}
