package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers loads and stores of tiles: where their elements are in memory.

// address returns the address of the element of a matrix at a row and column of its tile, and
// whether it is there.
func (t *tileLowering) address(i ir.Inst, row, column ir.Value) (address, inside ir.Value) {
	if t.f.Op(i) == op.TileLoadWindows {
		return t.windowsAddress(i, t.windowsRow(i, row), t.windowsColumn(i, column))
	}
	row, column = t.inMatrix(i, row, column)
	inside = t.isInside(i, row, column)
	index := t.index(i, row, column)
	inside = t.b.Op(op.And, inside, t.b.Op(op.Lt, index, t.lengthOf(i)))
	return t.matrixElement(i, index, false), inside
}

// tileArg returns a number of a load or store, as u32.
func (t *tileLowering) tileArg(i ir.Inst, n int) ir.Value {
	return t.b.Convert(scalar.U32, t.f.Arg(i, n))
}

// inMatrix returns the row and the column of a matrix for those of its tile.
func (t *tileLowering) inMatrix(i ir.Inst, row, column ir.Value) (r, c ir.Value) {
	return t.sum(t.tileArg(i, ir.TileFirstRow), row), t.sum(t.tileArg(i, ir.TileFirstColumn), column)
}

// isInside returns whether a matrix has a row and a column.
func (t *tileLowering) isInside(i ir.Inst, row, column ir.Value) ir.Value {
	hasRow, hasColumn := t.b.Op(op.Lt, row, t.tileArg(i, ir.TileRows)), t.b.Op(op.Lt, column, t.tileArg(i, ir.TileColumns))
	return t.b.Op(op.And, hasRow, hasColumn)
}

// index returns the index in its array of the element at a row and a column of a matrix.
func (t *tileLowering) index(i ir.Inst, row, column ir.Value) ir.Value {
	index := t.sum(t.tileArg(i, ir.TileOffset), t.b.Op(op.Mul, row, t.tileArg(i, ir.TileRowStride)))
	return t.sum(index, t.b.Op(op.Mul, column, t.tileArg(i, ir.TileColumnStride)))
}

// lengthOf returns how many elements the array of a matrix has.
func (t *tileLowering) lengthOf(i ir.Inst) ir.Value {
	array := t.f.Arg(i, ir.TileArray)
	if length, known := t.m.Count(t.m.Element(t.f.TypeOf(array))); known {
		return t.m.ConstU32(length)
	}
	return t.b.Emit(op.ArrayLength, ir.U32, 0, array)
}

// matrixElement returns the address of an element of a matrix's array, which may be known to be in
// it.
func (t *tileLowering) matrixElement(i ir.Inst, index ir.Value, within bool) ir.Value {
	array := t.f.Arg(i, ir.TileArray)
	path := []ir.Value{index}
	if t.m.KindOf(t.m.Element(t.m.Element(t.f.TypeOf(array)))) == ir.StructType {
		path = append(path, t.u32(0))
	}
	if within {
		return t.b.AccessWithin(array, path...)
	}
	return t.b.Access(array, path...)
}

// fetch returns an element of a matrix, or zero where the tile or the matrix has none.
func (t *tileLowering) fetch(i ir.Inst, row, column, exists ir.Value) ir.Value {
	address, inside := t.address(i, row, column)
	return t.fetchAt(i, address, t.both(exists, inside))
}

// fetchAt returns an element at an address, or zero unless a condition holds.
func (t *tileLowering) fetchAt(i ir.Inst, address, condition ir.Value) ir.Value {
	return t.fetchWhere(i, condition, func() ir.Value { return address })
}

// fetchWhere is fetchAt with an address that is computed where the condition holds.
func (t *tileLowering) fetchWhere(i ir.Inst, condition ir.Value, address func() ir.Value) ir.Value {
	f, b := t.f, &t.b
	zero := t.m.Zero(t.m.HeldType(f.Type(i)))
	branch := b.If(condition)
	r := f.AddResult(branch, f.TypeOf(zero))
	behind := *b
	b.SetBlock(f.Region(branch, 0))
	b.Exit(branch, b.Load(address()))
	b.SetBlock(f.Region(branch, 1))
	b.Exit(branch, zero)
	*b = behind
	return r
}

// load lowers a load whose elements the invocations hold.
func (t *tileLowering) load(i ir.Inst) {
	f := t.f
	if memory := op.Memory(f.Aux(i)); memory != 0 {
		t.b.Barrier(memory)
	}
	if t.direct[i] {
		return
	}
	l, to := t.layout(f.Type(i)), t.variable(f.Result(i))
	if l.lanes {
		t.loadLanes(i, &l, to)
		return
	}
	t.count(l.count, func(e ir.Value) {
		row, column := t.position(&l, e)
		t.put(to, e, func() ir.Value { return t.fetch(i, row, column, t.exists(&l, row, column)) })
	})
}

func (t *tileLowering) store(i ir.Inst) {
	f := t.f
	switch memory := op.Memory(f.Aux(i)); {
	case memory != 0 && t.tensor != nil: // nothing loads the matrix, and producers do not store
		t.intrinsic(op.NamedBarrier, t.u32(storeOrder), t.u32(t.tensor.consumers*warpgroup))
	case memory != 0:
		t.b.Barrier(memory)
		defer t.b.Barrier(memory)
	}
	x := f.Arg(i, ir.TileValue)
	l, from, k := t.layout(f.TypeOf(x)), t.operand(x), t.heldKind(x)
	if l.lanes {
		t.storeLanes(i, &l, from)
		return
	}
	sole := t.soleOwner(&l)
	elements := func() {
		t.count(l.count, func(e ir.Value) {
			row, column := t.position(&l, e)
			address, inside := t.address(i, row, column)
			t.when(t.both(sole, t.both(t.exists(&l, row, column), inside)), func() { t.b.Store(address, t.get(from, e, k)) })
		})
	}
	if !t.storesPairs(i, &l) {
		elements()
		return
	}
	t.either(t.hasPairs(i, &l), func() { t.storePairs(i, &l, from) }, elements)
}

// soleOwner returns whether the invocation stores a tile, of which others may hold the same
// elements, or NoValue if none do. With tensor maps many hold those of one row or one column.
func (t *tileLowering) soleOwner(l *tileLayout) (is ir.Value) {
	if !l.fragment && l.fma == nil {
		return ir.NoValue
	}
	if l.columns == 1 {
		is = t.op(op.Eq, t.column, 0)
	}
	if l.rows == 1 {
		if is = t.both(is, t.op(op.Eq, t.row, 0)); l.fragment {
			is = t.both(is, t.op(op.Eq, t.group, 0))
		}
	}
	return is
}

func (t *tileLowering) convert(i ir.Inst) {
	f := t.f
	l, from, to := t.layout(f.Type(i)), t.operand(f.Arg(i, 0)), t.variable(f.Result(i))
	k, _, _ := t.m.TileShape(f.TypeOf(f.Arg(i, 0)))
	wanted, _, _ := t.m.TileShape(f.Type(i))
	t.count(l.count, func(e ir.Value) {
		t.put(to, e, func() ir.Value { return convertElement(&t.b, wanted, k, t.get(from, e, k.Held())) })
	})
}
