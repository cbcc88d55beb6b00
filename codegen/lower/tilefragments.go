package lower

import (
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
//	                                     load those of %a in the subgroup's rows
//	                                     load those of %b in its columns
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
	// sums is the type of the fragments. held is how many elements of one an invocation holds, or
	// 0 if that is not known.
	sums ir.Type
	held int
	// pairs says that two of these are neighbours in a row, and that there are instructions to
	// store both at once.
	pairs bool
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
	// doublePadding is that of float64, of which 16 lanes access four rows of four at a time.
	doublePadding = 32
)

// paddingOf returns how many elements of a kind are added to each row.
func paddingOf(k scalar.Kind) int {
	if k.Bytes() == 8 {
		return doublePadding / 8
	}
	return fragmentPadding / k.Bytes()
}

// tileFragments are the products of fragments in a kernel.
type tileFragments struct {
	// subgroups is how many the workgroup has, and subgroup the number of the invocation's.
	subgroups int
	subgroup  ir.Value
	// words says that the target loads fragments from arrays of vectors
	// (opt.Context.FragmentWords).
	words bool
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
	if size == 0 || t.noUnit != "" {
		return
	}
	t.subgroups, t.words = t.items/size, c.FragmentWords
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
		g.pairs = c.CopyBytes > 0 && g.held > 0 && holdsPairs(c, m, g.sums)
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

// fragmentSubgroup returns the size of subgroups whose fragments the target has, or 0 if it has
// none for the kernel.
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
	down, across := t.subgroupPosition(g)
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
	for _, p := range unitProducts(c, left, right, sum) {
		if rows%p.Rows != 0 || columns%p.Columns != 0 || depth%p.Depth != 0 {
			continue
		}
		for n := range 2 {
			// bytes are stored four at a time, which an invocation does not have in an array
			if load, ok := f.Def(f.Arg(i, n)); p.Left.Bytes() == 1 && (!ok || !ir.IsTileLoad(f.Op(load)) || !t.isDirect(load)) {
				return ir.FragmentProduct{}, false
			}
		}
		return p, p.Left.Bytes() > 1 || (rows|columns|depth)%4 == 0
	}
	return ir.FragmentProduct{}, false
}

// MultipliesDoubles reports whether all products of a module are of float64, and become those of
// fragments on the target.
func MultipliesDoubles(c *opt.Context, m *ir.Module) bool {
	some := false
	for _, f := range m.Funcs {
		t := tileLowering{tileValues: tileValues{m: m, f: f}}
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) != op.TileMulAdd {
				continue
			}
			if p, ok := t.fragmentProductOf(c, i); !ok || p.Left != scalar.F64 {
				return false
			}
			some = true
		}
	}
	return some
}

// unitProducts returns the products of fragments that are for tiles of some kinds. Floats of 8 bits
// become wider ones on the way to fragments, which is exact. Of these, bf16 has all of them as
// normal numbers. The least of E5M2 are subnormal in f16, which MI200 takes for zero (ROCm, MIOpen,
// "MI200 MFMA behavior specifics").
func unitProducts(c *opt.Context, left, right, sum scalar.Kind) (list []ir.FragmentProduct) {
	kinds := [][2]scalar.Kind{{left, right}}
	if smallFloats[left].fraction > 0 {
		kinds = append(kinds, [2]scalar.Kind{scalar.BF16, scalar.BF16}, [2]scalar.Kind{scalar.F16, scalar.F16})
	}
	for _, k := range kinds {
		for _, p := range c.Fragments {
			if p.Left == k[0] && p.Right == k[1] && p.Sum == sum {
				list = append(list, p)
			}
		}
	}
	return list
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

// subgroupPosition returns the row and the column of the subgroup in a grid.
func (t *tileLowering) subgroupPosition(g *fragmentGrid) (row, column ir.Value) {
	if t.subgroups == 1 {
		return t.u32(0), t.u32(0)
	}
	return t.op(op.Div, t.subgroup, g.gridColumns), t.op(op.Rem, t.subgroup, g.gridColumns)
}

// fragmentMulAdd lowers a product of tiles to those of fragments.
func (t *tileLowering) fragmentMulAdd(i ir.Inst) {
	f, m, b := t.f, t.m, &t.b
	p, g := t.products[i], t.grids[f.Type(i)]
	flags := b.Flags
	b.Flags = 0
	to := t.variable(f.Result(i))
	t.move(to, f.Arg(i, 2))
	if r := t.copyLoopOf(i); r != nil {
		for n := range r.steps {
			if s := &r.steps[n]; s.product == i {
				t.multiplyStep(r, n, func(among []func()) { t.multiplyStage(i, &s.list, b.Load(r.current), to, flags, among) })
				t.endStep(r)
			}
		}
		return
	}
	list, slice := t.staged(i)
	_, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	sums := g.sums
	left := m.FragmentOf(ir.LeftUse, ir.Type(p.Left), p.Rows, p.Depth)
	right := m.FragmentOf(ir.RightUse, ir.Type(p.Right), p.Depth, p.Columns)
	t.count(depth/slice, func(step ir.Value) {
		t.barrier()
		t.stageOperands(i, &list, t.op(op.Mul, step, slice))
		t.barrier()
		row, column := t.subgroupPosition(g)
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

// multiplyStage multiplies the slices that begin at an element of their array. It builds what else
// there is to do among the products of all but the last fragments of the depth.
func (t *tileLowering) multiplyStage(i ir.Inst, list *[2]stagedOperand, stage, to ir.Value, flags ir.Flags, among []func()) {
	m, b := t.m, &t.b
	p, g := t.products[i], t.grids[t.f.Type(i)]
	left := m.FragmentOf(ir.LeftUse, ir.Type(p.Left), p.Rows, p.Depth)
	right := m.FragmentOf(ir.RightUse, ir.Type(p.Right), p.Depth, p.Columns)
	row, column := t.subgroupPosition(g)
	first := [...]ir.Value{t.op(op.Mul, row, g.eachRows*p.Rows), t.op(op.Mul, column, g.eachColumns*p.Columns)}
	for n := range list {
		if list[n].byColumn == (n == 1) { // lines are the operand's rows or columns
			first[n] = t.op(op.Mul, first[n], list[n].stride)
		}
		first[n] = t.sum(first[n], stage)
	}
	// the constant is added last, which addresses have for nothing
	load := func(n int, of ir.Type, row, column int) ir.Value {
		x := &list[n]
		if x.byColumn {
			row, column = column, row
		}
		at := t.sum(first[n], t.u32(x.first+row*x.stride+column))
		return t.emitWithin(op.FragmentLoad, of, t.scratch[x.scalar], at, m.ConstBool(x.byColumn), t.u32(x.stride))
	}
	products := max(g.count()*(list[0].columns/p.Depth-1), 1)
	done, built := 0, 0
	for d := 0; d < list[0].columns; d += p.Depth {
		lefts, rights := make([]ir.Value, g.eachRows), make([]ir.Value, g.eachColumns)
		for r := range lefts {
			lefts[r] = load(0, left, r*p.Rows, d)
		}
		for c := range rights {
			rights[c] = load(1, right, d, c*p.Columns)
		}
		for r, x := range lefts {
			for c, y := range rights {
				at := t.of(to, t.u32(r*g.eachColumns+c))
				b.Flags = flags
				sum := b.Emit(op.FragmentMulAdd, g.sums, 0, x, y, b.Load(at))
				b.Flags = 0
				b.Store(at, sum)
				for done++; built < min(len(among), (len(among)*done+products-1)/products); built++ {
					among[built]()
				}
			}
		}
	}
}

// stagedAt returns the index of an element of a slice in its array.
func (t *tileLowering) stagedAt(x *stagedOperand, row, column ir.Value) ir.Value {
	if x.byColumn {
		row, column = column, row
	}
	return t.sum(t.sum(t.u32(x.first), t.op(op.Mul, row, x.stride)), column)
}

// fragment loads a fragment of a slice.
func (t *tileLowering) fragment(x *stagedOperand, of ir.Type, row, column ir.Value) ir.Value {
	return t.emitWithin(op.FragmentLoad, of, t.stagedArray(x), t.stagedAt(x, row, column), t.m.ConstBool(x.byColumn), t.u32(x.stride))
}

// emitWithin emits a load or store of a fragment that is in its array.
func (t *tileLowering) emitWithin(o op.Op, of ir.Type, args ...ir.Value) ir.Value {
	flags := t.b.Flags
	t.b.Flags = ir.InBounds
	v := t.b.Emit(o, of, 0, args...)
	t.b.Flags = flags
	return v
}

// findSubgroup gets the number of the subgroup.
func (t *tileLowering) findSubgroup() {
	if t.products != nil && t.subgroups > 1 {
		t.subgroup = rewrite.Builtin(t.f, ir.SubgroupID, "subgroup")
	}
}
