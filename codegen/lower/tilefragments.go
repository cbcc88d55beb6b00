package lower

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file lowers products of tiles to products of fragments, on targets that have instructions
// for those. The subgroups of the workgroup are a grid over the product, and each holds the
// fragments of its part:
//
//	%y = tile_mul_add %a, %b, %x     for each slice of columns of %a
//	                                   barrier
//	                                   store the slices of %a and %b to workgroup memory
//	                                   barrier
//	                                   for each fragment of the depth
//	                                     load those of %a in the subgroup's rows, and of %b in its columns
//	                                     multiply each with each, and add to the subgroup's sums
//
// Sums stay fragments from one product to the next. For what other operations use, the pass inserts
// conversions of a tile to its own type, between fragments and elements. Where the target has a
// table of layouts, the invocations hold the elements as they hold those of fragments, and nothing
// moves. Else nothing is known of where they are, and they are exchanged through workgroup memory.

// fragmentGrid is how the subgroups of a workgroup share the sums of a product.
type fragmentGrid struct {
	rows, columns         int // of a fragment
	gridRows, gridColumns int // of subgroups
	eachRows, eachColumns int // fragments of a subgroup
	// wide is how many fragments of a row of the subgroup are exchanged at a time.
	wide int
	// sums is the type of the fragments, and held how many elements of one an invocation holds, or 0
	// if that is not known.
	sums ir.Type
	held int
}

// count is how many fragments a subgroup has.
func (g *fragmentGrid) count() int { return g.eachRows * g.eachColumns }

// exchangedRows and exchangedColumns are those of the elements that are exchanged at a time.
func (g *fragmentGrid) exchangedRows() int    { return g.gridRows * g.rows }
func (g *fragmentGrid) exchangedColumns() int { return g.gridColumns * g.wide * g.columns }

const (
	// fragmentSliceBytes is the workgroup memory for the slices of a product's operands.
	fragmentSliceBytes = 20 << 10
	// fragmentSlice is the most columns of a first operand in workgroup memory at a time.
	fragmentSlice = 64
	// exchangeBytes is the workgroup memory in which sums are exchanged.
	exchangeBytes = 8 << 10
	// stagedBytes is how much an invocation loads of a line at a time.
	stagedBytes = 16
	// fragmentPadding is added to each row in workgroup memory, which spreads the rows of a
	// fragment over the banks.
	fragmentPadding = 16 // bytes
)

// tileFragments are the products of fragments in a kernel.
type tileFragments struct {
	// subgroups is how many the workgroup has, and subgroup the number of the invocation's.
	subgroups int
	subgroup  ir.Value
	// products are those that lower a product of tiles.
	products map[ir.Inst]ir.FragmentProduct
	// grids are by tile type, and gridTypes these types in the order of the text.
	grids     map[ir.Type]*fragmentGrid
	gridTypes []ir.Type
}

// findFragments finds the products that are lowered to those of fragments.
func (t *tileLowering) findFragments(c *opt.Context) {
	f, m := t.f, t.m
	size := t.fragmentSubgroup(c)
	if size == 0 {
		return
	}
	t.subgroups = t.items / size
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd {
			continue
		}
		p, ok := t.fragmentProductOf(c, i)
		if !ok {
			continue
		}
		sums := f.Type(i)
		_, rows, columns := m.TileShape(sums)
		g := t.grids[sums]
		if g == nil {
			g = newFragmentGrid(&p, rows, columns, t.subgroups)
		}
		if g == nil || g.rows != p.Rows || g.columns != p.Columns {
			continue
		}
		g.sums = m.FragmentOf(ir.ResultUse, ir.Type(p.Sum), g.rows, g.columns)
		g.held = heldElements(c, m, g.sums)
		if t.grids == nil {
			t.grids, t.products = map[ir.Type]*fragmentGrid{}, map[ir.Inst]ir.FragmentProduct{}
		}
		if t.grids[sums] == nil {
			t.gridTypes = append(t.gridTypes, sums)
		}
		t.grids[sums], t.products[i] = g, p
	}
	for i := f.First(f.Entry); i != 0 && t.products != nil; i = f.After(i, f.Entry) {
		// other products have a layout of their own
		if _, ok := t.products[i]; f.Op(i) == op.TileMulAdd && !ok {
			_, rows, columns := m.TileShape(f.Type(i))
			for g := t.gridOf(rows, columns); g != nil; g = t.gridOf(rows, columns) {
				g.held = 0
			}
		}
	}
	if t.products != nil {
		t.findLive()
		t.findNative()
		t.insertExchanges()
	}
}

// fragmentSubgroup returns the size of subgroups whose fragments the target has, or 0 if it has none
// for the kernel.
func (t *tileLowering) fragmentSubgroup(c *opt.Context) int {
	size := int(c.FragmentSubgroup)
	if c.FragmentTable != nil {
		size = c.FragmentTable.Subgroup
	} else if size == 0 || !KeepsFragments(c, t.m) {
		return 0
	}
	if t.items%size != 0 || t.m.HasFragments() { // others might not be among the products
		return 0
	}
	return size
}

// gridOf returns the grid of a shape whose elements are held as those of fragments, or nil.
func (t *tileLowering) gridOf(rows, columns int) *fragmentGrid {
	for _, x := range t.gridTypes {
		if _, r, c := t.m.TileShape(x); r == rows && c == columns && t.grids[x].held > 0 {
			return t.grids[x]
		}
	}
	return nil
}

// gridPosition returns the row and the column of an element of the invocation.
func (t *tileLowering) gridPosition(g *fragmentGrid, e ir.Value) (row, column ir.Value) {
	b := &t.b
	fragment, n := t.op(op.Div, e, g.held), t.op(op.Rem, e, g.held)
	zero := t.m.Zero(g.sums)
	down, across := t.subgroupPlace(g)
	down = t.sum(t.op(op.Mul, down, g.eachRows), t.op(op.Div, fragment, g.eachColumns))
	across = t.sum(t.op(op.Mul, across, g.eachColumns), t.op(op.Rem, fragment, g.eachColumns))
	return t.sum(t.op(op.Mul, down, g.rows), b.Emit(op.FragmentRow, ir.U32, 0, zero, n)),
		t.sum(t.op(op.Mul, across, g.columns), b.Emit(op.FragmentColumn, ir.U32, 0, zero, n))
}

// fragmentProductOf returns the product of fragments that divides one of tiles. Those of floats
// round in another order than without [contract].
func (t *tileLowering) fragmentProductOf(c *opt.Context, i ir.Inst) (ir.FragmentProduct, bool) {
	f, m := t.f, t.m
	left, rows, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	right, _, columns := m.TileShape(f.TypeOf(f.Arg(i, 1)))
	sum, _, _ := m.TileShape(f.Type(i))
	if sum.IsFloat() && (c.Math == opt.MathStrict || f.Flags(i)&ir.Contract == 0) {
		return ir.FragmentProduct{}, false
	}
	for n := range 2 {
		// bytes are stored four at a time, which an invocation does not have in an array
		if load, ok := f.Def(f.Arg(i, n)); left.Bytes() == 1 && (!ok || !ir.IsTileLoad(f.Op(load)) || !t.isDirect(load)) {
			return ir.FragmentProduct{}, false
		}
	}
	if left.Bytes() == 1 && (rows|columns|depth)%4 != 0 {
		return ir.FragmentProduct{}, false
	}
	at := slices.IndexFunc(c.Fragments, func(p ir.FragmentProduct) bool {
		return p.Left == left && p.Right == right && p.Sum == sum && rows%p.Rows == 0 && columns%p.Columns == 0 && depth%p.Depth == 0
	})
	if at < 0 {
		return ir.FragmentProduct{}, false
	}
	return c.Fragments[at], true
}

// newFragmentGrid returns the grid whose subgroups load the fewest fragments, or nil if none
// divides the shape.
func newFragmentGrid(p *ir.FragmentProduct, rows, columns, subgroups int) (best *fragmentGrid) {
	for down := 1; down <= subgroups; down++ {
		across := subgroups / down
		if down*across != subgroups || rows%(down*p.Rows) != 0 || columns%(across*p.Columns) != 0 {
			continue
		}
		g := &fragmentGrid{rows: p.Rows, columns: p.Columns, gridRows: down, gridColumns: across,
			eachRows: rows / (down * p.Rows), eachColumns: columns / (across * p.Columns)}
		if best == nil || g.eachRows+g.eachColumns < best.eachRows+best.eachColumns {
			best = g
		}
	}
	if best == nil {
		return nil
	}
	for best.wide = best.eachColumns; best.wide > 1; best.wide-- {
		if best.eachColumns%best.wide == 0 && best.exchangedRows()*best.exchangedColumns()*p.Sum.Bytes() <= exchangeBytes {
			break
		}
	}
	return best
}

// isNative reports whether a tile is held as fragments.
func (t *tileValues) isNative(v ir.Value) bool {
	return v.IsLocal() && int(v.Index()) < len(t.native) && t.native[v.Index()]
}

// findNative finds the tiles that are held as fragments: the sums of products, and what only such
// are passed to. A loop's parameter may begin with any tile, which is converted before the loop.
func (t *tileLowering) findNative() {
	f := t.f
	t.native = make([]bool, f.ValueCount())
	reached := make([]bool, f.ValueCount()) // by a product
	var control, splats []ir.Inst
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch o := f.Op(i); {
		case o == op.TileMulAdd && t.products[i] != ir.FragmentProduct{}:
			t.native[f.Result(i).Index()], reached[f.Result(i).Index()] = true, true
		case o == op.TileSplat && t.grids[f.Type(i)] != nil:
			splats = append(splats, i)
		case o.Is(op.Control | op.Terminator):
			control = append(control, i)
		}
	}
	again := func(step func(i ir.Inst, p passing) bool) {
		for changed := true; changed; {
			changed = false
			for _, i := range control {
				for _, p := range t.allPassed(i) {
					changed = step(i, p) || changed
				}
			}
		}
	}
	again(func(_ ir.Inst, p passing) bool {
		if reached[p.to.Index()] || !p.from.IsLocal() || !reached[p.from.Index()] {
			return false
		}
		t.native[p.to.Index()], reached[p.to.Index()] = true, true
		return true
	})
	again(func(i ir.Inst, p passing) bool {
		if !t.native[p.to.Index()] || !p.from.IsLocal() || t.native[p.from.Index()] || f.Op(i) == op.Loop || t.isSplat(p.from) {
			return false
		}
		t.native[p.to.Index()] = false
		return true
	})
	for _, i := range splats {
		v := f.Result(i)
		t.native[v.Index()] = true
		t.eachUse(func(_ ir.Inst, _ int, x ir.Value, native bool) {
			if x == v && !native {
				t.native[v.Index()] = false
			}
		})
	}
}

// isSplat reports whether a tile can be fragments or not, at no cost.
func (t *tileLowering) isSplat(v ir.Value) bool {
	i, ok := t.f.Def(v)
	return ok && t.f.Op(i) == op.TileSplat && t.grids[t.f.Type(i)] != nil
}

// eachUse calls a function with each operand that is a tile, and whether its user wants fragments.
func (t *tileLowering) eachUse(body func(i ir.Inst, n int, v ir.Value, native bool)) {
	f := t.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i).Is(op.Control | op.Terminator) {
			t.eachPassed(i, func(n int, p passing) {
				if t.live[p.to.Index()] && t.m.IsTile(f.TypeOf(p.to)) {
					body(i, n, p.from, t.native[p.to.Index()])
				}
			})
			continue
		}
		_, product := t.products[i]
		for n, v := range f.Args(i) {
			if v.IsLocal() && t.m.IsTile(f.TypeOf(v)) {
				body(i, n, v, product && n == 2)
			}
		}
	}
}

// exchangePlace is an operand that gets a tile in the other form.
type exchangePlace struct {
	i ir.Inst
	n int
}

// insertExchanges inserts the conversions between fragments and elements: of fragments once, behind
// their definition, and of elements where fragments are wanted.
func (t *tileLowering) insertExchanges() {
	f := t.f
	elements, fragments := map[ir.Value][]exchangePlace{}, []exchangePlace{}
	var order []ir.Value
	t.eachUse(func(i ir.Inst, n int, v ir.Value, native bool) {
		switch {
		case !v.IsLocal() || native == t.native[v.Index()]:
		case native:
			fragments = append(fragments, exchangePlace{i, n})
		default:
			if elements[v] == nil {
				order = append(order, v)
			}
			elements[v] = append(elements[v], exchangePlace{i, n})
		}
	})
	b := ir.Builder{F: f, Span: f.Span}
	exchange := func(v ir.Value) ir.Value { return b.Emit(op.TileConvert, f.TypeOf(v), 0, v) }
	for _, v := range order {
		if i, ok := f.Def(v); ok {
			b.SetBefore(f.Next(i))
		} else {
			b.SetBefore(f.First(f.DefBlock(v)))
		}
		w := exchange(v)
		for _, place := range elements[v] {
			f.SetArg(place.i, place.n, w)
		}
	}
	for _, place := range fragments {
		b.SetBefore(place.i)
		w := exchange(f.Arg(place.i, place.n))
		t.native = append(t.native, make([]bool, int(w.Index())+1-len(t.native))...)
		t.native[w.Index()] = true
		f.SetArg(place.i, place.n, w)
	}
}

// subgroupPlace returns the place of the subgroup in a grid.
func (t *tileLowering) subgroupPlace(g *fragmentGrid) (row, column ir.Value) {
	if t.subgroups == 1 {
		return t.u32(0), t.u32(0)
	}
	return t.op(op.Div, t.subgroup, g.gridColumns), t.op(op.Rem, t.subgroup, g.gridColumns)
}

// stagedOperand is an operand of a product whose slices go to workgroup memory as they are.
type stagedOperand struct {
	kind   scalar.Kind
	scalar ir.Type // of the array
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
	fit := func(slice int) int {
		list[0] = stagedOperand{kind: p.Left, rows: rows, columns: slice}
		list[1] = stagedOperand{kind: p.Right, rows: slice, columns: columns}
		elements := 0
		for n := range list {
			x := &list[n]
			x.scalar = m.FragmentScalar(m.FragmentOf(ir.Use(n), ir.Type(x.kind), 1, 1))
			x.byColumn = t.isTransposed(f.Arg(i, n))
			lines, length := x.rows, x.columns
			if x.byColumn {
				lines, length = length, lines
			}
			x.first, x.stride = elements, length+fragmentPadding/x.kind.Bytes()
			elements += lines * x.stride
		}
		return elements * p.Left.Bytes()
	}
	slice = p.Depth
	for n := p.Depth; n <= min(depth, fragmentSlice); n += p.Depth {
		if depth%n == 0 && n*p.Left.Bytes()%4 == 0 && fit(n) <= fragmentSliceBytes {
			slice = n
		}
	}
	fit(slice)
	return list, slice
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
	return ok && field.member == columnStride
}

// fragmentScratch returns how many elements of which types the fragments of an instruction need in
// workgroup memory.
func (t *tileLowering) fragmentScratch(i ir.Inst) (k scalar.Kind, n int) {
	f := t.f
	if _, ok := t.products[i]; ok {
		list, _ := t.staged(i)
		last := &list[1]
		lines := last.rows
		if last.byColumn {
			lines = last.columns
		}
		per := scalar.Kind(last.scalar).Bytes() / last.kind.Bytes() // elements of a word
		return scalar.Kind(last.scalar), (last.first + lines*last.stride + per - 1) / per
	}
	g := t.grids[f.Type(i)]
	if k, _, _ = t.m.TileShape(f.Type(i)); t.layout(f.Type(i)).grid == g {
		return scalar.None, 0
	}
	return k, g.exchangedRows() * g.exchangedColumns()
}

// exchanges reports whether a conversion is one between fragments and elements.
func (t *tileLowering) exchanges(i ir.Inst) bool {
	return t.f.Op(i) == op.TileConvert && t.isNative(t.f.Result(i)) != t.isNative(t.f.Arg(i, 0))
}

// fragmentMulAdd lowers a product of tiles to those of fragments.
func (t *tileLowering) fragmentMulAdd(i ir.Inst) {
	f, m, b := t.f, t.m, &t.b
	p, g := t.products[i], t.grids[f.Type(i)]
	flags := b.Flags
	b.Flags = 0
	to := t.variable(f.Result(i))
	t.move(to, f.Arg(i, 2))
	list, slice := t.staged(i)
	_, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	sums := g.sums
	left := m.FragmentOf(ir.LeftUse, ir.Type(p.Left), p.Rows, p.Depth)
	right := m.FragmentOf(ir.RightUse, ir.Type(p.Right), p.Depth, p.Columns)
	t.count(depth/slice, func(step ir.Value) {
		t.barrier()
		for n := range list {
			t.stageNative(f.Arg(i, n), &list[n], n, t.op(op.Mul, step, slice))
		}
		t.barrier()
		row, column := t.subgroupPlace(g)
		row, column = t.op(op.Mul, row, g.eachRows*p.Rows), t.op(op.Mul, column, g.eachColumns*p.Columns)
		for d := 0; d < slice; d += p.Depth {
			lefts, rights := make([]ir.Value, g.eachRows), make([]ir.Value, g.eachColumns)
			for r := range lefts {
				lefts[r] = t.fragment(&list[0], left, t.sum(row, t.u32(r*p.Rows)), t.u32(d))
			}
			for c := range rights {
				rights[c] = t.fragment(&list[1], right, t.u32(d), t.sum(column, t.u32(c*p.Columns)))
			}
			for r, x := range lefts {
				for c, y := range rights {
					at := t.of(to, t.u32(r*g.eachColumns+c))
					b.Flags = flags
					sum := b.Emit(op.FragmentMulAdd, sums, 0, x, y, b.Load(at))
					b.Flags = 0
					b.Store(at, sum)
				}
			}
		}
	})
}

// stagedAt returns the place of an element of a slice in its array.
func (t *tileLowering) stagedAt(x *stagedOperand, row, column ir.Value) ir.Value {
	if x.byColumn {
		row, column = column, row
	}
	return t.sum(t.sum(t.u32(x.first), t.op(op.Mul, row, x.stride)), column)
}

// fragment loads a fragment of a slice.
func (t *tileLowering) fragment(x *stagedOperand, of ir.Type, row, column ir.Value) ir.Value {
	return t.b.Emit(op.FragmentLoad, of, 0, t.scratch[x.scalar], t.stagedAt(x, row, column), t.m.ConstBool(x.byColumn), t.u32(x.stride))
}

// stageNative stores a slice of an operand to workgroup memory, which begins at a column of the
// first operand, or a row of the second.
func (t *tileLowering) stageNative(v ir.Value, x *stagedOperand, operand int, first ir.Value) {
	f, b := t.f, &t.b
	load, ok := f.Def(v)
	if !ok || !t.direct[load] {
		l, from := t.layout(f.TypeOf(v)), t.operand(v)
		along, _, _ := t.m.TileShape(f.TypeOf(v))
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			start := [...]*ir.Value{&column, &row}[operand]
			within := ir.NoValue
			if !t.m.IsZero(first) || l.rows*l.columns != x.rows*x.columns {
				*start = b.Op(op.Sub, *start, first)
				within = t.op(op.Lt, *start, [...]int{x.columns, x.rows}[operand])
			}
			t.when(t.both(within, t.exists(&l, row, column)), func() {
				element := convertElement(b, x.kind, along, b.Load(t.of(from, e)))
				b.Store(t.b.AccessWithin(t.scratch[x.scalar], t.stagedAt(x, row, column)), element)
			})
		})
		return
	}
	shift := func(row, column ir.Value) (ir.Value, ir.Value) {
		if operand == 0 {
			return row, t.sum(first, column)
		}
		return t.sum(first, row), column
	}
	if f.Op(load) == op.TileLoadWindows {
		t.stageNativeWindows(load, x, shift)
		return
	}
	lines, length, perWord := x.rows, x.columns, x.perWord()
	if x.byColumn {
		lines, length = length, lines
	}
	// each invocation has some neighbouring elements at a time
	deal := func(each int, load func(line, along ir.Value) []ir.Value) {
		parts := tileLayout{rows: lines, columns: length / each, count: (lines*length/each + t.items - 1) / t.items}
		t.count(parts.count, func(e ir.Value) {
			line, part := t.position(&parts, e)
			t.when(t.exists(&parts, line, part), func() {
				at := t.sum(t.u32(x.first/perWord), t.op(op.Mul, line, x.stride/perWord))
				at = t.sum(at, t.op(op.Mul, part, each/perWord))
				list := load(line, t.op(op.Mul, part, each))
				for n := 0; n < each; n += perWord {
					b.Store(b.AccessWithin(t.scratch[x.scalar], t.sum(at, t.u32(n/perWord))), t.word(x, list[n:][:perWord]))
				}
			})
		})
	}
	place := func(line, along ir.Value) (row, column ir.Value) {
		if x.byColumn {
			return shift(along, line)
		}
		return shift(line, along)
	}
	each := perWord
	for wide := stagedBytes / x.kind.Bytes(); wide > each; wide /= 2 {
		if length%wide == 0 {
			each = wide
		}
	}
	fast := t.b.If(t.isWhole(load, x, place, lines, length))
	behind := t.b
	t.b.SetBlock(f.Region(fast, 0))
	deal(each, func(line, along ir.Value) (list []ir.Value) {
		row, column := place(line, along)
		row, column = t.inMatrix(load, row, column)
		first := t.index(load, row, column)
		for n := range each {
			list = append(list, b.Load(t.elementOf(load, t.sum(first, t.u32(n)), true)))
		}
		return list
	})
	t.b.Exit(fast)
	t.b.SetBlock(f.Region(fast, 1))
	deal(perWord, func(line, along ir.Value) (list []ir.Value) {
		for n := range perWord {
			row, column := place(line, t.sum(along, t.u32(n)))
			list = append(list, t.fetch(load, row, column, ir.NoValue))
		}
		return list
	})
	t.b.Exit(fast)
	t.b = behind
}

// word returns the word of an operand's array with some elements.
func (t *tileLowering) word(x *stagedOperand, list []ir.Value) (word ir.Value) {
	if len(list) == 1 {
		return list[0]
	}
	for n, v := range list {
		v = t.op(op.Shl, t.op(op.And, t.b.Convert(scalar.U32, v), 0xFF), 8*n)
		if n > 0 {
			v = t.b.Op(op.Or, word, v)
		}
		word = v
	}
	return t.b.Bitcast(x.scalar, word)
}

// isWhole returns whether all elements of a slice are in the matrix and its array, those of a line
// side by side.
func (t *tileLowering) isWhole(load ir.Inst, x *stagedOperand, place func(line, along ir.Value) (row, column ir.Value), lines, length int) ir.Value {
	b := &t.b
	at := func(line, along int) (row, column, is ir.Value) {
		row, column = place(t.u32(line), t.u32(along))
		row, column = t.inMatrix(load, row, column)
		return row, column, t.isInside(load, row, column)
	}
	_, _, is := at(0, 0)
	row, column, last := at(lines-1, length-1)
	stride := ir.TileColumnStride
	if x.byColumn {
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

// copyElements copies elements to fragments or from fragments that hold them in the same places.
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
	row, column := t.subgroupPlace(g)
	first := t.sum(t.op(op.Mul, row, g.rows*stride), t.op(op.Mul, column, g.wide*g.columns))
	for c := range g.wide {
		at := t.of(array, t.u32(r*g.eachColumns+chunk*g.wide+c))
		place := t.sum(first, t.u32(c*g.columns))
		byColumn, stride := t.m.ConstBool(false), t.u32(stride)
		if load {
			b.Store(at, b.Emit(op.FragmentLoad, g.sums, 0, t.scratch[k], place, byColumn, stride))
		} else {
			b.Emit(op.FragmentStore, ir.Void, 0, t.scratch[k], place, b.Load(at), byColumn, stride)
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
			if load {
				b.Store(t.of(array, e), b.Load(t.element(k, at)))
			} else {
				b.Store(t.element(k, at), b.Load(t.of(array, e)))
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

// findSubgroup gets the number of the subgroup.
func (t *tileLowering) findSubgroup() {
	if t.products != nil && t.subgroups > 1 {
		t.subgroup = rewrite.Builtin(t.f, ir.SubgroupID, "subgroup")
	}
}
