package interp

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file assigns slots. Slots are allocated in runs. A run is free again after the last use of
// the values that lie in it, so that the length of straight code does not matter. Several values
// may lie in one run: a vector's component is where the vector is.

// run is slots in a row.
type run struct {
	first slot
	count int
	held  int  // by how many slots of values
	idle  bool // it is free
}

// lifetimes says for the function being compiled where values end.
type lifetimes struct {
	ending [][]ir.Value // by instruction: the values that it uses last
	// pending are, by block, values that ended in blocks within. They end after the instruction
	// that owns those: what it repeats reads them again.
	pending [][]ir.Value
}

// lifetimes finds the last uses of values. What an access computes together with its user, that one
// uses.
func (c *compiler) lifetimes(f *ir.Func) {
	c.lives = lifetimes{ending: make([][]ir.Value, f.InstCount()), pending: make([][]ir.Value, f.BlockCount())}
	last, order := make([]ir.Inst, f.ValueCount()), make([]uint32, f.InstCount())
	n := uint32(0)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		n++
		order[i] = n
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		user := i
		if f.Op(i) == op.Access && c.deferred(f.Result(i)) {
			user = c.user[f.Result(i)]
		}
		for _, v := range f.Args(i) {
			if v.IsLocal() && order[user] > order[last[v]] {
				last[v] = user
			}
		}
	}
	for _, paths := range c.dropping { // what decides of a value is asked after the last choice
		for _, p := range paths {
			end := p[len(p)-1].At
			for _, choice := range p {
				if by, _ := f.Taken(choice); by.IsLocal() && order[end] > order[last[by]] {
					last[by] = end
				}
			}
		}
	}
	for v, i := range last {
		if _, ok := f.Def(ir.Value(v)); i != 0 && ok { // parameters keep their slots
			c.lives.ending[i] = append(c.lives.ending[i], ir.Value(v))
		}
	}
}

// fresh returns n slots of the frame in a row. They are free again after the instruction that is
// being compiled, unless a value lies there.
func (c *compiler) fresh(n int) []slot {
	if n == 0 {
		return nil
	}
	if n > maxSlots || int(c.top)+n > maxSlots {
		c.tooMany(c.span)
		if len(c.constants) == 0 {
			c.constants = append(c.constants, 0)
		}
		return slices.Repeat([]slot{constantSlot}, min(n, maxSlots)) // the code is not executed
	}
	var number int
	if list := c.free[n]; len(list) > 0 {
		number = list[len(list)-1]
		c.free[n] = list[:len(list)-1]
		c.runs[number].idle = false
	} else {
		number = len(c.runs)
		c.runs = append(c.runs, run{first: c.top, count: n})
		c.top += slot(n)
		c.peak = max(c.peak, c.top)
		for range n {
			c.runOf = append(c.runOf, number)
		}
	}
	c.born = append(c.born, number)
	all := make([]slot, n)
	for i := range all {
		all[i] = c.runs[number].first + slot(i)
	}
	return all
}

// tooMany reports that the slots do not suffice.
func (c *compiler) tooMany(at source.Span) {
	if c.err == nil {
		c.err = &Unsupported{op.Invalid, fmt.Sprintf("an invocation needs more than %d scalars at a time in values, those of its callers included; "+
			"what is kept for later belongs in variables, as arrays do", maxSlots), at}
	}
}

// hold notes that a value lies in slots.
func (c *compiler) hold(all []slot) {
	for _, s := range all {
		if s&constantSlot == 0 {
			c.runs[c.runOf[s-c.first]].held++
		}
	}
}

// drop notes that a value no longer lies in slots.
func (c *compiler) drop(all []slot) {
	for _, s := range all {
		if s&constantSlot == 0 {
			number := c.runOf[s-c.first]
			c.runs[number].held--
			c.release(number)
		}
	}
}

// release makes a run free if no value lies in it.
func (c *compiler) release(number int) {
	if r := &c.runs[number]; r.held == 0 && !r.idle {
		r.idle = true
		c.free[r.count] = append(c.free[r.count], number)
	}
}

// settle follows an instruction of a block: its results keep their slots, values that end give
// theirs up, and so does what was computed on the way.
func (c *compiler) settle(i ir.Inst, b ir.Block) {
	f := c.f
	if f.Op(i).Is(op.Control) {
		for _, r := range f.Results(i) {
			if c.uses[r] > 0 {
				c.hold(c.valueSlots[r])
			}
		}
	} else if r := f.Result(i); r != ir.NoValue && c.uses[r] > 0 {
		c.hold(c.valueSlots[r])
	}
	for _, v := range c.lives.ending[i] {
		if at := f.DefBlock(v); at != b {
			c.lives.pending[at] = append(c.lives.pending[at], v)
		} else {
			c.drop(c.valueSlots[v])
		}
	}
	for _, v := range c.lives.pending[b] {
		c.drop(c.valueSlots[v])
	}
	c.lives.pending[b] = c.lives.pending[b][:0]
	for _, number := range c.born {
		c.release(number)
	}
}
