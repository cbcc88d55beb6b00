package lower

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers the two roles of a kernel with tensor maps (tiletensor.go).
//
// The consumers hold tiles as wgmma does its sums (PTX ISA, "Register Fragments for
// wgmma.mma_async"). Warp w of a warpgroup has rows 16w to 16w+15 of each 64. Lane l of it has rows
// l/4 and l/4+8, and of each 8 columns 2(l%4) and the next.

// tensorRole is the state of lowering a role.
type tensorRole struct {
	produces bool
	base     ir.Value // the address of the rings
	// group, row and column are those of the invocation: its warpgroup, and the first element of a
	// tile of 64 rows.
	group, row, column ir.Value
	// current and phase are variables by ring: the stage and its parity. pending is the address of
	// the barrier that is told when the product under way has read a stage, or 0.
	current, phase, pending []ir.Value
	// inFlight says that a product may be under way at the builder's position, and holds has the
	// control instructions with products in them.
	inFlight bool
	holds    []bool
	sums     []bool // by leader: an array of sums
}

// runTensor lowers the tiles of a role. It returns why that cannot be done, or "".
func (t *tileLowering) runTensor(builtins []ir.Builtin) (why string) {
	f, m, p := t.f, t.m, t.tensor
	t.b = ir.Builder{F: f, Span: f.Span, Folds: true}
	t.findValues(func(load ir.Inst) bool { return p.number[load] != 0 })
	t.findSums()
	t.b.SetBefore(rewrite.AfterVars(f))
	item := f.Params(f.Entry)[slices.Index(builtins, ir.LocalInvocationIndex)]
	t.base = t.b.Emit(op.Intrinsic, ir.U32, uint32(op.SharedAddress), p.memory)
	variable := func(name string) ir.Value {
		v := t.b.Var(ir.U32, name)
		t.b.Store(v, t.u32(0))
		return v
	}
	for range p.rings {
		t.current, t.phase, t.pending = append(t.current, variable("stage")), append(t.phase, variable("phase")), append(t.pending, variable("pending"))
	}
	t.item = t.b.Op(op.Sub, item, t.u32(warpgroup))
	t.group = t.op(op.Div, t.item, warpgroup)
	t.row = t.sum(t.op(op.Mul, t.op(op.Div, t.op(op.Rem, t.item, warpgroup), 32), 16), t.op(op.Div, t.op(op.Rem, t.item, 32), 4))
	t.column = t.op(op.Mul, t.op(op.Rem, t.item, 4), 2)
	var list []ir.Inst
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		list = append(list, i)
	}
	for _, i := range list {
		t.enterBlock(i)
		if why = t.tensorInstruction(i); why != "" {
			return why
		}
	}
	for _, i := range list {
		o := f.Op(i)
		if r := f.Result(i); o != op.Invalid && !o.Is(op.Control) && (op.Tiles.Has(o) || r != ir.NoValue && m.IsTile(f.TypeOf(r))) {
			f.Remove(i)
		}
	}
	t.withoutTiles()
	f.ApplyReplacements()
	return ""
}

// findSums finds the arrays of sums, and which control instructions have products in them.
func (t *tileLowering) findSums() {
	f := t.f
	t.sums, t.holds = make([]bool, f.ValueCount()), make([]bool, f.InstCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd {
			continue
		}
		t.sums[t.find(f.Result(i)).Index()] = true
		for around := f.Parent(f.BlockOf(i)); around != 0; around = f.Parent(f.BlockOf(around)) {
			t.holds[around] = true
		}
	}
}

// enterBlock notes where a product may be under way: after control that has products, and where
// blocks of such control begin.
func (t *tileLowering) enterBlock(i ir.Inst) {
	f := t.f
	if before := f.Prev(i); before != 0 {
		if int(before) < len(t.holds) && t.holds[before] {
			t.inFlight = true
			if !t.produces && f.Op(before) == op.Loop {
				t.b.At(i)
				t.finishProducts()
			}
		}
	} else if around := f.Parent(f.BlockOf(i)); around != 0 {
		t.inFlight = t.inFlight || t.holds[around]
	}
}

// tensorInstruction lowers an instruction of a role.
func (t *tileLowering) tensorInstruction(i ir.Inst) (why string) {
	f, p := t.f, t.tensor
	o := f.Op(i)
	n := p.number[i]
	t.b.At(i)
	switch {
	case t.produces && n != 0:
		t.produce(n - 1)
	case t.produces && (o == op.TileGet || o == op.TileRow || o == op.TileColumn):
		f.Replace(f.Result(i), t.m.Zero(f.TypeOf(f.Result(i))))
	case t.produces, n != 0:
	case o == op.Return && len(p.stores) > 0: // workgroup memory is read until then
		t.when(t.op(op.Eq, t.op(op.Rem, t.item, warpgroup), 0), func() { t.intrinsic(op.BulkWait, t.u32(0)) })
	case o == op.TileMulAdd:
		t.tensorProduct(i)
	case o == op.TileReduce:
		return t.reduceFragment(i)
	case o == op.TileBroadcast:
		t.broadcastFragment(i)
	case o == op.TileStore && p.stores[i] != 0:
		t.finishProducts()
		t.storeBoxes(i)
	default:
		if op.Tiles.Has(o) && o != op.TileRow && o != op.TileColumn || o.Is(op.Control|op.Terminator) && t.passesSums(i) {
			t.finishProducts()
		}
		t.instruction(i)
	}
	if t.produces {
		return ""
	}
	for n := range p.rings {
		if r := &p.rings[n]; r.last == i && o != op.TileMulAdd {
			t.b.SetBefore(f.Next(i))
			t.finishProducts()
			t.await(n)
			t.arrive(t.barrierOf(n, 8))
			t.advance(n)
		}
	}
	return ""
}

// passesSums reports whether an instruction passes tiles, which may be moved.
func (t *tileLowering) passesSums(i ir.Inst) bool {
	for _, p := range t.allPassed(i) {
		if !p.from.IsLocal() || t.find(p.from) != t.find(p.to) {
			return true
		}
	}
	return false
}

// barrierOf returns the address of a barrier of the current stage of a ring.
func (t *tileLowering) barrierOf(ring, more int) ir.Value {
	r := &t.tensor.rings[ring]
	return t.sum(t.sum(t.base, t.u32(r.full+more)), t.op(op.Mul, t.b.Load(t.current[ring]), 16))
}

// stageOf returns the address of the current stage of a ring.
func (t *tileLowering) stageOf(ring int) ir.Value {
	r := &t.tensor.rings[ring]
	return t.sum(t.sum(t.base, t.u32(r.offset)), t.op(op.Mul, t.b.Load(t.current[ring]), r.bytes))
}

// advance goes on to the next stage of a ring, whose phase changes after the last one.
func (t *tileLowering) advance(ring int) {
	b := &t.b
	stages := t.tensor.rings[ring].stages
	next := t.op(op.Add, b.Load(t.current[ring]), 1)
	end := t.op(op.Eq, next, stages)
	b.Store(t.current[ring], b.Op(op.Select, end, t.u32(0), next))
	phase := b.Load(t.phase[ring])
	b.Store(t.phase[ring], b.Op(op.Select, end, t.op(op.Xor, phase, 1), phase))
}

// await waits until the current stage of a ring is full.
func (t *tileLowering) await(ring int) {
	t.intrinsic(op.MBarrierWait, t.barrierOf(ring, 0), t.b.Load(t.phase[ring]))
}

// arrive has one thread of each warp arrive at a barrier.
func (t *tileLowering) arrive(barrier ir.Value) {
	t.when(t.op(op.Eq, t.op(op.Rem, t.item, 32), 0), func() { t.intrinsic(op.MBarrierArrive, barrier) })
}

// releasePending releases the stages that a product has read which is complete now.
func (t *tileLowering) releasePending() {
	for n := range t.pending {
		if t.f.Op(t.tensor.rings[n].last) != op.TileMulAdd {
			continue
		}
		address := t.b.Load(t.pending[n])
		first := t.op(op.Eq, t.op(op.Rem, t.item, 32), 0)
		t.when(t.b.Op(op.And, t.op(op.Ne, address, 0), first), func() { t.intrinsic(op.MBarrierArrive, address) })
		t.b.Store(t.pending[n], t.u32(0))
	}
}

// finishProducts waits for the product under way, if there may be one.
func (t *tileLowering) finishProducts() {
	if !t.inFlight {
		return
	}
	t.intrinsic(op.WgmmaWait, t.u32(0))
	t.releasePending()
	t.inFlight = false
}

// produce asks for the copies of a load.
func (t *tileLowering) produce(n int) {
	b, p := &t.b, t.tensor
	l := &p.loads[n]
	r := &p.rings[l.stage]
	full := t.barrierOf(l.stage, 0)
	if n == r.loads[0] {
		t.intrinsic(op.MBarrierWait, t.barrierOf(l.stage, 8), t.op(op.Xor, b.Load(t.phase[l.stage]), 1))
		bytes := 0
		for _, other := range r.loads {
			bytes += p.loads[other].bytes()
		}
		t.intrinsic(op.MBarrierExpect, full, t.u32(bytes))
	}
	column, row := t.f.Arg(l.inst, ir.TileFirstColumn), t.f.Arg(l.inst, ir.TileFirstRow)
	if l.transposed {
		column, row = row, column
	}
	at := t.sum(t.stageOf(l.stage), t.u32(l.offset))
	wide := int(p.maps[l.tensorMap].Columns)
	for box := range l.boxes() {
		x := column
		if box > 0 {
			x = b.Op(op.Add, column, t.m.ConstI32(int32(box*wide)))
		}
		t.intrinsic(op.TensorLoad, t.u32(l.tensorMap), t.sum(at, t.u32(box*l.other*swizzleBytes)), full, x, row)
	}
	if n == r.loads[len(r.loads)-1] {
		t.advance(l.stage)
	}
}

// operandTile describes an operand of a product in workgroup memory.
type operandTile struct {
	descriptor ir.Value // of its first part
	// step is the distance of 16 along the depth, and box that of whole boxes along it, or 0; side
	// is the distance of 64 along the other dimension. All are in bytes.
	step, box, side int
	transposed      bool // along the depth it is not contiguous
}

// tile returns the operand of a product that a load has made.
func (t *tileLowering) tile(load int, depthFirst bool, first ir.Value) (x operandTile) {
	b, l := &t.b, &t.tensor.loads[load]
	at := t.sum(t.stageOf(l.stage), t.u32(l.offset))
	// columns are contiguous, unless the view exchanges them with rows
	contiguousDepth := depthFirst != l.transposed
	const eight = 8 * swizzleBytes
	boxes := l.other * swizzleBytes
	leading := 16
	if contiguousDepth {
		x.step, x.box, x.side = 32, boxes, 64*swizzleBytes
	} else {
		x.step, x.side, x.transposed = 16*swizzleBytes, boxes, true
		leading = boxes
	}
	if first != ir.NoValue {
		at = t.sum(at, t.op(op.Mul, first, x.side))
	}
	const swizzle128 = 1 << 62
	low := t.op(op.And, t.op(op.Shr, at, 4), 0x3FFF)
	high := uint64(leading>>4)<<16 | uint64(eight>>4)<<32 | swizzle128
	x.descriptor = b.Op(op.Or, b.Convert(scalar.U64, low), t.m.ConstScalar(ir.U64, high))
	return x
}

// at returns the descriptor of the part at a depth, in units of 16, and at a multiple of 64 along
// the other dimension.
func (t *tileLowering) at(x *operandTile, depth, side int) ir.Value {
	bytes := depth*x.step + side*x.side
	if x.box > 0 {
		each := swizzleBytes / x.step
		bytes = depth/each*x.box + depth%each*x.step + side*x.side
	}
	if bytes == 0 {
		return x.descriptor
	}
	return t.b.Op(op.Add, x.descriptor, t.m.ConstScalar(ir.U64, uint64(bytes>>4)))
}

// wgmmaColumns is the maximum of columns of one instruction.
const wgmmaColumns = 256

// tensorProduct lowers a product to wgmma on the stages of its operands.
func (t *tileLowering) tensorProduct(i ir.Inst) {
	f, m, p := t.f, t.m, t.tensor
	to := t.variable(f.Result(i))
	if c := f.Arg(i, 2); !c.IsLocal() || t.variable(c) != to {
		t.finishProducts()
		t.move(to, c)
	}
	k, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	_, rows, columns := m.TileShape(f.Type(i))
	blocks := rows / 64 / p.groups
	kind := uint32(0)
	if k == scalar.BF16 {
		kind = 1
	}
	loadOf := func(n int) int {
		if load, ok := f.Def(f.Arg(i, n)); ok {
			return p.number[load] - 1
		}
		return -1
	}
	var a operandTile
	var registers []ir.Value
	left, right := loadOf(0), loadOf(1)
	if left < 0 {
		t.finishProducts()
		registers = t.packed(f.Arg(i, 0), k)
	}
	for n, load := range [...]int{left, right} {
		if load >= 0 && (n == 0 || left < 0 || p.loads[load].stage != p.loads[left].stage) {
			t.await(p.loads[load].stage)
		}
	}
	if left >= 0 {
		a = t.tile(left, true, t.op(op.Mul, t.group, blocks))
	}
	b := t.tile(right, false, ir.NoValue)
	wide := columns
	for wide > wgmmaColumns || columns%wide != 0 {
		wide -= 64
	}
	flag := func(is bool) ir.Value {
		if is {
			return t.u32(1)
		}
		return t.u32(0)
	}
	always := m.ConstBool(true)
	t.intrinsic(op.WgmmaFence)
	for block := range blocks {
		for part := range columns / wide {
			for d := range depth / 16 {
				first := t.u32(block*columns/2 + part*wide/2)
				right := t.at(&b, d, part*wide/64)
				if left < 0 {
					r := registers[(block*depth/16+d)*4:]
					t.intrinsic(op.WgmmaRegisters, to, first, t.u32(int(kind)), t.u32(wide), r[0], r[1], r[2], r[3], right, always, flag(b.transposed))
					continue
				}
				t.intrinsic(op.Wgmma, to, first, t.u32(int(kind)), t.u32(wide), t.at(&a, d, block), right, always, flag(a.transposed), flag(b.transposed))
			}
		}
	}
	t.intrinsic(op.WgmmaCommit)
	t.intrinsic(op.WgmmaWait, t.u32(1))
	t.releasePending()
	t.inFlight = true
	for n := range p.rings {
		if p.rings[n].last == i {
			t.b.Store(t.pending[n], t.barrierOf(n, 8))
			t.advance(n)
		}
	}
}

// packed returns the elements of a first operand, two to a register: for each 64 rows and each 16
// columns four registers.
func (t *tileLowering) packed(x ir.Value, k scalar.Kind) (list []ir.Value) {
	b := &t.b
	l, from := t.layout(t.f.TypeOf(x)), t.operand(x)
	blocks := l.count / (l.columns / 2)
	pair := func(e int) ir.Value {
		return t.pair(b.Load(t.of(from, t.u32(e))), b.Load(t.of(from, t.u32(e+1))), k)
	}
	for block := range blocks {
		for d := range l.columns / 16 {
			first := block*l.columns/2 + d*8
			list = append(list, pair(first), pair(first+2), pair(first+4), pair(first+6))
		}
	}
	return list
}

// fragmentLayout returns the layout of a shape. A tile of one column is held by the four lanes that
// have its rows, and one of one row by all that have its columns.
func (p *tensorPlan) fragmentLayout(rows, columns int) tileLayout {
	l := tileLayout{rows: rows, columns: columns, fragment: true, perBlock: columns / 2, blocks: max(rows/64/p.groups, 1)}
	switch {
	case columns == 1:
		l.perBlock = 2
	case rows == 1:
		l.perBlock = columns / 4
	}
	l.count = l.blocks * l.perBlock
	return l
}

// fragmentPosition returns where element e of the invocation is.
func (t *tileLowering) fragmentPosition(l *tileLayout, e int) (row, column ir.Value) {
	block, n := e/l.perBlock, e%l.perBlock
	down, across := n/2%2, n/4*8+n%2
	switch {
	case l.columns == 1:
		down, across = n, 0
	case l.rows == 1:
		down, across = 0, n/2*8+n%2
	}
	row, column = t.u32(0), t.u32(0)
	if l.rows > 1 {
		row = t.sum(t.sum(t.op(op.Mul, t.group, 64*l.blocks), t.row), t.u32(64*block+8*down))
	}
	if l.columns > 1 {
		column = t.sum(t.column, t.u32(across))
	}
	return row, column
}

// reduceFragment lowers the reduction of rows: each lane folds its elements, then the four lanes of
// a row exchange their results.
func (t *tileLowering) reduceFragment(i ir.Inst) (why string) {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	if result.columns != 1 {
		return "columns of a tile are reduced"
	}
	t.finishProducts()
	o := reductions[op.AtomicOperation(f.Aux(i))]
	b.Flags = f.Flags(i)
	from, to := t.operand(x), t.variable(f.Result(i))
	for e := range result.count {
		block, down := e/2, e%2
		total := ir.NoValue
		for n := range l.perBlock {
			if n/2%2 != down {
				continue
			}
			v := b.Load(t.of(from, t.u32(block*l.perBlock+n)))
			if total == ir.NoValue {
				total = v
			} else {
				total = b.Op(o, total, v)
			}
		}
		for _, mask := range [...]int{1, 2} {
			total = b.Op(o, total, t.op(op.SubgroupShuffleXor, total, mask))
		}
		b.Store(t.of(to, t.u32(e)), total)
	}
	return ""
}

// broadcastFragment lowers a broadcast, which only repeats what an invocation holds.
func (t *tileLowering) broadcastFragment(i ir.Inst) {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	t.finishProducts()
	from, to := t.operand(x), t.variable(f.Result(i))
	for e := range result.count {
		block, n := e/result.perBlock, e%result.perBlock
		at := block*2 + n/2%2
		if l.columns != 1 {
			at = n/4*2 + n%2
		}
		b.Store(t.of(to, t.u32(e)), b.Load(t.of(from, t.u32(at))))
	}
}
