package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BulkCopies turns copies of large aggregates between buffers and other memory
// into loops. SPIR-V's types in buffers carry a layout and others must
// not, so that such a copy is no single instruction, and without a loop it would
// be one for each element. A load that only feeds a store counts as a copy.
var BulkCopies = opt.Pass{
	Name: "bulkcopies",
	Doc:  "copy large aggregates between buffers and other memory by loops",
	Run: func(_ *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			b := bulkCopier{f: f, m: m, uses: f.CountUses(nil)}
			b.block(f.Entry)
		}
	},
}

// bulkScalars is how many scalars are still copied by one load and store.
const bulkScalars = 64

type bulkCopier struct {
	f    *ir.Func
	m    *ir.Module
	uses []uint32
}

func (c *bulkCopier) block(b ir.Block) {
	f := c.f
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o == op.Store:
			if load := c.source(i); load != 0 {
				f.SetOp(i, op.Copy)
				f.SetAux(i, 0)
				f.SetArgs(i, f.Arg(i, 0), f.Arg(load, 0))
				f.Remove(load)
				c.expand(i)
			}
		case o == op.Copy:
			c.expand(i)
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				c.block(ir.Block(inner))
			}
		}
		i = next
	}
}

// bulk reports whether a copy between two pointers has to become a loop.
func (c *bulkCopier) bulk(to, from ir.Value) bool {
	s, t := c.m.SpaceOf(c.f.TypeOf(to)), c.m.SpaceOf(c.f.TypeOf(from))
	layout := func(s ir.Space) bool { return s == ir.Storage || s == ir.Uniform || s == ir.Immediate }
	n, ok := c.m.Slots(c.m.Element(c.f.TypeOf(to)))
	return ok && n > bulkScalars && layout(s) != layout(t)
}

// source returns the load whose result a store stores and nothing else uses, if
// nothing is written between the two.
func (c *bulkCopier) source(store ir.Inst) ir.Inst {
	f := c.f
	v := f.Arg(store, 1)
	load, ok := f.Def(v)
	if !ok || f.Op(load) != op.Load || c.uses[v] != 1 || f.BlockOf(load) != f.BlockOf(store) || !c.bulk(f.Arg(store, 0), f.Arg(load, 0)) {
		return 0
	}
	for i := f.Next(load); i != store; i = f.Next(i) {
		if f.Op(i).Is(op.Writes | op.Barrier | op.Control) {
			return 0
		}
	}
	return load
}

func (c *bulkCopier) expand(i ir.Inst) {
	f := c.f
	to, from := f.Arg(i, 0), f.Arg(i, 1)
	if !c.bulk(to, from) {
		return
	}
	b := ir.NewBuilder(f)
	b.SetBefore(i)
	b.Span = f.SpanOf(i)
	c.copy(b, to, from)
	f.Remove(i)
}

// copy builds the copy of one aggregate where the builder stands.
func (c *bulkCopier) copy(b *ir.Builder, to, from ir.Value) {
	m := c.m
	t := m.Element(c.f.TypeOf(to))
	if n, _ := m.Slots(t); n <= bulkScalars {
		b.Store(to, b.Load(from))
		return
	}
	count, _ := m.Count(t)
	if m.KindOf(t) == ir.StructType {
		for n := range count {
			member := m.ConstU32(n)
			c.copy(b, accessWithin(b, to, member), accessWithin(b, from, member))
		}
		return
	}
	outside := *b
	loop := b.Loop()
	k := c.f.AddLoopParam(loop, m.ConstU32(0))
	b.SetBlock(c.f.Region(loop, 0))
	c.copy(b, accessWithin(b, to, k), accessWithin(b, from, k))
	b.Continue(loop)
	b.SetBlock(c.f.Region(loop, 1))
	next := b.Op(op.Add, k, m.ConstU32(1))
	b.Next(loop, []ir.Value{next}, b.Op(op.Ge, next, m.ConstU32(count)), nil)
	*b = outside
}

// accessWithin builds an access that is known to stay within its variable.
func accessWithin(b *ir.Builder, base, index ir.Value) ir.Value {
	b.Flags = ir.InBounds
	p := b.Access(base, index)
	b.Flags = 0
	return p
}
