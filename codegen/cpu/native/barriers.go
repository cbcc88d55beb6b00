package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file cuts the code at barriers. What is live there is kept in the frame of the block of lanes, the next block is executed up to the same barrier, and
// when all are there, each goes on behind it with what it has kept. A register has one place in frames: it is stored at a barrier if it may have been
// assigned since the last one, and loaded behind one if it may be read, or stored, before the next one.

// cutter is the working memory.
type cutter struct {
	*liveness
	live     [][]uint64 // by barrier: what is live there
	assigned [][]uint64 // by barrier: what may have been assigned since the last one
	taken    [][]uint64 // by barrier: what is loaded behind it
	places   []int32    // by register, from 1
	runOf    []int      // by barrier
	state    [][]uint64 // by run: what may have been assigned, or is to be in registers, at its beginning
}

// cutAtBarriers replaces the marks of barriers, and that of where phases are told apart. It returns the size of frames.
func (s *selector) cutAtBarriers(l *liveness, frame int64) int64 {
	if len(s.barriers) == 0 {
		return frame
	}
	frame = (frame + 31) &^ 31
	l.analyse(s.list, s.next, s.labs)
	c := cutter{liveness: l, places: make([]int32, l.total())}
	set := func() []uint64 { return make([]uint64, l.words) }
	run := 0
	for _, b := range s.barriers {
		for int32(b.at) >= l.runs[run].end {
			run++
		}
		c.runOf = append(c.runOf, run)
		c.live, c.assigned, c.taken = append(c.live, set()), append(c.assigned, set()), append(c.taken, set())
	}
	for k := range s.barriers {
		l.behind(s.list, c.runOf[k], int32(s.barriers[k].at), c.live[k])
	}
	for range l.runs {
		c.state = append(c.state, set())
	}
	c.findAssigned(s)
	for n := range c.state {
		clear(c.state[n])
	}
	c.findTaken(s)
	for k := range s.barriers {
		members(c.live[k], func(n int) {
			if c.places[n] == 0 {
				c.places[n] = int32(frame) + 1
				frame += 32
			}
		})
	}
	old := s.list
	s.list = make([]amd64.Instruction, 0, len(old)+16*len(s.barriers))
	s.source = 0
	step, next := 0, 0
	for at := range old {
		switch {
		case at == s.dispatch:
			for k, b := range s.barriers {
				s.compareContext(contextPhase, int64(k+1))
				s.jumpIf(amd64.Equal, b.resume)
			}
			continue
		case next < len(s.barriers) && at == s.barriers[next].at:
			s.cut(&c, next)
			next++
			continue
		}
		if at == s.frameStep && at > 0 {
			step = len(s.list)
		}
		s.list = append(s.list, old[at])
	}
	s.frameStep = step
	return frame
}

// findAssigned finds what may have been assigned since the last barrier, forward.
func (c *cutter) findAssigned(s *selector) {
	now := make([]uint64, c.words)
	for changed := true; changed; {
		changed = false
		next := 0
		for n := range c.runs {
			r := &c.runs[n]
			copy(now, c.state[n])
			for at := r.first; at < r.end; at++ {
				if next < len(s.barriers) && s.barriers[next].at == int(at) {
					copy(c.assigned[next], now)
					clear(now)
					next++
					continue
				}
				i := &s.list[at]
				c.uses = i.Uses(c.uses[:0])
				for _, u := range c.uses {
					if u.Register.IsVirtual() && u.Access&amd64.Written != 0 {
						x := c.index(u.Register)
						now[x/64] |= 1 << (x % 64)
					}
				}
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

// findTaken finds what has to be in registers behind barriers, backward: what is read before the next one, or stored there.
func (c *cutter) findTaken(s *selector) {
	now := make([]uint64, c.words)
	for changed := true; changed; {
		changed = false
		next := len(s.barriers) - 1
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
			for at := r.end - 1; at >= r.first; at-- {
				if next >= 0 && s.barriers[next].at == int(at) {
					copy(c.taken[next], now)
					for w := range now {
						now[w] = c.live[next][w] & c.assigned[next][w]
					}
					next--
					continue
				}
				c.step(&s.list[at], now)
			}
			for w, x := range now {
				if x&^c.state[n][w] != 0 {
					c.state[n][w] |= x
					changed = true
				}
			}
		}
	}
}

// cut emits what stands for barrier k.
func (s *selector) cut(c *cutter, k int) {
	each := func(set, among []uint64, load bool) {
		first := true
		members(set, func(n int) {
			if among[n/64]>>(n%64)&1 == 0 {
				return
			}
			if first {
				s.load(amd64.Mov, amd64.Wide, amd64.RAX, s.context(contextFrame))
				first = false
			}
			at := amd64.At(amd64.RAX, c.places[n]-1)
			r, o := amd64.General(amd64.FirstVirtual+n), amd64.Mov
			if n >= c.count[generals] {
				r, o = amd64.Vector(amd64.FirstVirtual+n-c.count[generals]), amd64.VMovUPS
			}
			if load {
				s.load(o, amd64.Wide, r, at)
			} else {
				s.store(o, amd64.Wide, at, r)
			}
		})
	}
	each(c.live[k], c.assigned[k], false)
	s.setContext(contextNext, int64(k+1))
	s.jump(s.advance)
	s.mark(s.barriers[k].resume)
	each(c.live[k], c.taken[k], true)
}

// setFrameStep says by how much frames are apart. The instruction is the only one that adds to that field of the context.
func (s *selector) setFrameStep(frame int64) {
	for n := range s.list {
		if i := &s.list[n]; i.Op == amd64.Add && i.Operands[0] == amd64.Mem && i.Address == s.context(contextFrame) {
			i.Immediate = frame
		}
	}
}
