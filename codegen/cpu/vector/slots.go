package vector

import (
	"cmp"
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file gives columns their slots, such that those share one that do not live at the same time.
// It is a linear scan over the text (Poletto and Sarkar, "Linear Scan Register Allocation", 1999).
// All lanes are computed for, and they diverge. So a slot must hold a value from where it is first
// written for any lane to where it is last read for any:
//
//   - a parameter of a block, from the first edge that writes it in the order of the text;
//   - what a loop reads that is assigned before, to the loop's end, as is a parameter of its
//     header;
//   - what is read after a loop that assigns it and that lanes leave at different times, from the
//     loop's beginning.

// slots is the state of the assignment.
type slots struct {
	intervals []interval // by register
	// by register: read after a loop that assigns it and that lanes leave at different times
	liveOut        []bool
	alias          []mir.Operand
	divergentExits []bool  // by header: lanes may leave the loop at different times
	begins         []int32 // by slot: the position of its beginning
	ends           []int32 // of its terminator
	order          []uint32
	free           [2][]uint32
}

// interval is where a column lives, in positions: an instruction reads at an even one and writes at
// the next.
type interval struct{ start, end int32 }

// assign finds a slot for every register.
func (c *compiler) assign() {
	f, s := c.f, &c.slots
	count := f.Indices()
	s.intervals, s.liveOut, s.alias = make([]interval, count), make([]bool, count), make([]mir.Operand, count)
	for n := range s.intervals {
		s.intervals[n] = interval{1 << 30, -1}
	}
	c.number()
	c.findDivergentExits()
	c.live()
	c.coalesce()
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			c.assignHome(r)
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				c.assignHome(r)
			}
		}
	}
	c.linearScan()
}

// home decides how a register is kept, and assigns what needs no slot.
func (c *compiler) assignHome(r mir.Operand) {
	n := c.f.Index(r)
	switch {
	case c.p.Def(r) != 0 && c.dead(c.p.Def(r)):
		return
	case c.preset(r):
		return
	case !c.varies(r):
		c.homes[n].at = c.reserveOne()
		return
	}
	c.homes[n].step = uint8(width(r.Class()))
	c.slots.order = append(c.slots.order, n)
}

// number gives instructions their positions.
func (c *compiler) number() {
	f, s := c.f, &c.slots
	at := int32(0)
	for _, b := range f.Order {
		s.begins = append(s.begins, at)
		at += 2
		for i := f.First(b); i != 0; i = f.Next(i) {
			if i == f.Last(b) {
				s.ends = append(s.ends, at)
			}
			at += 2
		}
	}
}

// findDivergentExits finds the loops that lanes may leave at different times.
func (c *compiler) findDivergentExits() {
	s := &c.slots
	s.divergentExits = make([]bool, len(c.f.Order))
	for n := range c.f.Order {
		if !c.u.Divergent(n) {
			continue
		}
		for h := c.p.Loop[n]; h >= 0; h = c.p.Outer[h] {
			s.divergentExits[h] = true
		}
	}
}

// live finds the intervals.
func (c *compiler) live() {
	f, s := c.f, &c.slots
	for n, b := range f.Order {
		at := s.begins[n]
		for i := f.First(b); i != 0; i = f.Next(i) {
			at += 2
			if len(f.Results(i)) > 0 && c.dead(i) {
				continue
			}
			for _, r := range f.Results(i) {
				x := &s.intervals[f.Index(r)]
				x.start, x.end = min(x.start, at+1), max(x.end, at+1)
				if !c.inPlace(i) {
					x.start = min(x.start, at)
				}
			}
			for _, o := range c.operandsRead(i) {
				c.use(o, n, at)
			}
			for _, e := range f.Edges(i) {
				to := int(c.p.At[e.To])
				for _, r := range f.BlockParams(e.To) {
					c.write(r, n, to, at)
				}
			}
		}
	}
}

// inPlace reports whether an instruction reads each lane of its operands before it writes the
// result's, and no other lane.
func (c *compiler) inPlace(i mir.Inst) bool {
	f := c.f
	o := f.Op(i)
	if o == mir.MulWide || o >= mir.Op(op.Count) || mir.HasMemory(o) || len(f.Results(i)) != 1 {
		return false
	}
	return rowOf(op.Op(o), f.Kind(i), f.To(i)) != nil
}

// use notes that a register is read in the block at a slot.
func (c *compiler) use(o mir.Operand, block int, at int32) {
	if o.IsConst() || o == mir.NoOperand {
		return
	}
	s := &c.slots
	n := c.f.Index(o)
	from := c.p.DefBlock(o)
	x := &s.intervals[n]
	x.end = max(x.end, at)
	for h := c.p.Loop[block]; h >= 0; h = c.p.Outer[h] {
		if !c.p.Contains(h, from) {
			x.end = max(x.end, s.ends[c.p.LoopEnd[h]]+1)
		}
	}
	for h := c.p.Loop[from]; h >= 0; h = c.p.Outer[h] {
		if !c.p.Contains(h, block) && c.slots.divergentExits[h] {
			s.liveOut[n] = true
			x.start = min(x.start, s.begins[h])
		}
	}
}

// write notes that an edge writes a block's parameter.
func (c *compiler) write(r mir.Operand, from, to int, at int32) {
	s := &c.slots
	x := &s.intervals[c.f.Index(r)]
	x.start, x.end = min(x.start, at), max(x.end, at+1, s.begins[to])
	if to <= from { // a header, which reads it as long as its loop goes on
		x.end = max(x.end, s.ends[c.p.LoopEnd[to]]+1)
	}
	for h := c.p.Loop[from]; h >= 0; h = c.p.Outer[h] {
		if !c.p.Contains(h, to) && s.divergentExits[h] {
			x.start = min(x.start, s.begins[h])
		}
	}
	for h := c.p.Loop[to]; h >= 0; h = c.p.Outer[h] {
		if !c.p.Contains(h, from) && int(h) != to {
			x.end = max(x.end, s.ends[c.p.LoopEnd[h]]+1)
		}
	}
}

// coalesce makes the value of a back edge live in the slot of the header's parameter, if the
// parameter is not read any more once the value is computed. Then nothing has to be moved. All
// lanes that go on with the loop compute it, since there is one way back. Those that have left the
// loop do not read the parameter any more, or all leave together before it is computed.
func (c *compiler) coalesce() {
	f, s := c.f, &c.slots
	// by parameter: where its loop reads it last, and that something reads it after
	within, behind := make([]int32, f.Indices()), make([]bool, f.Indices())
	for n, b := range f.Order {
		at := s.begins[n]
		for i := f.First(b); i != 0; i = f.Next(i) {
			at += 2
			if len(f.Results(i)) > 0 && c.dead(i) {
				continue
			}
			for _, o := range c.operandsRead(i) {
				if o.IsConst() {
					continue
				}
				if k := f.Index(o); c.p.Contains(int32(c.p.DefBlock(o)), n) {
					within[k] = at
				} else {
					behind[k] = true
				}
			}
		}
	}
	for h := range c.p.LoopEnd {
		back, only := c.backEdge(h)
		if !only {
			continue
		}
		args := f.EdgeArgs(back)
		for k, p := range f.BlockParams(f.Order[h]) {
			a := args[k]
			if a.IsConst() || !c.varies(a) || !c.varies(p) || c.p.Def(a) == 0 {
				continue
			}
			from, to := f.Index(a), f.Index(p)
			// the innermost loop of both is this one, and no other parameter has the slot already
			if int(c.p.Loop[c.p.DefBlock(a)]) != h || s.liveOut[from] || s.liveOut[to] || s.alias[from] != mir.NoOperand || given(args, k) {
				continue
			}
			if start := s.intervals[from].start; start > within[to] && (!behind[to] || c.lastExit(h) < start) {
				s.alias[from] = p
				// which may be read after the loop
				s.intervals[to].end = max(s.intervals[to].end, s.intervals[from].end)
			}
		}
	}
}

// backEdge returns the edge that leads back to a header, if there is only one.
func (c *compiler) backEdge(h int) (back mir.Edge, only bool) {
	count := 0
	for n := h; n <= int(c.p.LoopEnd[h]); n++ {
		for _, e := range c.f.Edges(c.f.Last(c.f.Order[n])) {
			if int(c.p.At[e.To]) == h {
				back = e
				count++
			}
		}
	}
	return back, count == 1
}

// lastExit returns the position of the last way out of a loop.
func (c *compiler) lastExit(h int) (last int32) {
	for n := h; n <= int(c.p.LoopEnd[h]); n++ {
		for _, e := range c.f.Edges(c.f.Last(c.f.Order[n])) {
			if !c.p.Contains(int32(h), int(c.p.At[e.To])) {
				last = c.slots.ends[n]
			}
		}
	}
	return last
}

// given reports whether an edge passes the k-th operand more than once.
func given(args []mir.Operand, k int) bool {
	for n, a := range args {
		if n != k && a == args[k] {
			return true
		}
	}
	return false
}

// linearScan assigns the slots.
func (c *compiler) linearScan() {
	s := &c.slots
	slices.SortFunc(s.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.intervals[a].start, s.intervals[b].start), cmp.Compare(a, b))
	})
	var ends, ended []int // slots in the order
	for at, n := range s.order {
		if s.alias[n] == mir.NoOperand {
			ends = append(ends, at)
		}
	}
	slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(s.last(a), s.last(b)) })
	for _, n := range s.order {
		if s.alias[n] != mir.NoOperand {
			continue
		}
		start := s.intervals[n].start
		ended = ended[:0]
		for len(ends) > 0 && s.last(ends[0]) < start {
			ended, ends = append(ended, ends[0]), ends[1:]
		}
		slices.Sort(ended)
		for _, at := range ended {
			k := c.size(s.order[at])
			s.free[k] = append(s.free[k], c.homes[s.order[at]].at)
		}
		k := c.size(n)
		if list := s.free[k]; len(list) > 0 {
			c.homes[n].at, s.free[k] = list[len(list)-1], list[:len(list)-1]
		} else {
			c.homes[n].at = c.reserve(c.out.room * int(c.homes[n].step))
		}
	}
	for _, n := range s.order {
		if p := s.alias[n]; p != mir.NoOperand {
			c.homes[n].at = c.homes[c.f.Index(p)].at
		}
	}
}

// last returns where the interval at a slot of the order ends: not before its start.
func (s *slots) last(at int) int32 {
	x := s.intervals[s.order[at]]
	return max(x.start, x.end)
}

// size is 1 for columns of longs.
func (c *compiler) size(n uint32) int {
	if c.homes[n].step == 8 {
		return 1
	}
	return 0
}
