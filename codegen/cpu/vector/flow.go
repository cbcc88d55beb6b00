package vector

import (
	"github.com/gpuc/gpuc/codegen/mir"
)

// This file compiles the ends of blocks. What an edge passes is moved in the lanes that take it, in
// front of a jump. A branch is followed by the moves and the jump of one way, and then by those of
// the other.

// move is an assignment of a block's parameter. What all lanes may get is moved in all of them.
type move struct {
	to, from operand
	all      bool
}

// shadow is the column where edges leave the uniform value of a header's parameter that is still
// read. Some lanes go back before others have come to the end of the loop.
type shadow struct {
	register mir.Operand
	at       uint32
}

// shadowOf returns the block where edges to a header leave a parameter that is one value, or its
// home.
func (c *compiler) shadowOf(block int, r mir.Operand) operand {
	home := c.homes[c.f.Index(r)]
	if c.p.LoopEnd[block] < 0 || home.step != 0 || !c.early[block] {
		return home
	}
	for _, s := range c.shadows {
		if s.register == r {
			return operand{at: s.at, class: home.class}
		}
	}
	at := c.reserveOne()
	c.shadows = append(c.shadows, shadow{r, at})
	return operand{at: at, class: home.class}
}

// countEdges finds, by block, how many forward edges lead there, and whether lanes go back to a
// header from elsewhere than its loop's end.
func (c *compiler) countEdges() {
	count := len(c.f.Order)
	c.forwardEdges, c.early = make([]int32, count), make([]bool, count)
	for n, b := range c.f.Order {
		for _, e := range c.f.Edges(c.f.Last(b)) {
			if to := int(c.p.At[e.To]); to > n {
				c.forwardEdges[to]++
			} else if n < int(c.p.LoopEnd[to]) {
				c.early[to] = true
			}
		}
	}
}

// enter compiles what a block begins with.
func (c *compiler) enter(block int) {
	for _, r := range c.f.BlockParams(c.f.Order[block]) {
		if home := c.homes[c.f.Index(r)]; !c.varies(r) {
			if from := c.shadowOf(block, r); from != home {
				c.move(home, from)
			}
		}
	}
}

// edge compiles a way to a block: the moves, and the jump.
func (c *compiler) edge(from int, e mir.Edge) {
	f := c.f
	target := int(c.p.At[e.To])
	c.moves = c.moves[:0]
	args := f.EdgeArgs(e)
	// Lanes that do not take the only way back leave the loop. Those that take the only way that
	// does not lead back take it together, since blocks run in the order of the text, with all
	// lanes that come to them. The exception is a way out of a loop that lanes leave one by one.
	// The others hold nothing in these slots.
	only := false
	if target > from {
		only = !c.exitsDivergently(from, target) && c.forwardEdges[target] == 1
	} else if from == int(c.p.LoopEnd[target]) {
		_, only = c.backEdge(target)
	}
	for n, r := range f.BlockParams(e.To) {
		to, from := c.homes[f.Index(r)], c.operandOf(args[n])
		if to.step == 0 {
			to = c.shadowOf(target, r)
		}
		if to != from {
			c.moves = append(c.moves, move{to, from, only && !c.slots.liveOut[f.Index(r)]})
		}
	}
	c.moveAll()
	c.emit(inst{op: opJump, x: uint32(target)})
}

// exitsDivergently reports whether an edge leads out of a loop that lanes leave at different times.
func (c *compiler) exitsDivergently(from, to int) bool {
	for h := c.p.Loop[from]; h >= 0 && !c.p.Contains(h, to); h = c.p.Outer[h] {
		if c.slots.divergentExits[h] {
			return true
		}
	}
	return false
}

// moveAll emits moves that happen at once: one whose target another one still reads waits, and
// a cycle is broken by a copy of one value.
func (c *compiler) moveAll() {
	list := c.moves
	for len(list) > 0 {
		kept := list[:0]
		for n, m := range list {
			if readBy(list[n+1:], m.to) || readBy(kept, m.to) {
				kept = append(kept, m)
				continue
			}
			if m.all && m.to.step != 0 {
				c.moveFull(m.to, m.from)
			} else {
				c.move(m.to, m.from)
			}
		}
		if len(kept) == len(list) {
			aside := c.aside(kept[0].to)
			c.moveFull(aside, kept[0].to)
			for k := range kept {
				if kept[k].from == kept[0].to {
					kept[k].from = aside
				}
			}
		}
		list = kept
	}
}

func readBy(list []move, to operand) bool {
	for _, m := range list {
		if m.from == to {
			return true
		}
	}
	return false
}

// aside returns a block of the kind of another one for one move: each circle has its own.
func (c *compiler) aside(x operand) operand {
	if x.step == 0 {
		x.at = c.reserveOne()
	} else {
		x.at = c.reserve(c.out.room * width(x.class))
	}
	return x
}

// moveFull copies or fills a column in all lanes, or copies a single value.
func (c *compiler) moveFull(to, from operand) {
	if to.step != 0 && from.step == 0 {
		c.fill(to.at, from)
		return
	}
	i := inst{op: opPrimitive, primitive: copyWord, d: to.at, a: from.at}
	if from.class == mir.Long {
		i.primitive = copyLong
	}
	if to.step == 0 {
		i.op = opOne
	}
	c.emit(i)
}

// branch compiles a branch.
func (c *compiler) branch(n int, i mir.Inst) {
	f := c.f
	edges := f.Edges(i)
	condition := c.operandOf(f.Arg(i, 0))
	at := len(c.out.code)
	o := opBranch
	if condition.step == 0 {
		o = opBranchOne
	}
	c.emit(inst{op: o, a: condition.at})
	c.edge(n, edges[0])
	c.out.code[at].x = uint32(len(c.out.code))
	c.edge(n, edges[1])
}
