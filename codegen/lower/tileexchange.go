package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers the operations by which invocations get elements of each other: reductions,
// broadcasts and transpositions. They go through workgroup memory, a slice at a time.

// neutral returns the element that a reduction begins with.
func (t *tileLowering) neutral(o op.AtomicOperation, k scalar.Kind) ir.Value {
	switch {
	case o == op.AtomicAdd && k.IsFloat():
		return t.m.ConstScalar(ir.Type(k), 1<<(k.Bits()-1)) // -0: a sum of -0 with 0 is positive
	case o == op.AtomicAdd:
		return t.m.Zero(ir.Type(k))
	}
	if o == op.AtomicMin {
		return mostOf(t.m, k)
	}
	return leastOf(t.m, k)
}

// reductions are the operations of the IR for those of reductions.
var reductions = [...]op.Op{op.AtomicAdd: op.Add, op.AtomicMin: op.Min, op.AtomicMax: op.Max}

// reduction returns how many elements a reduction folds into each of the result's, how many of
// those there are, and whether it folds rows.
func (t *tileLowering) reduction(i ir.Inst) (along, across int, byRow bool) {
	_, rows, columns := t.m.TileShape(t.f.TypeOf(t.f.Arg(i, 0)))
	if _, top, left := t.m.TileShape(t.f.Type(i)); left == 1 && top == rows {
		return columns, rows, true
	}
	return rows, columns, false
}

// reduce lowers a reduction: each element of the result is one invocation's, which folds the
// elements in their order.
func (t *tileLowering) reduce(i ir.Inst) {
	if t.reduceLanes(i) {
		return
	}
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	k, _, _ := t.m.TileShape(f.TypeOf(x))
	o := op.AtomicOperation(f.Aux(i))
	scratch := scratchKind(k)
	from, to := t.operand(x), t.variable(f.Result(i))
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	along, across, byRow := t.reduction(i)
	slice := t.sliceOf(along, across, scratch)
	flags := b.Flags & ir.Fast
	b.Flags = 0
	t.count(result.count, func(e ir.Value) { t.put(to, e, func() ir.Value { return t.neutral(o, k) }) })
	t.count(along/slice, func(step ir.Value) {
		first := t.op(op.Mul, step, slice)
		t.barrier()
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			reduced, kept := row, column
			if byRow {
				reduced, kept = column, row
			}
			reduced = b.Op(op.Sub, reduced, first)
			within := t.both(t.op(op.Lt, reduced, slice), t.exists(&l, row, column))
			t.when(within, func() {
				at := t.sum(t.op(op.Mul, reduced, across), kept)
				b.Store(t.element(scratch, at), b.Convert(scratch, t.get(from, e, k)))
			})
		})
		t.barrier()
		t.count(result.count, func(e ir.Value) {
			row, column := t.position(&result, e)
			kept := column
			if byRow {
				kept = row
			}
			t.when(t.exists(&result, row, column), func() {
				t.count(slice, func(n ir.Value) {
					at := t.of(to, e)
					v := b.Convert(k, b.Load(t.element(scratch, t.sum(t.op(op.Mul, n, across), kept))))
					b.Flags = flags
					b.Store(at, b.Convert(t.kindOf(to), b.Op(reductions[o], b.Convert(k, b.Load(at)), v)))
					b.Flags = 0
				})
			})
		})
	})
}

// exchange lowers a broadcast or a transposition: invocations give each other elements.
func (t *tileLowering) exchange(i ir.Inst) {
	if t.broadcastLanes(i) {
		return
	}
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	k, rows, columns := t.m.TileShape(f.TypeOf(x))
	scratch := scratchKind(k.Held())
	from, to := t.operand(x), t.variable(f.Result(i))
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	slice := t.sliceOf(rows, columns, scratch)
	b.Flags = 0
	t.count(rows/slice, func(step ir.Value) {
		first := t.op(op.Mul, step, slice)
		in := func(row ir.Value) ir.Value {
			if slice == rows {
				return ir.NoValue
			}
			return t.op(op.Lt, b.Op(op.Sub, row, first), slice)
		}
		at := func(row, column ir.Value) ir.Value {
			return t.element(scratch, t.sum(t.op(op.Mul, b.Op(op.Sub, row, first), columns), column))
		}
		t.barrier()
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			t.when(t.both(in(row), t.exists(&l, row, column)), func() {
				b.Store(at(row, column), b.Convert(scratch, t.get(from, e, k.Held())))
			})
		})
		t.barrier()
		t.count(result.count, func(e ir.Value) {
			row, column := t.nearest(&result, e)
			if f.Op(i) == op.TileTranspose {
				row, column = column, row
			} else {
				if columns == 1 {
					column = t.u32(0)
				}
				if rows == 1 {
					row = t.u32(0)
				}
			}
			t.when(in(row), func() {
				t.put(to, e, func() ir.Value { return b.Convert(k.Held(), b.Load(at(row, column))) })
			})
		})
	})
}
