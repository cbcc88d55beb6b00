package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers products of tiles, with their operands in workgroup memory.

// tileProduct is how a product is computed.
type tileProduct struct {
	sum  scalar.Kind
	kind [2]scalar.Kind // of the operands
	// slice is how many columns of the first operand are in workgroup memory at a time, and steps
	// how many slices there are.
	slice, steps              int
	paddedRows, paddedColumns int // of the grid
	layout                    tileLayout
}

func (t *tileLowering) product(i ir.Inst) (p tileProduct) {
	f, m := t.f, t.m
	p.layout = t.layout(f.Type(i))
	p.sum, _, _ = m.TileShape(f.Type(i))
	var depth int
	p.kind[0], _, depth = m.TileShape(f.TypeOf(f.Arg(i, 0)))
	p.kind[1], _, _ = m.TileShape(f.TypeOf(f.Arg(i, 1)))
	p.paddedRows, p.paddedColumns = p.layout.gridRows*p.layout.eachRows, p.layout.gridColumns*p.layout.eachColumns
	p.slice = 1
	for slice := 1; slice <= depth; slice++ {
		bytes := slice * (p.paddedRows + p.paddedColumns) * scratchKind(p.sum).Bytes()
		if depth%slice == 0 && bytes <= t.sliceBytes && (slice <= tileSlice || p.slice < 4) {
			p.slice = slice
		}
	}
	p.steps = depth / p.slice
	return p
}

// mulAdd lowers a product.
func (t *tileLowering) mulAdd(i ir.Inst) {
	if t.inLanes {
		t.multiplyPanels(i)
		return
	}
	f, b := t.f, &t.b
	p := t.product(i)
	l, scratch := &p.layout, scratchKind(p.sum)
	to := t.variable(f.Result(i))
	t.move(to, f.Arg(i, 2))
	flags := b.Flags
	b.Flags = 0
	t.count(p.steps, func(step ir.Value) {
		first := t.op(op.Mul, step, p.slice)
		second := t.u32(p.slice * p.paddedRows)
		t.barrier()
		t.stage(f.Arg(i, 0), &p, 0, first, func(row, column ir.Value) ir.Value {
			return t.sum(t.op(op.Mul, b.Op(op.Sub, column, first), p.paddedRows), row)
		})
		t.stage(f.Arg(i, 1), &p, 1, first, func(row, column ir.Value) ir.Value {
			at := t.sum(t.op(op.Mul, b.Op(op.Sub, row, first), p.paddedColumns), column)
			return t.sum(second, at)
		})
		t.barrier()
		placeRow, placeColumn := t.op(op.Div, t.item, l.gridColumns), t.op(op.Rem, t.item, l.gridColumns)
		t.count(p.slice, func(k ir.Value) {
			// of elements beyond the shape, which are not stored, the last one is as good
			side := func(n, grid, count int, place, base ir.Value) (list []ir.Value) {
				for e := range n {
					at := t.spread(t.u32(e), place, n, grid)
					if n*grid > count {
						at = t.op(op.Min, at, count-1)
					}
					at = t.sum(base, at)
					list = append(list, b.Convert(p.sum, b.Load(t.element(scratch, at))))
				}
				return list
			}
			rows := side(l.eachRows, l.gridRows, l.rows, placeRow, t.op(op.Mul, k, p.paddedRows))
			columns := side(l.eachColumns, l.gridColumns, l.columns, placeColumn, t.sum(second, t.op(op.Mul, k, p.paddedColumns)))
			for r, x := range rows {
				for c, y := range columns {
					at := t.of(to, t.u32(r*l.eachColumns+c))
					b.Flags = flags & ir.Fast
					b.Store(at, t.multiplyAdd(p.sum, x, y, b.Load(at)))
					b.Flags = 0
				}
			}
		})
	})
}

func (t *tileLowering) multiplyAdd(k scalar.Kind, x, y, sum ir.Value) ir.Value {
	if k.IsFloat() {
		return t.b.Op(op.Fma, x, y, sum)
	}
	return t.b.Op(op.Add, t.b.Op(op.Mul, x, y), sum)
}

// stage stores the slice of an operand that begins at a column of the first operand, or a row of
// the second, to workgroup memory.
func (t *tileLowering) stage(x ir.Value, p *tileProduct, operand int, first ir.Value, at func(row, column ir.Value) ir.Value) {
	f, b := t.f, &t.b
	scratch := scratchKind(p.sum)
	put := func(row, column, v ir.Value) {
		v = convertElement(b, p.sum, p.kind[operand], v)
		b.Store(t.element(scratch, at(row, column)), b.Convert(scratch, v))
	}
	l := t.layout(f.TypeOf(x))
	load, ok := f.Def(x)
	if !ok || !t.direct[load] {
		from := t.operand(x)
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			along := [...]ir.Value{column, row}[operand]
			within := ir.NoValue
			if p.steps > 1 {
				within = t.op(op.Lt, b.Op(op.Sub, along, first), p.slice)
			}
			t.when(t.both(within, t.exists(&l, row, column)), func() { put(row, column, b.Load(t.of(from, e))) })
		})
		return
	}
	// the part of the matrix, dealt out by rows
	rows, columns := l.rows, l.columns
	if operand == 0 {
		columns = p.slice
	} else {
		rows = p.slice
	}
	if f.Op(load) == op.TileLoadWindows {
		firstRow, firstColumn := t.u32(0), first
		if operand == 1 {
			firstRow, firstColumn = firstColumn, firstRow
		}
		t.stageWindows(load, rows, columns, runOf(columns), firstRow, firstColumn, func(row, column ir.Value, run []ir.Value) {
			row, column = t.sum(firstRow, row), t.sum(firstColumn, column)
			for n, v := range run {
				put(row, t.sum(column, t.u32(n)), v)
			}
		})
		return
	}
	part := tileLayout{rows: rows, columns: columns, count: (rows*columns + t.items - 1) / t.items}
	t.count(part.count, func(e ir.Value) {
		row, column := t.position(&part, e)
		exists := t.exists(&part, row, column)
		if operand == 0 {
			column = t.sum(first, column)
		} else {
			row = t.sum(first, row)
		}
		t.when(exists, func() { put(row, column, t.fetch(load, row, column, ir.NoValue)) })
	})
}
