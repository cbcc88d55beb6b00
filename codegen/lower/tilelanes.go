package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file reduces and broadcasts packed tiles (tilepacked.go). A lane holds all of a column, so
// that what is folded or repeated by columns goes through no other memory. For rows a lane reads
// those of others in workgroup memory, row by row as they lie in the tile.

// laneSlice returns how many blocks of columns are in workgroup memory at a time to fold rows.
func laneSlice(l *tileLayout, k scalar.Kind) int {
	for n := l.blocks; n > 1; n-- {
		if l.blocks%n == 0 && n*TileLanes*l.rows*k.Bytes() <= packedBytes {
			return n
		}
	}
	return 1
}

// laneScratch returns how many elements of workgroup memory a reduction or broadcast needs here.
func (t *tileLowering) laneScratch(i ir.Inst) int {
	if !t.inLanes {
		return 0
	}
	x := t.f.TypeOf(t.f.Arg(i, 0))
	k, rows, _ := t.m.TileShape(x)
	if l := t.layout(x); l.lanes && t.f.Op(i) == op.TileReduce {
		return laneSlice(&l, scratchKind(k.Held())) * TileLanes * l.rows
	}
	return rows
}

// reduceLanes lowers a reduction, and reports whether it can.
func (t *tileLowering) reduceLanes(i ir.Inst) bool {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	k, _, _ := t.m.TileShape(f.TypeOf(x))
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	_, _, byRow := t.reduction(i)
	if !t.inLanes || !l.lanes || byRow == result.lanes {
		return false
	}
	from, to, o := t.operand(x), t.variable(f.Result(i)), op.AtomicOperation(f.Aux(i))
	flags := b.Flags & ir.Fast
	b.Flags = 0
	fold := func(sum, v ir.Value) {
		b.Flags = flags
		b.Store(sum, b.Op(reductions[o], b.Load(sum), v))
		b.Flags = 0
	}
	if !byRow {
		t.count(l.blocks, func(block ir.Value) {
			sum := b.Var(ir.Type(k), "sum")
			b.Store(sum, t.neutral(o, k))
			t.count(l.rows, func(row ir.Value) {
				fold(sum, t.get(from, t.sum(t.op(op.Mul, row, l.blocks), block), k))
			})
			t.put(to, block, func() ir.Value { return b.Load(sum) })
		})
		return true
	}
	scratch := scratchKind(k)
	blocks := laneSlice(&l, scratch)
	width := blocks * TileLanes
	t.count(result.count, func(e ir.Value) { t.put(to, e, func() ir.Value { return t.neutral(o, k) }) })
	t.count(l.blocks/blocks, func(step ir.Value) {
		first := t.op(op.Mul, step, blocks)
		t.barrier()
		t.count(l.rows, func(row ir.Value) {
			t.lanesAcross(width, laneUnroll, 1, func(column laneIndex) {
				place := t.from(t.op(op.Mul, row, width), column)
				column.first = t.sum(t.op(op.Mul, first, TileLanes), column.first)
				b.Store(t.element(scratch, place), b.Convert(scratch, t.get(from, t.block(&l, at(row), column), k)))
			})
		})
		t.barrier()
		columns := t.op(op.Min, b.Op(op.Sub, t.u32(l.columns), t.op(op.Mul, first, TileLanes)), width)
		t.count(result.count, func(e ir.Value) {
			row, _ := t.position(&result, e)
			t.when(t.exists(&result, row, ir.NoValue), func() {
				sum := b.Var(ir.Type(k), "sum")
				b.Store(sum, t.get(to, e, k))
				start := t.op(op.Mul, row, width)
				t.times(columns, func(column ir.Value) {
					fold(sum, b.Convert(k, b.Load(t.element(scratch, t.sum(start, column)))))
				})
				t.put(to, e, func() ir.Value { return b.Load(sum) })
			})
		})
	})
	return true
}

// times builds a loop of n iterations, of which there is one at least.
func (t *tileLowering) times(n ir.Value, body func(k ir.Value)) {
	f, b := t.f, &t.b
	loop := b.Loop()
	behind := *b
	k := f.AddLoopParam(loop, t.u32(0))
	b.SetBlock(f.Region(loop, 0))
	body(k)
	b.Continue(loop)
	b.SetBlock(f.Region(loop, 1))
	next := t.op(op.Add, k, 1)
	b.Next(loop, []ir.Value{next}, b.Op(op.Ge, next, n), nil)
	*b = behind
}

// broadcastLanes lowers a broadcast, and reports whether it can.
func (t *tileLowering) broadcastLanes(i ir.Inst) bool {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	k, rows, columns := t.m.TileShape(f.TypeOf(x))
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	byColumn := rows == 1 && columns == result.columns
	if !t.inLanes || f.Op(i) != op.TileBroadcast || !result.lanes || l.lanes != byColumn || !byColumn && (columns != 1 || rows != result.rows) {
		return false
	}
	from, to := t.operand(x), t.variable(f.Result(i))
	b.Flags = 0
	if byColumn {
		t.count(result.rows, func(row ir.Value) {
			t.count(l.blocks, func(block ir.Value) {
				t.put(to, t.sum(t.op(op.Mul, row, l.blocks), block), func() ir.Value { return t.get(from, block, k.Held()) })
			})
		})
		return true
	}
	scratch := scratchKind(k.Held())
	t.barrier()
	t.count(l.count, func(e ir.Value) {
		row, _ := t.position(&l, e)
		t.when(t.exists(&l, row, ir.NoValue), func() {
			b.Store(t.element(scratch, row), b.Convert(scratch, t.get(from, e, k.Held())))
		})
	})
	t.barrier()
	t.count(result.rows, func(row ir.Value) {
		v := b.Load(t.element(scratch, row))
		t.lanesAcross(result.blocks*TileLanes, laneUnroll, 1, func(column laneIndex) {
			t.put(to, t.block(&result, at(row), column), func() ir.Value { return b.Convert(k.Held(), v) })
		})
	})
	return true
}
