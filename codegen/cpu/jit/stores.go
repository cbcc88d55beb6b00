package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file makes stores that are not from lane to lane.

// stores emits a store.
func (s *selector) stores(a *address, x mir.Operand, bytes int64) {
	for part := range max(bytes/4, 1) { // ahead of the ways that part below
		s.stored(a, x, int(part))
	}
	run := a.isRun(bytes)
	switch {
	case a.space == ir.Private && a.pattern != indexedAddress:
		s.storeOwn(a, x, bytes)
	case a.isHalves(bytes) && s.mask() == 0:
		mixed, joined := s.freshVector(), s.freshVector()
		from := s.canonical(x, 0)
		s.emit(amd64.VPackUSDW, amd64.Wide, mixed, from, from)
		s.immediate(amd64.VPermQ, amd64.Wide, 0xD8, joined, mixed)
		s.store(amd64.VMovUPS, amd64.Narrow, s.first(a), joined)
	case run && a.pattern == stridedAddress:
		s.storeRun(a, s.first(a), x, bytes)
	case run && s.forAllLanes(a):
		s.checkBound(a, s.some)
		s.storeRun(a, s.first(a), x, bytes)
	case run:
		elsewhere, end := s.label(), s.label()
		s.checkBound(a, elsewhere)
		s.storeRun(a, s.first(a), x, bytes)
		s.jump(end)
		s.mark(elsewhere)
		s.scatter(a, x, bytes)
		s.mark(end)
	default:
		s.scatter(a, x, bytes)
	}
}

// storeRun stores consecutive elements. Most often all lanes are active, and a store under a mask
// takes many times as long as one without.
func (s *selector) storeRun(a *address, at amd64.Address, x mir.Operand, bytes int64) {
	parts := int(bytes / 4)
	var from [2]amd64.Operand
	for n := range parts {
		from[n] = s.stored(a, x, n)
	}
	mask := s.mask()
	addr := func(n int) amd64.Address {
		at := at
		at.Displacement += int32(32 * n)
		return at
	}
	end := -1
	if mask != 0 {
		all, active := s.label(), s.freshGeneral()
		end = s.label()
		s.emit(amd64.VMovMskPS, amd64.Wide, active, mask)
		s.compareWith(amd64.Narrow, active, 1<<lanes-1)
		s.jumpIf(amd64.Equal, all)
		if len(s.sets) > 1 { // lanes of another block are active, perhaps
			s.emit(amd64.Test, amd64.Narrow, active, active)
			s.jumpIf(amd64.Equal, end)
		}
		for n := range parts {
			if a.space == ir.Workgroup {
				s.storeAmong(addr(n), from[n], mask, bytes == 8, n)
				continue
			}
			o, m := amd64.VMaskMovPS, mask
			if bytes == 8 {
				o, m = amd64.VPMaskMovQ, s.widened(mask, n)
			}
			i := amd64.Of(o, amd64.Wide, amd64.Mem, m, from[n])
			i.Address = addr(n)
			s.append(&i)
		}
		s.jump(end)
		s.mark(all)
	}
	for n := range parts {
		s.store(amd64.VMovUPS, amd64.Wide, addr(n), from[n])
	}
	if end >= 0 {
		s.mark(end)
	}
}

// storeAmong stores the active lanes of a vector, of which there is one at least, to memory of the
// workgroup. What the others' neighbours have is stored again, since nobody else accesses that as
// long as the code runs. The vector does not reach farther than 32 bytes out of that memory, where
// the context, frames or nothing lie.
func (s *selector) storeAmong(at amd64.Address, x, mask amd64.Operand, long bool, part int) {
	both := s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, both, at)
	s.blend(both, from(x), mask, long, part)
	s.store(amd64.VMovUPS, amd64.Wide, at, both)
}
