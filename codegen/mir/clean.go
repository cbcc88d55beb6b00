package mir

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
)

// This file simplifies the control-flow graph after lowering (LLVM: SimplifyCFG). Branches on
// constants become jumps. Edges to a block that only jumps lead to its target. Unreachable blocks
// are removed. A block is merged into its predecessor if only a jump of that leads to it.

// cleaner holds the working memory.
type cleaner struct {
	onward   []Block // by block: where it leads if it does nothing else
	preds    []uint32
	stack    []Block
	replaced []Operand // by register: what it is, or none
}

func (c *cleaner) run(f *Func) {
	c.fold(f)
	c.thread(f)
	c.count(f)
	c.join(f)
}

// fold makes branches on constants jumps.
func (c *cleaner) fold(f *Func) {
	for _, b := range f.Order {
		i := f.Last(b)
		if f.Op(i) != Branch || !f.Arg(i, 0).IsConst() {
			continue
		}
		x := &f.insts[i]
		if f.Bits(f.Arg(i, 0)) == 0 {
			x.aux++
		}
		x.op, x.args = Jump, list{}
	}
}

// thread leads around blocks that only jump on and pass nothing.
func (c *cleaner) thread(f *Func) {
	c.onward = ir.Zeroed(c.onward, len(f.blocks))
	for _, b := range f.Order {
		i := f.First(b)
		if f.Op(i) != Jump || f.blocks[b].params.count > 0 {
			continue
		}
		if e := f.Edges(i)[0]; e.args.count == 0 {
			c.onward[b] = e.To
		}
	}
	for n := range f.edges {
		e := &f.edges[n]
		to, seen := e.To, e.To
		for steps := 1; c.onward[to] != 0; steps++ {
			if to = c.onward[to]; to == seen {
				// they lead around in a circle (Brent, "An improved Monte Carlo factorization
				// algorithm", 1980)
				break
			}
			if steps&(steps-1) == 0 {
				seen = to
			}
		}
		for at := e.To; c.onward[at] != 0 && at != to; { // whoever comes here next is there at once
			at, c.onward[at] = c.onward[at], to
		}
		e.To = to
	}
}

// count counts the edges that lead to each block that is reached, from such blocks.
func (c *cleaner) count(f *Func) {
	c.preds = ir.Zeroed(c.preds, len(f.blocks))
	c.preds[f.Order[0]] = 2 // the function's caller, whom no block joins
	c.stack = append(c.stack[:0], f.Order[0])
	for len(c.stack) > 0 {
		b := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		for _, e := range f.Edges(f.Last(b)) {
			if c.preds[e.To]++; c.preds[e.To] == 1 {
				c.stack = append(c.stack, e.To)
			}
		}
	}
	f.Order = slices.DeleteFunc(f.Order, func(b Block) bool { return c.preds[b] == 0 })
}

// join joins blocks to those that alone lead to them.
func (c *cleaner) join(f *Func) {
	renamed := false
	for _, b := range f.Order {
		if c.preds[b] == 0 {
			continue // joined
		}
		for {
			i := f.Last(b)
			if f.Op(i) != Jump {
				break
			}
			e := f.Edges(i)[0]
			if c.preds[e.To] != 1 {
				break
			}
			if e.args.count > 0 {
				if !renamed {
					renamed = true
					c.replaced = ir.Zeroed(c.replaced, f.Indices())
				}
				args := f.EdgeArgs(e)
				for n, p := range f.BlockParams(e.To) {
					c.replaced[f.Index(p)] = args[n]
				}
			}
			c.preds[e.To] = 0
			at, joined := &f.blocks[b], &f.blocks[e.To]
			before := f.insts[i].prev
			f.insts[joined.first].prev = before
			if before == 0 {
				at.first = joined.first
			} else {
				f.insts[before].next = joined.first
			}
			at.last = joined.last
		}
	}
	f.Order = slices.DeleteFunc(f.Order, func(b Block) bool { return c.preds[b] == 0 })
	if renamed {
		c.rename(f)
	}
}

// rename replaces each parameter of a merged block by the argument passed. A constant has a kind
// and a register none, so it becomes one of the kind that an operation works on.
func (c *cleaner) rename(f *Func) {
	final := func(o Operand) Operand {
		for o != NoOperand && !o.IsConst() && c.replaced[f.Index(o)] != NoOperand {
			o = c.replaced[f.Index(o)]
		}
		return o
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			args := f.Args(i)
			for n, o := range args {
				if args[n] = final(o); args[n] != o && args[n].IsConst() {
					args[n] = f.as(f.Kind(i), args[n])
				}
			}
			if HasMemory(f.Op(i)) {
				m := f.Memory(i)
				m.Base, m.Index = final(m.Base), final(m.Index)
			}
			for _, e := range f.Edges(i) {
				args := f.EdgeArgs(e)
				for n, o := range args {
					args[n] = final(o)
				}
			}
		}
	}
}
