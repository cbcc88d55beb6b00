package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file moves tiles to fragments and back, through workgroup memory (tilefragments.go): slices
// of operands, and sums that other operations use.

// stagedOperand is an operand of a product whose slices go to workgroup memory as they are.
type stagedOperand struct {
	kind   scalar.Kind
	scalar ir.Type // of the array
	// vector is the type of the array's elements if these are vectors of 16 bytes, and else 0.
	vector ir.Type
	// first is where the slice begins in the array, in elements, and stride the distance of its
	// rows or, of a slice that is stored by column, of its columns.
	first, stride int
	byColumn      bool
	rows, columns int // of the slice
}

// staged returns how the slices of a product's operands are in workgroup memory, and how many
// columns of the first operand a slice has.
func (t *tileLowering) staged(i ir.Inst) (list [2]stagedOperand, slice int) {
	f, m := t.f, t.m
	p := t.products[i]
	_, rows, columns := m.TileShape(f.Type(i))
	_, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	fit := func(slice int) int { return t.lay(i, &list, slice, rows, columns) * p.Left.Bytes() }
	slice = p.Depth
	for n := p.Depth; n <= min(depth, fragmentSlice); n += p.Depth {
		if depth%n == 0 && n*p.Left.Bytes()%4 == 0 && fit(n) <= fragmentSliceBytes {
			slice = n
		}
	}
	fit(slice)
	for n := range list {
		list[n].first += t.behindRing(i, list[n].scalar)
	}
	return list, slice
}

// lay lays out slices of a product's operands, of so many columns of the first one. It returns how
// many elements they take.
func (t *tileLowering) lay(i ir.Inst, list *[2]stagedOperand, slice, rows, columns int) (elements int) {
	f, m := t.f, t.m
	p := t.products[i]
	list[0] = stagedOperand{kind: p.Left, rows: rows, columns: slice}
	list[1] = stagedOperand{kind: p.Right, rows: slice, columns: columns}
	for n := range list {
		x := &list[n]
		x.scalar = m.FragmentScalar(m.FragmentOf(ir.Use(n), ir.Type(x.kind), 1, 1))
		if t.words && t.isDirectValue(f.Arg(i, 0)) && t.isDirectValue(f.Arg(i, 1)) {
			x.vector = m.VectorOf(ir.U32, 4)
		}
		x.byColumn = t.isTransposed(f.Arg(i, n))
		x.first, x.stride = elements, x.length()+paddingOf(x.kind)
		elements += x.lines() * x.stride
	}
	if list[0].scalar != list[1].scalar && list[0].vector == 0 { // they have an array each
		list[1].first = 0
	}
	return elements
}

// isTransposed reports whether an operand is loaded from a view that exchanges rows and columns, so
// that its columns are more likely contiguous.
func (t *tileLowering) isTransposed(v ir.Value) bool {
	load, ok := t.f.Def(v)
	if !ok || t.f.Op(load) != op.TileLoad {
		return false
	}
	stride := t.f.Arg(load, ir.TileRowStride)
	if n, known := t.m.ConstUint(stride); known {
		return n == 1
	}
	const columnStride = 4 // of a matrix's layout
	field, ok := fieldOf(t.m, t.f, stride)
	return ok && field.of == matrixMembers && field.member == columnStride
}

// fragmentScratch notes how many elements of which types the fragments of an instruction need in
// workgroup memory: the most of those that are noted, by kind.
func (t *tileLowering) fragmentScratch(i ir.Inst, most *[scalar.Count]int) {
	f := t.f
	note := func(k scalar.Kind, n int) { most[k] = max(most[k], n) }
	if r := t.copyLoopOf(i); r != nil {
		per := scalar.Kind(r.scalar).Bytes() / t.products[i].Left.Bytes()
		note(scalar.Kind(r.scalar), r.stages*r.stage/per)
		return
	}
	if _, ok := t.products[i]; ok {
		list, _ := t.staged(i)
		for n := range list {
			x := &list[n]
			k := scalar.Kind(x.scalar)
			per := k.Bytes() / x.kind.Bytes() // elements of a word
			if x.vector != 0 {
				k, per = scalar.None, x.perWord()
			}
			note(k, (x.first+x.lines()*x.stride+per-1)/per)
		}
		return
	}
	g := t.grids[f.Type(i)]
	k, _, _ := t.m.TileShape(f.Type(i))
	if t.layout(f.Type(i)).grid == g {
		return
	}
	n := g.exchangedRows() * g.exchangedColumns()
	if t.exchangesWords(k) {
		k, n = scalar.None, n*k.Bytes()/stagedBytes
	}
	note(k, n)
}

// exchanges reports whether a conversion is one between fragments and elements.
func (t *tileLowering) exchanges(i ir.Inst) bool {
	return t.f.Op(i) == op.TileConvert && t.isNative(t.f.Result(i)) != t.isNative(t.f.Arg(i, 0))
}

// stageNative stores a slice of an operand to workgroup memory, which begins at a column of the
// first operand, or a row of the second.
func (t *tileLowering) stageNative(v ir.Value, x *stagedOperand, operand int, first ir.Value) {
	f, b := t.f, &t.b
	load, ok := f.Def(v)
	kind, _, _ := t.m.TileShape(f.TypeOf(v))
	if !ok || !t.direct[load] {
		l, from := t.layout(f.TypeOf(v)), t.operand(v)
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			start := [...]*ir.Value{&column, &row}[operand]
			within := ir.NoValue
			if !t.m.IsZero(first) || l.rows*l.columns != x.rows*x.columns {
				*start = b.Op(op.Sub, *start, first)
				within = t.op(op.Lt, *start, [...]int{x.columns, x.rows}[operand])
			}
			t.when(t.both(within, t.exists(&l, row, column)), func() {
				element := convertElement(b, x.kind, kind, b.Load(t.of(from, e)))
				b.Store(t.b.AccessWithin(t.stagedArray(x), t.stagedAt(x, row, column)), element)
			})
		})
		return
	}
	p := loadedSlice{stagedOperand: x, load: load, operand: operand, first: first}
	if f.Op(load) == op.TileLoadWindows {
		t.stageNativeWindows(&p)
		return
	}
	perWord, lines, length := x.perWord(), x.lines(), x.length()
	// each invocation has some neighbouring elements at a time
	deal := func(each int, elements func(line, along ir.Value) []ir.Value) {
		parts := tileLayout{rows: lines, columns: length / each, count: (lines*length/each + t.items - 1) / t.items}
		t.count(parts.count, func(e ir.Value) {
			line, part := t.position(&parts, e)
			t.when(t.exists(&parts, line, part), func() {
				at := t.wordAt(x, line, t.op(op.Mul, part, each/perWord))
				for n, word := range t.packedWords(x, elements(line, t.op(op.Mul, part, each))) {
					b.Store(b.AccessWithin(t.stagedArray(x), t.sum(at, t.u32(n))), word)
				}
			})
		})
	}
	each := perWord
	for wide := stagedBytes / x.kind.Bytes(); wide > each; wide /= 2 {
		if length%wide == 0 {
			each = wide
		}
	}
	t.either(t.isWhole(&p), func() {
		deal(each, func(line, along ir.Value) []ir.Value {
			list, first := make([]ir.Value, each), t.indexIn(&p, line, along)
			for n := range list {
				list[n] = convertElement(b, x.kind, kind, b.Load(t.matrixElement(load, t.sum(first, t.u32(n)), true)))
			}
			return list
		})
	}, func() {
		deal(perWord, func(line, along ir.Value) []ir.Value {
			list := make([]ir.Value, perWord)
			for n := range list {
				row, column := t.positionIn(&p, line, t.sum(along, t.u32(n)))
				list[n] = convertElement(b, x.kind, kind, t.fetch(load, row, column, ir.NoValue))
			}
			return list
		})
	})
}

// loadedSlice is a slice of a matrix, which begins at a column of the first operand of a product,
// or a row of the second.
type loadedSlice struct {
	*stagedOperand
	load    ir.Inst
	operand int
	first   ir.Value
}

// lines is how many lines a slice has in workgroup memory, and length how many elements each.
func (x *stagedOperand) lines() int {
	if x.byColumn {
		return x.columns
	}
	return x.rows
}

func (x *stagedOperand) length() int { return x.rows * x.columns / x.lines() }

// shifted returns the row and the column of the tile for those of a slice.
func (t *tileLowering) shifted(p *loadedSlice, row, column ir.Value) (r, c ir.Value) {
	if p.operand == 0 {
		return row, t.sum(p.first, column)
	}
	return t.sum(p.first, row), column
}

// positionIn returns the row and the column of the tile for an element of a line.
func (t *tileLowering) positionIn(p *loadedSlice, line, along ir.Value) (row, column ir.Value) {
	if p.byColumn {
		return t.shifted(p, along, line)
	}
	return t.shifted(p, line, along)
}

// indexIn returns the index in the matrix's array of an element of a line.
func (t *tileLowering) indexIn(p *loadedSlice, line, along ir.Value) ir.Value {
	row, column := t.positionIn(p, line, along)
	row, column = t.inMatrix(p.load, row, column)
	return t.index(p.load, row, column)
}

// isWhole returns whether all elements of a slice are in the matrix and its array, those of a line
// side by side.
func (t *tileLowering) isWhole(p *loadedSlice) ir.Value {
	b, load := &t.b, p.load
	at := func(line, along int) (row, column, is ir.Value) {
		row, column = t.positionIn(p, t.u32(line), t.u32(along))
		row, column = t.inMatrix(load, row, column)
		return row, column, t.isInside(load, row, column)
	}
	_, _, is := at(0, 0)
	row, column, last := at(p.lines()-1, p.length()-1)
	stride := ir.TileColumnStride
	if p.byColumn {
		stride = ir.TileRowStride
	}
	is = b.Op(op.And, b.Op(op.And, is, last), t.op(op.Eq, t.tileArg(load, stride), 1))
	// the last element has the greatest index, for which 64 bits are enough
	long := func(v ir.Value) ir.Value { return b.Convert(scalar.U64, v) }
	index := b.Op(op.Mul, long(row), long(t.tileArg(load, ir.TileRowStride)))
	index = b.Op(op.Add, index, b.Op(op.Mul, long(column), long(t.tileArg(load, ir.TileColumnStride))))
	index = b.Op(op.Add, index, long(t.tileArg(load, ir.TileOffset)))
	return b.Op(op.And, is, b.Op(op.Lt, index, long(t.lengthOf(load))))
}

// exchangeFragments lowers a conversion between fragments and elements, a part of the tile at a
// time: of each subgroup some fragments of one row of them.
func (t *tileLowering) exchangeFragments(i ir.Inst) {
	f := t.f
	sums := f.Type(i)
	g, l := t.grids[sums], t.layout(sums)
	toFragments := t.isNative(f.Result(i))
	from, to := t.operand(f.Arg(i, 0)), t.variable(f.Result(i))
	if l.grid == g {
		t.copyElements(g, from, to, toFragments)
		return
	}
	for r := range g.eachRows {
		for chunk := range g.eachColumns / g.wide {
			t.barrier()
			if toFragments {
				t.exchangeElements(g, &l, sums, from, r, chunk, false)
				t.barrier()
				t.exchangeNative(g, sums, to, r, chunk, true)
			} else {
				t.exchangeNative(g, sums, from, r, chunk, false)
				t.barrier()
				t.exchangeElements(g, &l, sums, to, r, chunk, true)
			}
		}
	}
}

// copyElements copies elements to fragments or from fragments, which hold them in the same order.
func (t *tileLowering) copyElements(g *fragmentGrid, from, to ir.Value, toFragments bool) {
	b := &t.b
	t.count(g.count(), func(n ir.Value) {
		if !toFragments {
			x := b.Load(t.of(from, n))
			t.count(g.held, func(e ir.Value) {
				v := b.Emit(op.FragmentGet, t.m.FragmentScalar(g.sums), 0, x, e)
				b.Store(t.of(to, t.sum(t.op(op.Mul, n, g.held), e)), v)
			})
			return
		}
		at := t.of(to, n)
		t.count(g.held, func(e ir.Value) {
			v := b.Load(t.of(from, t.sum(t.op(op.Mul, n, g.held), e)))
			b.Store(at, b.Emit(op.FragmentSet, g.sums, 0, b.Load(at), e, v))
		})
	})
}

// exchangeNative loads fragments of the subgroup from workgroup memory, or stores them there.
func (t *tileLowering) exchangeNative(g *fragmentGrid, sums ir.Type, array ir.Value, r, chunk int, load bool) {
	b := &t.b
	k, _, _ := t.m.TileShape(sums)
	stride := g.exchangedColumns()
	row, column := t.subgroupPosition(g)
	first := t.sum(t.op(op.Mul, row, g.rows*stride), t.op(op.Mul, column, g.wide*g.columns))
	for c := range g.wide {
		at := t.of(array, t.u32(r*g.eachColumns+chunk*g.wide+c))
		place := t.sum(first, t.u32(c*g.columns))
		byColumn, stride := t.m.ConstBool(false), t.u32(stride)
		scratch := t.scratch[k]
		if t.exchangesWords(k) {
			scratch = t.scratch[scalar.None]
		}
		if load {
			b.Store(at, t.emitWithin(op.FragmentLoad, g.sums, scratch, place, byColumn, stride))
		} else {
			t.emitWithin(op.FragmentStore, ir.Void, scratch, place, b.Load(at), byColumn, stride)
		}
	}
}

// exchangeElements loads the invocation's elements of these fragments, or stores them.
func (t *tileLowering) exchangeElements(g *fragmentGrid, l *tileLayout, sums ir.Type, array ir.Value, r, chunk int, load bool) {
	b := &t.b
	k, _, _ := t.m.TileShape(sums)
	element := func(e ir.Value, known bool) {
		row, column := t.position(l, e)
		is := t.exists(l, row, column)
		down, across := t.op(op.Div, row, g.rows), t.op(op.Div, column, g.columns) // of fragments
		if !known && g.eachRows > 1 {
			is = t.both(is, t.op(op.Eq, t.op(op.Rem, down, g.eachRows), r))
		}
		if g.wide < g.eachColumns {
			is = t.both(is, t.op(op.Eq, t.op(op.Div, t.op(op.Rem, across, g.eachColumns), g.wide), chunk))
		}
		t.when(is, func() {
			at := t.sum(t.op(op.Mul, t.op(op.Div, down, g.eachRows), g.rows), t.op(op.Rem, row, g.rows))
			at = t.op(op.Mul, at, g.exchangedColumns())
			group := t.sum(t.op(op.Mul, t.op(op.Div, across, g.eachColumns), g.wide), t.op(op.Rem, across, g.wide))
			at = t.sum(at, t.sum(t.op(op.Mul, group, g.columns), t.op(op.Rem, column, g.columns)))
			switch {
			case !t.exchangesWords(k) && load:
				b.Store(t.of(array, e), b.Load(t.element(k, at)))
			case !t.exchangesWords(k):
				b.Store(t.element(k, at), b.Load(t.of(array, e)))
			case load:
				b.Store(t.of(array, e), b.Bitcast(ir.Type(k), b.Load(t.component(at))))
			default:
				b.Store(t.component(at), b.Bitcast(ir.U32, b.Load(t.of(array, e))))
			}
		})
	}
	each := g.rows * l.columns / t.items // elements of a row of fragments
	if l.grid != nil || l.gridRows != 0 || each*t.items != g.rows*l.columns {
		t.count(l.count, func(e ir.Value) { element(e, false) })
		return
	}
	for down := range g.gridRows {
		t.count(each, func(e ir.Value) { element(t.sum(t.u32((down*g.eachRows+r)*each), e), true) })
	}
}
