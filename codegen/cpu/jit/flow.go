package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file plans how lanes go through the blocks (see the package's text). It finds which blocks a
// part of the lanes may execute, and which ends of blocks send lanes by masks. It finds where lanes
// wait, and what those that wait still need.

// flow is what is known of the blocks by their positions in the order; the block after the last is
// the end.
type flow struct {
	partial []bool // a part of the lanes may execute it
	masked  []bool // its end sends lanes by masks: the next block is begun in any case
	tested  []bool // perhaps no lanes come there: it looks
	// of blocks that a part of the lanes executes: where all lanes reconverge
	reconvergence []int
	// of what a part executes: the next block with lanes of the same part, or else where they meet
	follows []int
	waits   []bool // lanes wait for it, by mask or, where they come together, without one
	pending []amd64.Operand
	back    []bool  // of a header: lanes wait that come from its loop
	first   []int32 // the first block whose end adds lanes that wait
	// by block: the last of those that lanes come to by way of it alone, as far as they follow each
	// other (findRegions)
	regions    []int32
	shortLived []bool  // lanes wait from there on only: before, nobody does (maskliveness.go)
	opens      []int32 // by block: the first of those for which it is the first block, and 1
	nextOpened []int32 // by block: the next of these, and 1
	sources    []int32 // see findSources
	needed     []int32 // by register, and the end: where its part of needers begins
	// blocks where lanes wait that need a register, those of a register together and in order
	needers []int32
	begins  []int32 // by block where lanes meet: the first that a part of those executes, and 1
	labels  []int   // in front of a block, and the end
	tails   []int   // of the last block of a loop: in front of what goes back
	leavers []bool  // by header: see findLeavers
	// by register: lanes that have left still need it, so that it is written by mask
	kept   []bool
	buffer []mir.Operand
	lives  mir.Liveness

	seen    []int32 // by block: the post-dominator that part has come there on the way to, and 1
	stack   []int32
	defined []int32 // by register, the block
}

func (s *selector) blockCount() int { return len(s.f.Order) }

// plan finds all of that.
func (w *flow) plan(s *selector) {
	count := s.blockCount()
	w.partial, w.masked, w.tested = ir.Zeroed(w.partial, count+1), ir.Zeroed(w.masked, count), ir.Zeroed(w.tested, count+1)
	w.waits, w.back, w.first = ir.Zeroed(w.waits, count+1), ir.Zeroed(w.back, count), ir.Zeroed(w.first, count+1)
	s.plan.pending = ir.Zeroed(s.plan.pending, count+1)
	w.pending = s.plan.pending
	w.reconvergence, w.follows, w.seen = ir.Zeroed(w.reconvergence, count), ir.Zeroed(w.follows, count), ir.Zeroed(w.seen, count)
	w.labels, w.tails = ir.Zeroed(w.labels, count+1), ir.Zeroed(w.tails, count)
	for n := range w.labels {
		w.labels[n] = s.label()
	}
	u := &s.p.Uniform[lower.Block]
	for n := range count {
		if s.p.Ends(n) {
			w.tails[n] = s.label()
		}
		if u.Divergent(n) {
			w.masked[n] = true
			w.markDivergent(s, n, count)
		}
	}
	w.follow(s)
	for changed := true; changed; {
		w.findWaiting(s)
		changed = false
		for n := range count {
			if !w.masked[n] && w.partial[n] && !w.direct(s, n) {
				w.masked[n], changed = true, true
			}
		}
	}
	w.findRegions(s)
	w.test(s)
	w.check(s)
	w.findMaskLiveness(s)
	w.lives.Analyse(s.f, false)
	w.findLeavers(s)
	w.needs(s)
}

// markDivergent marks the blocks between a divergent branch and its reconvergence, which a part of
// the lanes may execute. The reconvergence need not be the post-dominator: lanes that enter an
// endless loop do not get there. Branches with the same post-dominator reconverge at the same
// block, so that each block is visited once for all of them.
func (w *flow) markDivergent(s *selector, n, meets int) {
	stop := s.p.PostDominator(n)
	w.stack = w.stack[:0]
	for _, e := range s.edges(n) {
		w.stack = append(w.stack, s.p.At[e.To])
	}
	for len(w.stack) > 0 {
		at := int(w.stack[len(w.stack)-1])
		w.stack = w.stack[:len(w.stack)-1]
		if at == stop || int(w.seen[at]) == stop+1 {
			continue
		}
		w.seen[at], w.partial[at], w.reconvergence[at] = int32(stop+1), true, w.reconvergenceBlock(at, meets)
		for _, e := range s.edges(at) {
			w.stack = append(w.stack, s.p.At[e.To])
		}
	}
}

// reconvergenceBlock returns where the lanes that execute a block reconverge: in front of the end,
// if anywhere.
func (w *flow) reconvergenceBlock(at, meets int) int {
	if before := w.reconvergence[at]; w.partial[at] && before != len(w.reconvergence) {
		return before
	}
	return meets
}

func (s *selector) edges(n int) []mir.Edge { return s.f.Edges(s.f.Last(s.f.Order[n])) }

// findWaiting finds the blocks at whose beginning lanes wait.
func (w *flow) findWaiting(s *selector) {
	p := s.p
	clear(w.waits)
	clear(w.back)
	for n := range w.first {
		w.first[n] = int32(len(w.first))
		w.pending[n] = 0
	}
	for n := range w.masked {
		if !w.masked[n] {
			continue
		}
		for _, e := range s.edges(n) {
			to := int(p.At[e.To])
			switch {
			case w.partial[to] && w.goesOn(s, n, to):
				continue
			case w.partial[to]:
				w.pending[to] = 1
				w.back[to] = w.back[to] || to <= n
			}
			w.waits[to] = true
			w.first[to] = min(w.first[to], int32(n))
		}
	}
}

// goesOn reports whether lanes that a block sends to another one by masks are active there at once.
func (w *flow) goesOn(s *selector, n, to int) bool {
	if w.hasTail(s, n) {
		return s.p.Closes(n, to)
	}
	return to == w.after(n) && to > n
}

// direct reports whether all lanes that end a block can go on to where it leads at once, past what
// lies between.
func (w *flow) direct(s *selector, n int) bool {
	p := s.p
	for _, e := range s.edges(n) {
		to := int(p.At[e.To])
		for h := p.Loop[n]; h >= 0; h = p.Outer[h] {
			if !p.Contains(h, to) && w.back[h] {
				return false
			}
		}
		end := to
		if to <= n {
			end = int(p.LoopEnd[to]) + 1
		}
		for x := n + 1; x < end; x++ {
			// or since an earlier iteration of a loop that they have left
			if w.pending[x] != 0 && (int(w.first[x]) <= n || p.Leaves(n, x)) {
				return false
			}
		}
	}
	if len(s.edges(n)) == 0 { // the lanes return, others may wait
		return false
	}
	return true
}

// follow finds what is executed after a block that a part of the lanes executes, when these have
// gone elsewhere. Other lanes of those that diverged at the same block may wait there.
func (w *flow) follow(s *selector) {
	count := s.blockCount()
	meet := func(at int) int {
		for at < count && w.partial[at] {
			at = s.p.PostDominator(at)
		}
		return at
	}
	u := &s.p.Uniform[lower.Block]
	clear(w.seen)
	for n := range count {
		if u.Divergent(n) {
			w.markDivergent(s, n, meet(s.p.PostDominator(n)))
		}
	}
	w.begins = ir.Zeroed(w.begins, count+1)
	for n := count - 1; n >= 0; n-- {
		if u.Divergent(n) && !w.partial[n] {
			w.reconvergence[n] = meet(s.p.PostDominator(n))
		} else if !w.partial[n] {
			continue
		}
		w.follows[n] = w.reconvergence[n]
		begin := &w.begins[w.reconvergence[n]]
		// or else the lanes part for what they pass alone
		if *begin != 0 && (w.partial[n] || w.parts(s, n)) {
			w.follows[n] = int(*begin) - 1
		}
		if w.partial[n] {
			*begin = int32(n + 1)
		}
	}
}

// parts reports whether an end of a block sends lanes to where not all of them come.
func (w *flow) parts(s *selector, n int) bool {
	for _, e := range s.edges(n) {
		if w.partial[s.p.At[e.To]] {
			return true
		}
	}
	return false
}

// check refuses a plan in which lanes could be lost, or sent where the masks of others were not
// begun. The blocks that a part of the lanes executes have one block where its lanes meet, on every
// path.
func (w *flow) check(s *selector) {
	for n := range w.masked {
		if !w.masked[n] && !w.partial[n] {
			continue
		}
		for _, e := range s.edges(n) {
			to := int(s.p.At[e.To])
			if w.partial[to] && w.reconvergence[to] != w.reconvergence[n] || !w.partial[to] && to != w.reconvergence[n] {
				panic(refusal("lanes that diverge and reconverge at several blocks"))
			}
		}
	}
}

// test finds the blocks that perhaps no lanes come to.
func (w *flow) test(s *selector) {
	reach := func(n, to int) {
		if to < s.blockCount() && to > n && w.partial[to] {
			w.tested[to] = true
		}
	}
	for n := range w.masked {
		if w.masked[n] {
			reach(n, w.after(n))
		}
		if w.tested[n] {
			reach(n, w.after(int(w.regions[n])))
		}
	}
}

// findRegions finds how many blocks can be skipped where no lanes come to a block: those that
// follow and are dominated by it. No lanes wait there, as they would have come by way of it. In the
// order of the text a block is dominated if all its predecessors are, or come from behind it, as
// loops are entered at their headers.
func (w *flow) findRegions(s *selector) {
	count := s.blockCount()
	firsts := ir.Zeroed(w.stack, count) // by block: the first predecessor
	for n := range firsts {
		firsts[n] = int32(n)
	}
	for n := range count {
		for _, e := range s.edges(n) {
			to := s.p.At[e.To]
			firsts[to] = min(firsts[to], int32(n))
		}
	}
	w.regions = ir.Zeroed(w.regions, count)
	for n := range count {
		last := n
	region:
		for !w.endsOuterLoop(s, n, last) {
			to := w.after(last)
			if to <= last || to >= count || !w.partial[to] {
				break
			}
			for x := last + 1; x <= to; x++ {
				if int(firsts[x]) < n {
					break region
				}
			}
			last = to
		}
		w.regions[n] = int32(last)
	}
	w.stack = firsts[:0]
}

// endsOuterLoop reports whether a block ends a loop, by parts of the lanes, that begins in front of
// another block.
func (w *flow) endsOuterLoop(s *selector, n, last int) bool {
	if !w.hasTail(s, last) {
		return false
	}
	for h := s.p.Loop[last]; h >= 0 && int(s.p.LoopEnd[h]) == last; h = s.p.Outer[h] {
		if int(h) < n && w.partial[h] {
			return true
		}
	}
	return false
}

// skip returns the label that code goes to if no lanes come to a block.
func (w *flow) skip(s *selector, n int) int {
	last := int(w.regions[n])
	if w.endsOuterLoop(s, n, last) {
		return w.tails[last]
	}
	return w.labels[w.after(last)]
}

// after returns the block that is executed after one whose lanes go to different
// ones.
func (w *flow) after(n int) int {
	if w.partial[n] || w.masked[n] {
		return w.follows[n]
	}
	return n + 1
}

// needs finds which registers lanes still need that wait.
func (w *flow) needs(s *selector) {
	f, p := s.f, s.p
	w.kept = ir.Zeroed(w.kept, f.Indices())
	w.defined = ir.Zeroed(w.defined, f.Indices())
	defined := w.defined
	for n, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			defined[f.Index(r)] = int32(n)
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				defined[f.Index(r)] = int32(n)
			}
		}
	}
	w.needed = ir.Zeroed(w.needed, f.Indices()+2)
	total := 0
	for n, b := range f.Order {
		if !w.waits[n] {
			continue
		}
		w.buffer = w.lives.LiveIn(w.buffer[:0], b)
		total += len(w.buffer)
		for _, r := range w.buffer {
			x := f.Index(r)
			w.needed[x+2]++
			if p.Leaves(int(defined[x]), n) && w.leavesByMask(s, int(defined[x]), n) {
				w.kept[x] = true
			}
		}
	}
	for x := 2; x < len(w.needed); x++ {
		w.needed[x] += w.needed[x-1]
	}
	w.needers = ir.Zeroed(w.needers, total)
	for n, b := range f.Order {
		if !w.waits[n] {
			continue
		}
		w.buffer = w.lives.LiveIn(w.buffer[:0], b)
		for _, r := range w.buffer {
			x := f.Index(r)
			w.needers[w.needed[x+1]] = int32(n)
			w.needed[x+1]++
		}
	}
}

// findLeavers finds the loops that lanes leave by masks: others may go on in them. All lanes leave
// other loops at once.
func (w *flow) findLeavers(s *selector) {
	p := s.p
	w.leavers = ir.Zeroed(w.leavers, s.blockCount())
	for n := range w.masked {
		if !w.masked[n] {
			continue
		}
		for _, e := range s.edges(n) {
			for h := p.Loop[n]; h >= 0; h = p.Outer[h] {
				w.leavers[h] = w.leavers[h] || !p.Contains(h, int(p.At[e.To]))
			}
		}
	}
}

// leavesByMask reports whether lanes leave by masks one of the loops that have one block and not
// another.
func (w *flow) leavesByMask(s *selector, from, to int) bool {
	p := s.p
	for h := p.Loop[from]; h >= 0 && !p.Contains(h, to); h = p.Outer[h] {
		if w.leavers[h] {
			return true
		}
	}
	return false
}

// needing returns the blocks where lanes wait that need a register.
func (w *flow) needing(s *selector, r mir.Operand) []int32 {
	x := s.f.Index(r)
	return w.needers[w.needed[x]:w.needed[x+1]]
}

// blends reports whether parameter k that an edge passes is assigned by mask, since other lanes
// need what it holds.
func (w *flow) blends(s *selector, n, edge, k int) bool {
	f, p := s.f, s.p
	edges := s.edges(n)
	to := int(p.At[edges[edge].To])
	r := f.BlockParams(edges[edge].To)[k]
	if !w.masked[n] && !w.partial[n] {
		return false
	}
	if w.waits[to] && (int(w.first[to]) < n || w.back[to] || w.leavesByMask(s, n, to)) {
		return true
	}
	if w.masked[n] && len(edges) == 2 {
		other := edges[1-edge]
		if int(p.At[other.To]) == to || slices.Contains(f.EdgeArgs(other), r) || s.liveAt(other.To, r) {
			return true
		}
	}
	for _, x := range w.needing(s, r) {
		if x := int(x); x > n && x != to && (int(w.first[x]) <= n || w.leavesByMask(s, n, x)) {
			return true
		}
	}
	return false
}

// liveAt reports whether a register is live where a block begins.
func (s *selector) liveAt(b mir.Block, r mir.Operand) bool {
	s.flow.buffer = s.flow.lives.LiveIn(s.flow.buffer[:0], b)
	return slices.Contains(s.flow.buffer, r)
}
