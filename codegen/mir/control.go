package mir

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file flattens structured control. Results of control instructions and parameters of
// regions are parameters of blocks, but for those that only one value reaches: they are
// that value's own operands.

// control is what the builder knows of a control instruction.
type control struct {
	end, continuing, start Block
	// exits and continues count the terminators that lead to the end and to the
	// continuing block.
	exits, continues uint32
	// same marks the results for which all exits pass one value.
	same uint64
	// first holds the first exit seen.
	first ir.Inst
}

// countUses counts the exits of control instructions, and finds which values instructions fold, so
// that they need no registers. It skips code that cannot be reached.
func (b *Builder) countUses(block ir.Block) {
	f := b.F
	for i := f.First(block); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Exit:
			b.countExit(i, f.Args(i))
		case o == op.Next:
			if _, condition, results := f.NextArgs(i); condition != 0 {
				b.countExit(i, results)
			}
		case o == op.Continue:
			b.control[f.Target(i)].continues++
		case o == op.Mul:
			if k, _, _ := b.wideProduct(i); k != scalar.None {
				for _, a := range f.Args(i) {
					if a.IsLocal() {
						b.uses[a]--
					}
				}
			}
		case o.Is(op.Control):
			if inner := b.certain(i); inner != 0 {
				b.countUses(inner)
				continue
			}
			for _, inner := range f.Blocks(i) {
				b.countUses(ir.Block(inner))
			}
		}
	}
}

// certain returns the block that an if with a constant condition runs, or 0.
func (b *Builder) certain(i ir.Inst) ir.Block {
	f := b.F
	if f.Op(i) != op.If || !f.Arg(i, 0).IsConst() {
		return 0
	}
	if b.M.IsZero(f.Arg(i, 0)) {
		return f.Region(i, 1)
	}
	return f.Region(i, 0)
}

func (b *Builder) countExit(i ir.Inst, values []ir.Value) {
	c := &b.control[b.F.Target(i)]
	c.exits++
	if c.first == 0 {
		c.first = i
		c.same = 1<<min(len(values), 63) - 1
		return
	}
	before := b.exitValues(c.first)
	for n, v := range values {
		if n < 63 && before[n] != v {
			c.same &^= 1 << n
		}
	}
}

// exitValues returns the results that an exit, or a next, passes.
func (b *Builder) exitValues(i ir.Inst) []ir.Value {
	if b.F.Op(i) == op.Next {
		_, _, results := b.F.NextArgs(i)
		return results
	}
	return b.F.Args(i)
}

// byName reports whether result n is the operands of the one value that all
// exits pass.
func (c *control) byName(n int) bool { return c.exits == 1 || n < 63 && c.same>>n&1 == 1 }

// Jump ends the current block with a jump.
func (b *Builder) Jump(to Block, args ...Operand) {
	b.Out.edges = append(b.Out.edges, Edge{to, b.Out.list(args)})
	i := b.Emit(Jump, scalar.None, nil)
	b.Out.insts[i].aux = uint32(len(b.Out.edges) - 1)
}

// Branch ends the current block with a branch.
func (b *Builder) Branch(condition Operand, to Block, args []Operand, other Block, otherArgs []Operand) {
	b.Out.edges = append(b.Out.edges, Edge{to, b.Out.list(args)}, Edge{other, b.Out.list(otherArgs)})
	i := b.Emit(Branch, scalar.None, nil, condition)
	b.Out.insts[i].aux = uint32(len(b.Out.edges) - 2)
}

// params makes values the parameters of a block.
func (b *Builder) params(block Block, values []ir.Value) {
	b.scratch = b.scratch[:0]
	for _, v := range values {
		b.scratch = append(b.scratch, b.Define(v)...)
	}
	b.Out.SetParams(block, b.scratch)
}

// operands returns the scalars of values, one after the other.
func (b *Builder) operands(values []ir.Value) []Operand {
	b.scratch = b.scratch[:0]
	for _, v := range values {
		b.scratch = append(b.scratch, b.Slots(v)...)
	}
	return b.scratch
}

// structured lowers a control instruction.
func (b *Builder) structured(i ir.Inst) {
	f := b.F
	c := &b.control[i]
	if inner := b.certain(i); inner != 0 {
		c.end = b.end(i)
		b.block(inner)
		b.StartBlock(c.end)
		return
	}
	if f.Op(i) == op.If && b.chosen(i) {
		return
	}
	c.end = b.end(i)
	switch f.Op(i) {
	case op.If:
		then, other := b.Out.NewBlock(), b.Out.NewBlock()
		b.Branch(b.Slot(f.Arg(i, 0)), then, nil, other, nil)
		b.StartBlock(then)
		b.block(f.Region(i, 0))
		b.StartBlock(other)
		b.block(f.Region(i, 1))
	case op.Loop:
		b.loop(i)
	case op.Switch:
		b.choice(i)
	case op.Scope:
		b.block(f.Region(i, 0))
	}
	b.StartBlock(c.end)
}

// end makes the block after a control instruction.
func (b *Builder) end(i ir.Inst) Block {
	c := &b.control[i]
	b.scratch = b.scratch[:0]
	for n, r := range b.F.Results(i) {
		if !c.byName(n) || c.exits == 0 {
			b.scratch = append(b.scratch, b.Define(r)...)
		}
	}
	end := b.Out.NewBlock()
	b.Out.SetParams(end, b.scratch)
	return end
}

// chosen lowers an if whose blocks are empty: its results are choices.
func (b *Builder) chosen(i ir.Inst) bool {
	f := b.F
	x, y := f.First(f.Region(i, 0)), f.First(f.Region(i, 1))
	if f.Op(x) != op.Exit || f.Op(y) != op.Exit || f.Target(x) != i || f.Target(y) != i {
		return false
	}
	condition := b.Slot(f.Arg(i, 0))
	for n, r := range f.Results(i) {
		xs, ys := b.Slots(f.Arg(x, n)), b.Slots(f.Arg(y, n))
		if f.Arg(x, n) == f.Arg(y, n) {
			b.Alias(r, xs...)
			continue
		}
		for k, to := range b.Define(r) {
			b.choose(to, condition, xs[k], ys[k])
		}
	}
	return true
}

// loop lowers a loop.
func (b *Builder) loop(i ir.Inst) {
	f := b.F
	c := &b.control[i]
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	b.Jump(b.Out.NewBlock(), b.operands(f.Args(i))...)
	c.start = b.Out.edges[len(b.Out.edges)-1].To
	b.params(c.start, f.Params(body))
	c.continuing = b.Out.NewBlock()
	if c.continues != 1 {
		b.params(c.continuing, f.Params(continuing))
	}
	b.StartBlock(c.start)
	b.block(body)
	b.StartBlock(c.continuing)
	b.block(continuing)
}

// choice lowers a switch: a chain of comparisons, then the blocks, the default block
// first, for the chain runs into it.
func (b *Builder) choice(i ir.Inst) {
	f := b.F
	blocks, other := f.Blocks(i), f.DefaultCase(i)
	first := len(b.cases)
	for range blocks {
		b.cases = append(b.cases, b.Out.NewBlock())
	}
	selector := f.Arg(i, 0)
	kind := b.M.ScalarOf(b.F.TypeOf(selector))
	otherwise := other
	for n, value := range f.Args(i)[1:] {
		to := int(f.CaseTargets(i)[n])
		if selector.IsConst() {
			if b.M.ConstBits(value) == b.M.ConstBits(selector) {
				otherwise = to
			}
			continue
		}
		if to == other {
			continue
		}
		p := b.Compute(op.Eq, kind, b.Slot(selector), b.Slot(value))
		next := b.Out.NewBlock()
		b.Branch(p, b.cases[first+to], nil, next, nil)
		b.StartBlock(next)
	}
	b.Jump(b.cases[first+otherwise])
	b.StartBlock(b.cases[first+other])
	b.block(ir.Block(blocks[other]))
	for n, inner := range blocks {
		if n != other {
			b.StartBlock(b.cases[first+n])
			b.block(ir.Block(inner))
		}
	}
	b.cases = b.cases[:first]
}

// terminator lowers the end of a block.
func (b *Builder) terminator(i ir.Inst) {
	f := b.F
	switch f.Op(i) {
	case op.Exit:
		target := f.Target(i)
		b.Jump(b.control[target].end, b.leave(target, f.Args(i))...)
	case op.Continue:
		target := f.Target(i)
		c := &b.control[target]
		if c.continues != 1 {
			b.Jump(c.continuing, b.operands(f.Args(i))...)
			return
		}
		for n, p := range f.Params(f.Region(target, 1)) {
			b.Alias(p, b.Slots(f.Arg(i, n))...)
		}
		b.Jump(c.continuing)
	case op.Next:
		b.next(i)
	case op.Return:
		b.Emit(Return, scalar.None, nil, b.operands(f.Args(i))...)
	case op.Unreachable:
		b.Emit(Trap, scalar.None, nil)
	}
}

// leave returns what an exit passes to the block after its target, and names the
// results that only one value reaches.
func (b *Builder) leave(target ir.Inst, values []ir.Value) []Operand {
	c := &b.control[target]
	b.scratch = b.scratch[:0]
	for n, r := range b.F.Results(target) {
		switch {
		case !c.byName(n):
			b.scratch = append(b.scratch, b.Slots(values[n])...)
		case b.values[r].count == 0:
			b.Alias(r, b.Slots(values[n])...)
		}
	}
	return b.scratch
}

// next lowers the end of an iteration.
func (b *Builder) next(i ir.Inst) {
	f := b.F
	target := f.Target(i)
	params, condition, results := f.NextArgs(i)
	c := &b.control[target]
	if condition == 0 {
		b.Jump(c.start, b.operands(params)...)
		return
	}
	b.passed = append(b.passed[:0], b.leave(target, results)...)
	b.Branch(b.Slot(condition), c.end, b.passed, c.start, b.operands(params))
}
