package ptx

import (
	"github.com/gpuc/gpuc/ir"
)

// This file moves what blocks pass to each other, all at once: no move may read what another
// has written.

// move is a pending assignment of one scalar.
type move struct{ to, from operand }

// move notes the assignments that give a value's registers another value.
func (e *emitter) move(to, from ir.Value) {
	source := e.slotsOf(from)
	at := e.values[to]
	for n := range at.count {
		e.moves = append(e.moves, move{e.slots[at.first+n], source[n]})
	}
}

// flushMoves emits the pending assignments as if at once: one whose target
// another still reads waits, and a cycle goes through a register of its own.
func (e *emitter) flushMoves() {
	pending := e.moves[:0]
	for _, m := range e.moves {
		if m.to != m.from {
			pending = append(pending, m)
		}
	}
	if len(pending) > fewMoves {
		e.flushMany(pending)
		pending = pending[:0]
	}
	for len(pending) > 0 {
		kept := pending[:0]
		progress := false
		for n, m := range pending {
			if reads(pending[n+1:], m.to) || reads(kept, m.to) {
				kept = append(kept, m)
				continue
			}
			e.assign(m.to, m.from)
			progress = true
		}
		pending = kept
		if !progress {
			saved := e.fresh(pending[0].to.class())
			e.assign(saved, pending[0].to)
			for n := range pending {
				if pending[n].from == pending[0].to {
					pending[n].from = saved
				}
			}
		}
	}
	e.moves = e.moves[:0]
}

// fewMoves is the number of assignments up to which searching them is fastest.
const fewMoves = 64

// flushMany is flushMoves for the elements of large arrays: in time proportional to
// their number.
func (e *emitter) flushMany(pending []move) {
	readers := make(map[operand]int, len(pending)) // how many pending moves read a register
	writer := make(map[operand]int, len(pending))  // the pending move that writes it
	var ready []int
	for n, m := range pending {
		readers[m.from]++
		writer[m.to] = n
	}
	for n, m := range pending {
		if readers[m.to] == 0 {
			ready = append(ready, n)
		}
	}
	done := make([]bool, len(pending))
	var reader map[operand]int
	for next := 0; ; next++ {
		for len(ready) > 0 {
			m := pending[ready[0]]
			done[ready[0]] = true
			ready = ready[1:]
			e.assign(m.to, m.from)
			readers[m.from]--
			if n, written := writer[m.from]; written && readers[m.from] == 0 && !done[n] {
				ready = append(ready, n)
			}
		}
		for next < len(pending) && done[next] {
			next++
		}
		if next == len(pending) {
			return
		}
		// What is left are cycles, in which each register is read once.
		if reader == nil {
			reader = make(map[operand]int)
			for n, m := range pending {
				if !done[n] {
					reader[m.from] = n
				}
			}
		}
		target := pending[next].to
		saved := e.fresh(target.class())
		e.assign(saved, target)
		pending[reader[target]].from = saved
		readers[saved], readers[target] = 1, 0
		ready = append(ready, next)
	}
}

func reads(moves []move, o operand) bool {
	for _, m := range moves {
		if m.from == o {
			return true
		}
	}
	return false
}

// assign emits a register's new value.
func (e *emitter) assign(to, from operand) {
	e.text("\tmov.", kinds[classKind[to.class()]].bits, " ")
	e.name(to)
	e.text(", ")
	e.bits(from)
	e.text(";\n")
}
