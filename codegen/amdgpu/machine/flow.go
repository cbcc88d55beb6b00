package machine

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/codegen/mir"
)

// This file selects the masks and branches with which lanes go through the blocks (see "Control
// flow" in the package's text).

// flow has what is known of the blocks, by their indices in the order. The index after the last
// block is the end of the code.
type flow struct {
	mir.Loops
	pending []operand // mask of the lanes that wait for the block, or none
	back    []bool    // of a header: lanes from its loop wait for it
	skips   []int32   // labels at the begin of a block
	tails   []int32   // labels at the end of a loop, in front of the branch back
	starts  []int32   // labels of headers, where the branch back leads
	// the blocks whose masks are cleared at the begin of a block: before the label in starts, and
	// behind it
	clearBefore, clearAfter [][]int32
	firstUse                []int32 // the first block that parks lanes for this one, or -1
}

// analyse finds the blocks that lanes can wait for, and where their masks are cleared.
func (w *flow) analyse(s *selector) {
	f := s.f
	count := len(f.Order)
	w.pending, w.back = make([]operand, count+1), make([]bool, count)
	w.skips, w.starts, w.tails = make([]int32, count+1), make([]int32, count), make([]int32, count)
	w.clearBefore, w.clearAfter = make([][]int32, count), make([][]int32, count)
	w.firstUse = slices.Repeat([]int32{-1}, count)
	for n := range w.skips {
		w.skips[n] = s.label()
	}
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			to := int(w.At[e.To])
			switch {
			case w.Closes(n, to): // the lanes go back at once
			case to == n+1 && !w.Ends(n): // or go on
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
			w.placeClear(n)
		}
	}
}

// wait notes that the end of a block parks lanes for another one.
func (w *flow) wait(s *selector, from, to int) {
	if w.pending[to] == noOperand {
		w.pending[to] = s.fresh(scalars, s.target.maskWords())
		w.firstUse[to] = int32(from)
	}
	w.firstUse[to] = min(w.firstUse[to], int32(from))
	w.back[to] = w.back[to] || to <= from
}

// resumeLabel returns the label where execution continues if no lane executes a block.
func (w *flow) resumeLabel(n int) int32 {
	if w.Ends(n) {
		return w.tails[n]
	}
	return w.skips[n+1]
}

// placeClear chooses where the mask of a block is cleared. That is before the first block that
// parks lanes in it, outside of all loops that contain that block and not the target.
func (w *flow) placeClear(to int) {
	first := w.firstUse[to]
	if int(first) >= to { // lanes come only from its own loop
		w.clearBefore[to] = append(w.clearBefore[to], int32(to))
		return
	}
	header := int32(-1)
	for h := w.Loop[first]; h >= 0; h = w.Outer[h] {
		if !w.Contains(h, to) {
			header = h
		}
	}
	if header >= 0 {
		w.clearBefore[header] = append(w.clearBefore[header], int32(to))
	} else {
		w.clearAfter[first] = append(w.clearAfter[first], int32(to))
	}
}

// mark appends a label.
func (s *selector) mark(label int32) { s.emit(labelMark).offset = label }

func (s *selector) jump(o opcode, label int32) { s.emit(o).offset = label }

// clearMask selects that no lanes wait in a mask.
func (s *selector) clearMask(pending operand) {
	s.emit(opMoveMask, pending, s.constant(0)).role = verify.Clear
}

// beginBlock selects the begin of a block: lanes that wait for it become active.
func (s *selector) beginBlock(n int) {
	w := &s.flow
	s.cache = valueCache{}
	s.blocks = append(s.blocks, block{span: span{first: len(s.list)}})
	s.mark(w.skips[n])
	for _, to := range w.clearBefore[n] {
		s.clearMask(w.pending[to])
	}
	if w.LoopEnd[n] >= 0 {
		s.mark(w.starts[n])
	}
	for _, to := range w.clearAfter[n] {
		s.clearMask(w.pending[to])
	}
	if p := w.pending[n]; p != noOperand {
		s.emit(opOrMask, exec, exec, p).role = verify.Resume
		if w.LoopEnd[n] >= 0 {
			s.clearMask(p)
		}
	}
	if n > 0 {
		s.jump(opBranchNone, w.resumeLabel(n))
	}
}

// endBlock selects the end of a block: each lane goes to its target.
func (s *selector) endBlock(n int) {
	f, w := s.f, &s.flow
	i := f.Last(f.Order[n])
	b := &s.blocks[n]
	switch f.Op(i) {
	case mir.Return, mir.Trap:
		if n+1 < len(f.Order) {
			s.emit(opMoveMask, exec, s.constant(0)).role = verify.Exit
			if w.Ends(n) {
				s.loopBack(n)
			}
		}
	case mir.Jump:
		e := f.Edges(i)[0]
		b.copies[0] = s.copyArgs(e)
		s.route(n, [2]operand{exec}, [2]int{int(w.At[e.To]), -1})
	case mir.Branch:
		s.branch(n, i)
	}
	s.blocks[n].end = len(s.list)
}

// branch selects a conditional branch, which divides the active lanes.
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
		if s.hasCopies(e) {
			s.emit(opMoveMask, exec, lanes[k])
			b.copies[k] = s.copyArgs(e)
		}
	}
	if to[0] == to[1] {
		s.emit(opOrMask, exec, yes, no)
		s.route(n, [2]operand{exec}, [2]int{to[0], -1})
		return
	}
	s.route(n, lanes, to)
}

// route sends masks of lanes to their target blocks, -1 for none. Lanes that neither go on to the
// next block nor back from the end of a loop are parked.
func (s *selector) route(n int, lanes [2]operand, to [2]int) {
	w := &s.flow
	on := noOperand // the lanes that stay active
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
		s.loopBack(n)
	}
}

// loopBack ends the loops that end with a block, from the innermost one on: execution branches back
// to the header as long as lanes wait for it.
func (s *selector) loopBack(n int) {
	w := &s.flow
	s.mark(w.tails[n])
	for h := w.Loop[n]; h >= 0 && int(w.LoopEnd[h]) == n; h = w.Outer[h] {
		if w.back[h] {
			s.emit(opOrMask, exec, exec, w.pending[h]).role = verify.Resume
			s.clearMask(w.pending[h])
		}
		s.jump(opBranchSome, w.starts[h])
	}
}

// parallelMove is the move of a value to a block parameter.
type parallelMove struct {
	to, from operand
	words    int
	source   source
}

// hasCopies reports whether an edge passes anything that has to be moved.
func (s *selector) hasCopies(e mir.Edge) bool {
	args := s.f.EdgeArgs(e)
	for n, p := range s.f.BlockParams(e.To) {
		if p != args[n] {
			return true
		}
	}
	return false
}

// copyArgs selects the moves of what an edge passes, as one parallel move: no register is
// overwritten that another move still reads.
func (s *selector) copyArgs(e mir.Edge) span {
	first := len(s.list)
	list := s.copies[:0]
	args := s.f.EdgeArgs(e)
	for n, p := range s.f.BlockParams(e.To) {
		if p == args[n] {
			continue
		}
		c := parallelMove{to: s.values[s.f.Index(p)], words: classWords[p.Class()]}
		switch {
		case args[n].IsConst():
			c.source = source{bits: s.f.Bits(args[n]), constant: true}
		case p.Class() == mir.Predicate:
			c.from = s.boolWords[s.f.Index(args[n])]
		default:
			c.from = s.values[s.f.Index(args[n])]
		}
		list = append(list, c)
	}
	s.copies = list
	for len(list) > 0 {
		kept := list[:0]
		for n, c := range list {
			if isRead(list[n+1:], c.to) || isRead(kept, c.to) {
				kept = append(kept, c)
				continue
			}
			s.move(c)
		}
		if len(kept) == len(list) { // only cycles are left: break one with a copy
			c := &kept[0]
			saved := s.fresh(vectors, int(s.registers[c.to.number()].words))
			for n := range s.registers[c.to.number()].words {
				s.emit(opMove, saved.at(int(n)), c.to.at(int(n)))
			}
			for k := range kept {
				if kept[k].from.isVector() && kept[k].from.number() == c.to.number() {
					kept[k].from = saved | kept[k].from&^(kindMask|numberMask)
				}
			}
		}
		list = kept
	}
	return span{first, len(s.list)}
}

// isRead reports whether a move in the list reads a register.
func isRead(list []parallelMove, to operand) bool {
	for _, c := range list {
		if c.from.isVector() && c.from.number() == to.number() {
			return true
		}
	}
	return false
}

func (s *selector) move(c parallelMove) {
	for n := range c.words {
		if c.source.constant {
			s.emit(opMove, c.to.at(n), s.wordOf(&c.source, n))
		} else {
			s.emit(opMove, c.to.at(n), c.from.at(n))
		}
	}
}
