package mir

// This file sequentialises parallel copies, for machines without block parameters. The moves for
// the arguments of an edge happen at once, so no move may read what another has written.

// Copy is the assignment of one register.
type Copy struct{ To, From Operand }

// Copies orders assignments that are to happen at once: one whose target another still
// reads waits, and a cycle goes through a temporary register.
type Copies struct {
	f       *Func
	pending []Copy
	ordered []Copy
}

// Begin forgets what was noted, and takes registers from a function from now on.
func (c *Copies) Begin(f *Func) { c.f, c.pending = f, c.pending[:0] }

// Edge notes what an edge passes.
func (c *Copies) Edge(e Edge) {
	args := c.f.EdgeArgs(e)
	for n, p := range c.f.BlockParams(e.To) {
		if p != args[n] {
			c.pending = append(c.pending, Copy{p, args[n]})
		}
	}
}

// Ordered returns the assignments in an order in which they can be made. The slice lasts
// until the next call.
func (c *Copies) Ordered() []Copy {
	c.ordered = c.ordered[:0]
	pending := c.pending
	if len(pending) > maxLinearSearch {
		c.orderMany(pending)
		return c.ordered
	}
	for len(pending) > 0 {
		kept := pending[:0]
		for n, m := range pending {
			if reads(pending[n+1:], m.To) || reads(kept, m.To) {
				kept = append(kept, m)
				continue
			}
			c.ordered = append(c.ordered, m)
		}
		if len(kept) == len(pending) { // circles only
			saved := c.save(pending[0].To)
			for n := range pending {
				if pending[n].From == pending[0].To {
					pending[n].From = saved
				}
			}
		}
		pending = kept
	}
	return c.ordered
}

// maxLinearSearch is the number of assignments up to which a linear search is fastest.
const maxLinearSearch = 64

// save copies a register to a fresh one.
func (c *Copies) save(o Operand) Operand {
	saved := c.f.Fresh(o.Class())
	c.ordered = append(c.ordered, Copy{saved, o})
	return saved
}

// orderMany is Ordered for the elements of large arrays: in time proportional to
// their number.
func (c *Copies) orderMany(pending []Copy) {
	readers := make(map[Operand]int, len(pending)) // how many pending copies read a register
	writer := make(map[Operand]int, len(pending))  // the pending copy that writes it
	var ready []int
	for n, m := range pending {
		readers[m.From]++
		writer[m.To] = n
	}
	for n, m := range pending {
		if readers[m.To] == 0 {
			ready = append(ready, n)
		}
	}
	done := make([]bool, len(pending))
	var reader map[Operand]int
	for next := 0; ; next++ {
		for len(ready) > 0 {
			m := pending[ready[0]]
			done[ready[0]] = true
			ready = ready[1:]
			c.ordered = append(c.ordered, m)
			readers[m.From]--
			if n, written := writer[m.From]; written && readers[m.From] == 0 && !done[n] {
				ready = append(ready, n)
			}
		}
		for next < len(pending) && done[next] {
			next++
		}
		if next == len(pending) {
			return
		}
		// What is left are circles, in which each register is read once.
		if reader == nil {
			reader = make(map[Operand]int)
			for n, m := range pending {
				if !done[n] {
					reader[m.From] = n
				}
			}
		}
		target := pending[next].To
		saved := c.save(target)
		pending[reader[target]].From = saved
		readers[saved], readers[target] = 1, 0
		ready = append(ready, next)
	}
}

func reads(copies []Copy, o Operand) bool {
	for _, m := range copies {
		if m.From == o {
			return true
		}
	}
	return false
}
