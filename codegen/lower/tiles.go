package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Tiles lowers tiles to arrays of each invocation and loops, for any target. A tile becomes an
// array of the elements that an invocation holds; operands of products go through workgroup memory,
// a slice of a few columns and rows at a time:
//
//	%y = tile_mul_add %a, %b, %x     for each slice of columns of %a
//	                                   barrier
//	                                   store the slices of %a and %b to workgroup memory
//	                                   barrier
//	                                   for each column: %y += the column of %a times the row of %b
//
// The invocations are a grid over the rows and columns of a product, and each holds a rectangle of
// it, so that it loads few elements for many multiplications. Tiles of other shapes are dealt out
// element by element. A tile that is only loaded to be multiplied goes from the matrix to workgroup
// memory at once.
//
// The tiles of a loop share one array where their lifetimes allow it (tilevalues.go).
var Tiles = opt.Pass{
	Name:     "lower-tiles",
	Doc:      "replace tiles by arrays of each invocation, and their products by loops over workgroup memory",
	Needs:    ir.Structured,
	Breaks:   ir.Promoted | ir.NoPrivate,
	Keeps:    ir.AsWritten,
	Replaces: op.Tiles,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if HasTiles(f) {
				t := &tileLowering{tileValues: tileValues{m: m, f: f}}
				t.noUnit = fragmentsExceed(c, m, f)
				t.run(c)
			}
		}
	},
}

// HasTiles reports whether a function has operations on tiles.
func HasTiles(f *ir.Func) bool { return f.Had(&op.Tiles) }

// tileScratchBytes is the workgroup memory for slices: what all devices have (WebGPU's limit
// maxComputeWorkgroupStorageSize), less a quarter for the kernel's own.
const tileScratchBytes = 12 << 10

// tileSlice is the most columns of a first operand in workgroup memory at a time.
const tileSlice = 32

// tileLowering lowers the tiles of a kernel.
type tileLowering struct {
	tileValues
	b ir.Builder
	// items is the size of the workgroup, and item the invocation's index in it.
	items int
	item  ir.Value
	// layouts are those of the shapes that have been met.
	layouts []tileLayout
	// scratch are the arrays in workgroup memory, by the kind of their elements, of which None are
	// vectors of 16 bytes. Each has at most sliceBytes where a slice can be smaller.
	scratch    [scalar.Count]ir.Value
	sliceBytes int
	// inLanes says that a workgroup is a block of lanes (tilepacked.go).
	// With isStrict, sums have the bits that a loop over all products has.
	inLanes, isStrict bool
	// noUnit says why products are not those of fragments, or is "".
	noUnit string
	tileFragments
	// copies are the loops whose operands are in rings (tilecopies.go).
	copies    map[ir.Inst]*copyLoop
	notCopied map[ir.Inst]string    // why a product of fragments is in none of them, if it is not
	addresses map[ir.Value]ir.Value // of buffers
	// deferrals are the loops whose products are deferred (tiledeferred.go).
	deferrals map[ir.Inst]*deferral
	// unrolled says that no loops are built for the current instruction.
	unrolled bool
	// tensor, if not nil, is the plan of a kernel with tensor maps (tiletensor.go).
	tensor *tensorPlan
	tensorRole
}

func (t *tileLowering) run(c *opt.Context) {
	f, m := t.f, t.m
	t.plan(c)
	t.makeScratch(c)
	t.surveyProducts(c)
	t.b.SetBefore(rewrite.AfterVars(f))
	t.item = rewrite.Builtin(f, ir.LocalInvocationIndex, "local_index")
	t.findSubgroup()
	t.limitRegisters(c)
	var tiles []ir.Inst // in the order of the text
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		tiles = append(tiles, i)
	}
	loops := t.elementLoops()
	for _, i := range tiles {
		t.instruction(i)
	}
	for _, i := range tiles {
		if r := f.Result(i); f.Op(i) != op.Invalid && !f.Op(i).Is(op.Control) && (op.Tiles.Has(f.Op(i)) || r != ir.NoValue && m.IsTile(f.TypeOf(r))) {
			f.Remove(i)
		}
	}
	t.withoutTiles()
	f.ApplyReplacements()
	if len(loops) > 0 {
		opt.UnrollWhere(c, m, f, func(loop ir.Inst) bool { return loops[loop] })
	}
}

// plan chooses how tiles and products are lowered.
func (t *tileLowering) plan(c *opt.Context) {
	f, m := t.f, t.m
	t.b = ir.Builder{F: f, Span: f.Span, Folds: true}
	t.items = 1
	for _, size := range f.Workgroup {
		n, _ := m.ConstUint(size)
		t.items *= int(n)
	}
	t.findFragments(c)
	t.findLayouts()
	t.findValues(t.isDirect)
	t.findDeferrals()
	t.findCopies(c)
}

// tileLayout says which elements of a shape an invocation holds.
type tileLayout struct {
	rows, columns int
	// A product's invocations are a grid, each with so many rows and columns of elements. Of others
	// gridRows is 0, and invocation i holds the elements i, i+items, … in the order of rows.
	gridRows, gridColumns int
	eachRows, eachColumns int
	// A fragment is that of wgmma: perBlock elements of each of so many blocks of 64 rows.
	fragment         bool
	perBlock, blocks int
	// lanes says that neighbours hold neighbouring columns, in so many blocks of a row.
	lanes bool
	// grid, if not nil, is that of fragments whose elements the invocation holds
	// (tilefragments.go).
	grid *fragmentGrid
	// fma, if not nil, is the grid of products of float32 in a kernel with tensor maps.
	fma *fmaGrid
	// count is how many elements an invocation holds, those beyond the shape included.
	count int
}

// findLayouts finds the shapes of products, which decide the layouts.
func (t *tileLowering) findLayouts() {
	f := t.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd || t.products[i] != (ir.FragmentProduct{}) {
			continue
		}
		if _, rows, columns := t.m.TileShape(f.Type(i)); t.known(rows, columns) == nil {
			t.layouts = append(t.layouts, t.productLayout(rows, columns))
		}
	}
}

func (t *tileLowering) known(rows, columns int) *tileLayout {
	for n := range t.layouts {
		if l := &t.layouts[n]; l.rows == rows && l.columns == columns {
			return l
		}
	}
	return nil
}

// layout returns the layout of a tile type.
func (t *tileLowering) layout(x ir.Type) tileLayout {
	_, rows, columns := t.m.TileShape(x)
	if t.tensor != nil && t.tensor.fma != nil {
		return t.tensor.fma.layout(rows, columns)
	}
	if t.tensor != nil {
		return t.tensor.fragmentLayout(rows, columns)
	}
	if t.inLanes {
		return t.packedLayout(rows, columns)
	}
	if g := t.gridOf(rows, columns); g != nil {
		return tileLayout{rows: rows, columns: columns, grid: g, count: g.count() * g.held}
	}
	if l := t.known(rows, columns); l != nil {
		return *l
	}
	return tileLayout{rows: rows, columns: columns, count: (rows*columns + t.items - 1) / t.items}
}

// productLayout returns the grid with the fewest elements for each invocation, and among those the
// one that is closest to a square.
func (t *tileLowering) productLayout(rows, columns int) (best tileLayout) {
	for gridRows := 1; gridRows <= t.items; gridRows++ {
		if t.items%gridRows != 0 {
			continue
		}
		l := tileLayout{rows: rows, columns: columns, gridRows: gridRows, gridColumns: t.items / gridRows}
		l.eachRows = (rows + gridRows - 1) / gridRows
		l.eachColumns = (columns + l.gridColumns - 1) / l.gridColumns
		l.count = l.eachRows * l.eachColumns
		if best.count == 0 || l.count < best.count || l.count == best.count && l.eachRows+l.eachColumns < best.eachRows+best.eachColumns {
			best = l
		}
	}
	return best
}

// run returns how many consecutive rows or columns an invocation holds, of n in all: as many as
// one load can have.
func runOf(n int) int {
	for _, length := range [...]int{4, 2} {
		if n%length == 0 {
			return length
		}
	}
	return 1
}

func (t *tileLowering) u32(n int) ir.Value { return t.m.ConstU32(uint32(n)) }

// op builds an operation on a value and a constant, unless that changes nothing.
func (t *tileLowering) op(o op.Op, x ir.Value, n int) ir.Value {
	switch {
	case n == 1 && (o == op.Mul || o == op.Div):
		return x
	case n == 1 && o == op.Rem:
		return t.u32(0)
	}
	return t.b.Op(o, x, t.u32(n))
}

// sum adds values, leaving out those that are zero.
func (t *tileLowering) sum(x, y ir.Value) ir.Value {
	switch {
	case t.m.IsZero(x):
		return y
	case t.m.IsZero(y):
		return x
	}
	return t.b.Op(op.Add, x, y)
}

// spread returns the position along one side of a grid: of element e among those of an invocation
// in the grid.
func (t *tileLowering) spread(e, place ir.Value, each, grid int) ir.Value {
	run := runOf(each)
	at := t.sum(t.op(op.Mul, t.op(op.Div, e, run), grid*run), t.op(op.Mul, place, run))
	return t.sum(at, t.op(op.Rem, e, run))
}

// position returns the row and the column, both u32, of an element of the invocation.
func (t *tileLowering) position(l *tileLayout, e ir.Value) (row, column ir.Value) {
	if l.fragment || l.fma != nil {
		n, _ := t.m.ConstUint(e) // loops over elements are unrolled
		if l.fma != nil {
			return t.fmaPosition(l, int(n))
		}
		return t.fragmentPosition(l, int(n))
	}
	if l.lanes {
		return t.lanePosition(l, e)
	}
	if l.grid != nil {
		return t.gridPosition(l.grid, e)
	}
	if l.gridRows == 0 {
		n := t.sum(t.op(op.Mul, e, t.items), t.item)
		return t.op(op.Div, n, l.columns), t.op(op.Rem, n, l.columns)
	}
	return t.spread(t.op(op.Div, e, l.eachColumns), t.op(op.Div, t.item, l.gridColumns), l.eachRows, l.gridRows),
		t.spread(t.op(op.Rem, e, l.eachColumns), t.op(op.Rem, t.item, l.gridColumns), l.eachColumns, l.gridColumns)
}

// exceeds reports whether invocations hold elements with rows or columns beyond the shape.
func (t *tileLowering) exceeds(l *tileLayout) (rows, columns bool) {
	switch {
	case l.fragment || l.fma != nil || l.grid != nil:
		return false, false
	case l.lanes:
		return false, l.columns%TileLanes != 0
	case l.gridRows == 0:
		return l.count*t.items > l.rows*l.columns, false
	}
	return l.eachRows*l.gridRows > l.rows, l.eachColumns*l.gridColumns > l.columns
}

// exists returns whether a position is within the shape, or NoValue if all are.
func (t *tileLowering) exists(l *tileLayout, row, column ir.Value) (is ir.Value) {
	rows, columns := t.exceeds(l)
	if rows {
		is = t.op(op.Lt, row, l.rows)
	}
	if columns {
		is = t.both(is, t.op(op.Lt, column, l.columns))
	}
	return is
}

// nearest returns the position of an element of the invocation, with the shape's last row or column
// instead of one beyond.
func (t *tileLowering) nearest(l *tileLayout, e ir.Value) (row, column ir.Value) {
	row, column = t.position(l, e)
	rows, columns := t.exceeds(l)
	if rows {
		row = t.op(op.Min, row, l.rows-1)
	}
	if columns {
		column = t.op(op.Min, column, l.columns-1)
	}
	return row, column
}

// both returns the conjunction of two conditions, of which NoValue is true.
func (t *tileLowering) both(x, y ir.Value) ir.Value {
	switch {
	case x == ir.NoValue:
		return y
	case y == ir.NoValue:
		return x
	}
	return t.b.Op(op.And, x, y)
}

// when builds what runs if a condition holds, which NoValue does.
func (t *tileLowering) when(condition ir.Value, body func()) {
	if condition == ir.NoValue {
		body()
		return
	}
	i := t.b.If(condition)
	behind := t.b
	for n := range 2 {
		t.b.SetBlock(t.f.Region(i, n))
		if n == 0 {
			body()
		}
		t.b.Exit(i)
	}
	t.b = behind
}

// count builds a loop of n iterations, or its body alone if n is 1. Elements that are in registers
// have no index, so that there the loop is unrolled.
func (t *tileLowering) count(n int, body func(k ir.Value)) {
	if t.tensor != nil || t.unrolled {
		for k := range n {
			body(t.u32(k))
		}
		return
	}
	if n == 1 {
		body(t.u32(0))
		return
	}
	t.b.Count(uint32(n), body)
}

// scratchKind returns the kind in which elements of a kind are in workgroup memory.
func scratchKind(k scalar.Kind) scalar.Kind {
	switch {
	case k == scalar.F16:
		return scalar.F32
	case k.IsFloat():
		return k
	}
	return scalar.U32
}

// makeScratch declares the arrays in workgroup memory, which share what there is.
func (t *tileLowering) makeScratch(c *opt.Context) {
	sizes := t.findScratch(leftOf(c, t.m))
	for k, n := range sizes {
		if n > 0 {
			element, name := ir.Type(k), "tile_"+scalar.Kind(k).String()
			if scalar.Kind(k) == scalar.None {
				element, name = t.m.VectorOf(ir.U32, 4), "tile_words"
			}
			array := t.m.ArrayOf(element, t.u32(n))
			t.scratch[k] = t.m.AddGlobal(ir.Global{Name: name, Type: t.m.PointerTo(ir.Workgroup, array, ir.ReadWrite)})
			if (t.inLanes || t.hasRing(ir.Type(k))) && t.m.WithRole(ir.TileRings) == ir.NoValue {
				t.m.Global(t.scratch[k]).Role = ir.TileRings
			}
		}
	}
	t.noteTiles(c)
}

// scratchSizes returns how many elements the arrays need, by the kind of their elements.
func (t *tileLowering) scratchSizes() (most [scalar.Count]int) {
	f := t.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		k, n := scalar.None, 0
		if t.products[i] != (ir.FragmentProduct{}) || t.exchanges(i) {
			t.fragmentScratch(i, &most)
			continue
		}
		switch f.Op(i) {
		case op.TileMulAdd:
			if t.inLanes {
				p := t.panelProduct(i)
				k, n = p.sum, p.scratchElements()
				break
			}
			p := t.product(i)
			k, n = p.sum, p.slice*(p.paddedRows+p.paddedColumns)
		case op.TileReduce, op.TileBroadcast, op.TileTranspose:
			var along, across int
			k, along, across = t.m.TileShape(f.TypeOf(f.Arg(i, 0)))
			if f.Op(i) == op.TileReduce {
				along, across, _ = t.reduction(i)
			}
			n = t.sliceOf(along, across, scratchKind(k.Held())) * across
			n = max(n, t.laneScratch(i))
		}
		if k != scalar.None {
			k = scratchKind(k.Held())
			most[k] = max(most[k], n)
		}
	}
	return most
}

// sliceOf returns how many of n rows or columns, of so many elements each, are in workgroup memory
// at a time. It divides n.
func (t *tileLowering) sliceOf(n, elements int, k scalar.Kind) int {
	for slice := n; slice > 1; slice-- {
		if n%slice == 0 && slice*elements*k.Bytes() <= t.sliceBytes {
			return slice
		}
	}
	return 1
}

// element returns the address of an element of workgroup memory.
func (t *tileLowering) element(k scalar.Kind, n ir.Value) ir.Value {
	return t.b.AccessWithin(t.scratch[k], n)
}

// of returns the address of element e of a tile's array.
func (t *tileLowering) of(array, e ir.Value) ir.Value { return t.b.AccessWithin(array, e) }

// barrier waits until all have done with workgroup memory.
func (t *tileLowering) barrier() { t.b.Barrier(op.WorkgroupMemory) }

// instruction lowers an instruction; that of a tile is removed later.
func (t *tileLowering) instruction(i ir.Inst) {
	f := t.f
	t.b.At(i)
	t.b.Flags = f.Flags(i)
	t.unrolled = t.isUnrolled(i)
	defer func() { t.unrolled = false }()
	switch o := f.Op(i); o {
	case op.TileLoad, op.TileLoadWindows:
		t.load(i)
	case op.TileStore:
		t.store(i)
	case op.TileSplat:
		to := t.variable(f.Result(i))
		if t.isNative(f.Result(i)) {
			x := t.b.Emit(op.FragmentSplat, t.grids[f.Type(i)].sums, 0, f.Arg(i, 0))
			t.eachElement(to, func(e ir.Value) { t.b.Store(t.of(to, e), x) })
			break
		}
		t.count(t.layout(f.Type(i)).count, func(e ir.Value) { t.put(to, e, func() ir.Value { return f.Arg(i, 0) }) })
	case op.TileMulAdd:
		if _, ok := t.products[i]; ok {
			t.fragmentMulAdd(i)
		} else {
			t.mulAdd(i)
		}
	case op.TileConvert:
		if t.exchanges(i) {
			t.exchangeFragments(i)
		} else {
			t.convert(i)
		}
	case op.TileReduce:
		t.reduce(i)
	case op.TileBroadcast, op.TileTranspose:
		t.exchange(i)
	case op.TileCount:
		f.Replace(f.Result(i), t.m.ConstI32(int32(t.layout(f.TypeOf(f.Arg(i, 0))).count)))
	case op.TileRow, op.TileColumn:
		l := t.layout(f.TypeOf(f.Arg(i, 0)))
		at, column := t.position(&l, t.b.Convert(scalar.U32, f.Arg(i, 1)))
		if o == op.TileColumn {
			at = column
		}
		f.Replace(f.Result(i), t.b.Convert(scalar.I32, at))
	case op.Lt:
		if t.isWithin(i) {
			f.Replace(f.Result(i), t.m.ConstBool(true))
		}
	case op.TileGet:
		x := t.b.Load(t.b.Access(t.operand(f.Arg(i, 0)), f.Arg(i, 1)))
		f.Replace(f.Result(i), t.b.Convert(t.m.ScalarOf(f.Type(i)), x))
	case op.TileSet:
		to := t.variable(f.Result(i))
		t.move(to, f.Arg(i, 0))
		t.b.Store(t.b.Access(to, f.Arg(i, 1)), t.b.Convert(t.kindOf(to), f.Arg(i, 2)))
	case op.Select:
		if t.m.IsTile(f.Type(i)) {
			t.choose(i)
		}
	default:
		if o.Is(op.Control | op.Terminator) {
			t.control(i)
		}
		if r := t.copies[i]; r != nil {
			t.enterCopies(r)
		}
		if d := t.deferrals[i]; d != nil {
			t.enterDeferral(i, d)
		}
	}
}

// isWithin reports whether a comparison of a row or a column with how many there are is true for
// all elements of the invocations.
func (t *tileLowering) isWithin(i ir.Inst) bool {
	f := t.f
	at, ok := f.Def(f.Arg(i, 0))
	if ok && f.Op(at) == op.Convert {
		at, ok = f.Def(f.Arg(at, 0))
	}
	if !ok || f.Op(at) != op.TileRow && f.Op(at) != op.TileColumn {
		return false
	}
	l := t.layout(f.TypeOf(f.Arg(at, 0)))
	exceed, columns := t.exceeds(&l)
	count := l.rows
	if f.Op(at) == op.TileColumn {
		exceed, count = columns, l.columns
	}
	n, known := t.m.ConstUint(f.Arg(i, 1))
	return known && !exceed && n >= uint64(count)
}
