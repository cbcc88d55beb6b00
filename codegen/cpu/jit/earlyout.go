package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file ends phases early. If a block of lanes has nothing to do because the ids of its
// invocations are too large (uniformskip.go), neither have the blocks that follow. That holds if
// all that a block does in such a phase is uniform in the workgroup, and changes no memory:
//
// 	branches, from the barriers where the phase may begin to where it ends, are uniform in the
// 	    workgroup, but for the comparison;
// 	what is assigned on the way and is live at the barrier at the end is uniform, too.
//
// The blocks that follow get these values in their frames, and the phase is over.

// planEarlyOuts finds the comparisons after which the phase may end, and the barriers that are
// come to then.
func (s *selector) planEarlyOuts() {
	s.earlyOut = s.earlyOut[:0]
	s.earlyOutTo = s.earlyOutTo[:0]
	s.earlyOutToEnd = false
	for range s.skips {
		s.earlyOut = append(s.earlyOut, false)
	}
	if s.isAlone() {
		return
	}
	for n, i := range s.skips {
		if i != 0 && s.isTooLarge(i) && s.beginsAtBarriers(n) {
			s.earlyOut[n] = s.endsInCommon(n)
		}
	}
}

// hasEarlyOuts reports whether there are such comparisons.
func (s *selector) hasEarlyOuts() bool { return slices.Contains(s.earlyOut, true) }

// isTooLarge reports whether a comparison that no lane of a block holds for holds for none of the
// blocks that follow, or perhaps so.
func (s *selector) isTooLarge(i mir.Inst) bool {
	relation, swapped := op.Op(s.f.Op(i)), !s.isCounter(s.f.Arg(i, 0))
	if swapped {
		relation = mirrored[relation]
	}
	return relation == op.Lt || relation == op.Le || relation == op.Eq
}

// beginsAtBarriers reports whether all ways to the end of a block, back to the last barrier, are
// those of the whole workgroup and change nothing.
func (s *selector) beginsAtBarriers(n int) bool {
	s.walked = append(s.walked[:0], int32(n))
	for at := 0; at < len(s.walked); at++ {
		position := int(s.walked[at])
		b := s.f.Order[position]
		first := s.f.First(b)
		for i := first; i != 0 && s.synchronizes[position]; i = s.f.Next(i) {
			if s.f.Op(i) == mir.Op(op.ControlBarrier) {
				first = s.f.Next(i)
			}
		}
		if !s.isHarmless(position, first, 0) || s.flow.masked[position] && position != n {
			return false
		}
		if first != s.f.First(b) {
			continue
		}
		before := s.flow.lives.Predecessors(b)
		if position == 0 || len(before) == 0 {
			return false
		}
		for _, b := range before {
			s.visit(s.p.At[b])
		}
	}
	return true
}

// endsInCommon reports whether all ways from behind what a comparison skips to the next barrier, or
// the end, are those of the whole workgroup and change nothing. If so, those barriers are noted.
func (s *selector) endsInCommon(n int) bool {
	f := s.f
	s.walked = append(s.walked[:0], s.p.At[s.edges(n)[1].To])
	noted, end := len(s.earlyOutTo), false
	for at := 0; at < len(s.walked); at++ {
		position := int(s.walked[at])
		b := f.Order[position]
		stop := mir.Inst(0)
		for i := f.First(b); i != 0 && stop == 0 && s.synchronizes[position]; i = f.Next(i) {
			if f.Op(i) == mir.Op(op.ControlBarrier) {
				stop = i
			}
		}
		if !s.isHarmless(position, f.First(b), stop) || stop == 0 && s.flow.masked[position] {
			s.earlyOutTo = s.earlyOutTo[:noted]
			return false
		}
		if stop != 0 {
			s.earlyOutTo = append(s.earlyOutTo, stop)
			continue
		}
		edges := s.edges(position)
		end = end || len(edges) == 0
		for _, e := range edges {
			s.visit(s.p.At[e.To])
		}
	}
	s.earlyOutToEnd = s.earlyOutToEnd || end
	return true
}

func (s *selector) visit(position int32) {
	if !slices.Contains(s.walked, position) {
		s.walked = append(s.walked, position)
	}
}

// isHarmless reports whether instructions of a block change no memory, and the workgroup goes on
// behind them as a whole.
func (s *selector) isHarmless(position int, first, stop mir.Inst) bool {
	f := s.f
	if s.flow.partial[position] {
		return false
	}
	for i := first; i != stop; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == mir.Branch:
			if !s.flow.masked[position] && s.p.Uniform[lower.Always].Varies(f.Arg(i, 0)) {
				return false
			}
		case o.Ends(), o >= mir.Join, o == mir.Op(op.Load):
		case !op.Op(o).Pure():
			return false
		}
	}
	return true
}

// noteEarlyOut says in the way that skips that the blocks that follow do so, too.
func (s *selector) noteEarlyOut(n int, relation op.Op, first amd64.Operand, y mir.Operand) {
	if !s.earlyOut[n] {
		return
	}
	on := s.label()
	if relation == op.Eq { // perhaps the number is one of a block that follows
		s.compare(amd64.Narrow, first, y)
		s.jumpIf(amd64.BelowEqual, on)
	}
	s.setContext(contextEarlyOut, 1)
	s.mark(on)
}

// common makes the set of registers that hold what the workgroup has in common.
func (s *selector) common(c *cutter) {
	c.shares = ir.Zeroed(c.shares, c.total())
	note := func(r mir.Operand) {
		if s.p.Uniform[lower.Always].Varies(r) {
			return
		}
		for u := range s.sets {
			v := &s.sets[u].values[s.f.Index(r)]
			for _, o := range [...]amd64.Operand{v.general, v.vector[0], v.vector[1]} {
				if o != 0 {
					c.shares[c.index(o)] = true
				}
			}
		}
	}
	for _, b := range s.f.Order {
		for _, r := range s.f.BlockParams(b) {
			note(r)
		}
		for i := s.f.First(b); i != 0; i = s.f.Next(i) {
			for _, r := range s.f.Results(i) {
				note(r)
			}
		}
	}
}

// endPhase emits, at barrier k, what the blocks that follow have to get into their frames if they
// have nothing to do, and the end of the phase then.
func (s *selector) endPhase(c *cutter, k int) {
	s.common(c)
	own := true
	kept := false
	for w := range c.now {
		c.now[w] = c.live[k][w] & c.assigned[k][w]
	}
	c.members(c.now, func(n int) { own, kept = own && c.shares[n], true })
	if !own {
		s.setContext(contextEarlyOut, 0)
		return
	}
	s.compareContext(contextEarlyOut, 0)
	if !kept {
		s.jumpIf(amd64.NotEqual, s.ended)
		return
	}
	first, again := s.freshGeneral(), s.label()
	s.jumpIf(amd64.Equal, s.advance)
	count := int64(0)
	c.members(c.now, func(int) { count++ })
	s.burn((count + 6) * blocks(s.p) / int64(len(s.sets)))
	s.load(amd64.Mov, amd64.Narrow, first, s.context(contextFirst))
	s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrame))
	s.mark(again)
	s.immediate(amd64.Add, amd64.Narrow, int64(len(s.sets))*lanes, first)
	s.compareWith(amd64.Narrow, first, blocks(s.p)*lanes)
	s.jumpIf(amd64.Equal, s.ended)
	s.immediate(amd64.Add, amd64.Wide, 0, amd64.RAX) // by the size of a frame: setFrameStep
	c.members(c.now, func(n int) { s.keep(c.operand(n), amd64.At(amd64.RAX, c.slots[n]-1), false) })
	s.jump(again)
}
