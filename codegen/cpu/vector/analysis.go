package vector

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file analyses a function before code is made: the addresses of accesses (lower.AppendAddends
// decomposes them), products that are fused into sums, and which registers are used at all. An
// access reads a column of words, times a scale, so that most columns of addresses, which are
// longs, are never computed.

// address is a decomposed memory operand: the sum of a constant, single values, and at most one
// column times a scale.
type address struct {
	offset int64
	single [2]mir.Operand
	count  int
	column mir.Operand
	// another column, to be added to the first one, which then has the width of addresses
	second mir.Operand
	// what the column is bounded by, or none: an index counts as this one if it is greater
	bound mir.Operand
	index indexKind
	scale uint32
	root  int // a binding's number; -1 where an address in a buffer does not show which
}

// survey fills in the results.
func (c *compiler) survey() {
	f := c.f
	count := f.Indices()
	c.needed, c.homes = make([]uint32, count), make([]operand, count)
	c.addressOf = make([]uint32, c.instructions()+1)
	c.addresses = append(c.addresses, address{})
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			c.homes[f.Index(r)].class = r.Class()
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				c.homes[f.Index(r)].class = r.Class()
			}
			if mir.HasMemory(f.Op(i)) {
				c.addressOf[i] = uint32(len(c.addresses))
				a := c.decompose(f.Memory(i))
				if f.Op(i) == mir.Op(op.Load) {
					c.splitClamp(&a)
				}
				c.addresses = append(c.addresses, a)
			}
		}
	}
	c.products = make([]mir.Inst, len(c.addressOf))
	c.joinProducts()
	for n := len(f.Order) - 1; n >= 0; n-- {
		c.markNeeded(f.Order[n])
	}
}

// instructions returns what the number of every instruction is at most.
func (c *compiler) instructions() (most mir.Inst) {
	for _, b := range c.f.Order {
		for i := c.f.First(b); i != 0; i = c.f.Next(i) {
			most = max(most, i)
		}
	}
	return most
}

// varies reports whether a register is a column.
func (c *compiler) varies(o mir.Operand) bool { return c.u.Varies(o) }

// joinProducts finds the products of floats that are columns and that only a sum in the same block
// reads, which makes them itself.
func (c *compiler) joinProducts() {
	f := c.f
	rowOfKind.once.Do(findRows)
	read := make([]uint32, f.Indices())
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range c.operandsRead(i) {
				if !o.IsConst() {
					read[f.Index(o)]++
				}
			}
		}
	}
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) != mir.Op(op.Add) || f.Kind(i) != scalar.F32 || !c.varies(f.Result(i)) {
				continue
			}
			for _, o := range f.Args(i) {
				if o.IsConst() || read[f.Index(o)] != 1 || c.p.DefBlock(o) != n || !c.varies(o) {
					continue
				}
				if p := c.p.Def(o); p != 0 && f.Op(p) == mir.Op(op.Mul) {
					c.products[i] = p
					break
				}
			}
		}
	}
}

// factors returns what a product is made of, a column first, and what a sum adds to it. The list
// lasts until the next call.
func (c *compiler) factors(product, sum mir.Inst) []mir.Operand {
	f := c.f
	x, y := f.Arg(product, 0), f.Arg(product, 1)
	if x.IsConst() || !c.varies(x) {
		x, y = y, x
	}
	other := f.Arg(sum, 1)
	if other == f.Result(product) {
		other = f.Arg(sum, 0)
	}
	c.reads = append(c.reads[:0], x, y, other)
	return c.reads
}

// markNeeded visits a block backward and counts the uses of registers by instructions that are
// needed themselves. In the order of the text, uses come after assignments, except for operands of
// back edges, which always count.
func (c *compiler) markNeeded(b mir.Block) {
	c.backward = c.backward[:0]
	for i := c.f.First(b); i != 0; i = c.f.Next(i) {
		c.backward = append(c.backward, i)
	}
	for n := len(c.backward) - 1; n >= 0; n-- {
		i := c.backward[n]
		if len(c.f.Results(i)) > 0 && c.dead(i) {
			continue
		}
		for _, o := range c.operandsRead(i) {
			if !o.IsConst() {
				c.needed[c.f.Index(o)]++
			}
		}
	}
}

// dead reports whether an instruction has no effect and nothing needs what it assigns.
func (c *compiler) dead(i mir.Inst) bool {
	o := c.f.Op(i)
	switch {
	case o.Ends(), o == mir.Op(op.AtomicReadModifyWrite), o == mir.Op(op.AtomicCompareExchange):
		return false
	}
	for _, r := range c.f.Results(i) {
		if c.needed[c.f.Index(r)] > 0 {
			return false
		}
	}
	return true
}

// operandsRead returns the operands that the code of an instruction reads. The list lasts until the
// next call.
func (c *compiler) operandsRead(i mir.Inst) []mir.Operand {
	f := c.f
	if p := c.products[i]; p != 0 {
		return c.factors(p, i)
	}
	c.reads = append(c.reads[:0], f.Args(i)...)
	if n := c.addressOf[i]; n != 0 {
		a := &c.addresses[n]
		c.reads = append(c.reads, a.single[:a.count]...)
		for _, o := range [...]mir.Operand{a.column, a.second, a.bound} {
			if o != mir.NoOperand {
				c.reads = append(c.reads, o)
			}
		}
	}
	for _, e := range f.Edges(i) {
		c.reads = append(c.reads, f.EdgeArgs(e)...)
	}
	return c.reads
}

// decompose returns the address of a memory operand. If that has more parts than an access has room
// for, base and index are used as they are.
func (c *compiler) decompose(m *mir.Memory) address {
	start := address{offset: m.Offset}
	if m.Base == mir.NoOperand {
		start.offset += int64(c.p.Offsets[m.Symbol])
	}
	if m.Space == ir.Storage || m.Space == ir.Uniform {
		start.root = c.bindingOf(m.Base)
	}
	a := start
	c.addends = c.p.AppendAddends(c.p.AppendAddends(c.addends[:0], c.u, m.Base), c.u, m.Index)
	if !slices.ContainsFunc(c.addends, func(x lower.Addend) bool { return !c.add(&a, &x) }) {
		return a
	}
	a = start
	for _, o := range [...]mir.Operand{m.Base, m.Index} {
		switch {
		case o == mir.NoOperand:
		case !c.varies(o):
			a.single[a.count] = o
			a.count++
		case a.column == mir.NoOperand:
			a.setColumn(o)
		default:
			a.second = o
		}
	}
	return a
}

// splitClamp replaces a column of words that a uniform value bounds by the unbounded column and the
// bound. The load applies the bound; where lanes access consecutive elements, one comparison does.
func (c *compiler) splitClamp(a *address) {
	if a.index != unsignedIndex || a.second != mir.NoOperand {
		return
	}
	word, bound, ok := c.p.Clamped(c.u, a.column)
	if ok && c.outlives(word, a.column) && (bound.IsConst() || c.outlives(bound, a.column)) {
		a.column, a.bound = word, bound
	}
}

// add adds an addend to an address. It reports whether there is room for it.
func (c *compiler) add(a *address, x *lower.Addend) bool {
	switch {
	case x.Kind == lower.UniformAddend && c.isBinding(x.Value): // it counts as 0, see access.root
	case x.Kind == lower.UniformAddend && a.count < len(a.single):
		a.single[a.count] = x.Value
		a.count++
	case x.Kind == lower.UniformAddend, a.column != mir.NoOperand:
		return false
	case x.Kind == lower.ScaledWord && x.Factor > 0 && x.Factor < 1<<16 && c.outlives(x.Word, x.Value):
		a.column, a.scale, a.index = x.Word, uint32(x.Factor), unsignedIndex
		if x.Signed {
			a.index = signedIndex
		}
	default:
		a.setColumn(x.Value)
	}
	return true
}

// isBinding reports whether an operand is the address of a binding.
func (c *compiler) isBinding(o mir.Operand) bool {
	return !o.IsConst() && c.p.Def(o) != 0 && c.f.Op(c.p.Def(o)) == mir.BindingAddress
}

// setColumn makes a register the column of an address.
func (a *address) setColumn(o mir.Operand) {
	if a.column, a.scale, a.index = o, 1, unsignedIndex; o.Class() == mir.Long {
		a.index = longIndex
	}
}

// outlives reports whether a register that another one is computed from holds its value as long as
// the other does. It is assigned in a loop around the other's definition, or in none, so that
// nothing changes it alone.
func (c *compiler) outlives(x, result mir.Operand) bool {
	if x.IsConst() {
		return false
	}
	h := c.p.Loop[c.p.DefBlock(x)]
	return h < 0 || c.p.Contains(h, c.p.DefBlock(result))
}

// bindingOf returns the binding in which an address lies, or -1: it is a sum that begins with the
// binding's own.
func (c *compiler) bindingOf(o mir.Operand) int {
	if o == mir.NoOperand || o.IsConst() {
		return -1
	}
	switch i := c.p.Def(o); {
	case i == 0:
	case c.f.Op(i) == mir.BindingAddress:
		return int(c.f.Aux(i))
	case c.f.Op(i) == mir.Op(op.Add):
		if n := c.bindingOf(c.f.Arg(i, 0)); n >= 0 {
			return n
		}
		return c.bindingOf(c.f.Arg(i, 1))
	}
	return -1
}

// preset gives a register a slot that its instruction need not fill, and reports whether it has
// one.
func (c *compiler) preset(r mir.Operand) bool {
	i := c.p.Def(r)
	if i == 0 {
		return false
	}
	home := &c.homes[c.f.Index(r)]
	switch c.f.Op(i) {
	case mir.BindingAddress:
		c.setConstant(home, 0)
	case mir.SymbolAddress:
		c.setConstant(home, uint64(c.p.Offsets[c.f.Aux(i)]))
	case mir.Builtin:
		switch x, _ := lower.AuxBuiltin(c.f.Aux(i)); x {
		case ir.LocalInvocationID, ir.LocalInvocationIndex, ir.SubgroupInvocationID, ir.SubgroupID:
			*home = c.fixedColumn(c.f.Aux(i))
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// setConstant makes a slot hold a constant.
func (c *compiler) setConstant(home *operand, bits uint64) {
	home.at = c.reserveOne()
	c.out.fixed = append(c.out.fixed, fixed{at: home.at, wide: home.class == mir.Long, bits: bits})
}
