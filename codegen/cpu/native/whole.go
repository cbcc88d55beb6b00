package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file accesses neighbours without masks where a part of the lanes may be active and all are, as behind the comparison of an invocation's number with the size of a buffer: a load
// under a mask takes several times as long as one without. Whether all lanes of all blocks that are executed together are active is found out once for a block of instructions, and
// an access to neighbours stands there twice, for all blocks of lanes that way and the other, which is made from its beginning where a bound bites.

// hasRun reports whether an instruction accesses neighbours.
func (s *selector) hasRun(i flat.Inst) bool {
	o := s.f.Op(i)
	if o != flat.Op(op.Load) && o != flat.Op(op.Store) || !s.isNeeded(i) {
		return false
	}
	a, bytes := s.resolve(i), int64(s.f.Memory(i).Kind.Bytes())
	return a.space != ir.Private && (a.how == grows || a.how == bounded) && a.stride == bytes && bytes >= 4
}

// findWhole emits, where a block begins, whether all lanes are active, if an access asks for that.
func (s *selector) findWhole(n int) {
	if !s.flow.partial[n] {
		return
	}
	for i := s.f.First(s.f.Order[n]); i != 0; i = s.f.Next(i) {
		if !s.hasRun(i) {
			continue
		}
		all := s.sets[0].exec
		for _, c := range s.sets[1:] {
			next := s.freshVector()
			s.emit(amd64.VPAnd, amd64.Wide, next, all, c.exec)
			all = next
		}
		s.active = s.freshGeneral()
		s.emit(amd64.VMovMskPS, amd64.Wide, s.active, all)
		return
	}
}

// accessesWhole emits an access in both ways, and reports whether it has. Where blocks of lanes share what is loaded it has not.
func (s *selector) accessesWhole(i flat.Inst) bool {
	if !s.flow.partial[s.block] || !s.hasRun(i) {
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
		s.epoch++ // what was set on one way is not there on the other, nor behind
	}
	end := s.label()
	s.some = s.label()
	s.epoch++
	s.compareWith(amd64.Narrow, s.active, 1<<lanes-1)
	s.jumpIf(amd64.NotEqual, s.some)
	s.whole = true
	each()
	s.whole = false
	s.jump(end)
	s.mark(s.some)
	each()
	s.mark(end)
	return true
}
