package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file sinks reloads: what is loaded from frames is loaded where it is read, rather than
// behind each barrier. A phase in which a block of lanes has little to do is to load little. A
// register whose slot in the frame has its value on all paths there is loaded once for a run that
// reads it. If it is read in a loop without barriers that does not assign it, it is loaded in front
// of the loop.

// unit is a run, or the runs of a loop that no barrier is in.
type unit struct {
	first, last int32
	loop        bool
	sunk        []uint64 // what is loaded for it
}

// jumps are those to a run: the first and the last run that they come from.
type jumps struct{ first, last int32 }

// findUnits finds the outermost loops without barriers that are entered by the text alone. A loop
// goes from where a jump leads backward up to the jump.
func (c *cutter) findUnits() {
	count := int32(len(c.runs))
	c.jumps = ir.Zeroed(c.jumps, len(c.runs))
	for n := range c.jumps {
		c.jumps[n] = jumps{count, -1}
	}
	for n := range count {
		if to := c.runs[n].next[1]; to >= 0 {
			j := &c.jumps[to]
			j.first, j.last = min(j.first, n), max(j.last, n)
		}
	}
	c.units = c.units[:0]
	for n := int32(0); n < int32(len(c.runs)); n++ {
		u := unit{first: n, last: n}
		if end := c.loopEnd(n); end >= 0 {
			u.last, u.loop = end, true
		}
		n = u.last
		c.units = append(c.units, u)
	}
}

// loopEnd returns the last run of a loop that begins with one, or -1 if there is no such loop.
func (c *cutter) loopEnd(n int32) int32 {
	end := c.jumps[n].last
	if end < n {
		return -1
	}
	for m := n; m <= end; m++ {
		j := c.jumps[m]
		if j.last >= 0 && j.first < n || c.barrier[m] >= 0 {
			return -1
		}
		end = max(end, j.last)
	}
	return end
}

// sinkReloads finds what is loaded for each unit, and takes it away from what runs read.
func (c *cutter) sinkReloads() {
	for n := 1; n < len(c.state); n++ {
		for w := range c.state[n] {
			c.state[n][w] = ^uint64(0)
		}
	}
	now := c.now
	for changed := true; changed; {
		changed = false
		for n := range c.runs {
			r := &c.runs[n]
			copy(now, c.state[n])
			r.made.takeFrom(now)
			for _, p := range r.made {
				now[p.at] |= p.bits & c.through[p.at]
			}
			if k := c.barrier[n]; k >= 0 {
				for w, x := range c.live[k] {
					now[w] |= x
				}
			}
			for _, to := range r.next {
				if to < 0 {
					continue
				}
				for w, x := range now {
					if c.state[to][w]&^x != 0 {
						c.state[to][w] &= x
						changed = true
					}
				}
			}
		}
	}
	for k := range c.units {
		u := &c.units[k]
		runs := c.runs[u.first : u.last+1]
		for n := range runs {
			runs[n].read.addTo(u.sunk)
		}
		for n := range runs {
			runs[n].made.takeFrom(u.sunk)
		}
		for w := range u.sunk {
			u.sunk[w] &= c.state[u.first][w]
		}
		for n := range runs {
			for k := range runs[n].read {
				p := &runs[n].read[k]
				p.bits &^= u.sunk[p.at]
			}
		}
	}
}

// isSunk reports whether a register is loaded for a unit.
func (c *cutter) isSunk(u *unit, x int) bool {
	n := c.numbers[x]
	return n >= 0 && u.sunk[n/64]>>(n%64)&1 == 1
}

// reload loads a register for the unit with that number.
func (s *selector) reload(c *cutter, unit int32, x int) {
	if c.by[x] == unit+1 {
		return
	}
	s.loadFrame(c, unit)
	if c.by[x] = unit + 1; c.operand(x).Kind() == amd64.KindVector {
		c.fresh[x] = s.freshVector()
	} else {
		c.fresh[x] = s.freshGeneral()
	}
	s.keep(c.fresh[x], amd64.At(c.frame, c.slots[x]-1), true)
}

// emitReloads emits the instructions of a unit, with what they read that is loaded for it.
func (s *selector) emitReloads(c *cutter, unit int32, old []amd64.Instruction, first, end int32) {
	u := &c.units[unit]
	if u.loop {
		if c.storesThrough(first, end) {
			s.loadFrame(c, unit)
		}
		c.members(u.sunk, func(x int) { s.reload(c, unit, x) })
		c.takeRefs(s.list)
	}
	for next := first; next < end; next++ {
		from := next
		for next < end && !c.readsSunk(u, next) && !c.storesThrough(next, next+1) {
			next++
		}
		s.list = append(s.list, old[from:next]...)
		c.keepRefs(from, next)
		if next == end {
			break
		}
		i := old[next]
		for _, r := range c.of(next) {
			if x := r.index(); c.isSunk(u, x) {
				s.reload(c, unit, x)
				i.Rename(c.operand(x), c.fresh[x])
			}
		}
		s.list = append(s.list, i)
		s.storeThrough(c, unit, next)
		c.takeRefs(s.list)
	}
}

// readsSunk reports whether an instruction reads something that is loaded for its unit.
func (c *cutter) readsSunk(u *unit, at int32) bool {
	for _, r := range c.of(at) {
		if c.isSunk(u, r.index()) {
			return true
		}
	}
	return false
}
