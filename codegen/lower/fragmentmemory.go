package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers loads and stores of fragments, and what is particular to elements of 8 bits. An
// invocation holds each as an integer of 32 bits.

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

// load loads the elements that the invocation holds.
func (l *fragmentLowering) load(i ir.Inst, t ir.Type) ir.Value {
	to, memory := l.made(t), l.memoryOf(i, t)
	l.elements(t, func(n, row, column ir.Value) {
		to.set(n, memory.load(l.index(i, row, column)))
	})
	return to.value()
}

// store stores the elements of the first group. Where several of its invocations hold an element,
// the first stores it.
func (l *fragmentLowering) store(i ir.Inst, t ir.Type) {
	memory := l.memoryOf(i, t)
	if memory.size < memory.wordSize {
		l.storeParts(i, t, &memory)
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
			memory.store(l.index(i, row, column), from.get(n))
		})
	})
}

// storeParts stores elements that are parts of words, all by the first invocation, as those of one
// word may be in several.
func (l *fragmentLowering) storeParts(i ir.Inst, t ir.Type, memory *fragmentMemory) {
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
			l.when(first, func() { memory.store(l.index(i, row, column), v) })
		})
	})
}

// fragmentMemory is an array that has the elements of a fragment. If it has other elements, they
// are looked at as bytes: those of a line are one after the other, whatever they belong to. So an
// element may be a part of a word, and a word is an element or a component of a vector. Vectors of
// three have a fourth word, which does not exist.
type fragmentMemory struct {
	l     *fragmentLowering
	array ir.Value
	// scalar is the type of an element as it is computed with, and word that of a word.
	scalar, word ir.Type
	// size, wordSize and stride are the bytes of an element, of a word, and between elements of the
	// array, and words is how many of those a vector has, or 0.
	size, wordSize, stride, words int
}

func (l *fragmentLowering) memoryOf(i ir.Inst, t ir.Type) fragmentMemory {
	m := l.m
	x := fragmentMemory{l: l, array: l.f.Arg(i, ir.FragmentArray), scalar: m.FragmentScalar(t)}
	array := m.Element(l.f.TypeOf(x.array))
	of := m.Element(array)
	k, _, _ := m.FragmentShape(t)
	x.word, x.size, x.stride = ir.Type(m.ScalarOf(of)), k.Bytes(), int(m.Stride(array))
	x.wordSize = int(m.Size(x.word))
	if m.IsVector(of) {
		x.words = m.Components(of)
	}
	return x
}

// address returns where the word is in which an element begins, or a word after that, whether it
// exists, which is NoValue if it does for certain, and the position of the element's bits in it.
func (x *fragmentMemory) address(n ir.Value, after int) (pointer, exists, shift ir.Value) {
	l := x.l
	inArray := x.stride / x.size
	index, within := l.op(op.Div, n, inArray), l.op(op.Rem, n, inArray)
	shift, exists = l.u32(0), ir.NoValue
	if x.size < x.wordSize {
		shift = l.op(op.Mul, l.op(op.Rem, within, x.wordSize/x.size), 8*x.size)
	}
	if x.words == 0 {
		return l.b.Access(x.array, index), exists, shift
	}
	word := l.op(op.Div, within, max(x.wordSize/x.size, 1))
	word = l.sum(l.op(op.Mul, word, max(x.size/x.wordSize, 1)), l.u32(after))
	if x.words*x.wordSize < x.stride {
		exists = l.op(op.Lt, word, x.words)
		word = l.b.Op(op.Min, word, l.u32(x.words-1))
	}
	return l.b.Access(x.array, index, word), exists, shift
}

// bits returns the bits of a word or element as u32, the low ones first.
func (x *fragmentMemory) bits(v ir.Value) ir.Value {
	b, m := &x.l.b, x.l.m
	switch x.l.f.TypeOf(v) {
	case ir.U32:
		return v
	case ir.F16:
		return b.Bitcast(ir.U32, b.Construct(m.VectorOf(ir.F16, 2), v, m.Zero(ir.F16)))
	}
	return b.Bitcast(ir.U32, v)
}

// of returns the word or element that has bits.
func (x *fragmentMemory) of(t ir.Type, bits ir.Value) ir.Value {
	b := &x.l.b
	switch t {
	case ir.U32:
		return bits
	case ir.F16:
		return b.Extract(b.Bitcast(x.l.m.VectorOf(ir.F16, 2), bits), 0)
	}
	return b.Bitcast(t, bits)
}

// load loads an element, which is given by its number.
func (x *fragmentMemory) load(n ir.Value) ir.Value {
	l, b := x.l, &x.l.b
	pointer, _, shift := x.address(n, 0)
	v := b.Load(pointer)
	switch {
	case x.size == x.wordSize && x.word == x.scalar:
		return v
	case x.size < x.wordSize && x.size == 1: // with its sign
		return b.Op(op.ExtractBits, x.of(x.scalar, x.bits(v)), shift, l.u32(8*x.size))
	case x.size < x.wordSize:
		return x.of(x.scalar, b.Op(op.ExtractBits, x.bits(v), shift, l.u32(8*x.size)))
	case x.size > x.wordSize:
		next, _, _ := x.address(n, 1)
		return b.Bitcast(x.scalar, b.Construct(l.m.VectorOf(ir.F16, 2), v, b.Load(next)))
	}
	return x.of(x.scalar, x.bits(v))
}

// store stores an element.
func (x *fragmentMemory) store(n, v ir.Value) {
	l, b := x.l, &x.l.b
	pointer, exists, shift := x.address(n, 0)
	switch {
	case x.size < x.wordSize:
		bits := b.Op(op.InsertBits, x.bits(b.Load(pointer)), x.bits(v), shift, l.u32(8*x.size))
		l.storeIf(exists, pointer, x.of(x.word, bits))
	case x.size > x.wordSize:
		pair := b.Bitcast(l.m.VectorOf(ir.F16, 2), v)
		l.storeIf(exists, pointer, b.Extract(pair, 0))
		next, exists, _ := x.address(n, 1)
		l.storeIf(exists, next, b.Extract(pair, 1))
	case x.word == x.scalar:
		l.storeIf(exists, pointer, v)
	default:
		l.storeIf(exists, pointer, x.of(x.word, x.bits(v)))
	}
}

// storeIf stores a value if a condition holds, of which NoValue is true.
func (l *fragmentLowering) storeIf(condition, pointer, value ir.Value) {
	if condition == ir.NoValue {
		l.b.Store(pointer, value)
		return
	}
	l.when(condition, func() { l.b.Store(pointer, value) })
}
