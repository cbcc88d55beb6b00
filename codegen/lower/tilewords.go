package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file moves slices of operands to workgroup memory 16 bytes at a time, on targets whose
// fragments can be in arrays of such vectors (opt.Context.FragmentWords):
//
//	if both slices are in their matrices, and aligned
//	  load words of both
//	  store them
//	else
//	  for each, load elements, and store words of them
//
// All loads come before the first store, so that they are under way together.

// mostWords bounds the words of a slice that an invocation loads before it stores them.
const mostWords = 16

// stageOperands stores slices of both operands of a product to workgroup memory. They begin at a
// column of the first operand, and a row of the second.
func (t *tileLowering) stageOperands(i ir.Inst, list *[2]stagedOperand, first ir.Value) {
	elements := func() {
		for n := range list {
			t.stageNative(t.f.Arg(i, n), &list[n], n, first)
		}
	}
	var slices [2]loadedSlice
	for n := range list {
		load, _ := t.f.Def(t.f.Arg(i, n))
		slices[n] = loadedSlice{stagedOperand: &list[n], load: load, operand: n, first: first}
		if !t.readsWords(&slices[n]) {
			elements()
			return
		}
	}
	condition := ir.NoValue
	for n := range slices {
		condition = t.both(condition, t.both(t.isWhole(&slices[n]), t.isAligned(&slices[n])))
	}
	t.either(condition, func() {
		var stores []func()
		for n := range slices {
			stores = append(stores, t.loadWords(&slices[n])...)
		}
		for _, store := range stores {
			store()
		}
	}, elements)
}

// readsWords reports whether a slice is loaded by words: of a buffer of its elements that nothing
// writes, and by each invocation as many.
func (t *tileLowering) readsWords(p *loadedSlice) bool {
	if p.vector == 0 || t.f.Op(p.load) != op.TileLoad {
		return false
	}
	array := t.f.Arg(p.load, ir.TileArray)
	at := t.f.TypeOf(array)
	if !array.IsGlobal() || t.m.SpaceOf(at) != ir.Storage || t.m.AccessOf(at) != ir.Read ||
		int(t.m.Stride(t.m.Element(at))) != p.kind.Bytes() {
		return false
	}
	words := p.lines() * p.length() / p.perWord()
	return words%t.items == 0 && words/t.items <= mostWords
}

// isAligned returns whether the lines of a slice begin at multiples of 16 bytes. The runtime binds
// buffers at such (abi.CooperativeMatrices).
func (t *tileLowering) isAligned(p *loadedSlice) ir.Value {
	stride := ir.TileRowStride
	if p.byColumn {
		stride = ir.TileColumnStride
	}
	low := t.b.Op(op.Or, t.indexIn(p, t.u32(0), t.u32(0)), t.tileArg(p.load, stride))
	return t.op(op.Eq, t.op(op.And, low, p.perWord()-1), 0)
}

// loadWords loads the invocation's words of a slice, and returns what stores them.
func (t *tileLowering) loadWords(p *loadedSlice) (stores []func()) {
	b, per := &t.b, p.perWord()
	words := tileLayout{rows: p.lines(), columns: p.length() / per}
	for e := range words.rows * words.columns / t.items {
		line, part := t.position(&words, t.u32(e))
		index := t.indexIn(p, line, t.op(op.Mul, part, per))
		word := b.Emit(op.Intrinsic, p.vector, uint32(op.LoadWords), t.f.Arg(p.load, ir.TileArray), t.op(op.Div, index, per))
		stores = append(stores, func() {
			b.Store(b.AccessWithin(t.stagedArray(p.stagedOperand), t.wordAt(p.stagedOperand, line, part)), word)
		})
	}
	return stores
}

// wordAt returns the index of a word of a line in its array.
func (t *tileLowering) wordAt(x *stagedOperand, line, word ir.Value) ir.Value {
	per := x.perWord()
	return t.sum(t.sum(t.u32(x.first/per), t.op(op.Mul, line, x.stride/per)), word)
}

// exchangesWords reports whether elements are exchanged with fragments in the array of vectors.
func (t *tileLowering) exchangesWords(k scalar.Kind) bool { return t.words && k.Bytes() == 4 }

// component returns the address of a word of 32 bits in the array of vectors.
func (t *tileLowering) component(n ir.Value) ir.Value {
	return t.b.AccessWithin(t.scratch[scalar.None], t.op(op.Div, n, 4), t.op(op.Rem, n, 4))
}

// stagedArray returns the array in workgroup memory that has slices of an operand.
func (t *tileLowering) stagedArray(x *stagedOperand) ir.Value {
	if x.vector != 0 {
		return t.scratch[scalar.None]
	}
	return t.scratch[x.scalar]
}

// perWord is how many elements of an operand an element of its array has.
func (x *stagedOperand) perWord() int {
	switch {
	case x.vector != 0:
		return stagedBytes / x.kind.Bytes()
	case x.kind.Bytes() == 1:
		return 4
	}
	return 1
}

// packedWords returns the elements of an operand's array that have some elements of the operand.
func (t *tileLowering) packedWords(x *stagedOperand, list []ir.Value) (words []ir.Value) {
	if x.vector == 0 && x.kind.Bytes() > 1 {
		return list
	}
	per := 4 / x.kind.Bytes()
	for n := 0; n < len(list); n += per {
		words = append(words, t.word(x.kind, list[n:][:per]))
	}
	if x.vector == 0 {
		for n, word := range words {
			words[n] = t.b.Bitcast(x.scalar, word)
		}
		return words
	}
	for n := range len(words) / 4 {
		words[n] = t.b.Construct(x.vector, words[4*n:][:4]...)
	}
	return words[:len(words)/4]
}

// word returns the word of 32 bits that has some elements, the first one in its lowest bits.
func (t *tileLowering) word(k scalar.Kind, list []ir.Value) (word ir.Value) {
	switch {
	case k == scalar.F16:
		return t.b.Bitcast(ir.U32, t.b.Construct(t.m.VectorOf(ir.F16, 2), list...))
	case k.Bytes() == 4:
		return t.b.Bitcast(ir.U32, list[0])
	}
	bits := k.Bits()
	for n, v := range list {
		v = t.op(op.Shl, t.op(op.And, t.b.Convert(scalar.U32, v), 1<<bits-1), bits*n)
		if n > 0 {
			v = t.b.Op(op.Or, word, v)
		}
		word = v
	}
	return word
}
