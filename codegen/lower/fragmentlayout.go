package lower

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file lowers fragments in the layouts of a target's instructions (ir.FragmentTable). Each
// invocation has an array of what the instructions take: elements, or words of several. Operations
// are built without loops, since these arrays are short. Loads and stores are in
// fragmentlayoutmemory.go.

// fragmentLayouts is the state of lowering in layouts.
type fragmentLayouts struct {
	table    *ir.FragmentTable
	products []ir.FragmentProduct
	bounds   opt.Bounds
	of       map[ir.Type]ir.FragmentLayout
	ranges   *analysis.Ranges
	// stored are the values that are stored to variables of the function, and escapes says which
	// variables have other uses.
	stored  map[ir.Value][]ir.Value
	escapes map[ir.Value]bool
}

// layoutsOf returns the layouts of a module's fragments. It is nil if the target has no
// instructions for all products, if not all subgroups are full, or if an array has other elements.
// Sums of floats are strict only in the portable form, as instructions round them in their own way.
func layoutsOf(c *opt.Context, m *ir.Module) *fragmentLayouts {
	if c.FragmentTable == nil {
		return nil
	}
	products := c.Fragments
	if c.Math == opt.MathStrict {
		products = slices.DeleteFunc(slices.Clone(products), func(p ir.FragmentProduct) bool { return p.Sum.IsFloat() })
	}
	if !m.HasFragmentProducts(products) || !hasFullSubgroups(m, c.FragmentTable.Subgroup) || slices.ContainsFunc(m.Funcs, usesOtherWords) {
		return nil
	}
	return &fragmentLayouts{table: c.FragmentTable, products: products, bounds: c.Bounds, of: map[ir.Type]ir.FragmentLayout{},
		ranges: opt.Scratch[analysis.Ranges](c, "ranges of fragments")}
}

// hasFullSubgroups reports whether workgroups of a module's kernels consist of subgroups of a size.
func hasFullSubgroups(m *ir.Module, size int) bool {
	for _, f := range m.Funcs {
		if !f.Kernel {
			continue
		}
		items := 1
		for _, side := range f.Workgroup {
			n, _ := m.ConstUint(side)
			items *= int(n)
		}
		if items%size != 0 {
			return false
		}
	}
	return true
}

// heldElements returns how many elements of a fragment an invocation holds if fragments of the
// module are in the layouts of the target's instructions, or 0.
func heldElements(c *opt.Context, m *ir.Module, t ir.Type) int {
	layouts := layoutsOf(c, m)
	if layouts == nil {
		return 0
	}
	layout, _ := m.FragmentLayout(layouts.table, layouts.products, t)
	return layout.Elements()
}

// holdsPairs reports whether the invocations hold elements of a fragment in pairs that are side by
// side in a row.
func holdsPairs(c *opt.Context, m *ir.Module, t ir.Type) bool {
	layout, ok := m.FragmentLayout(c.FragmentTable, c.Fragments, t)
	return ok && layout.Columns[0] == ir.FirstElementBit
}

// layoutOf returns the layout of a fragment type.
func (l *fragmentLowering) layoutOf(t ir.Type) ir.FragmentLayout {
	layout, ok := l.layouts.of[t]
	if !ok {
		layout, _ = l.m.FragmentLayout(l.layouts.table, l.layouts.products, t)
		l.layouts.of[t] = layout
	}
	return layout
}

// shift builds a shift by a constant.
func (l *fragmentLowering) shift(o op.Op, x ir.Value, by int) ir.Value {
	if by == 0 {
		return x
	}
	return l.b.Op(o, x, l.u32(by))
}

// bitsAt returns the neighbouring bits of a number that a layout has from bit k on: the first one,
// and how many. The number's lowest bit has a given character.
func bitsAt(layout string, k int, lowest byte) (first, count int) {
	isLane := lowest == ir.FirstLaneBit
	for n := k; n < len(layout) && layout[n] == layout[k]+byte(n-k) && layout[n] >= lowest && (layout[n] >= ir.FirstLaneBit) == isLane; n++ {
		count++
	}
	return int(layout[k]) - int(lowest), count
}

// gather returns the part of a row or a column that comes from the number of an element or of an
// invocation.
func (l *fragmentLowering) gather(layout string, lowest byte, x ir.Value) ir.Value {
	return l.moveBits(layout, lowest, func(first, count, k int) ir.Value {
		part := l.b.Op(op.And, l.shift(op.Shr, x, first), l.u32(1<<count-1))
		return l.shift(op.Shl, part, k)
	})
}

// scatter is the inverse of gather: the part of a number that comes from a row or a column.
func (l *fragmentLowering) scatter(layout string, lowest byte, x ir.Value) ir.Value {
	return l.moveBits(layout, lowest, func(first, count, k int) ir.Value {
		part := l.b.Op(op.And, l.shift(op.Shr, x, k), l.u32(1<<count-1))
		return l.shift(op.Shl, part, first)
	})
}

// moveBits adds what a function returns for each run of bits in a layout.
func (l *fragmentLowering) moveBits(layout string, lowest byte, move func(first, count, k int) ir.Value) ir.Value {
	total := l.u32(0)
	for k := 0; k < len(layout); {
		first, count := bitsAt(layout, k, lowest)
		if count > 0 {
			total = l.sum(total, move(first, count, k))
		}
		k += max(count, 1)
	}
	return total
}

// words returns the words of a fragment.
func (l *fragmentLowering) words(v ir.Value) []ir.Value {
	list := make([]ir.Value, l.heldCount(l.fragmentType(v)))
	for n := range list {
		list[n] = l.b.Extract(l.value(v), uint32(n))
	}
	return list
}

// ofWords returns the fragment of some words.
func (l *fragmentLowering) ofWords(t ir.Type, words []ir.Value) ir.Value {
	return l.b.Construct(l.typeOf(t), words...)
}

// part returns element k of a word, as it is computed with.
func (l *fragmentLowering) part(t ir.Type, packed int, word, k ir.Value) ir.Value {
	b := &l.b
	switch to := l.m.FragmentScalar(t); {
	case packed == 1:
		return word
	case to == ir.F16:
		return b.Emit(op.Extract, to, 0, b.Bitcast(l.m.VectorOf(to, packed), word), k)
	case to == ir.U16:
		return b.Convert(scalar.U16, b.Op(op.Shr, word, l.shift(op.Shl, k, 4)))
	default:
		return b.Op(op.ExtractBits, b.Bitcast(to, word), l.shift(op.Shl, k, 3), l.u32(8))
	}
}

// withPart returns a word with element k replaced.
func (l *fragmentLowering) withPart(t ir.Type, packed int, word, k, x ir.Value) ir.Value {
	b := &l.b
	switch to := l.m.FragmentScalar(t); {
	case packed == 1:
		return l.wrap(t, x)
	case to == ir.F16:
		vector := l.m.VectorOf(to, packed)
		return b.Bitcast(ir.U32, b.Emit(op.Insert, vector, 0, b.Bitcast(vector, word), x, k))
	case to == ir.U16:
		return b.Op(op.InsertBits, word, b.Convert(scalar.U32, x), l.shift(op.Shl, k, 4), l.u32(16))
	default:
		return b.Op(op.InsertBits, word, b.Bitcast(ir.U32, x), l.shift(op.Shl, k, 3), l.u32(8))
	}
}

// pack returns the word of some elements.
func (l *fragmentLowering) pack(t ir.Type, list []ir.Value) ir.Value {
	b := &l.b
	switch to := l.m.FragmentScalar(t); {
	case len(list) == 1:
		return l.wrap(t, list[0])
	case to == ir.F16:
		return b.Bitcast(ir.U32, b.Construct(l.m.VectorOf(to, len(list)), list...))
	case to == ir.U16:
		return b.Op(op.Or, b.Convert(scalar.U32, list[0]), l.shift(op.Shl, b.Convert(scalar.U32, list[1]), 16))
	case to == ir.I32:
		return b.Op(op.Pack4xI8, b.Construct(l.m.VectorOf(to, len(list)), list...))
	default:
		return b.Op(op.Pack4xU8, b.Construct(l.m.VectorOf(to, len(list)), list...))
	}
}

// inLayout lowers an instruction on fragments of type t. It returns the fragment that it makes.
func (l *fragmentLowering) inLayout(i ir.Inst, t ir.Type) ir.Value {
	f, b := l.f, &l.b
	layout := l.layoutOf(t)
	if o := f.Op(i); (o == op.FragmentLoad || o == op.FragmentStore) && l.isWithin(i, t) {
		f.SetFlags(i, f.Flags(i)|ir.InBounds)
	}
	switch f.Op(i) {
	case op.FragmentLoad:
		return l.loadFragment(i, t)
	case op.FragmentStore:
		l.storeWords(i, t)
		return ir.NoValue
	case op.FragmentMulAdd:
		return l.ofWords(t, l.multiply(i, t))
	case op.FragmentSplat:
		word := l.pack(t, slices.Repeat([]ir.Value{l.clamp(t, f.Arg(i, 0))}, layout.Packed))
		return l.ofWords(t, slices.Repeat([]ir.Value{word}, l.heldCount(t)))
	}
	x, y := l.words(f.Arg(i, 0)), l.words(f.Arg(i, 1))
	list := make([]ir.Value, layout.Packed)
	for n := range x {
		for k := range list {
			p, q := l.part(t, layout.Packed, x[n], l.u32(k)), l.part(t, layout.Packed, y[n], l.u32(k))
			b.Flags = f.Flags(i)
			list[k] = b.Op(elementOps[f.Op(i)], p, q)
			b.Flags = 0
		}
		x[n] = l.pack(t, list)
	}
	return l.ofWords(t, x)
}

// multiply lowers a product to instructions, block by block. It returns the words of the sums.
func (l *fragmentLowering) multiply(i ir.Inst, t ir.Type) []ir.Value {
	f, m, b := l.f, l.m, &l.b
	var p ir.FragmentProduct
	p.Left, p.Rows, p.Depth = m.FragmentShape(l.fragmentType(f.Arg(i, 0)))
	p.Right, _, p.Columns = m.FragmentShape(l.fragmentType(f.Arg(i, 1)))
	p.Sum, _, _ = m.FragmentShape(t)
	x := l.layouts.table.Multiplies(p)
	rows, columns, depth := p.Rows/x.Rows, p.Columns/x.Columns, p.Depth/x.Depth
	left, right, sums := l.words(f.Arg(i, 0)), l.words(f.Arg(i, 1)), l.words(f.Arg(i, 2))
	block := func(words []ir.Value, layout *ir.FragmentLayout, n int) []ir.Value {
		each := layout.Elements() / layout.Packed
		return words[n*each:][:each]
	}
	letters, result := x.Intrinsic.Info().Operands, m.IntrinsicResult(x.Intrinsic)
	var number []ir.Value
	if letters[0] == 'c' {
		number = []ir.Value{m.ConstU32(x.Number)}
	}
	for k := range depth {
		for c := range columns {
			for r := range rows {
				sum := block(sums, &x.ResultLayout, c*rows+r)
				add := func(x1, x2 []ir.Value) {
					args := slices.Concat(number, x1, x2, sum)
					for n, v := range args {
						args[n] = b.Bitcast(ir.IntrinsicOperand(letters[n]), v)
					}
					product := b.Emit(op.Intrinsic, result, uint32(x.Intrinsic), args...)
					for n := range sum {
						sum[n] = b.Bitcast(l.heldType(t), b.Extract(product, uint32(n)))
					}
				}
				first, second := block(left, &x.LeftLayout, k*rows+r), block(right, &x.RightLayout, c*depth+k)
				if x.OffsetLeft || x.OffsetRight {
					l.addSigned(x, first, second, sum, add)
				} else {
					add(first, second)
				}
			}
		}
	}
	return sums
}

// addSigned adds the product of bytes by an instruction for signed ones, where some are unsigned:
//
//	x·y = (x-128)·y + 128·y                                     x is unsigned
//	x·y = (x-128)·(y-128) + 128·(x-128) + 128·(y-128) + 128²    both are
//
// The sums of 128·y over the depth are products with 64, which are added twice. Subtracting 128
// from an unsigned byte inverts its highest bit.
func (l *fragmentLowering) addSigned(x *ir.FragmentInstruction, left, right, sum []ir.Value, add func(left, right []ir.Value)) {
	const each = 0x01010101
	minus := func(words []ir.Value, is bool) []ir.Value {
		words = slices.Clone(words)
		for n, w := range words {
			if is {
				words[n] = l.b.Op(op.Xor, w, l.m.ConstU32(128*each))
			}
		}
		return words
	}
	left, right = minus(left, x.OffsetLeft), minus(right, x.OffsetRight)
	half := l.m.ConstU32(64 * each)
	add(left, right)
	for range 2 {
		if x.OffsetLeft {
			add(slices.Repeat([]ir.Value{half}, len(left)), right)
		}
		if x.OffsetRight {
			add(left, slices.Repeat([]ir.Value{half}, len(right)))
		}
	}
	if x.OffsetLeft && x.OffsetRight {
		for n, v := range sum {
			sum[n] = l.b.Op(op.Add, v, l.m.ConstScalar(l.f.TypeOf(v), uint64(128*128*x.Depth)))
		}
	}
}

// element lowers what is about one element of the invocation.
func (l *fragmentLowering) element(i ir.Inst) ir.Value {
	f, b := l.f, &l.b
	x := f.Arg(i, 0)
	t := l.fragmentType(x)
	packed := 1
	if l.layouts != nil {
		packed = l.layoutOf(t).Packed
	}
	if f.Op(i) == op.FragmentCount {
		return l.u32(l.heldCount(t) * packed)
	}
	e := f.Arg(i, 1)
	switch f.Op(i) {
	case op.FragmentRow:
		row, _ := l.elementPosition(t, e)
		return row
	case op.FragmentColumn:
		_, column := l.elementPosition(t, e)
		return column
	}
	whole := l.value(x)
	at, k := l.shift(op.Shr, e, bits.TrailingZeros(uint(packed))), b.Op(op.And, e, l.u32(packed-1))
	word := b.Emit(op.Extract, l.heldType(t), 0, whole, at)
	if f.Op(i) == op.FragmentGet {
		return l.part(t, packed, word, k)
	}
	return b.Emit(op.Insert, l.typeOf(t), 0, whole, l.withPart(t, packed, word, k, f.Arg(i, 2)), at)
}

// elementPosition returns the row and the column of an element of the invocation.
func (l *fragmentLowering) elementPosition(t ir.Type, e ir.Value) (row, column ir.Value) {
	if l.layouts != nil {
		layout, lane := l.layoutOf(t), l.invocation()
		row = l.sum(l.gather(layout.Rows, ir.FirstLaneBit, lane), l.gather(layout.Rows, ir.FirstElementBit, e))
		column = l.sum(l.gather(layout.Columns, ir.FirstLaneBit, lane), l.gather(layout.Columns, ir.FirstElementBit, e))
		return row, column
	}
	_, columns := l.shape(t)
	row, column = l.b.Op(op.Div, e, l.u32(columns)), l.b.Op(op.Rem, e, l.u32(columns))
	firstRow, firstColumn := l.gridPosition()
	if l.m.FragmentUse(t) != ir.RightUse {
		row = l.sum(firstRow, l.op(op.Mul, row, l.gridRows))
	}
	if l.m.FragmentUse(t) != ir.LeftUse {
		column = l.sum(firstColumn, l.op(op.Mul, column, l.gridColumns))
	}
	return row, column
}
