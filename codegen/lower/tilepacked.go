package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file lowers the tiles of kernels for a processor, whose threads each execute a workgroup. A
// workgroup becomes eight invocations, the lanes of a vector. They are a block that executes each
// instruction at once, so that barriers cost nothing. Neighbouring lanes hold neighbouring columns:
//
//	element e of lane l    row e / blocks, column 8·(e mod blocks) + l
//
// where a row has so many blocks of eight columns. Products are those of panels (tilepanels.go).
// Where a matrix has contiguous rows or columns, and a tile is within it, lanes access consecutive
// elements without comparisons.

// PackedTiles is Tiles for targets that execute a workgroup of eight invocations at once. Kernels
// that depend on the size of workgroups are lowered as Tiles lowers them.
var PackedTiles = opt.Pass{
	Name:     "lower-packed-tiles",
	Doc:      "replace tiles by arrays of eight invocations, and their products by loops over packed panels",
	Needs:    Tiles.Needs,
	Breaks:   Tiles.Breaks,
	Keeps:    Tiles.Keeps,
	Replaces: Tiles.Replaces,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if HasTiles(f) {
				t := &tileLowering{tileValues: tileValues{m: m, f: f}, inLanes: isPackable(f), isStrict: c.Math == opt.MathStrict}
				if t.inLanes {
					f.Workgroup = [3]ir.Value{m.ConstU32(TileLanes), m.ConstU32(1), m.ConstU32(1)}
				}
				t.run(c)
			}
		}
	},
}

// TileLanes is how many invocations a workgroup has after PackedTiles.
const TileLanes = 8

// isPackable reports whether a kernel has products, and computes the same with another size of
// workgroups.
func isPackable(f *ir.Func) bool {
	if !f.Kernel || f.SubgroupSize != ir.NoValue {
		return false
	}
	for _, b := range f.Builtins {
		if b != ir.WorkgroupID && b != ir.NumWorkgroups && b != ir.WorkgroupIndex {
			return false
		}
	}
	products := false
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch o := f.Op(i); {
		case o == op.TileMulAdd:
			products = true
		case o == op.TileLoadWindows: // windows are not loaded by lanes
			return false
		case op.Tiles.Has(o), o == op.Load, o == op.Var, o.Is(op.Control | op.Terminator):
		case o == op.Store && f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Function:
		case !o.Pure():
			return false
		}
	}
	return products
}

// packedLayout returns the layout of a shape in eight lanes. Tiles with few columns are dealt out
// element by element, unless they are products.
func (t *tileLowering) packedLayout(rows, columns int) tileLayout {
	if columns < TileLanes && t.known(rows, columns) == nil {
		return tileLayout{rows: rows, columns: columns, count: (rows*columns + TileLanes - 1) / TileLanes}
	}
	blocks := (columns + TileLanes - 1) / TileLanes
	return tileLayout{rows: rows, columns: columns, blocks: blocks, lanes: true, count: rows * blocks}
}

// lanePosition is position for lanes.
func (t *tileLowering) lanePosition(l *tileLayout, e ir.Value) (row, column ir.Value) {
	return t.op(op.Div, e, l.blocks), t.sum(t.op(op.Mul, t.op(op.Rem, e, l.blocks), TileLanes), t.item)
}

// tileMatrix is where the tile of a load or a store is, in u32.
type tileMatrix struct {
	offset, length          ir.Value // in elements
	rowStride, columnStride ir.Value
	rows, columns           ir.Value // of the matrix
	firstRow, firstColumn   ir.Value // of the tile
	isStruct                bool     // elements are structures with one member
}

func (t *tileLowering) matrix(i ir.Inst) tileMatrix {
	f, b := t.f, &t.b
	arg := func(n int) ir.Value { return b.Convert(scalar.U32, f.Arg(i, n)) }
	x := tileMatrix{offset: arg(ir.TileOffset), rowStride: arg(ir.TileRowStride), columnStride: arg(ir.TileColumnStride),
		rows: arg(ir.TileRows), columns: arg(ir.TileColumns), firstRow: arg(ir.TileFirstRow), firstColumn: arg(ir.TileFirstColumn)}
	array := f.Arg(i, ir.TileArray)
	if n, known := t.m.Count(t.m.Element(f.TypeOf(array))); known {
		x.length = t.m.ConstU32(n)
	} else {
		x.length = b.Emit(op.ArrayLength, ir.U32, 0, array)
	}
	x.isStruct = t.m.KindOf(t.m.Element(t.m.Element(f.TypeOf(array)))) == ir.StructType
	return x
}

// elementAt returns the address of an element that the array has.
func (t *tileLowering) elementAt(i ir.Inst, x *tileMatrix, index ir.Value) ir.Value {
	if x.isStruct {
		return t.b.AccessWithin(t.f.Arg(i, ir.TileArray), index, t.u32(0))
	}
	return t.b.AccessWithin(t.f.Arg(i, ir.TileArray), index)
}

// laneIndex is a row or a column in a tile: first plus more, and plus the number of the lane if it
// grows. First is a multiple of a number.
type laneIndex struct {
	first    ir.Value
	more     int
	multiple int
	grows    bool
}

// at returns the row or column at a value.
func at(x ir.Value) laneIndex { return laneIndex{first: x, multiple: 1} }

// from returns the index of a lane behind a base. Neighbours differ by a constant, which is added
// last, so that it is a displacement of addresses.
func (t *tileLowering) from(base ir.Value, x laneIndex) ir.Value {
	base = t.sum(base, x.first)
	if x.grows {
		base = t.sum(base, t.item)
	}
	return t.sum(base, t.u32(x.more))
}

// laneUnroll is how many vectors the body of a loop over consecutive elements has at most.
const laneUnroll = 8

// lanesAcross builds a loop over n elements side by side, eight at a time, and behind it what is
// left. An iteration has up to unroll vectors: a divisor of their count, and a multiple of group if
// possible.
func (t *tileLowering) lanesAcross(n, unroll, group int, body func(k laneIndex)) {
	if count := n / TileLanes; count > 0 {
		most, grouped := 1, 0
		for k := 1; k <= min(unroll, count); k++ {
			if count%k == 0 {
				if most = k; k%group == 0 {
					grouped = k
				}
			}
		}
		if grouped > 0 {
			most = grouped
		}
		t.count(count/most, func(k ir.Value) {
			first := t.op(op.Mul, k, TileLanes*most)
			for k := range most {
				body(laneIndex{first: first, more: TileLanes * k, multiple: TileLanes * most, grows: true})
			}
		})
	}
	if rest := n % TileLanes; rest != 0 {
		t.when(t.op(op.Lt, t.item, rest), func() {
			body(laneIndex{first: t.u32(0), more: n - rest, multiple: n, grows: true})
		})
	}
}

// visitor is called for an element of a part of a tile in a matrix. It gets the row and column in
// the part, the index in the array, and whether the element is there, which NoValue says of all. It
// returns what is to be done after neighbours have been visited.
type visitor func(row, column laneIndex, index, inside ir.Value) (after func())

// transposed is how many columns are visited together where lanes have the rows, so that what is
// done after has neighbours.
const transposed = 4

// visit calls body for a part of a tile in a matrix: so many rows and columns from one on. If
// lanes may have any elements, they have neighbours in memory. Loops over columns have a multiple
// of group vectors if possible.
func (t *tileLowering) visit(x *tileMatrix, rows, columns int, top, left ir.Value, any bool, group int, body visitor) {
	b := &t.b
	top, left = t.sum(x.firstRow, top), t.sum(x.firstColumn, left)
	byRows := b.Op(op.And, t.op(op.Eq, x.columnStride, 1), t.isWithinMatrix(x, x.rowStride, top, x.rows, rows, left, x.columns, columns))
	t.either(byRows, func() {
		t.count(rows, func(row ir.Value) {
			start := t.sum(x.offset, t.sum(b.Op(op.Mul, t.sum(top, row), x.rowStride), left))
			t.lanesAcross(columns, laneUnroll, group, func(column laneIndex) {
				body(at(row), column, t.from(start, column), ir.NoValue)()
			})
		})
	}, func() {
		// each compares where each element is. Neighbours are a stride apart, or side by side for
		// NoValue.
		each := func(stride ir.Value, unroll, group int) {
			t.count(rows, func(row ir.Value) {
				down := t.sum(top, row)
				start := t.sum(x.offset, b.Op(op.Mul, down, x.rowStride))
				exists := b.Op(op.Lt, down, x.rows)
				t.lanesAcross(columns, unroll, group, func(column laneIndex) {
					across := t.from(left, column)
					index := t.sum(start, across)
					if stride != ir.NoValue {
						index = t.sum(start, b.Op(op.Mul, across, stride))
					}
					inside := b.Op(op.And, exists, b.Op(op.And, b.Op(op.Lt, across, x.columns), b.Op(op.Lt, index, x.length)))
					body(at(row), column, index, inside)()
				})
			})
		}
		others := func() {
			t.either(t.op(op.Eq, x.columnStride, 1), func() { each(ir.NoValue, laneUnroll, group) }, func() { each(x.columnStride, 1, 1) })
		}
		if !any {
			others()
			return
		}
		byColumns := b.Op(op.And, t.op(op.Eq, x.rowStride, 1), t.isWithinMatrix(x, x.columnStride, left, x.columns, columns, top, x.rows, rows))
		t.either(byColumns, func() {
			together := 1
			if columns%transposed == 0 {
				together = transposed
			}
			t.count(columns/together, func(k ir.Value) {
				first := t.op(op.Mul, k, together)
				t.lanesAcross(rows, 1, 1, func(row laneIndex) {
					var after [transposed]func()
					for n := range together {
						start := t.sum(x.offset, b.Op(op.Mul, t.sum(t.sum(left, first), t.u32(n)), x.columnStride))
						column := laneIndex{first: first, more: n, multiple: together}
						after[n] = body(row, column, t.from(t.sum(start, top), row), ir.NoValue)
					}
					for _, f := range after[:together] {
						f()
					}
				})
			})
		}, others)
	})
}

// either builds the two ways of a condition.
func (t *tileLowering) either(condition ir.Value, then, otherwise func()) {
	i := t.b.If(condition)
	behind := t.b
	for n, body := range [...]func(){then, otherwise} {
		t.b.SetBlock(t.f.Region(i, n))
		body()
		t.b.Exit(i)
	}
	t.b = behind
}

// isWithinMatrix returns whether a part of a tile is within its matrix, whose other dimension is
// contiguous, and the matrix's elements there are within the array. The part has count rows of so
// many elements (or columns, if these are contiguous), from first and from begin on.
func (t *tileLowering) isWithinMatrix(x *tileMatrix, stride, first, limit ir.Value, count int, begin, end ir.Value, elements int) ir.Value {
	b := &t.b
	last, lastElement := t.sum(first, t.u32(count-1)), t.sum(begin, t.u32(elements-1))
	within := func(first, last, limit ir.Value) ir.Value {
		return b.Op(op.And, b.Op(op.Le, first, last), b.Op(op.Lt, last, limit))
	}
	long := func(x ir.Value) ir.Value { return b.Convert(scalar.U64, x) }
	index := b.Op(op.Add, b.Op(op.Mul, long(last), long(stride)), b.Op(op.Add, long(x.offset), long(lastElement)))
	is := b.Op(op.And, within(first, last, limit), within(begin, lastElement, end))
	return b.Op(op.And, is, b.Op(op.Lt, index, long(x.length)))
}

// elementOf returns an element of a matrix, or zero where it is not inside.
func (t *tileLowering) elementOf(i ir.Inst, x *tileMatrix, index, inside ir.Value) ir.Value {
	at := func() ir.Value { return t.elementAt(i, x, index) }
	if inside == ir.NoValue {
		return t.b.Load(at())
	}
	return t.fetchWhere(i, inside, at)
}

// block returns which element of its lane is at a row and column.
func (t *tileLowering) block(l *tileLayout, row, column laneIndex) ir.Value {
	e := t.sum(t.op(op.Mul, row.first, l.blocks), t.op(op.Div, column.first, TileLanes))
	return t.sum(e, t.u32(column.more/TileLanes))
}

// loadLanes lowers a load to an array of lanes.
func (t *tileLowering) loadLanes(i ir.Inst, l *tileLayout, to ir.Value) {
	x := t.matrix(i)
	t.visit(&x, l.rows, l.columns, t.u32(0), t.u32(0), false, 1, func(row, column laneIndex, index, inside ir.Value) func() {
		v := t.elementOf(i, &x, index, inside)
		return func() { t.put(to, t.block(l, row, column), func() ir.Value { return v }) }
	})
}

// storeLanes lowers a store from an array of lanes.
func (t *tileLowering) storeLanes(i ir.Inst, l *tileLayout, from ir.Value) {
	x := t.matrix(i)
	t.visit(&x, l.rows, l.columns, t.u32(0), t.u32(0), false, 1, func(row, column laneIndex, index, inside ir.Value) func() {
		t.when(inside, func() {
			t.b.Store(t.elementAt(i, &x, index), t.get(from, t.block(l, row, column), t.heldKind(t.f.Arg(i, ir.TileValue))))
		})
		return func() {}
	})
}
