package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file cuts the code at barriers, unless all blocks of lanes of a workgroup are executed
// together. What is live there is kept in the frame of the block of lanes, and the next block is
// executed up to the same barrier. When all are there, each goes on behind it with what it has
// kept. A register has one slot in frames. It is stored at a barrier if it may have been assigned
// since the last one, or else where it is assigned (writethrough.go). It is loaded after one if it
// may be read, or stored, before the next one. What is only read there is loaded where that is, in
// front of loops without barriers (reload.go). Blocks of lanes that skip most of a phase load
// little.

// cutter is the working memory.
type cutter struct {
	*liveness
	live     [][]uint64 // by barrier: what is live there
	assigned [][]uint64 // by barrier: what may have been assigned since the last one
	taken    [][]uint64 // by barrier: what is loaded after it
	slots    []int32    // by register, from 1
	runOf    []int32    // by barrier: the run that it ends
	barrier  []int32    // by run: the barrier at its end, or -1
	// by run: what may have been assigned, what its frame has, or what is to be in registers, at
	// its beginning
	state   [][]uint64
	now     []uint64
	through []uint64  // what is stored where it is assigned, see writethrough.go
	gains   []float32 // by register: what that saves
	memory  []uint64
	units   []unit
	jumps   []jumps // by run
	// by register: the one that it was loaded into for a unit, and its number, from 1
	fresh  []amd64.Operand
	by     []int32
	shares []bool // by register: it holds what the workgroup has in common
	// the address of the frame, loaded for the unit with the number base, from 1
	frame amd64.Operand
	base  int32
}

// begin prepares the working memory.
func (c *cutter) begin(s *selector, l *liveness) {
	c.liveness = l
	c.slots = ir.Zeroed(c.slots, l.total())
	c.fresh, c.by, c.base = ir.Zeroed(c.fresh, l.total()), ir.Zeroed(c.by, l.total()), 0
	c.findBarriers(s)
	c.findUnits()
	c.memory = ir.Zeroed(c.memory, (3*len(s.barriers)+len(l.runs)+len(c.units)+2)*l.words)
	memory := c.memory
	set := func() (x []uint64) {
		x, memory = memory[:l.words:l.words], memory[l.words:]
		return x
	}
	c.live, c.assigned, c.taken, c.state = c.live[:0], c.assigned[:0], c.taken[:0], c.state[:0]
	for k, n := range c.runOf {
		c.live, c.assigned, c.taken = append(c.live, set()), append(c.assigned, set()), append(c.taken, set())
		l.behind(int(n), c.live[k])
	}
	s.dropHoisted(c)
	for range l.runs {
		c.state = append(c.state, set())
	}
	for n := range c.units {
		c.units[n].sunk = set()
	}
	c.now, c.through = set(), set()
}

// isMarked reports whether a placeholder ends a run.
func (r *run) isMarked(list []amd64.Instruction) bool {
	return r.first < r.end && list[r.end-1] == placeholder
}

// findBarriers finds the runs that barriers end. The first placeholder is none.
func (c *cutter) findBarriers(s *selector) {
	c.barrier, c.runOf = ir.Zeroed(c.barrier, len(c.runs)), c.runOf[:0]
	k := int32(-1)
	for n := range c.runs {
		c.barrier[n] = -1
		if !c.runs[n].isMarked(s.list) {
			continue
		}
		if k++; k > 0 {
			c.barrier[n] = k - 1
			c.runOf = append(c.runOf, int32(n))
		}
	}
}

// cutAtBarriers replaces the placeholders of barriers, and that of the jump to the phase. It
// takes what is live, and keeps its refs, and returns the size of frames.
func (s *selector) cutAtBarriers(l *liveness, frame int64) int64 {
	frame = (frame + 31) &^ 31
	c := &s.cutter
	c.begin(s, l)
	c.findAssigned()
	c.findThrough(s)
	for n := range c.state {
		clear(c.state[n])
	}
	c.sinkReloads()
	for n := range c.state {
		clear(c.state[n])
	}
	c.findTaken()
	for k := range s.barriers {
		l.members(c.live[k], func(n int) {
			if c.slots[n] == 0 {
				c.slots[n] = int32(frame) + 1
				frame += 32
			}
		})
	}
	old := s.renew()
	l.remake()
	next := -1
	for n := range c.units {
		u := &c.units[n]
		first, end := c.runs[u.first].first, c.runs[u.last].end
		marked := c.runs[u.last].isMarked(old)
		if marked {
			end--
		}
		s.emitReloads(c, int32(n), old, first, end)
		if !marked {
			continue
		}
		if next < 0 {
			s.findPhase()
		} else {
			s.cut(c, next)
		}
		l.takeRefs(s.list)
		next++
	}
	l.remade()
	s.setFrameStep(frame)
	return frame
}

// findPhase emits jumps to where the phase begins that is executed.
func (s *selector) findPhase() {
	for k, b := range s.barriers {
		s.compareContext(contextPhase, int64(k+1))
		s.jumpIf(amd64.Equal, b.resume)
	}
}

// findAssigned finds what may have been assigned since the last barrier, forward.
func (c *cutter) findAssigned() {
	now := c.now
	for changed := true; changed; {
		changed = false
		for n := range c.runs {
			r := &c.runs[n]
			copy(now, c.state[n])
			r.made.addTo(now)
			if k := c.barrier[n]; k >= 0 {
				copy(c.assigned[k], now)
				clear(now)
			}
			for _, to := range r.next {
				if to < 0 {
					continue
				}
				for w, x := range now {
					if x&^c.state[to][w] != 0 {
						c.state[to][w] |= x
						changed = true
					}
				}
			}
		}
	}
}

// findTaken finds what has to be in registers after barriers, backward: what is read before the
// next one, or stored there.
func (c *cutter) findTaken() {
	now := c.now
	for changed := true; changed; {
		changed = false
		for n := len(c.runs) - 1; n >= 0; n-- {
			r := &c.runs[n]
			clear(now)
			for _, to := range r.next {
				if to >= 0 {
					for w, x := range c.state[to] {
						now[w] |= x
					}
				}
			}
			if k := c.barrier[n]; k >= 0 {
				copy(c.taken[k], now)
				for w := range now {
					now[w] = c.live[k][w] & c.assigned[k][w]
				}
			}
			r.made.takeFrom(now)
			r.read.addTo(now)
			for w, x := range now {
				if x&^c.state[n][w] != 0 {
					c.state[n][w] |= x
					changed = true
				}
			}
		}
	}
}

// cut emits the code of barrier k.
func (s *selector) cut(c *cutter, k int) {
	each := func(set, among []uint64, load bool) {
		first := true
		for w, x := range set {
			c.now[w] = x & among[w]
		}
		c.members(c.now, func(n int) {
			if first {
				s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrame))
				first = false
			}
			at := amd64.At(amd64.RAX, c.slots[n]-1)
			s.keep(c.operand(n), at, load)
		})
	}
	each(c.live[k], c.assigned[k], false)
	s.follow(int64(k + 1))
	if s.barriers[k].earlyOut {
		s.endPhase(c, k)
	}
	s.jump(s.advance)
	s.mark(s.barriers[k].resume)
	each(c.live[k], c.taken[k], true)
}

// keep stores a register in memory, or loads it.
func (s *selector) keep(r amd64.Operand, at amd64.Address, load bool) {
	o := amd64.Mov
	if r.Kind() == amd64.KindVector {
		o = amd64.VMovUPS
	}
	if load {
		s.load(o, amd64.Wide, r, at)
	} else {
		s.store(o, amd64.Wide, at, r)
	}
}

// setFrameStep sets the distance between frames. The instructions are the only ones that add to
func (s *selector) setFrameStep(frame int64) {
	for n := range s.list {
		if i := &s.list[n]; i.Op == amd64.Add && i.Width == amd64.Wide && (i.Operands[0] == amd64.Mem && i.Address == s.context(contextFrame) || i.Operands[0] == amd64.RAX) {
			i.Immediate = frame
		}
	}
}
