package lower

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers products of packed tiles (tilepacked.go) to loops over packed panels (Goto and
// van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008). A slice of columns of
// the first operand, and of rows of the second, is copied to workgroup memory:
//
//	second operand    panels of some columns, each row by row, so that one is read in order
//	first operand     row by row: its elements are read one at a time, for all lanes
//
// For each panel and each strip of rows, the elements of the result are in registers. A column of
// the first operand is multiplied with a row of the second at a time. With 16 columns and six rows
// that takes two loads of vectors, six of an element for all lanes, and twelve fused multiply-adds.

// stripRows is the most rows of a strip, by how many blocks of eight columns a panel has. Together
// with a row of the panel and an element of the first operand, the sums are in the 16 registers of
// AVX2.
var stripRows = [...]int{1: 12, 2: 6, 3: 4}

const (
	// packedBytes is the workgroup memory for slices, a part of a second-level cache.
	// maxPackedBytes is for products whose depth has no suitable divisor.
	packedBytes, maxPackedBytes = 128 << 10, 512 << 10
	// packedDepth is the depth that slices have if possible, so that copying sums to registers and
	// back takes little of the time.
	packedDepth = 32
	// panelUnroll is how many columns of the first operand the body of a loop has.
	panelUnroll = 4
)

// strip is a count of strips with so many rows.
type strip struct{ rows, count int }

// stripsOf divides rows into strips of most rows. Sums of few rows wait for each other: two strips
// of four rows are better than one of six and one of two.
func stripsOf(rows, most int) (list []strip) {
	whole, rest := rows/most, rows%most
	if whole == 0 {
		return []strip{{rows, 1}}
	}
	if 2*rest <= most && rest > 0 {
		whole--
		rest += most
	}
	if whole > 0 {
		list = append(list, strip{most, whole})
	}
	switch {
	case rest == 0:
	case rest < most:
		list = append(list, strip{rest, 1})
	case rest%2 == 0:
		list = append(list, strip{rest / 2, 2})
	default:
		list = append(list, strip{rest/2 + 1, 1}, strip{rest / 2, 1})
	}
	return list
}

// panelProduct is how a product of packed tiles is computed.
type panelProduct struct {
	inst   ir.Inst
	sum    scalar.Kind
	kind   [2]scalar.Kind // of the operands
	layout tileLayout     // of the result
	// slice is how many columns of the first operand are packed at a time, and steps how many
	// slices there are. Workgroup memory has depth columns: those of several iterations, if the
	// product is deferred. The slice begins at one of them, or at the first for NoValue.
	slice, steps, depth int
	begin               ir.Value
	// vectors is how many blocks of eight columns a panel has, and panels how many there are.
	// A strip has so many rows at most.
	vectors, panels, rows int
	// first is where the first operand begins in workgroup memory, behind the panels.
	first int
	// prefetches are of what the strips prefetch.
	prefetches []prefetch
}

// strips is how many strips there are for all panels.
func (p *panelProduct) strips() (n int) {
	for _, s := range stripsOf(p.layout.rows, p.rows) {
		n += s.count
	}
	return n * p.panels
}

func (t *tileLowering) panelProduct(i ir.Inst) (p panelProduct) {
	f, m := t.f, t.m
	p.inst, p.layout = i, t.layout(f.Type(i))
	p.sum, _, _ = m.TileShape(f.Type(i))
	var depth int
	p.kind[0], _, depth = m.TileShape(f.TypeOf(f.Arg(i, 0)))
	p.kind[1], _, _ = m.TileShape(f.TypeOf(f.Arg(i, 1)))
	bytes := scratchKind(p.sum).Bytes()
	p.vectors = 1
	for _, n := range [...]int{2, 3} {
		if bytes == 4 && p.vectors == 1 && p.layout.blocks%n == 0 {
			p.vectors = n
		}
	}
	p.panels, p.rows = p.layout.blocks/p.vectors, stripRows[p.vectors]*4/bytes
	each := p.columnBytes()
	p.slice = 1
	for slice := 1; slice <= depth; slice++ {
		if depth%slice == 0 && (slice*each <= packedBytes || p.slice < packedDepth && slice*each <= maxPackedBytes) {
			p.slice = slice
		}
	}
	p.steps, p.depth = depth/p.slice, p.slice
	if d := t.deferralOf(i); d != nil {
		p.depth *= d.iterations
	}
	p.first = p.panels * p.vectors * TileLanes * p.depth
	return p
}

// columnBytes is how much workgroup memory a column of the first operand and a row of the second
// take.
func (p *panelProduct) columnBytes() int {
	return (p.panels*p.vectors*TileLanes + p.layout.rows) * scratchKind(p.sum).Bytes()
}

// scratchElements is how many elements of workgroup memory a product has.
func (p *panelProduct) scratchElements() int { return p.first + p.layout.rows*p.depth }

// unroll is how many columns of the first operand the body of the innermost loop has.
func (p *panelProduct) unroll() int {
	for n := panelUnroll; n > 1; n /= 2 {
		if p.slice%n == 0 {
			return n
		}
	}
	return 1
}

// multiplyPanels lowers a product.
func (t *tileLowering) multiplyPanels(i ir.Inst) {
	f, b := t.f, &t.b
	p := t.panelProduct(i)
	to := t.variable(f.Result(i))
	t.move(to, f.Arg(i, 2))
	b.Flags = 0
	if d := t.deferralOf(i); d != nil {
		t.deferProduct(&p, d)
		return
	}
	t.count(p.steps, func(step ir.Value) {
		start := t.op(op.Mul, step, p.slice)
		t.barrier()
		t.pack(&p, 0, start)
		t.pack(&p, 1, start)
		t.barrier()
		t.findPrefetches(&p)
		t.multiplyPacked(&p, t.iterationsInside(&p, start))
	})
}

// multiplyPacked adds the product of what is packed to the result: of all columns that workgroup
// memory has room for, or of so many times p.unroll().
func (t *tileLowering) multiplyPacked(p *panelProduct, count ir.Value) {
	rows := t.inside(p, 0, ir.TileFirstRow, ir.TileRows)
	columns := t.inside(p, 1, ir.TileFirstColumn, ir.TileColumns)
	before := func(at, end ir.Value) ir.Value {
		if end == ir.NoValue {
			return end
		}
		return t.b.Op(op.Lt, at, end)
	}
	t.count(p.panels, func(panel ir.Value) {
		exists := before(t.op(op.Mul, panel, p.vectors*TileLanes), columns)
		row := t.u32(0)
		strip := t.op(op.Mul, panel, p.strips()/p.panels)
		for _, s := range stripsOf(p.layout.rows, p.rows) {
			first := strip
			strip = t.sum(strip, t.u32(s.count))
			t.count(s.count, func(n ir.Value) {
				t.prefetchStrip(p, t.sum(first, n))
				row := t.sum(row, t.op(op.Mul, n, s.rows))
				t.when(t.both(exists, before(row, rows)), func() { t.strip(p, s.rows, panel, row, count) })
			})
			row = t.sum(row, t.u32(s.rows*s.count))
		}
	})
}

// iterationsInside returns how many iterations a slice takes, for the columns of the first operand
// that are in its matrix. It returns NoValue if all count.
func (t *tileLowering) iterationsInside(p *panelProduct, start ir.Value) ir.Value {
	b := &t.b
	columns := t.inside(p, 0, ir.TileFirstColumn, ir.TileColumns)
	if columns == ir.NoValue {
		return ir.NoValue
	}
	columns = b.Op(op.Sub, b.Op(op.Max, columns, start), start)
	return t.op(op.Div, t.sum(t.op(op.Min, columns, p.slice), t.u32(p.unroll()-1)), p.unroll())
}

// inside returns how many rows or columns of an operand are in its matrix. Others are zero, so that
// their products change no sum but by the sign of a zero, or a NaN, which only strict arithmetic
// defines. It returns NoValue if all products count.
func (t *tileLowering) inside(p *panelProduct, operand, first, end int) ir.Value {
	f, b := t.f, &t.b
	load, ok := f.Def(f.Arg(p.inst, operand))
	if !ok || f.Op(load) != op.TileLoad || p.sum == scalar.F64 || p.sum.IsFloat() && (t.isStrict || f.Flags(p.inst)&ir.Contract == 0) {
		return ir.NoValue
	}
	begin, limit := f.Arg(load, first), f.Arg(load, end)
	if loop := f.Parent(f.BlockOf(p.inst)); t.deferralOf(p.inst) != nil && (t.isIn(loop, begin) || t.isIn(loop, limit)) {
		return ir.NoValue // it differs between the products
	}
	begin, limit = b.Convert(scalar.U32, begin), b.Convert(scalar.U32, limit)
	// of a tile that begins before the matrix, which is beyond its end as a u32, all count
	return b.Op(op.Select, b.Op(op.Lt, begin, limit), b.Op(op.Sub, limit, begin), t.m.ConstU32(math.MaxUint32))
}

// strip adds the products of a strip of rows and a panel to the result.
func (t *tileLowering) strip(p *panelProduct, rows int, panel, row, count ir.Value) {
	b := &t.b
	scratch := scratchKind(p.sum)
	to, flags := t.variable(t.f.Result(p.inst)), t.f.Flags(p.inst)
	sums := make([][len(stripRows)]ir.Value, rows)
	address := func(r, v int) ir.Value {
		at := t.sum(t.op(op.Mul, row, p.layout.blocks), t.op(op.Mul, panel, p.vectors))
		return t.of(to, t.sum(at, t.u32(r*p.layout.blocks+v)))
	}
	each := func(do func(r, v int)) {
		for r := range rows {
			for v := range p.vectors {
				do(r, v)
			}
		}
	}
	each(func(r, v int) {
		sums[r][v] = b.Var(ir.Type(p.sum), "sum")
		b.Store(sums[r][v], b.Load(address(r, v)))
	})
	width := p.vectors * TileLanes
	columns := t.sum(t.op(op.Mul, panel, width*p.depth), t.item)
	elements := t.sum(t.u32(p.first), t.op(op.Mul, row, p.depth))
	unroll := p.unroll()
	times := func(body func(ir.Value)) {
		if count == ir.NoValue {
			t.count(p.depth/unroll, body)
		} else {
			t.times(count, body)
		}
	}
	times(func(n ir.Value) {
		columns, elements := t.sum(columns, t.op(op.Mul, n, unroll*width)), t.sum(elements, t.op(op.Mul, n, unroll))
		for k := range unroll {
			var y [len(stripRows)]ir.Value
			for v := range p.vectors {
				y[v] = b.Convert(p.sum, b.Load(t.element(scratch, t.sum(columns, t.u32(k*width+v*TileLanes)))))
			}
			for r := range rows {
				x := b.Convert(p.sum, b.Load(t.element(scratch, t.sum(elements, t.u32(r*p.depth+k)))))
				for v := range p.vectors {
					b.Flags = flags & ir.Fast
					b.Store(sums[r][v], t.multiplyAdd(p.sum, x, y[v], b.Load(sums[r][v])))
					b.Flags = 0
				}
			}
		}
	})
	each(func(r, v int) { b.Store(address(r, v), b.Load(sums[r][v])) })
}

// pack copies the slice of an operand that begins at a column of the first operand, or a row of the
// second.
func (t *tileLowering) pack(p *panelProduct, operand int, start ir.Value) {
	f, b := t.f, &t.b
	x := f.Arg(p.inst, operand)
	scratch := scratchKind(p.sum)
	// element returns an element as it is stored, and put stores it at a position in the slice
	element := func(v ir.Value) ir.Value {
		return b.Convert(scratch, convertElement(b, p.sum, p.kind[operand], v))
	}
	put := func(row, column laneIndex, v ir.Value) {
		b.Store(t.element(scratch, t.inSlice(p, operand, row, column)), element(v))
	}
	l := t.layout(f.TypeOf(x))
	if load, ok := f.Def(x); ok && t.direct[load] {
		m := t.matrix(load)
		rows, columns, top, left := l.rows, p.slice, t.u32(0), start
		if operand == 1 {
			rows, columns, top, left = p.slice, l.columns, start, t.u32(0)
		}
		t.visit(&m, rows, columns, top, left, true, [...]int{1, p.vectors}[operand], func(row, column laneIndex, index, inside ir.Value) func() {
			v := element(t.elementOf(load, &m, index, inside))
			return func() { b.Store(t.element(scratch, t.inSlice(p, operand, row, column)), v) }
		})
		return
	}
	from, k := t.operand(x), t.heldKind(x)
	if l.lanes && operand == 1 {
		t.count(p.slice, func(row ir.Value) {
			t.lanesAcross(l.columns, laneUnroll, p.vectors, func(column laneIndex) {
				put(at(row), column, t.get(from, t.block(&l, at(t.sum(start, row)), column), k))
			})
		})
		return
	}
	if l.lanes && (p.steps == 1 || p.slice%TileLanes == 0) {
		t.count(l.rows, func(row ir.Value) {
			t.lanesAcross(p.slice, laneUnroll, 1, func(column laneIndex) {
				inTile := column
				inTile.first = t.sum(start, column.first)
				put(at(row), column, t.get(from, t.block(&l, at(row), inTile), k))
			})
		})
		return
	}
	t.count(l.count, func(e ir.Value) {
		row, column := t.position(&l, e)
		within := ir.NoValue
		if p.steps > 1 {
			within = t.op(op.Lt, b.Op(op.Sub, [...]ir.Value{column, row}[operand], start), p.slice)
		}
		exists := t.exists(&l, row, column)
		if operand == 0 {
			column = b.Op(op.Sub, column, start)
		} else {
			row = b.Op(op.Sub, row, start)
		}
		t.when(t.both(within, exists), func() { put(at(row), at(column), t.get(from, e, k)) })
	})
}

// inSlice returns where in workgroup memory an element of an operand's slice is.
func (t *tileLowering) inSlice(p *panelProduct, operand int, row, column laneIndex) ir.Value {
	rowStep, columnStep, more := p.depth, 1, p.first+column.more
	depthStep := columnStep
	if operand == 1 {
		width := p.vectors * TileLanes
		rowStep, depthStep, more = width, width, column.more/width*width*p.depth+column.more%width
		if column.multiple%width == 0 {
			columnStep = p.depth
		} else {
			// it is in another panel, perhaps
			if column.more >= column.multiple || width%column.multiple != 0 {
				column.first, more = t.sum(column.first, t.u32(column.more)), 0
			}
			panel := t.op(op.Mul, t.op(op.Div, column.first, width), width*p.depth)
			column.first = t.sum(panel, t.op(op.Rem, column.first, width))
		}
	}
	at := t.sum(t.op(op.Mul, row.first, rowStep), t.op(op.Mul, column.first, columnStep))
	if p.begin != ir.NoValue {
		at = t.sum(at, t.op(op.Mul, p.begin, depthStep))
	}
	if row.grows {
		at = t.sum(at, t.op(op.Mul, t.item, rowStep))
	}
	if column.grows {
		at = t.sum(at, t.item)
	}
	return t.sum(at, t.u32(row.more*rowStep+more))
}
