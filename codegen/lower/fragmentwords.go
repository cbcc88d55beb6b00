package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lowers loads and stores of fragments in arrays of other numbers and of vectors.

// hasOtherWords reports whether the array of a load or store of type t has other elements than the
// fragment, or elements that are not one after the other. Vectors of four words in workgroup memory
// are none of these where a tile is (opt.Context.FragmentWords).
func hasOtherWords(f *ir.Func, i ir.Inst, t ir.Type) bool {
	m := f.Module
	if f.HasFragmentWords(i) && f.Flags(i)&ir.InBounds != 0 {
		return false
	}
	array := m.Element(f.TypeOf(f.Arg(i, ir.FragmentArray)))
	return m.Element(array) != m.FragmentScalar(t) || m.Stride(array) != m.Size(m.Element(array))
}

// usesOtherWords reports whether a function has such loads or stores.
func usesOtherWords(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.FragmentLoad:
			if hasOtherWords(f, i, f.Type(i)) {
				return true
			}
		case op.FragmentStore:
			if hasOtherWords(f, i, f.TypeOf(f.Arg(i, ir.FragmentStored))) {
				return true
			}
		}
	}
	return false
}

// fragmentWords is an array in memory with other elements than those of a fragment. It is seen as
// bytes: those of a line are one after the other, whatever they belong to. So an element may be a
// part of a word, and a word is an element or a component of a vector. Vectors of three have a
// fourth word, which does not exist.
type fragmentWords struct {
	l     *fragmentLowering
	array ir.Value
	// scalar is the type of an element as it is computed with, and word that of a word.
	scalar, word ir.Type
	// size, wordSize and stride are the bytes of an element, of a word, and from one element of the
	// array to the next. A vector has so many words, which are 0 for numbers.
	size, wordSize, stride, words int
}

// otherWords returns the array of a load or store, or nil if it has the elements of the fragment.
func (l *fragmentLowering) otherWords(i ir.Inst, t ir.Type) *fragmentWords {
	m := l.m
	if !hasOtherWords(l.f, i, t) {
		return nil
	}
	x := &fragmentWords{l: l, array: l.f.Arg(i, ir.FragmentArray), scalar: m.FragmentScalar(t)}
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

// address returns where the word is in which an element begins, or a word after that. With it come
// whether the word exists, which is NoValue if it does for certain, and where the bits begin in it.
func (x *fragmentWords) address(n ir.Value, after int) (pointer, exists, shift ir.Value) {
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
func (x *fragmentWords) bits(v ir.Value) ir.Value {
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
func (x *fragmentWords) of(t ir.Type, bits ir.Value) ir.Value {
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
func (x *fragmentWords) load(n ir.Value) ir.Value {
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
func (x *fragmentWords) store(n, v ir.Value) {
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
