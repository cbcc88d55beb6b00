package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file specialises accesses for the full mask. Lanes may be inactive after the comparison of
// an invocation's id with the size of a buffer, but nearly always all are active. A masked load
// takes several times as long as one without a mask, and a loop over the active lanes three times
// as long as one over all. Whether all lanes of all blocks that are executed together are active is
// tested once for a basic block. Such an access is emitted twice, without masks and with them. The
// second version also runs where an index exceeds its bound.

// gainsFullMask reports whether an instruction is made otherwise if all lanes are active.
func (s *selector) gainsFullMask(i mir.Inst) bool {
	o := s.f.Op(i)
	if !mir.HasMemory(o) || !s.isNeeded(i) {
		return false
	}
	a, bytes := s.resolve(i), int64(s.f.Memory(i).Kind.Bytes())
	run := a.isRun(bytes)
	switch {
	case a.space == ir.Private:
		return false
	case run || s.isCrowded():
		return run && (o == mir.Op(op.Load) || o == mir.Op(op.Store))
	case o == mir.Op(op.Load):
		_, guessed := s.guessed(i, &a, bytes)
		return guessed || a.pattern == stridedAddress && bytes == 4 && isStrided(a.stride)
	case o == mir.Op(op.Store):
		return a.pattern != uniformAddress
	case o == mir.Op(op.AtomicReadModifyWrite):
		m := s.modifierOf(i)
		return m.isShort() && !s.joins(&m, &a, bytes)
	}
	return false
}

// maxStrided is how many accesses to no consecutive elements a kernel may have for them to be made
// the
const maxStrided = 16

// isCrowded reports whether a kernel has more.
func (s *selector) isCrowded() bool {
	if s.crowded == 0 {
		s.crowded = -1
		count := 0
		for _, b := range s.f.Order {
			for i := s.f.First(b); i != 0; i = s.f.Next(i) {
				if !mir.HasMemory(s.f.Op(i)) || !s.isNeeded(i) {
					continue
				}
				if a := s.resolve(i); a.space != ir.Private && a.pattern != uniformAddress && a.stride != int64(s.f.Memory(i).Kind.Bytes()) {
					count++
				}
			}
		}
		if count > maxStrided {
			s.crowded = 1
		}
	}
	return s.crowded > 0
}

// inRow reports whether lanes are gone through in a row: all are active.
func (s *selector) inRow() bool { return s.mask() == 0 && !s.isCrowded() }

// findFullMask emits, where a block begins, whether all lanes are active, if an access needs
// that.
func (s *selector) findFullMask(n int) {
	s.active = 0
	if !s.flow.partial[n] {
		return
	}
	for i := s.f.First(s.f.Order[n]); i != 0; i = s.f.Next(i) {
		if s.gainsFullMask(i) {
			s.findActive()
			return
		}
	}
}

// findActive emits which lanes are active in all blocks of lanes, unless it is known.
func (s *selector) findActive() {
	if s.active != 0 {
		return
	}
	all := s.sets[0].exec
	for _, c := range s.sets[1:] {
		next := s.freshVector()
		s.emit(amd64.VPAnd, amd64.Wide, next, all, c.exec)
		all = next
	}
	s.active = s.freshGeneral()
	s.emit(amd64.VMovMskPS, amd64.Wide, s.active, all)
}

// accessFullMask emits an access in both ways, and reports whether it has. Where blocks of lanes
// share what is loaded it has not.
func (s *selector) accessFullMask(i mir.Inst) bool {
	if s.inUsual || s.inUnusual || !s.flow.partial[s.block] || !s.gainsFullMask(i) {
		return false
	}
	for u := range s.sets {
		if s.use(u); u > 0 && s.same(i) >= 0 {
			return false
		}
	}
	each := func() {
		for u := range s.sets {
			s.use(u)
			s.instructionOnce(i)
		}
		s.epoch++ // what was set on one way is not there on the other, nor after
	}
	end := s.label()
	s.some = s.label()
	s.epoch++
	s.compareWith(amd64.Narrow, s.active, 1<<lanes-1)
	s.jumpIf(amd64.NotEqual, s.some)
	s.fullMask = true
	each()
	s.fullMask = false
	s.jump(end)
	s.mark(s.some)
	each()
	s.mark(end)
	return true
}
