package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file finds live ranges: where registers are live, in segments with lifetime holes between
// them (Wimmer and Mössenböck, "Optimized Interval Splitting in a Linear Scan Register Allocator",
// 2005). What is computed on one way is not live on another one in the text between.
//
// Positions are twice the number of an instruction where a register is read, and one more where it
// is written.

// segment is positions from one to another, both included, where a register is live.
type segment struct {
	start, end int32
	next       int32 // the segment that follows, from 1
}

// interval is the live range of a register.
type interval struct {
	first, last int32 // segments, from 1
	size        int32 // how many positions they have
	cost        float32
	hint        int32   // a register that it had better be the same as, or -1
	worth       float32 // what it is used for its size, or fixed
}

// fixed is the worth of registers that are never kept in memory.
const fixed = 1e30

// isEmpty reports whether a register is never live.
func (x *interval) isEmpty() bool { return x.first == 0 }

// findRanges finds the live range of each register, and what it costs to keep it in memory.
func (a *allocator) findRanges(list []amd64.Instruction) {
	a.intervals, a.segments = a.intervals[:0], append(a.segments[:0], segment{})
	a.addIntervals()
	a.findDepths()
	for n := range a.runs {
		r := &a.runs[n]
		a.each(r.live, func(x int) { a.begin(x, 2*r.first) })
		cost := a.frequency(n)
		for at := r.first; at < r.end; at++ {
			for _, u := range a.of(at) {
				a.extend(u, at)
				a.intervals[u.index()].cost += cost
			}
			a.findHint(&list[at])
		}
		for _, next := range r.next {
			if next >= 0 {
				a.each(a.runs[next].live, func(x int) { a.reach(x, 2*r.end-1) })
			}
		}
	}
	a.weighIntervals()
}

// each calls a function for the registers of a set.
func (a *allocator) each(set sparse, f func(x int)) {
	for _, p := range set {
		for w := p.bits; w != 0; w &= w - 1 {
			f(int(a.sharedOf(p, w)))
		}
	}
}

// addIntervals adds those of registers that have none.
func (a *allocator) addIntervals() {
	for n := len(a.intervals); n < a.total(); n++ {
		a.intervals = append(a.intervals, interval{hint: -1})
	}
}

// begin makes a register live from a position on, and reach up to a position, if it is live
// in front of it.
func (a *allocator) begin(n int, at int32) {
	x := &a.intervals[n]
	if x.first != 0 && a.segments[x.last].end >= at-1 {
		a.reach(n, at)
		return
	}
	a.segments = append(a.segments, segment{start: at, end: at})
	last := int32(len(a.segments) - 1)
	if x.first == 0 {
		x.first = last
	} else {
		a.segments[x.last].next = last
	}
	x.last = last
}

func (a *allocator) reach(n int, at int32) {
	s := &a.segments[a.intervals[n].last]
	s.end = max(s.end, at)
}

// extend makes a live range have what an instruction reads or writes.
func (a *allocator) extend(r ref, at int32) {
	if r.reads() {
		if a.intervals[r.index()].isEmpty() { // nothing has written it
			a.begin(r.index(), 2*at)
		}
		a.reach(r.index(), 2*at)
	}
	if r.written() {
		a.begin(r.index(), 2*at+1)
	}
}

// findHint notes that registers had better be the same.
func (a *allocator) findHint(i *amd64.Instruction) {
	if isCopy(i) {
		to, from := a.index(i.Operands[0]), a.index(i.Operands[1])
		a.intervals[to].hint = int32(from)
		if a.intervals[from].hint < 0 {
			a.intervals[from].hint = int32(to)
		}
	}
}

// isCopy reports whether an instruction copies a register that the machine does not have to
// another one.
func isCopy(i *amd64.Instruction) bool {
	return (i.Op == amd64.Mov || i.Op == amd64.VMovUPS) && i.Operands[0].IsVirtual() && i.Operands[1].IsVirtual()
}

// weighIntervals finds what intervals are worth.
func (a *allocator) weighIntervals() {
	for n := range a.intervals {
		x := &a.intervals[n]
		x.size = 0
		for k := x.first; k != 0; k = a.segments[k].next {
			x.size += a.segments[k].end - a.segments[k].start + 1
		}
		if a.temporary[n] {
			x.worth = fixed
		} else {
			x.worth = x.cost / float32(x.size+1)
		}
	}
}

// meets reports whether two registers are live at one position.
func (a *allocator) meets(n, m int) bool {
	x, y := a.intervals[n].first, a.intervals[m].first
	for x != 0 && y != 0 {
		s, t := &a.segments[x], &a.segments[y]
		switch {
		case s.end < t.start:
			x = s.next
		case t.end < s.start:
			y = t.next
		default:
			return true
		}
	}
	return false
}

// unite adds the live range of a register to that of another one, which it does not meet.
func (a *allocator) unite(n, more int) {
	x, y := &a.intervals[n], &a.intervals[more]
	p, q := x.first, y.first
	x.first, x.last = 0, 0
	for p != 0 || q != 0 {
		if p == 0 || q != 0 && a.segments[q].start < a.segments[p].start {
			p, q = q, p
		}
		following := a.segments[p].next
		a.segments[p].next = 0
		switch {
		case x.first == 0:
			x.first, x.last = p, p
		case a.segments[x.last].end == a.segments[p].start-1:
			a.segments[x.last].end = a.segments[p].end
		default:
			a.segments[x.last].next, x.last = p, p
		}
		p = following
	}
	x.cost += y.cost
	*y = interval{hint: -1}
}
