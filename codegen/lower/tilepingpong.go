package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file schedules the two warpgroups of consumers in loops that have products and work on
// elements: while the one multiplies, the other works on its elements. That is warpgroup-wide
// ping-pong scheduling (Shah et al., "FlashAttention-3", 2024). Before its products a warpgroup
// waits at its barrier, where the other arrives after its own products.

// pingPong is such a loop, with its first and last product.
type pingPong struct{ loop, first, last ir.Inst }

// firstPingPong is the number of the barrier of the first warpgroup. Lower ones are for stores.
const firstPingPong = 3

// findPingPong finds such loops.
func (t *tileLowering) findPingPong() {
	f := t.f
	if t.produces || t.tensor.consumers != 2 {
		return
	}
	for loop := f.First(f.Entry); loop != 0; loop = f.After(loop, f.Entry) {
		if f.Op(loop) != op.Loop {
			continue
		}
		x, works := pingPong{loop: loop}, false
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
			t.loops = append(t.loops, x)
		}
	}
}

// otherBarrier returns the number of the barrier of the other warpgroup.
func (t *tileLowering) otherBarrier() ir.Value {
	return t.b.Op(op.Sub, t.u32(firstPingPong+1), t.group)
}

func (t *tileLowering) ownBarrier() ir.Value { return t.op(op.Add, t.group, firstPingPong) }

// startPingPong lets the first warpgroup begin, before a loop.
func (t *tileLowering) startPingPong(loop ir.Inst) {
	for _, x := range t.loops {
		if x.loop == loop {
			t.when(t.op(op.Eq, t.group, 1), func() { t.intrinsic(op.NamedArrive, t.u32(firstPingPong), t.u32(2*warpgroup)) })
		}
	}
}

// endPingPong has the first warpgroup wait for the last products of the second, after a loop.
func (t *tileLowering) endPingPong(loop ir.Inst) {
	for _, x := range t.loops {
		if x.loop == loop {
			t.when(t.op(op.Eq, t.group, 0), func() { t.intrinsic(op.NamedBarrier, t.u32(firstPingPong), t.u32(2*warpgroup)) })
		}
	}
}

// awaitOther waits for the products of the other warpgroup, before the first one of an iteration.
func (t *tileLowering) awaitOther(i ir.Inst) {
	for _, x := range t.loops {
		if x.first == i {
			t.intrinsic(op.NamedBarrier, t.ownBarrier(), t.u32(2*warpgroup))
		}
	}
}

// wakeOther lets the other warpgroup multiply, after the last product of an iteration.
func (t *tileLowering) wakeOther(i ir.Inst) {
	for _, x := range t.loops {
		if x.last == i {
			t.intrinsic(op.NamedArrive, t.otherBarrier(), t.u32(2*warpgroup))
		}
	}
}
