package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lets all lanes continue by one scalar comparison, where one of a word that grows from
// lane to lane with a uniform word parts them. Nearly always the comparison holds for the last
// lane, and so for all. Then masks stay as they are, and no lane gets what others are passed.
// Loops over an array by the steps of a workgroup or of a launch end so, and so does a kernel for
// invocations beyond the end of an array.

// allContinue is a comparison by which lanes part at the end of a block, or none. It is made in all
// lanes only if the scalar one fails.
type allContinue struct {
	inst mir.Inst // or 0
	edge int      // the edge that lanes take which continue
}

// findContinuations finds all of these.
func (s *selector) findContinuations() {
	s.continuations, s.entries = ir.Zeroed(s.continuations, s.blockCount()), ir.Zeroed(s.entries, s.blockCount())
	for n := range s.continuations {
		c := s.continuation(n)
		if s.continuations[n] = c; c.inst == 0 {
			continue
		}
		if to := s.p.At[s.edges(n)[c.edge].To]; s.flow.pending[to] == 0 && s.flow.opens[to] == 0 {
			s.entries[to] = s.label()
		}
	}
}

func (s *selector) continuation(n int) (c allContinue) {
	w := &s.flow
	if !w.masked[n] || w.hasTail(s, n) {
		return c
	}
	i := s.partingComparison(n)
	if i == 0 {
		return c
	}
	for edge, e := range s.edges(n) {
		if to := int(s.p.At[e.To]); to != w.after(n) || to <= n || !w.partial[to] {
			continue
		}
		if x, _, relation := s.lastCompared(i, edge); x != mir.NoOperand && (relation == op.Lt || relation == op.Le) {
			return allContinue{i, edge}
		}
	}
	return c
}

// partingComparison returns the comparison of words, in a block, that only its end reads, or 0.
func (s *selector) partingComparison(n int) mir.Inst {
	f := s.f
	last := f.Last(f.Order[n])
	if f.Op(last) != mir.Branch || f.Arg(last, 0).IsConst() {
		return 0
	}
	i, ok := s.definition(f.Arg(last, 0))
	if !ok || s.home[i] != int32(n) || s.reads[f.Index(f.Arg(last, 0))] != 1 {
		return 0
	}
	if k := f.Kind(i); !k.IsInteger() || k.Bits() != 32 {
		return 0
	}
	switch op.Op(f.Op(i)) {
	case op.Eq, op.Lt, op.Le, op.Gt, op.Ge:
		return i
	}
	return 0
}

// delayed returns the comparison that the end of a block makes in lanes only if a scalar one does
// not decide for all, or 0.
func (s *selector) delayed(n int) mir.Inst {
	if i := s.skips[n]; i != 0 {
		return i
	}
	return s.continuations[n].inst
}

// isLate reports whether the vector of a word is made where it is used. Only a comparison that
// most often is not made in all lanes needs it, and what is passed to lanes that leave the loop.
func (s *selector) isLate(o mir.Operand) bool {
	v := s.value(o)
	return !v.early && v.form == inGeneral && v.strided && s.varies(o)
}

// opposite are the relations that hold where others do not.
var opposite = [op.Count]op.Op{op.Lt: op.Ge, op.Le: op.Gt, op.Gt: op.Le, op.Ge: op.Lt}

// lastCompared returns the word of a comparison that grows, the one that lanes have in common, and
// the relation in which lanes take an edge. It returns no operand of other comparisons.
func (s *selector) lastCompared(i mir.Inst, edge int) (x, y mir.Operand, relation op.Op) {
	x, y, relation = s.f.Arg(i, 0), s.f.Arg(i, 1), op.Op(s.f.Op(i))
	if !s.grows(x) {
		x, y, relation = y, x, mirrored[relation]
	}
	if edge == 1 {
		relation = opposite[relation]
	}
	if !s.grows(x) || !s.isCommonWord(y) {
		return mir.NoOperand, y, relation
	}
	return x, y, relation
}

// grows reports whether a word grows from lane to lane, and is in a general register.
func (s *selector) grows(o mir.Operand) bool {
	if o.IsConst() || !s.varies(o) {
		return false
	}
	v := s.value(o)
	return v.form == inGeneral && v.strided && v.stride > 0
}

// emitContinuation goes on with the lanes that are active if the comparison holds for the last one.
func (s *selector) emitContinuation(n int, c allContinue) {
	x, y, relation := s.lastCompared(c.inst, c.edge)
	some := s.label()
	r := upTo{relations[op.Lt][sign(s.f.Kind(c.inst))], relations[opposite[relation]][sign(s.f.Kind(c.inst))]}
	s.source = uint32(c.inst)
	if s.rises(x) {
		s.use(0)
		s.checkLanes(x, s.value(x).stride, len(s.sets)-1, y, r, some)
	} else {
		for u := range s.sets {
			s.use(u)
			s.checkLanes(x, s.value(x).stride, u, y, r, some)
		}
	}
	s.source = 0
	to := s.p.At[s.edges(n)[c.edge].To]
	if !s.flow.partial[n] {
		s.enter(int(to))
		s.startLanes()
	}
	var masks [maxSets]amd64.Operand
	for u := range s.sets {
		s.use(u)
		masks[u] = s.mask()
	}
	s.pass(n, c.edge, &masks)
	if entry := s.entries[to]; entry != 0 {
		s.jump(entry)
	} else {
		s.jump(s.flow.labels[to])
	}
	s.mark(some)
	s.epoch++
}
