package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers loads and stores of fragments, and what is particular to elements of 8 bits. In
// memory four are in a word, and an invocation holds each as an integer of 32 bits.

// isByte reports whether the elements of a fragment type have 8 bits.
func (l *fragmentLowering) isByte(t ir.Type) bool {
	k, _, _ := l.m.FragmentShape(t)
	return k.Bits() == 8
}

// wrap returns the low bits of an element, as many as it has.
func (l *fragmentLowering) wrap(t ir.Type, x ir.Value) ir.Value {
	if !l.isByte(t) {
		return x
	}
	return l.b.Op(op.ExtractBits, x, l.u32(0), l.u32(8))
}

// clamp returns the element that is closest to a number.
func (l *fragmentLowering) clamp(t ir.Type, x ir.Value) ir.Value {
	m := l.m
	switch k, _, _ := m.FragmentShape(t); k {
	case scalar.I8:
		return l.b.Op(op.Clamp, x, m.ConstI32(-128), m.ConstI32(127))
	case scalar.U8:
		return l.b.Op(op.Min, x, m.ConstU32(255))
	}
	return x
}

// index returns the number of an element in the array of a load or store, in elements.
func (l *fragmentLowering) index(i ir.Inst, row, column ir.Value) ir.Value {
	offset, byColumn, stride := l.f.FragmentPosition(i)
	if l.m.ConstBits(byColumn) != 0 {
		row, column = column, row
	}
	return l.sum(offset, l.sum(l.b.Op(op.Mul, row, stride), column))
}

// word returns the address of the word with an element of 8 bits, and the position of its bits.
func (l *fragmentLowering) word(i ir.Inst, row, column ir.Value) (address, shift ir.Value) {
	n := l.index(i, row, column)
	address = l.b.Access(l.f.Arg(i, ir.FragmentArray), l.b.Op(op.Shr, n, l.u32(2)))
	return address, l.b.Op(op.Shl, l.b.Op(op.And, n, l.u32(3)), l.u32(3))
}

// load loads the elements that the invocation holds.
func (l *fragmentLowering) load(i ir.Inst, t ir.Type) ir.Value {
	to := l.made(t)
	l.elements(t, func(n, row, column ir.Value) {
		if l.isByte(t) {
			address, shift := l.word(i, row, column)
			to.set(n, l.b.Op(op.ExtractBits, l.b.Load(address), shift, l.u32(8)))
		} else {
			to.set(n, l.b.Load(l.b.Access(l.f.Arg(i, ir.FragmentArray), l.index(i, row, column))))
		}
	})
	return to.value()
}

// store stores the elements of the first group. Where several of its invocations hold an element,
// the first stores it.
func (l *fragmentLowering) store(i ir.Inst, t ir.Type) {
	if l.isByte(t) {
		l.storeBytes(i, t)
		return
	}
	from := l.read(l.f.Arg(i, ir.FragmentStored))
	stores := l.op(op.Lt, l.invocation(), l.group())
	row, column := l.gridPosition()
	switch l.m.FragmentUse(t) {
	case ir.LeftUse:
		stores = l.b.Op(op.And, stores, l.op(op.Eq, column, 0))
	case ir.RightUse:
		stores = l.b.Op(op.And, stores, l.op(op.Eq, row, 0))
	}
	l.when(stores, func() {
		l.elements(t, func(n, row, column ir.Value) {
			l.b.Store(l.b.Access(l.f.Arg(i, ir.FragmentArray), l.index(i, row, column)), from.get(n))
		})
	})
}

// storeBytes stores elements of 8 bits, all by the first invocation, as those of one word may be in
// several.
func (l *fragmentLowering) storeBytes(i ir.Inst, t ir.Type) {
	b := &l.b
	l.unrolled = false
	from := l.read(l.f.Arg(i, ir.FragmentStored))
	_, rows, columns := l.m.FragmentShape(t)
	_, held := l.shape(t)
	gridRows, gridColumns := l.gridRows, l.gridColumns
	switch l.m.FragmentUse(t) {
	case ir.LeftUse:
		gridColumns = 1
	case ir.RightUse:
		gridRows = 1
	}
	first := l.op(op.Eq, l.invocation(), 0)
	l.count(rows, func(row ir.Value) {
		l.count(columns, func(column ir.Value) {
			n := l.sum(l.op(op.Mul, l.op(op.Div, row, gridRows), held), l.op(op.Div, column, gridColumns))
			v := from.get(n)
			if l.group() > 1 {
				owner := l.sum(l.op(op.Mul, l.op(op.Rem, row, gridRows), l.gridColumns), l.op(op.Rem, column, gridColumns))
				v = b.Op(op.SubgroupShuffle, v, owner)
			}
			l.when(first, func() {
				address, shift := l.word(i, row, column)
				b.Store(address, b.Op(op.InsertBits, b.Load(address), v, shift, l.u32(8)))
			})
		})
	})
}
