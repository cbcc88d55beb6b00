package lower

import (
	"math/bits"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// This file lowers loads and stores of fragments in the layouts of a target's instructions.

// enter begins a function.
func (l *fragmentLayouts) enter(f *ir.Func) {
	l.ranges.Analyse(f)
	l.stored, l.escapes = map[ir.Value][]ir.Value{}, map[ir.Value]bool{}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		for n, v := range f.Args(i) {
			switch {
			case o == op.Store && n == 0:
				l.stored[v] = append(l.stored[v], f.Arg(i, 1))
			case o != op.Load:
				l.escapes[v] = true
			}
		}
	}
}

// isMultiple reports whether an integer is known to be a multiple of a power of two. Variables are
// no values yet, so what is stored to them is followed; those of which that is assumed are in seen.
func (l *fragmentLowering) isMultiple(v ir.Value, of int, seen []ir.Value) bool {
	f := l.f
	shift := bits.TrailingZeros(uint(of))
	if v.IsConst() {
		n, ok := l.m.ConstUint(v)
		return ok && n%uint64(of) == 0
	}
	if r := l.layouts.ranges.Residue(v); int(r.Count) >= shift && r.Bits&(1<<shift-1) == 0 {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		return false
	}
	all := func(list []ir.Value) bool {
		for _, x := range list {
			if !l.isMultiple(x, of, seen) {
				return false
			}
		}
		return true
	}
	switch f.Op(i) {
	case op.Add, op.Sub, op.Or, op.Xor, op.Min, op.Max:
		return all(f.Args(i))
	case op.Mul, op.And:
		return l.isMultiple(f.Arg(i, 0), of, seen) || l.isMultiple(f.Arg(i, 1), of, seen)
	case op.Select:
		return all(f.Args(i)[1:])
	case op.Load:
		variable := f.Arg(i, 0)
		if f.DefOp(variable) != op.Var || l.layouts.escapes[variable] {
			return false
		}
		for _, x := range seen {
			if x == variable {
				return true
			}
		}
		seen = append(seen, variable)
		return all(l.layouts.stored[variable])
	}
	return false
}

// isAligned reports whether what is n elements apart in memory begins at multiples of n.
func (l *fragmentLowering) isAligned(i ir.Inst, n int) bool {
	offset, _, stride := l.f.FragmentPosition(i)
	return l.isMultiple(offset, n, nil) && l.isMultiple(stride, n, nil)
}

// inMemory returns the layouts of the numbers that count memory from one element to the next, and
// from one row or column to the next.
func (l *fragmentLowering) inMemory(i ir.Inst, t ir.Type) (along, across string) {
	layout := l.layoutOf(t)
	if _, byColumn, _ := l.f.FragmentPosition(i); l.m.ConstBits(byColumn) != 0 {
		return layout.Rows, layout.Columns
	}
	return layout.Columns, layout.Rows
}

// isWithin reports whether all elements of a load or store are in its array: it says so, or the
// ranges of its operands do.
func (l *fragmentLowering) isWithin(i ir.Inst, t ir.Type) bool {
	if l.f.Flags(i)&ir.InBounds != 0 {
		return true
	}
	offset, byColumn, stride := l.f.FragmentPosition(i)
	count, isSized := l.m.Count(l.m.Element(l.f.TypeOf(l.f.Arg(i, ir.FragmentArray))))
	each, isConst := l.m.ConstUint(stride)
	if !isSized || !isConst {
		return false
	}
	_, across, along := l.m.FragmentShape(t)
	if l.m.ConstBits(byColumn) != 0 {
		across, along = along, across
	}
	elements := uint64(count)
	if l.isByte(t) {
		elements *= 4
	}
	behind := l.layouts.ranges.Of(offset).End + int64(along-1)
	return behind > 0 && uint64(behind)+uint64(across-1)*each <= elements
}

// hasWords reports whether the words of a fragment with elements of 8 bits are words in memory.
func (l *fragmentLowering) hasWords(i ir.Inst, t ir.Type) bool {
	along, _ := l.inMemory(i, t)
	return l.layoutOf(t).Packed == 4 && strings.HasPrefix(along, "01") && l.isAligned(i, 4)
}

// indices returns a function for the index in the array of an element that the invocation holds.
func (l *fragmentLowering) indices(i ir.Inst, t ir.Type) func(e int) ir.Value {
	layout, lane := l.layoutOf(t), l.invocation()
	first := l.index(i, l.gather(layout.Rows, ir.FirstLaneBit, lane), l.gather(layout.Columns, ir.FirstLaneBit, lane))
	return func(e int) ir.Value {
		n := l.u32(e)
		return l.sum(first, l.distance(i, l.gather(layout.Rows, ir.FirstElementBit, n), l.gather(layout.Columns, ir.FirstElementBit, n)))
	}
}

// loadFragment loads a fragment. Where nv_load_matrix can, it does, unless elements are outside of
// the array.
func (l *fragmentLowering) loadFragment(i ir.Inst, t ir.Type) ir.Value {
	b := &l.b
	if !l.loadsMatrices(i, t) {
		return l.ofWords(t, l.loadWords(i, t))
	}
	if l.layouts.bounds == opt.BoundsOff || l.f.Flags(i)&ir.InBounds != 0 {
		return l.ofWords(t, l.loadMatrices(i, t))
	}
	branch := b.If(l.allWithin(i, t))
	whole := l.f.AddResult(branch, l.typeOf(t))
	behind := *b
	for n, load := range [...]func(ir.Inst, ir.Type) []ir.Value{l.loadMatrices, l.loadWords} {
		b.SetBlock(l.f.Region(branch, n))
		b.Exit(branch, l.ofWords(t, load(i, t)))
	}
	*b = behind
	return whole
}

// allWithin returns whether all elements of a load are in its array, which is in workgroup memory:
// products of its length and a side of a fragment do not wrap.
func (l *fragmentLowering) allWithin(i ir.Inst, t ir.Type) ir.Value {
	b := &l.b
	offset, _, stride := l.f.FragmentPosition(i)
	_, rows, columns := l.m.FragmentShape(t)
	elements, _, _ := l.m.FragmentShape(t)
	count := int(l.m.Size(l.m.Element(l.f.TypeOf(l.f.Arg(i, ir.FragmentArray))))) / elements.Bytes()
	last := l.sum(offset, l.distance(i, l.u32(rows-1), l.u32(columns-1)))
	within := l.op(op.Lt, last, count)
	for _, x := range [...]ir.Value{offset, stride} {
		within = b.Op(op.And, within, l.op(op.Lt, x, count))
	}
	return within
}

// loadWords loads what the invocation holds.
func (l *fragmentLowering) loadWords(i ir.Inst, t ir.Type) []ir.Value {
	b := &l.b
	packed, index := l.layoutOf(t).Packed, l.indices(i, t)
	words, list := make([]ir.Value, l.heldCount(t)), make([]ir.Value, packed)
	isWord := l.hasWords(i, t)
	for n := range words {
		if isWord {
			words[n] = b.Bitcast(ir.U32, b.Load(l.address(i, l.shift(op.Shr, index(n*packed), 2))))
			continue
		}
		for k := range list {
			at := index(n*packed + k)
			if l.isByte(t) {
				address, shift := l.word(i, at)
				list[k] = b.Op(op.ExtractBits, b.Load(address), shift, l.u32(8))
			} else {
				list[k] = b.Load(l.address(i, at))
			}
		}
		words[n] = l.pack(t, list)
	}
	return words
}

// storeWords stores what the invocation holds. Of those that hold the same the first one stores.
func (l *fragmentLowering) storeWords(i ir.Inst, t ir.Type) {
	b := &l.b
	isWord := l.hasWords(i, t)
	if l.isByte(t) && !isWord {
		l.storeParts(i, t, nil)
		return
	}
	layout := l.layoutOf(t)
	others := uint32(l.layouts.table.Subgroup - 1)
	for _, c := range layout.Rows + layout.Columns {
		if c >= ir.FirstLaneBit {
			others &^= 1 << (c - ir.FirstLaneBit)
		}
	}
	stores := func() {
		index, packed := l.indices(i, t), layout.Packed
		for n, word := range l.words(l.f.Arg(i, ir.FragmentStored)) {
			if isWord {
				b.Store(l.address(i, l.shift(op.Shr, index(n*packed), 2)), b.Bitcast(l.m.FragmentScalar(t), word))
				continue
			}
			for k := range packed {
				b.Store(l.address(i, index(n*packed+k)), l.part(t, packed, word, l.u32(k)))
			}
		}
	}
	if others == 0 {
		stores()
		return
	}
	l.when(l.op(op.Eq, b.Op(op.And, l.invocation(), l.m.ConstU32(others)), 0), stores)
}

// split returns a sum and the constant that is added to it.
func (l *fragmentLowering) split(x ir.Value) (ir.Value, uint32) {
	total := uint32(0)
	for {
		i, ok := l.f.Def(x)
		if !ok || l.f.Op(i) != op.Add {
			break
		}
		n, ok := l.m.ConstUint(l.f.Arg(i, 1))
		if !ok {
			break
		}
		x, total = l.f.Arg(i, 0), total+uint32(n)
	}
	return x, total
}

// nv_load_matrix loads four matrices of 8 rows of 16 bytes (PTX ISA, ldmatrix). Invocation 8m+r of
// a subgroup says where row r of matrix m is. Invocation 4r+c gets word c of row r of each. If they
// are transposed, it gets elements 2c and 2c+1 of column r, of 16 bits each.
const (
	matrixRow  = 16 // bytes
	matrixRows = 8
	matrices   = 4
)

// along and across are the lowest bits of the layouts that nv_load_matrix loads, by the elements in
// a word.
var matrixLayouts = [...]struct {
	packed        int
	transposed    bool
	along, across string
}{
	{2, false, "0ab", "cde"},
	{2, true, "cde", "0ab"},
	{4, false, "01ab", "cde"},
}

// matrixLayout returns the row of matrixLayouts that is for a load, or -1.
func (l *fragmentLowering) matrixLayout(i ir.Inst, t ir.Type) int {
	along, across := l.inMemory(i, t)
	for n, x := range matrixLayouts {
		if x.packed == l.layoutOf(t).Packed && strings.HasPrefix(along, x.along) && strings.HasPrefix(across, x.across) &&
			!strings.ContainsAny(along[len(x.along):]+across[len(x.across):], "abcdefgh") {
			return n
		}
	}
	return -1
}

// loadsMatrices reports whether nv_load_matrix does a load: of rows that are aligned, in workgroup
// memory. In the trap mode each element is checked.
func (l *fragmentLowering) loadsMatrices(i ir.Inst, t ir.Type) bool {
	array := l.f.Arg(i, ir.FragmentArray)
	elements, _, _ := l.m.FragmentShape(t)
	each := matrixRow / elements.Bytes()
	p := l.f.TypeOf(array)
	if !l.layouts.table.LoadsMatrices || l.layouts.bounds.Traps() || l.m.SpaceOf(p) != ir.Workgroup || l.heldCount(t)%matrices != 0 || l.matrixLayout(i, t) < 0 {
		return false
	}
	_, isSized := l.m.Count(l.m.Element(p))
	return isSized && l.alignment(array)%matrixRow == 0 && l.isAligned(i, each)
}

// alignment returns how many bytes are known to divide an address.
func (l *fragmentLowering) alignment(pointer ir.Value) uint32 {
	m, f := l.m, l.f
	if pointer.IsGlobal() {
		return m.VariableAlign(m.Element(m.TypeOf(pointer)))
	}
	i, ok := f.Def(pointer)
	if !ok || f.Op(i) != op.Access {
		return m.Align(m.Element(f.TypeOf(pointer)))
	}
	align := l.alignment(f.Arg(i, 0))
	t := m.Element(f.TypeOf(f.Arg(i, 0)))
	for _, index := range f.Args(i)[1:] {
		at, step := uint32(0), uint32(0)
		if n, ok := m.ConstUint(index); ok {
			at, step = uint32(n), m.PartOffset(t, uint32(n))
		} else {
			step = m.PartOffset(t, 1)
		}
		if step != 0 {
			align = min(align, step&-step)
		}
		t = m.PartType(t, at)
	}
	return align
}

// loadMatrices loads the words of a fragment, four at a time. What the invocation says is where its
// row of a matrix is. A constant in that is added last, so that loads that only differ in it share
// the rest.
func (l *fragmentLowering) loadMatrices(i ir.Inst, t ir.Type) (words []ir.Value) {
	b, m := &l.b, l.m
	x := matrixLayouts[l.matrixLayout(i, t)]
	array := l.f.Arg(i, ir.FragmentArray)
	along, across := l.inMemory(i, t)
	rest := func(layout string, from int, e ir.Value) ir.Value {
		return l.gather(strings.Repeat(" ", from)+layout[from:], ir.FirstElementBit, e)
	}
	elements, _, _ := m.FragmentShape(t)
	bytes := elements.Bytes()
	start := b.Emit(op.Intrinsic, ir.U32, uint32(op.SharedAddress), array)
	lane := l.invocation()
	matrix := b.Op(op.And, l.op(op.Div, lane, matrixRows), l.u32(matrices-1))
	row := b.Op(op.And, lane, l.u32(matrixRows-1))
	offset, _, stride := l.f.FragmentPosition(i)
	index := func(e, row ir.Value) ir.Value {
		return l.sum(b.Op(op.Mul, l.sum(row, rest(across, len(x.across), e)), stride), rest(along, len(x.along), e))
	}
	offset, constant := l.split(offset)
	first := l.sum(offset, index(l.op(op.Mul, matrix, x.packed), row))
	transposed := l.u32(0)
	if x.transposed {
		transposed = l.u32(1)
	}
	for n := 0; n < l.heldCount(t); n += matrices {
		more := l.sum(index(l.u32(n*x.packed), l.u32(0)), m.ConstU32(constant))
		address := l.sum(l.sum(start, l.op(op.Mul, first, bytes)), l.op(op.Mul, more, bytes))
		four := b.Emit(op.Intrinsic, m.IntrinsicResult(op.LoadMatrix), uint32(op.LoadMatrix), transposed, address)
		for k := range matrices {
			words = append(words, b.Extract(four, uint32(k)))
		}
	}
	return words
}
