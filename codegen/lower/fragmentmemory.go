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
	offset, _, _ := l.f.FragmentPosition(i)
	return l.sum(offset, l.distance(i, row, column))
}

// distance returns how far an element is from the first one in the array of a load or store.
func (l *fragmentLowering) distance(i ir.Inst, row, column ir.Value) ir.Value {
	_, byColumn, stride := l.f.FragmentPosition(i)
	if l.m.ConstBits(byColumn) != 0 {
		row, column = column, row
	}
	return l.sum(l.b.Op(op.Mul, row, stride), column)
}

// address returns the address of element n of the array of a load or store.
func (l *fragmentLowering) address(i ir.Inst, n ir.Value) ir.Value {
	array := l.f.Arg(i, ir.FragmentArray)
	if l.f.Flags(i)&ir.InBounds != 0 {
		return l.b.AccessWithin(array, n)
	}
	return l.b.Access(array, n)
}

// word returns the address of the word with element n of 8 bits, and the position of its bits.
func (l *fragmentLowering) word(i ir.Inst, n ir.Value) (address, shift ir.Value) {
	address = l.address(i, l.b.Op(op.Shr, n, l.u32(2)))
	return address, l.b.Op(op.Shl, l.b.Op(op.And, n, l.u32(3)), l.u32(3))
}

// load loads the elements that the invocation holds.
func (l *fragmentLowering) load(i ir.Inst, t ir.Type) ir.Value {
	to, words := l.made(t), l.otherWords(i, t)
	l.elements(t, func(n, row, column ir.Value) {
		if words != nil {
			to.set(n, words.load(l.index(i, row, column)))
		} else if l.isByte(t) {
			address, shift := l.word(i, l.index(i, row, column))
			to.set(n, l.b.Op(op.ExtractBits, l.b.Load(address), shift, l.u32(8)))
		} else {
			to.set(n, l.b.Load(l.address(i, l.index(i, row, column))))
		}
	})
	return to.value()
}

// store stores the elements of the first group. Where several of its invocations hold an element,
// the first stores it.
func (l *fragmentLowering) store(i ir.Inst, t ir.Type) {
	words := l.otherWords(i, t)
	if words == nil && l.isByte(t) || words != nil && words.size < words.wordSize {
		l.storeParts(i, t, words)
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
			if at := l.index(i, row, column); words != nil {
				words.store(at, from.get(n))
			} else {
				l.b.Store(l.address(i, at), from.get(n))
			}
		})
	})
}

// storeParts stores elements that are parts of words, all by the first invocation, as those of one
// word may be in several. They have 8 bits if the words are not given.
func (l *fragmentLowering) storeParts(i ir.Inst, t ir.Type, words *fragmentWords) {
	b := &l.b
	l.unrolled = false
	from := l.read(l.f.Arg(i, ir.FragmentStored))
	_, rows, columns := l.m.FragmentShape(t)
	first := l.op(op.Eq, l.invocation(), 0)
	l.count(rows, func(row ir.Value) {
		l.count(columns, func(column ir.Value) {
			v, owner := l.held(&from, t, row, column)
			if !l.m.IsZero(owner) {
				v = b.Op(op.SubgroupShuffle, v, owner)
			}
			l.when(first, func() {
				if words != nil {
					words.store(l.index(i, row, column), v)
					return
				}
				address, shift := l.word(i, l.index(i, row, column))
				b.Store(address, b.Op(op.InsertBits, b.Load(address), v, shift, l.u32(8)))
			})
		})
	})
}

// held returns the element of a row and a column that the invocation holds if it is the owner, and
// the first invocation that is.
func (l *fragmentLowering) held(from *elementsOf, t ir.Type, row, column ir.Value) (v, owner ir.Value) {
	if l.layouts != nil {
		x := l.layoutOf(t)
		number := func(lowest byte) ir.Value {
			return l.sum(l.scatter(x.Rows, lowest, row), l.scatter(x.Columns, lowest, column))
		}
		e := number(ir.FirstElementBit)
		return l.part(t, x.Packed, from.get(l.op(op.Div, e, x.Packed)), l.op(op.Rem, e, x.Packed)), number(ir.FirstLaneBit)
	}
	_, columns := l.shape(t)
	gridRows, gridColumns := l.gridRows, l.gridColumns
	switch l.m.FragmentUse(t) {
	case ir.LeftUse:
		gridColumns = 1
	case ir.RightUse:
		gridRows = 1
	}
	n := l.sum(l.op(op.Mul, l.op(op.Div, row, gridRows), columns), l.op(op.Div, column, gridColumns))
	return from.get(n), l.sum(l.op(op.Mul, l.op(op.Rem, row, gridRows), l.gridColumns), l.op(op.Rem, column, gridColumns))
}
