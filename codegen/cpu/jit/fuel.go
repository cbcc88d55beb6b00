package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file counts fuel, so that a call ends after a bounded count of instructions, whatever an
// iteration of a loop or a block of lanes consists of. A clock would say the same only afterwards.
// Code burns its fuel in advance. A block of lanes burns that of all instructions that it may come
// to up to the next barrier. Each iteration of a loop burns that of the loop's text, whatever path
// it takes. Loops from lane to lane, most of which are not executed, burn theirs when they begin.
// So no more instructions are executed between two charges than the second one is for, or the
// first, if that is the block's. What is left of a call's budget is in the context, in units: an
// instruction is one, and what takes many times as long as others more.

// fuelOf is how many units an instruction is.
func fuelOf(i *amd64.Instruction) int32 {
	switch {
	case i.Op == amd64.Mark:
		return 0
	case i.Op == amd64.VPGatherDD, i.Op == amd64.VPGatherDQ, i.Address.Locked:
		return 16
	}
	return 1
}

// spillFactor is how many instructions there may be for one before registers are assigned.
const spillFactor = 3

// burn emits a charge of some units. Fuel that does not suffice becomes 0: nothing returns here.
func (s *selector) burn(units int64) {
	enough := s.label()
	s.burnUnchecked(units)
	s.jumpIf(amd64.AboveEqual, enough)
	s.setContext(contextFuel, 0)
	s.mark(enough)
}

// burnUnchecked leaves in the flags whether it was too much. Those after which code returns are
// for fillFuel to fill in.
func (s *selector) burnUnchecked(units int64) {
	s.immediate(amd64.Sub, amd64.Narrow, units, amd64.Mem)
	s.list[len(s.list)-1].Address = s.context(contextFuel)
}

// fuelCounter is the working memory.
type fuelCounter struct {
	marks       []int32 // by label: the instruction there, from 1
	sums        []int32 // by instruction, and the end: the units before it
	preemptions []int32 // by label: the pause that it leads to, from 1
	starts      []int32 // runs
	seen        []int32 // by run, for which start
	stack       []int32
	live        liveness
}

// fillFuel finds how many units charges are for, once registers have been assigned.
func (s *selector) fillFuel(list []amd64.Instruction) {
	w := &s.fuelCounter
	w.marks, w.sums, w.preemptions = ir.Zeroed(w.marks, s.labs), ir.Zeroed(w.sums, len(list)+1), ir.Zeroed(w.preemptions, s.labs)
	for n := range s.preemptions {
		w.preemptions[s.preemptions[n].cold] = int32(n + 1)
	}
	sum := int32(0)
	for n := range list {
		i := &list[n]
		if i.Op == amd64.Mark {
			w.marks[i.Operands[0].Number()] = int32(n + 1)
		}
		w.sums[n] = sum
		sum += fuelOf(i)
	}
	w.sums[len(list)] = sum
	for n := range list {
		i := &list[n]
		if n == 0 || i.Op != amd64.Jcc || !burnsFuel(&list[n-1]) {
			continue
		}
		switch label := i.Operands[0].Number(); {
		case label == s.preempted:
			list[n-1].Immediate = int64(s.maxFuel(list))
		case w.preemptions[label] != 0:
			list[n-1].Immediate = int64(w.iteration(list, n))
		}
	}
}

func burnsFuel(i *amd64.Instruction) bool {
	return i.Op == amd64.Sub && i.Operands[0] == amd64.Mem && i.Address == amd64.At(contextRegister, contextFuel)
}

// iteration returns the units of an iteration of a loop. The loop ends with the preemption point at
// a position of the list and the jump back after it.
func (w *fuelCounter) iteration(list []amd64.Instruction, n int) int32 {
	if n+1 < len(list) && list[n+1].Op == amd64.Jmp {
		if from := w.marks[list[n+1].Operands[0].Number()]; from != 0 && int(from) <= n {
			return w.sums[n+2] - w.sums[from-1]
		}
	}
	return w.sums[len(list)]
}

// mostFuel returns the units of the phase that has most: of all instructions that may be executed
// for a block of lanes before the next barrier.
func (s *selector) maxFuel(list []amd64.Instruction) int32 {
	w := &s.fuelCounter
	if len(s.barriers) == 0 {
		return w.sums[len(list)]
	}
	l := &w.live
	l.split(list, s.labs)
	end := l.marks[s.advance] - 1 // what is after the phases
	w.starts, w.seen = append(w.starts[:0], l.marks[s.resumed]-1), ir.Zeroed(w.seen, len(l.runs))
	for _, b := range s.barriers {
		if at := l.marks[b.resume]; at != 0 {
			w.starts = append(w.starts, at-1)
		}
	}
	heaviest := int32(0)
	for k, start := range w.starts {
		sum := int32(0)
		w.stack = append(w.stack[:0], start)
		for len(w.stack) > 0 {
			n := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			if n < 0 || n == end || w.seen[n] == int32(k+1) {
				continue
			}
			w.seen[n] = int32(k + 1)
			r := &l.runs[n]
			sum += w.sums[r.end] - w.sums[r.first]
			w.stack = append(w.stack, r.next[0], r.next[1])
		}
		heaviest = max(heaviest, sum)
	}
	return heaviest + w.sums[len(list)] - w.sums[l.runs[end].first]
}
