package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BulkCopies expands copies of large aggregates, and stores of large zeros, to loops. SPIR-V's
// types in buffers have a layout, and others must not, so a copy between the two has no single
// instruction. Drivers expand OpCopyMemory and stores of zeros to one instruction for each element,
// some in quadratic time (workaround.Choices). Copies comes before, and leaves no load that only
// feeds a store.
var BulkCopies = opt.Pass{
	Name:  "bulk-copies",
	Doc:   "copy and zero large aggregates by loops",
	Needs: ir.Structured,
	Run: func(_ *opt.Context, m *ir.Module) {
		if m.MaxSlots() <= bulkScalars {
			return
		}
		for _, f := range m.Funcs {
			b := bulkCopier{f: f, m: m}
			b.function()
		}
	},
}

// bulkScalars is the greatest number of scalars that one load and store copies if one of the two is
// in a buffer. privateBulkScalars is that for other memory, which drivers may keep in registers if
// no loop indexes it.
const (
	bulkScalars        = 64
	privateBulkScalars = 255
)

type bulkCopier struct {
	f *ir.Func
	m *ir.Module
}

func (c *bulkCopier) function() {
	f := c.f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.Store:
			if c.m.IsZero(f.Arg(i, 1)) {
				c.expand(i, ir.NoValue)
			}
		case op.Copy:
			c.expand(i, f.Arg(i, 1))
		}
		i = next
	}
}

// isBulk reports whether a copy between two pointers becomes a loop. From NoValue it is a store of
// zero.
func isBulk(m *ir.Module, f *ir.Func, to, from ir.Value) bool {
	n, ok := m.Slots(m.Element(f.TypeOf(to)))
	return ok && (n > privateBulkScalars || n > bulkScalars && (inBuffer(m, f, to) || from != ir.NoValue && inBuffer(m, f, from)))
}

// inBuffer reports whether a pointer is to memory with a layout.
func inBuffer(m *ir.Module, f *ir.Func, pointer ir.Value) bool {
	s := m.SpaceOf(f.TypeOf(pointer))
	return s == ir.Storage || s == ir.Uniform || s == ir.Immediate
}

// expand expands a copy, or from NoValue a store of zero, if it is bulk.
func (c *bulkCopier) expand(i ir.Inst, from ir.Value) {
	f := c.f
	to := f.Arg(i, 0)
	if !isBulk(c.m, f, to, from) {
		return
	}
	b := ir.NewBuilder(f)
	b.At(i)
	c.copy(b, to, from)
	f.Remove(i)
}

// copy builds the copy of one aggregate at the builder; from NoValue it stores zeros.
func (c *bulkCopier) copy(b *ir.Builder, to, from ir.Value) {
	m := c.m
	t := m.Element(c.f.TypeOf(to))
	if n, _ := m.Slots(t); n <= bulkScalars {
		if from == ir.NoValue {
			b.Store(to, m.Zero(t))
		} else {
			b.Store(to, b.Load(from))
		}
		return
	}
	count, _ := m.Count(t)
	if m.KindOf(t) == ir.StructType {
		for n := range count {
			member := m.ConstU32(n)
			c.copy(b, b.AccessWithin(to, member), c.part(b, from, member))
		}
		return
	}
	b.Count(count, func(k ir.Value) { c.copy(b, b.AccessWithin(to, k), c.part(b, from, k)) })
}

// part builds the pointer to a part of the source, if there is one.
func (c *bulkCopier) part(b *ir.Builder, from, index ir.Value) ir.Value {
	if from == ir.NoValue {
		return from
	}
	return b.AccessWithin(from, index)
}
