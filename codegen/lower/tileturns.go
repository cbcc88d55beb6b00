package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file has two warpgroups of consumers take turns in a loop that has products and work on
// elements: while the one multiplies, the other does its work on elements (Shah et al.,
// "FlashAttention-3", 2024: warpgroup-wide ping-pong scheduling). Before its products a warpgroup
// waits at its barrier, where the other arrives after its own.

// turns is such a loop, with its first and last product.
type turns struct{ loop, first, last ir.Inst }

// firstTurn is the number of the barrier of the first warpgroup. Lower ones are for stores.
const firstTurn = 3

// findTurns finds the loops in which the warpgroups take turns.
func (t *tileLowering) findTurns() {
	f := t.f
	if t.produces || t.tensor.consumers != 2 || t.tensor.fma != nil {
		return
	}
	for loop := f.First(f.Entry); loop != 0; loop = f.After(loop, f.Entry) {
		if f.Op(loop) != op.Loop {
			continue
		}
		x, works := turns{loop: loop}, false
		body := f.Region(loop, 0)
		for i := f.First(body); i != 0; i = f.After(i, body) {
			switch f.Op(i) {
			case op.Loop:
				works, x.first = false, 0 // only innermost loops
			case op.TileMulAdd:
				if x.last = i; x.first == 0 {
					x.first = i
				}
				if f.BlockOf(i) != body {
					works, x.first = false, 0
				}
			case op.TileGet, op.TileReduce:
				works = true
			}
		}
		if works && x.first != 0 {
			t.turns = append(t.turns, x)
		}
	}
}

// otherTurn returns the number of the barrier of the other warpgroup.
func (t *tileLowering) otherTurn() ir.Value {
	return t.b.Op(op.Sub, t.u32(firstTurn+1), t.group)
}

func (t *tileLowering) ownTurn() ir.Value { return t.op(op.Add, t.group, firstTurn) }

// beginTurns gives the first warpgroup the first turn, before a loop.
func (t *tileLowering) beginTurns(loop ir.Inst) {
	for _, x := range t.turns {
		if x.loop == loop {
			t.when(t.op(op.Eq, t.group, 1), func() { t.intrinsic(op.NamedArrive, t.u32(firstTurn), t.u32(2*warpgroup)) })
		}
	}
}

// endTurns has the first warpgroup take the last turn, after a loop.
func (t *tileLowering) endTurns(loop ir.Inst) {
	for _, x := range t.turns {
		if x.loop == loop {
			t.when(t.op(op.Eq, t.group, 0), func() { t.intrinsic(op.NamedBarrier, t.u32(firstTurn), t.u32(2*warpgroup)) })
		}
	}
}

// beginTurn waits for the turn of the warpgroup, before the first product of an iteration.
func (t *tileLowering) beginTurn(i ir.Inst) {
	for _, x := range t.turns {
		if x.first == i {
			t.intrinsic(op.NamedBarrier, t.ownTurn(), t.u32(2*warpgroup))
		}
	}
}

// endTurn gives the turn to the other warpgroup, after the last product of an iteration.
func (t *tileLowering) endTurn(i ir.Inst) {
	for _, x := range t.turns {
		if x.last == i {
			t.intrinsic(op.NamedArrive, t.otherTurn(), t.u32(2*warpgroup))
		}
	}
}
