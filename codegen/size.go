package codegen

import (
	"fmt"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// This file bounds the size of the code of a short program. Arrays are moved by loops, but a
// structure is moved member by member, and a few lines can declare one of a million members:
// structures in structures in structures.

// maxMoved is the greatest number of members and elements that a kernel may move with separate
// instructions. Real programs stay below a hundredth of it. Values that leave a block are moved
// scalar by scalar on targets with registers, arrays too.
const maxMoved = 1 << 20

// smallArray is the number of scalars up to which targets move an array without a
// loop.
const smallArray = 64

// checkMoved reports the instruction with which a kernel exceeds maxMoved.
func checkMoved(m *ir.Module, list *diag.List) {
	c := moveCounter{m: m}
	for _, f := range m.Funcs {
		if i := c.function(f); i != 0 {
			list.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: f.SpanOf(i), Message: fmt.Sprintf(
				"the kernel moves more than %d members and elements of structures and arrays", maxMoved)})
			return
		}
	}
}

type moveCounter struct {
	m     *ir.Module
	parts []uint32 // by type: the number of instructions that move it, if computed
	moved uint64
}

// function returns the instruction that exceeds the limit, or 0.
func (c *moveCounter) function(f *ir.Func) ir.Inst {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch o := f.Op(i); {
		case o == op.Load:
			c.value(f.Type(i))
		case o == op.Store:
			c.value(f.TypeOf(f.Arg(i, 1)))
		case o == op.Copy:
			c.count(c.m.Element(f.TypeOf(f.Arg(i, 0))))
		case o.Is(op.Terminator), o == op.Call:
			c.scalars(f.Type(i))
			for _, v := range f.Args(i) {
				c.scalars(f.TypeOf(v))
			}
		}
		if c.moved > maxMoved {
			return i
		}
	}
	return 0
}

// scalars counts a value that is moved scalar by scalar.
func (c *moveCounter) scalars(t ir.Type) {
	if k := c.m.KindOf(t); k == ir.StructType || k == ir.ArrayType {
		slots, _ := c.m.Slots(t)
		c.moved += uint64(slots)
	}
}

// value counts a value. One of more than maxMoved scalars is too large, although a loop could move
// it.
func (c *moveCounter) value(t ir.Type) {
	if slots, ok := c.m.Slots(t); ok && slots > maxMoved {
		c.moved = maxMoved + 1
	}
	c.count(t)
}

func (c *moveCounter) count(t ir.Type) {
	if k := c.m.KindOf(t); k != ir.StructType && k != ir.ArrayType {
		return
	}
	for n := len(c.parts); n < c.m.TypeCount(); n++ { // each after those it consists of
		c.parts = append(c.parts, c.partsOf(ir.Type(n)))
	}
	c.moved += uint64(c.parts[t])
}

func (c *moveCounter) partsOf(t ir.Type) uint32 {
	switch c.m.KindOf(t) {
	case ir.StructType:
		total := uint32(0)
		for _, member := range c.m.Members(t) {
			total = min(total+c.parts[member.Type], 2*maxMoved)
		}
		return total
	case ir.ArrayType:
		slots, ok := c.m.Slots(t)
		if ok && slots <= smallArray {
			return slots
		}
		return c.parts[c.m.Element(t)]
	}
	return 1
}
