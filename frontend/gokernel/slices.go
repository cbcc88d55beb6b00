// This file translates slice expressions, lengths and capacities.

package gokernel

import (
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// bound returns a bound of a slice expression as i32. A larger one of 64 bits becomes the maximum.
func (f *frame) bound(v ssa.Value) ir.Value {
	x := f.index(v)
	if f.t.m.ScalarOf(f.t.of(v.Type())).Bits() == 64 {
		x = f.t.folded(func() ir.Value { return f.t.b.Op(op.Min, x, f.t.m.ConstU32(math.MaxInt32)) })
	}
	return f.t.b.Convert(scalar.I32, x)
}

// slice translates a slice expression.
func (f *frame) slice(v *ssa.Slice) operand {
	t := f.t
	b := &t.b
	o := f.operand(v.X)
	if o.kind == unknown {
		return o
	}
	if (o.kind == aPointer || o.kind == aTable) && isSizeless(pointee(v.X)) {
		o = t.sizelessSlice(pointee(v.X).Underlying().(*types.Array))
	}
	low := t.m.ConstI32(0)
	if v.Low != nil {
		low = f.bound(v.Low)
	}
	var high ir.Value
	switch {
	case v.High != nil:
		high = f.bound(v.High)
	case o.kind == aSlice:
		high = f.length(&o)
	default:
		high = f.end(&o)
	}
	// The bounds count from the first element of what is sliced.
	from := func(n ir.Value) ir.Value {
		if o.first == ir.NoValue || t.m.IsZero(o.first) {
			return n
		}
		return b.Op(op.Add, o.first, n)
	}
	if v.Max != nil {
		o.limit = from(f.bound(v.Max))
	}
	if t.m.IsZero(low) {
		o.count = high
	} else {
		o.count = b.Op(op.Sub, high, low)
	}
	o.first = from(low)
	o.kind = aSlice
	return o
}

// length returns the number of elements of a slice, as i32.
func (f *frame) length(o *operand) ir.Value {
	if o.count != ir.NoValue {
		return o.count
	}
	return f.end(o)
}

// end returns the end of a slice's capacity, or the length of the array that a pointer points to,
// as i32.
func (f *frame) end(o *operand) ir.Value {
	if o.limit != ir.NoValue {
		return o.limit
	}
	m := f.t.m
	var x ir.Type
	if o.value != ir.NoValue {
		x = f.t.b.F.TypeOf(o.value)
	} else {
		x = m.Element(f.t.b.F.TypeOf(o.base))
	}
	for _, s := range o.path {
		n, _ := m.ConstUint(s.index)
		x = m.PartType(x, uint32(n))
	}
	if n, ok := m.Count(x); ok {
		return m.ConstI32(int32(n))
	}
	return f.t.b.Convert(scalar.I32, f.t.b.Emit(op.ArrayLength, ir.U32, 0, o.base))
}

// capacity returns the capacity of a slice, as i32.
func (f *frame) capacity(o *operand) ir.Value {
	if o.first == ir.NoValue || f.t.m.IsZero(o.first) {
		return f.end(o)
	}
	return f.t.b.Op(op.Sub, f.end(o), o.first)
}

// element returns a reference to an element of a slice.
func (f *frame) element(o *operand, index ir.Value) reference {
	if o.nilElem != ir.Void {
		return f.outOfBounds(o, index)
	}
	if o.first != ir.NoValue && !f.t.m.IsZero(o.first) {
		index = f.t.b.Op(op.Add, o.first, f.t.b.Convert(scalar.I32, index))
	}
	return o.to(step{index: index})
}
