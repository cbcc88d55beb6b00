package mir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// CloseLoops passes induction variables that are used after their loop to the block where it ends
// (loop-closed SSA form, as LLVM's LCSSA). Lanes may leave a loop in different iterations. Then the
// parameter of that block is what they differ by, and the variable itself is the same in all lanes
// of the loop, or grows from lane to lane. Loops that end at several blocks stay as they are, and
// so do blocks that are reached from elsewhere, too. It reports whether there were any.
func (f *Func) CloseLoops(l *Loops) (changed bool) {
	c := closer{f: f, Loops: l, ends: make([]loopEnd, len(f.Order)), header: make([]int32, f.Indices())}
	c.findEnds()
	c.findInductions()
	passed := map[Operand]Operand{} // for induction variables, the parameters
	c.eachUse(func(n int, o *Operand) {
		if o.Class() != Word {
			return
		}
		h := c.header[f.Index(*o)] - 1
		if h < 0 || c.ends[h].several || c.Contains(h, n) {
			return
		}
		p, ok := passed[*o]
		if !ok {
			p = f.Fresh(Word)
			passed[*o] = p
			c.ends[h].closed = append(c.ends[h].closed, [2]Operand{*o, p})
		}
		*o = p
	})
	for h := range c.ends {
		for _, x := range c.ends[h].closed {
			c.pass(int32(h), x[0], x[1])
		}
	}
	return len(passed) > 0
}

// closer is the working memory of CloseLoops.
type closer struct {
	*Loops
	f      *Func
	ends   []loopEnd // by header
	header []int32   // by register: the header of the loop of an induction variable, and 1, or 0
}

// loopEnd is where a loop ends.
type loopEnd struct {
	to      Block        // the block where all exits lead
	found   bool         // there are exits
	several bool         // they lead to several blocks, or others lead there, too
	closed  [][2]Operand // variables, and the parameters of the block that they are passed for
}

// findEnds finds the ends of loops.
func (c *closer) findEnds() {
	f := c.f
	c.eachEdge(func(n int, e *Edge) {
		for h := c.Loop[n]; h >= 0 && !c.Contains(h, int(c.At[e.To])); h = c.Outer[h] {
			x := &c.ends[h]
			x.several = x.several || x.found && x.to != e.To
			x.to, x.found = e.To, true
		}
	})
	headers := make([][]int32, f.Blocks()) // of the loops that end at a block
	for h := range c.ends {
		if x := &c.ends[h]; x.found && !x.several {
			headers[x.to] = append(headers[x.to], int32(h))
		}
	}
	c.eachEdge(func(n int, e *Edge) {
		for _, h := range headers[e.To] {
			c.ends[h].several = c.ends[h].several || !c.Contains(h, n)
		}
	})
}

// findInductions finds the parameters of headers that are words to which each iteration adds
// something.
func (c *closer) findInductions() {
	f := c.f
	var definitions Definitions
	definitions.Analyse(f)
	for n, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			if c.LoopEnd[n] >= 0 && p.Class() == Word {
				c.header[f.Index(p)] = int32(n) + 1
			}
		}
	}
	c.eachEdge(func(n int, e *Edge) {
		if int(c.At[e.To]) > n { // none that goes back
			return
		}
		for k, p := range f.BlockParams(e.To) {
			sum := Inst(0)
			if next := f.EdgeArgs(*e)[k]; !next.IsConst() {
				sum = definitions.Def(next)
			}
			if sum == 0 || f.Op(sum) != Op(op.Add) || !slices.Contains(f.Args(sum), p) {
				c.header[f.Index(p)] = 0
			}
		}
	})
}

// pass gives the block where a loop ends a parameter for a variable of the loop.
func (c *closer) pass(h int32, r, p Operand) {
	f, end := c.f, c.ends[h].to
	f.SetParams(end, append(slices.Clone(f.BlockParams(end)), p))
	for n := h; n <= c.LoopEnd[h]; n++ {
		edges := f.Edges(f.Last(f.Order[n]))
		for k := range edges {
			if e := &edges[k]; e.To == end {
				e.args = f.list(append(slices.Clone(f.EdgeArgs(*e)), r))
			}
		}
	}
}

// eachEdge calls a function for each edge, with the position of the block that it leaves.
func (c *closer) eachEdge(do func(n int, e *Edge)) {
	for n, b := range c.f.Order {
		edges := c.f.Edges(c.f.Last(b))
		for k := range edges {
			do(n, &edges[k])
		}
	}
}

// eachUse calls a function for each operand, with the position of its block.
func (c *closer) eachUse(do func(n int, o *Operand)) {
	f := c.f
	each := func(n int, list []Operand) {
		for k := range list {
			do(n, &list[k])
		}
	}
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			each(n, f.Args(i))
			if HasMemory(f.Op(i)) {
				m := f.Memory(i)
				do(n, &m.Base)
				do(n, &m.Index)
			}
			for _, e := range f.Edges(i) {
				each(n, f.EdgeArgs(e))
			}
		}
	}
}
