package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file stores tiles two elements at a time, where the invocations hold neighbours, on targets
// with asynchronous copies. It also says where elements have to be in registers there.

// isUnrolled reports whether an instruction is on elements that are held as those of fragments, in
// a kernel with rings. What is in registers has no index.
func (t *tileLowering) isUnrolled(i ir.Inst) bool {
	f := t.f
	o := f.Op(i)
	passes := o.Is(op.Control | op.Terminator)
	if len(t.copies) == 0 || !passes && !op.Tiles.Has(o) || o == op.TileMulAdd {
		return false
	}
	for _, v := range f.Args(i) {
		if t.m.IsTile(f.TypeOf(v)) && t.layout(f.TypeOf(v)).grid == nil {
			return false
		}
	}
	return passes || f.Result(i) == ir.NoValue || !t.m.IsTile(f.Type(i)) || t.layout(f.Type(i)).grid != nil
}

// elementLoops finds the loops of the source over such elements.
func (t *tileLowering) elementLoops() map[ir.Inst]bool {
	f := t.f
	loops := map[ir.Inst]bool{}
	for i := f.First(f.Entry); i != 0 && len(t.copies) > 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); (o == op.TileGet || o == op.TileSet) && t.isUnrolled(i) {
			for around := f.Parent(f.BlockOf(i)); around != 0; around = f.Parent(f.BlockOf(around)) {
				if f.Op(around) == op.Loop {
					loops[around] = true
					break
				}
			}
		}
	}
	return loops
}

// storesPairs reports whether a store can be made in pairs.
func (t *tileLowering) storesPairs(i ir.Inst, l *tileLayout) bool {
	f, m := t.f, t.m
	array := f.Arg(i, ir.TileArray)
	k, _, _ := m.TileShape(f.TypeOf(f.Arg(i, ir.TileValue)))
	return len(t.copies) > 0 && l.grid != nil && l.grid.pairs && (k.Bytes() == 2 || k == scalar.F32 || k == scalar.F64) &&
		array.IsGlobal() && m.SpaceOf(f.TypeOf(array)) == ir.Storage && int(m.Stride(m.Element(f.TypeOf(array)))) == k.Bytes()
}

// hasPairs returns whether a tile is in its matrix as a whole, and its pairs are aligned.
func (t *tileLowering) hasPairs(i ir.Inst, l *tileLayout) ir.Value {
	b := &t.b
	x := copySlice{load: i, lines: l.rows, length: l.columns, across: t.tileArg(i, ir.TileFirstRow), along: t.tileArg(i, ir.TileFirstColumn),
		acrossStride: ir.TileRowStride, alongStride: ir.TileColumnStride, acrossCount: ir.TileRows, alongCount: ir.TileColumns}
	return b.Op(op.And, t.hasParts(&x, 2), t.isInMatrix(&x))
}

// storePairs stores a tile in pairs.
func (t *tileLowering) storePairs(i ir.Inst, l *tileLayout, from ir.Value) {
	b := &t.b
	k, _, _ := t.m.TileShape(t.f.TypeOf(t.f.Arg(i, ir.TileValue)))
	to := t.addressOf(t.f.Arg(i, ir.TileArray))
	row, column := t.inMatrix(i, t.u32(0), t.u32(0))
	first := t.index(i, row, column)
	stride := t.tileArg(i, ir.TileRowStride)
	for e := 0; e < l.count; e += 2 {
		row, column := t.position(l, t.u32(e))
		index := b.Convert(scalar.U64, t.sum(first, t.sum(b.Op(op.Mul, row, stride), column)))
		at := b.Op(op.Add, to, b.Op(op.Mul, index, t.m.ConstScalar(ir.U64, uint64(k.Bytes()))))
		low, high := t.get(from, t.u32(e), k.Held()), t.get(from, t.u32(e+1), k.Held())
		switch k {
		case scalar.F64:
			t.intrinsic(op.StoreDoubles, at, low, high)
		case scalar.F32:
			t.intrinsic(op.StoreWords, at, b.Bitcast(ir.U32, low), b.Bitcast(ir.U32, high))
		default:
			t.intrinsic(op.StoreWord, at, t.pair(low, high, k))
		}
	}
}
