package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file stores registers in frames where they are assigned, rather than at barriers, if that is
// executed less often. What is computed once in front of a loop with barriers would otherwise be
// stored at the barrier in each iteration, and loaded to be stored again.

// findThrough finds these registers, and takes them away from what barriers store.
func (c *cutter) findThrough(s *selector) {
	c.findDepths()
	c.gains = ir.Zeroed(c.gains, c.total())
	for k, n := range c.runOf {
		for w := range c.now {
			c.now[w] = c.live[k][w] & c.assigned[k][w]
		}
		c.members(c.now, func(x int) {
			if c.gains[x] += c.frequency(int(n)); s.barriers[k].earlyOut { // see endPhase
				c.gains[x] = -fixed
			}
		})
	}
	dispatched := false
	for n := range c.runs {
		for at := c.runs[n].first; at < c.runs[n].end; at++ {
			for _, r := range c.of(at) {
				switch {
				case !r.written():
				case !dispatched: // before it is known which frame it is
					c.gains[r.index()] = -fixed
				default:
					c.gains[r.index()] -= c.frequency(n)
				}
			}
		}
		dispatched = dispatched || c.runs[n].isMarked(s.list)
	}
	for x, gain := range c.gains {
		if n := c.numbers[x]; gain > 0 && n >= 0 {
			c.through[n/64] |= 1 << (n % 64)
		}
	}
	for k := range c.assigned {
		for w, x := range c.through {
			c.assigned[k][w] &^= x
		}
	}
}

// isThrough reports whether an instruction assigns a register that is stored at once.
func (c *cutter) isThrough(r ref) bool {
	n := c.numbers[r.index()]
	return r.written() && n >= 0 && c.through[n/64]>>(n%64)&1 == 1
}

// storesThrough reports whether some instruction of a unit does.
func (c *cutter) storesThrough(first, end int32) bool {
	for at := first; at < end; at++ {
		for _, r := range c.of(at) {
			if c.isThrough(r) {
				return true
			}
		}
	}
	return false
}

// storeThrough stores what an instruction of the old list has assigned.
func (s *selector) storeThrough(c *cutter, unit, at int32) {
	for _, r := range c.of(at) {
		if c.isThrough(r) {
			s.loadFrame(c, unit)
			s.keep(c.operand(r.index()), amd64.At(c.frame, c.slots[r.index()]-1), false)
		}
	}
}

// loadFrame loads the address of the frame, once for a unit.
func (s *selector) loadFrame(c *cutter, unit int32) {
	if c.base != unit+1 {
		c.base, c.frame = unit+1, s.freshGeneral()
		s.load(amd64.Mov, amd64.Wide, c.frame, s.context(contextFrame))
	}
}
