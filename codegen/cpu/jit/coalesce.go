package jit

import (
	"cmp"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file merges registers that are copied to each other and never live at the same position
// (Chaitin, "Register allocation and spilling via graph coloring", 1982). Parameters of blocks and
// what is passed to them are such pairs. Otherwise both might be kept in memory.

// copied is a copy between registers, and how many loops are around it.
type copied struct{ at, depth int32 }

// coalesce merges the registers of all copies, those in the innermost loops first, and removes
// these copies.
func (s *selector) coalesce(a *allocator) {
	a.copies = a.copies[:0]
	for n := range a.runs {
		for at := a.runs[n].first; at < a.runs[n].end; at++ {
			if i := &s.list[at]; isCopy(i) && i.Width == amd64.Wide {
				a.copies = append(a.copies, copied{at, a.depth[n]})
			}
		}
	}
	if len(a.copies) == 0 {
		return
	}
	slices.SortStableFunc(a.copies, func(x, y copied) int { return cmp.Compare(y.depth, x.depth) })
	a.same = a.same[:0]
	for n := range a.total() {
		a.same = append(a.same, int32(n))
	}
	for _, c := range a.copies {
		i := &s.list[c.at]
		to, from := a.representative(a.index(i.Operands[0])), a.representative(a.index(i.Operands[1]))
		if to != from && a.banks[to] == a.banks[from] && !a.meets(to, from) {
			a.unite(to, from)
			a.same[from] = int32(to)
		}
	}
	for at := range s.list {
		i := &s.list[at]
		for k, r := range a.of(int32(at)) {
			if x := a.representative(r.index()); x != r.index() {
				i.Rename(a.operand(r.index()), a.operand(x))
				a.of(int32(at))[k] = ref(x<<refShift) | r&(1<<refShift-1)
			}
		}
		if isCopy(i) && i.Width == amd64.Wide && i.Operands[0] == i.Operands[1] {
			*i = amd64.Instruction{Op: amd64.Nop}
			clear(a.of(int32(at)))
		}
	}
	for n := range a.intervals {
		if h := a.intervals[n].hint; h >= 0 {
			a.intervals[n].hint = int32(a.representative(int(h)))
		}
	}
	a.weighIntervals()
}

// representative returns the register that one was merged into.
func (a *allocator) representative(n int) int {
	for int(a.same[n]) != n {
		a.same[n] = a.same[a.same[n]]
		n = int(a.same[n])
	}
	return n
}
