package machine

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/codegen/mir"
)

// This file finds out how lanes go through the blocks, which execution passes in the order of the
// text (see the package's text).

// flow is what is known of the blocks, by their places in the order; the place behind the last is
// the end.
type flow struct {
	mir.Loops
	pending []operand // lanes that wait to enter
	back    []bool    // of a header: lanes wait that come from its loop
	skips   []int32   // labels in front of all that a block begins with
	tails   []int32   // labels of ends of loops, in front of what goes back
	starts  []int32   // labels of headers, behind what is done once before the loop
	// the places whose pending lanes are none from here on: before the loop's label
	before   [][]int32
	within   [][]int32 // and behind it
	firstUse []int32   // of a place: the first one whose end may add pending lanes
}

// order finds loops.
func (w *flow) order(s *selector) {
	if !w.Loops.Analyse(s.f) {
		unsupported("a loop that is entered in the middle")
	}
}

// analyse finds which blocks lanes wait for.
func (w *flow) analyse(s *selector) {
	f := s.f
	count := len(f.Order)
	w.pending, w.back = make([]operand, count+1), make([]bool, count)
	w.skips, w.starts, w.tails = make([]int32, count+1), make([]int32, count), make([]int32, count)
	w.before, w.within = make([][]int32, count), make([][]int32, count)
	w.firstUse = slices.Repeat([]int32{-1}, count)
	for n := range w.skips {
		w.skips[n] = s.label()
	}
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			to := int(w.At[e.To])
			switch {
			case w.Closes(n, to): // they go on at once
			case to == n+1 && !w.Ends(n): // so do these
			default:
				w.wait(s, n, to)
			}
		}
	}
	for n := range f.Order {
		if w.LoopEnd[n] >= 0 {
			w.starts[n] = s.label()
		}
		if w.Ends(n) {
			w.tails[n] = s.label()
		}
		if w.firstUse[n] >= 0 {
			w.init(n)
		}
	}
}

// wait notes that the end of a block adds lanes to those that wait for another.
func (w *flow) wait(s *selector, from, to int) {
	if w.pending[to] == noOperand {
		w.pending[to] = s.fresh(scalars, s.target.maskWords())
		w.firstUse[to] = int32(from)
	}
	w.firstUse[to] = min(w.firstUse[to], int32(from))
	w.back[to] = w.back[to] || to <= from
}

// behind returns the label behind what a block does with its lanes: those that wait go on from
// there.
func (w *flow) behind(n int) int32 {
	if w.Ends(n) {
		return w.tails[n]
	}
	return w.skips[n+1]
}

// init finds where no lanes wait for a block yet: ahead of the first that may add some, and of all
// loops around that which the block is not in.
func (w *flow) init(to int) {
	first := w.firstUse[to]
	if int(first) >= to { // only from the loop whose header it is
		w.before[to] = append(w.before[to], int32(to))
		return
	}
	header := int32(-1)
	for h := w.Loop[first]; h >= 0; h = w.Outer[h] {
		if !w.Contains(h, to) {
			header = h
		}
	}
	if header >= 0 {
		w.before[header] = append(w.before[header], int32(to))
	} else {
		w.within[first] = append(w.within[first], int32(to))
	}
}

// mark places a label.
func (s *selector) mark(label int32) { s.emit(labelMark).offset = label }

func (s *selector) jump(o opcode, label int32) { s.emit(o).offset = label }

// empty says that no lanes wait in a register.
func (s *selector) empty(pending operand) {
	s.emit(opMoveMask, pending, s.constant(0)).role = verify.Empty
}

// beginBlock lets the lanes in that wait.
func (s *selector) beginBlock(n int) {
	w := &s.flow
	s.held = held{}
	s.blocks = append(s.blocks, block{span: span{first: len(s.list)}})
	s.mark(w.skips[n])
	for _, to := range w.before[n] {
		s.empty(w.pending[to])
	}
	if w.LoopEnd[n] >= 0 {
		s.mark(w.starts[n])
	}
	for _, to := range w.within[n] {
		s.empty(w.pending[to])
	}
	if p := w.pending[n]; p != noOperand {
		s.emit(opOrMask, exec, exec, p).role = verify.Admit
		if w.LoopEnd[n] >= 0 {
			s.empty(p)
		}
	}
	if n > 0 {
		s.jump(opBranchNone, w.behind(n))
	}
}

// endBlock sends lanes on.
func (s *selector) endBlock(n int) {
	f, w := s.f, &s.flow
	i := f.Last(f.Order[n])
	b := &s.blocks[n]
	switch f.Op(i) {
	case mir.Return, mir.Trap:
		if n+1 < len(f.Order) {
			s.emit(opMoveMask, exec, s.constant(0)).role = verify.Leave
			if w.Ends(n) {
				s.goBack(n)
			}
		}
	case mir.Jump:
		e := f.Edges(i)[0]
		b.copies[0] = s.pass(e)
		s.route(n, [2]operand{exec}, [2]int{int(w.At[e.To]), -1})
	case mir.Branch:
		s.branch(n, i)
	}
	s.blocks[n].end = len(s.list)
}

// branch sends the lanes for which a condition holds one way, and the others another.
func (s *selector) branch(n int, i mir.Inst) {
	f, w := s.f, &s.flow
	edges := f.Edges(i)
	b := &s.blocks[n]
	c := s.mask(f.Arg(i, 0))
	yes, no := s.freshMask(), s.freshMask()
	s.emit(opAndMask, yes, exec, c)
	s.emit(opAndNotMask, no, exec, c)
	to := [2]int{int(w.At[edges[0].To]), int(w.At[edges[1].To])}
	lanes := [2]operand{yes, no}
	for k, e := range edges {
		if s.passes(e) {
			s.emit(opMoveMask, exec, lanes[k])
			b.copies[k] = s.pass(e)
		}
	}
	if to[0] == to[1] {
		s.emit(opOrMask, exec, yes, no)
		s.route(n, [2]operand{exec}, [2]int{to[0], -1})
		return
	}
	s.route(n, lanes, to)
}

// route sends lanes to where they go: who does not go on to the next block, or back from the end of
// a loop, waits.
func (s *selector) route(n int, lanes [2]operand, to [2]int) {
	w := &s.flow
	on := noOperand // the lanes that go on at once
	for k, t := range to {
		switch {
		case t < 0:
		case w.Closes(n, t), t == n+1 && !w.Ends(n):
			on = lanes[k]
		default:
			s.emit(opOrMask, w.pending[t], w.pending[t], lanes[k]).role = verify.Park
		}
	}
	switch on {
	case exec:
	case noOperand:
		s.emit(opMoveMask, exec, s.constant(0))
	default:
		s.emit(opMoveMask, exec, on)
	}
	if w.Ends(n) {
		s.goBack(n)
	}
}

// goBack ends loops, from the innermost one on: as long as there are lanes for a header, it is gone
// back to.
func (s *selector) goBack(n int) {
	w := &s.flow
	s.mark(w.tails[n])
	for h := w.Loop[n]; h >= 0 && int(w.LoopEnd[h]) == n; h = w.Outer[h] {
		if w.back[h] {
			s.emit(opOrMask, exec, exec, w.pending[h]).role = verify.Admit
			s.empty(w.pending[h])
		}
		s.jump(opBranchSome, w.starts[h])
	}
}

// copyOf is the move of a value to a block's parameter.
type copyOf struct {
	to, from operand
	words    int
	source   source
}

// passes reports whether an edge moves anything.
func (s *selector) passes(e mir.Edge) bool {
	args := s.f.EdgeArgs(e)
	for n, p := range s.f.BlockParams(e.To) {
		if p != args[n] {
			return true
		}
	}
	return false
}

// pass moves what an edge passes, all at once: what another move reads is not overwritten before.
func (s *selector) pass(e mir.Edge) span {
	first := len(s.list)
	list := s.copies[:0]
	args := s.f.EdgeArgs(e)
	for n, p := range s.f.BlockParams(e.To) {
		if p == args[n] {
			continue
		}
		c := copyOf{to: s.values[s.index(p)], words: classWords[p.Class()]}
		switch {
		case args[n].IsConst():
			c.source = source{bits: s.f.Bits(args[n]), constant: true}
		case p.Class() == mir.Predicate:
			c.from = s.homes[s.index(args[n])]
		default:
			c.from = s.values[s.index(args[n])]
		}
		list = append(list, c)
	}
	s.copies = list
	for len(list) > 0 {
		kept := list[:0]
		for n, c := range list {
			if readBy(list[n+1:], c.to) || readBy(kept, c.to) {
				kept = append(kept, c)
				continue
			}
			s.move(c)
		}
		if len(kept) == len(list) { // they go round in circles: one value steps aside
			c := &kept[0]
			aside := s.fresh(vectors, int(s.registers[c.to.number()].words))
			for n := range s.registers[c.to.number()].words {
				s.emit(opMove, aside.at(int(n)), c.to.at(int(n)))
			}
			for k := range kept {
				if kept[k].from.isVector() && kept[k].from.number() == c.to.number() {
					kept[k].from = aside | kept[k].from&^(kindMask|numberMask)
				}
			}
		}
		list = kept
	}
	return span{first, len(s.list)}
}

// readBy reports whether a move reads a register that another one writes.
func readBy(list []copyOf, to operand) bool {
	for _, c := range list {
		if c.from.isVector() && c.from.number() == to.number() {
			return true
		}
	}
	return false
}

func (s *selector) move(c copyOf) {
	for n := range c.words {
		if c.source.constant {
			s.emit(opMove, c.to.at(n), s.wordOf(&c.source, n))
		} else {
			s.emit(opMove, c.to.at(n), c.from.at(n))
		}
	}
}
