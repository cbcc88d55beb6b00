package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file stores tiles by the tensor memory accelerator. A warpgroup writes boxes of 64 rows and
// 128 bytes to its buffers in workgroup memory, from which they are copied while it goes on.

const boxRows = 64

// storeOrder is the number of the barrier at which all consumers wait between stores to a matrix.
// The lower ones are for boxes and in tilepingpong.go.
const storeOrder = 5

// storeBoxes lowers a store, as many boxes at a time as there are buffers.
func (t *tileLowering) storeBoxes(i ir.Inst) {
	f, b, p := t.f, &t.b, t.tensor
	x := f.Arg(i, ir.TileValue)
	k, _, columns := t.m.TileShape(f.TypeOf(x))
	l, from := t.layout(f.TypeOf(x)), t.operand(x)
	wide := swizzleBytes / k.Bytes() // columns of a box
	across := columns / wide
	const boxBytes = boxRows * swizzleBytes
	base := t.sum(t.sum(t.base, t.u32(p.bufferOffset)), t.op(op.Mul, t.group, p.buffers*boxBytes))
	thread := t.op(op.Rem, t.item, warpgroup)
	first := t.op(op.Eq, thread, 0)
	t.orderStore(i, first)
	together := func() { t.intrinsic(op.NamedBarrier, t.op(op.Add, t.group, 1), t.u32(warpgroup)) }
	for start := 0; start < l.blocks*across; start += p.buffers {
		end := min(start+p.buffers, l.blocks*across)
		t.when(first, func() { t.intrinsic(op.BulkWait, t.u32(0)) })
		together()
		for box := start; box < end; box++ {
			t.writeBox(&l, from, k, box/across, box%across*wide, t.sum(base, t.u32((box-start)*boxBytes)))
		}
		t.intrinsic(op.AsyncFence)
		together()
		t.when(first, func() {
			for box := start; box < end; box++ {
				row := b.Op(op.Add, f.Arg(i, ir.TileFirstRow), b.Convert(scalar.I32, t.op(op.Add, t.op(op.Mul, t.group, l.blocks*boxRows), box/across*boxRows)))
				column := b.Op(op.Add, f.Arg(i, ir.TileFirstColumn), t.m.ConstI32(int32(box%across*wide)))
				t.intrinsic(op.TensorStore, t.u32(p.stores[i]-1), t.sum(base, t.u32((box-start)*boxBytes)), column, row)
			}
			t.intrinsic(op.BulkCommit)
		})
	}
}

// orderStore has what earlier stores copy arrive before a store that is ordered. Leaders are those
// that copy.
func (t *tileLowering) orderStore(i ir.Inst, leader ir.Value) {
	if t.f.Aux(i) == 0 {
		return
	}
	t.when(leader, func() { t.intrinsic(op.BulkFinish, t.u32(0)) })
	t.intrinsic(op.NamedBarrier, t.u32(storeOrder), t.u32(t.tensor.consumers*warpgroup))
}

// writeBox writes the elements of a box to a buffer. Its rows have 128 bytes, whose parts of 16
// bytes are exchanged: part n is where part n xor (row mod 8) would be.
func (t *tileLowering) writeBox(l *tileLayout, from ir.Value, k scalar.Kind, block, column int, to ir.Value) {
	b := &t.b
	lane := t.op(op.Rem, t.item, 32)
	warp := t.op(op.Div, t.op(op.Rem, t.item, warpgroup), 32)
	element := func(n int) ir.Value { return b.Load(t.of(from, t.u32(block*l.perBlock+n))) }
	if k.Bytes() == 4 {
		element := func(n int) ir.Value { return b.Bitcast(ir.F32, element(n)) }
		at := t.sum(to, t.op(op.Mul, t.row, swizzleBytes))
		swizzle := t.op(op.Rem, t.row, 8)
		inPart := t.op(op.Mul, t.op(op.Rem, lane, 2), 8)
		for j := range swizzleBytes / 4 / 8 { // eight columns each
			part := t.sum(t.op(op.Div, t.op(op.Rem, lane, 4), 2), t.u32(2*j))
			part = t.sum(t.op(op.Mul, b.Op(op.Xor, part, swizzle), 16), inPart)
			for down := range 2 {
				n := (column/8+j)*4 + 2*down
				t.intrinsic(op.StorePair, t.sum(t.sum(at, part), t.u32(8*down*swizzleBytes)), element(n), element(n+1))
			}
		}
		return
	}
	// each lane has the address of a row of one of four matrices of 8×8 elements
	row := t.sum(t.op(op.Mul, warp, 16), t.op(op.Rem, lane, 16))
	at := t.sum(to, t.op(op.Mul, row, swizzleBytes))
	swizzle := b.Op(op.Xor, t.op(op.Div, lane, 16), t.op(op.Rem, lane, 8))
	for q := range swizzleBytes / 2 / 16 { // 16 columns each
		part := swizzle
		if q > 0 {
			part = t.op(op.Xor, swizzle, 2*q)
		}
		first := (column/16 + q) * 8
		var registers [4]ir.Value
		for n := range registers {
			registers[n] = t.pair(element(first+2*n), element(first+2*n+1), k)
		}
		t.intrinsic(op.StoreMatrix, t.sum(at, t.op(op.Mul, part, 16)), registers[0], registers[1], registers[2], registers[3])
	}
}

// pair returns two elements of 16 bits in a register.
func (t *tileLowering) pair(low, high ir.Value, k scalar.Kind) ir.Value {
	b := &t.b
	if k == scalar.F16 {
		return b.Bitcast(ir.U32, b.Construct(t.m.VectorOf(ir.F16, 2), low, high))
	}
	return b.Op(op.Or, b.Convert(scalar.U32, low), t.op(op.Shl, b.Convert(scalar.U32, high), 16))
}
