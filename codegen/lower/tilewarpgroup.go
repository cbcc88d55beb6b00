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
	// queue are the products that may be under way at the builder's position, the last one last.
	// unknown says that there may be others before them. holds has the control instructions with
	// products in them.
	queue   []product
	unknown bool
	holds   []bool
	sums    []bool // by leader: an array of sums
	factors []bool // by leader: an array whose registers are the first operand of a product
	loops   []pingPong
}

// runTensor lowers the tiles of a role. It returns why that cannot be done, or "".
func (t *tileLowering) runTensor(builtins []ir.Builtin) (why string) {
	f, m, p := t.f, t.m, t.tensor
	t.b = ir.Builder{F: f, Span: f.Span, Folds: true}
	t.findValues(func(load ir.Inst) bool { return p.number[load] != 0 })
	t.findSums()
	t.findPingPong()
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
	if p.fma != nil {
		t.findLane()
	}
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
	t.sums, t.factors, t.holds = make([]bool, f.ValueCount()), make([]bool, f.ValueCount()), make([]bool, f.InstCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd || t.tensor.fma != nil {
			continue
		}
		t.sums[t.find(f.Result(i)).Index()] = true
		if load, ok := f.Def(f.Arg(i, 0)); f.Arg(i, 0).IsLocal() && (!ok || t.tensor.number[load] == 0) {
			t.factors[t.find(f.Arg(i, 0)).Index()] = true
		}
		for around := f.Parent(f.BlockOf(i)); around != 0; around = f.Parent(f.BlockOf(around)) {
			t.holds[around] = true
		}
	}
}

// enterBlock notes where it is not known which products are under way: after control that has
// products, and where blocks of such control begin. After a loop it waits for all of them, before
// another way joins (rotateProducts).
func (t *tileLowering) enterBlock(i ir.Inst) {
	f := t.f
	control := f.Prev(i)
	begins := control == 0
	if begins {
		control = f.Parent(f.BlockOf(i))
	}
	if control == 0 || int(control) >= len(t.holds) || !t.holds[control] {
		return
	}
	t.queue, t.unknown = nil, true
	if !begins && !t.produces && f.Op(control) == op.Loop {
		t.b.At(i)
		t.wait(0)
		t.endPingPong(control)
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
		t.when(t.op(op.Eq, t.op(op.Rem, t.item, p.storing()), 0), func() { t.intrinsic(op.BulkWait, t.u32(0)) })
	case o == op.TileMulAdd && p.fma != nil:
		t.fmaProduct(i)
	case o == op.TileMulAdd:
		t.tensorProduct(i)
	case o == op.TileReduce:
		return t.reduceFragment(i)
	case o == op.TileBroadcast && p.fma != nil:
		t.broadcastFMA(i)
	case o == op.TileBroadcast:
		t.broadcastFragment(i)
	case o == op.TileConvert && t.packsBFloat16(i):
		t.convertPairs(i)
	case o == op.TileStore && p.stores[i] != 0 && p.fma != nil:
		t.storeFMA(i)
	case o == op.TileStore && p.stores[i] != 0:
		t.finishAll(i)
		t.storeBoxes(i)
	default:
		if o.Is(op.Control | op.Terminator) {
			for _, p := range t.moved(i) {
				t.finishReads(p.from)
				t.finish(p.to)
			}
		} else if o != op.TileRow && o != op.TileColumn {
			t.finishAll(i)
		}
		t.instruction(i)
		t.startPingPong(i)
	}
	if t.produces {
		return ""
	}
	for n := range p.groups {
		if g := &p.groups[n]; g.last == i && o != op.TileMulAdd {
			t.b.SetBefore(f.Next(i))
			t.wait(0)
			t.await(g.ring)
			t.arrive(t.barrierOf(g.ring, 8))
			t.advance(g.ring)
		}
	}
	return ""
}

// moved returns the tiles that an instruction passes from one array to another.
func (t *tileLowering) moved(i ir.Inst) []passing {
	return slices.DeleteFunc(t.allPassed(i), func(p passing) bool { return p.from.IsLocal() && t.find(p.from) == t.find(p.to) })
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
	if t.tensor.fma != nil {
		t.intrinsic(op.WarpBarrier) // all lanes have read the stage
	}
	t.when(t.op(op.Eq, t.op(op.Rem, t.item, 32), 0), func() { t.intrinsic(op.MBarrierArrive, barrier) })
}

// product is one that may be under way.
type product struct {
	sums   ir.Value // the leader of its array
	factor ir.Value // that of the first operand, if it is in registers
	ring   int      // whose stage it reads, or -1
}

// wait waits until at most so many products are under way, the last ones, and releases the stages
// that the others have read.
func (t *tileLowering) wait(n int) {
	if len(t.queue) <= n && !t.unknown {
		return
	}
	t.intrinsic(op.WgmmaWait, t.u32(n))
	n = min(n, len(t.queue))
	done, under := t.queue[:len(t.queue)-n], t.queue[len(t.queue)-n:]
	for ring := range t.pending {
		is := func(p product) bool { return p.ring == ring }
		if slices.ContainsFunc(under, is) || !t.unknown && !slices.ContainsFunc(done, is) || !t.tensor.releases(ring, t.f) {
			continue
		}
		address := t.b.Load(t.pending[ring])
		first := t.op(op.Eq, t.op(op.Rem, t.item, 32), 0)
		t.when(t.b.Op(op.And, t.op(op.Ne, address, 0), first), func() { t.intrinsic(op.MBarrierArrive, address) })
		t.b.Store(t.pending[ring], t.u32(0))
	}
	t.queue, t.unknown = slices.Clone(under), false
}

// releases reports whether products release the stages of a ring.
func (p *tensorPlan) releases(ring int, f *ir.Func) bool {
	return slices.ContainsFunc(p.groups, func(g loadGroup) bool { return g.ring == ring && f.Op(g.last) == op.TileMulAdd })
}

// finish waits until no product that adds to an array is under way.
func (t *tileLowering) finish(v ir.Value) { t.finishWhere(v, false) }

// finishReads waits also for products that read the registers of an array as their first operand:
// nothing else may access them (PTX ISA, wgmma.mma_async).
func (t *tileLowering) finishReads(v ir.Value) { t.finishWhere(v, true) }

func (t *tileLowering) finishWhere(v ir.Value, reads bool) {
	if t.produces || !v.IsLocal() || !t.m.IsTile(t.f.TypeOf(v)) {
		return
	}
	array := t.find(v)
	if reads = reads && t.factors[array.Index()]; !reads && !t.sums[array.Index()] {
		return
	}
	for n := range t.queue {
		if p := t.queue[len(t.queue)-1-n]; p.sums == array || reads && p.factor == array {
			t.wait(n)
			return
		}
	}
	if t.unknown {
		t.wait(len(t.queue))
	}
}

// finishAll waits for what an instruction reads and writes.
func (t *tileLowering) finishAll(i ir.Inst) {
	for _, v := range t.f.Args(i) {
		t.finishReads(v)
	}
	if !t.f.Op(i).Is(op.Control) {
		t.finish(t.f.Result(i))
	}
}

// produce asks for the copies of a load.
func (t *tileLowering) produce(n int) {
	b, p := &t.b, t.tensor
	l := &p.loads[n]
	g := &p.groups[l.group]
	full := t.barrierOf(g.ring, 0)
	if n == g.loads[0] {
		t.intrinsic(op.MBarrierWait, t.barrierOf(g.ring, 8), t.op(op.Xor, b.Load(t.phase[g.ring]), 1))
		t.intrinsic(op.MBarrierExpect, full, t.u32(g.bytes))
	}
	at := t.sum(t.stageOf(g.ring), t.u32(l.offset))
	if t.f.Op(l.inst) == op.TileLoadWindows {
		t.produceWindows(l, at, full)
	} else {
		t.produceBoxes(l, at, full)
	}
	if n == g.loads[len(g.loads)-1] {
		t.advance(g.ring)
	}
}

// produceBoxes asks for the copies of a part of a matrix in memory.
func (t *tileLowering) produceBoxes(l *tensorLoad, at, full ir.Value) {
	column, row := t.f.Arg(l.inst, ir.TileFirstColumn), t.f.Arg(l.inst, ir.TileFirstRow)
	if l.transposed {
		column, row = row, column
	}
	wide := int(t.tensor.maps[l.tensorMap].Columns)
	for box := range l.boxes() {
		x := column
		if box > 0 {
			x = t.b.Op(op.Add, column, t.m.ConstI32(int32(box*wide)))
		}
		t.intrinsic(op.TensorLoad, t.u32(l.tensorMap), t.sum(at, t.u32(box*l.other*swizzleBytes)), full, x, row)
	}
}

// operandTile describes an operand of a product in workgroup memory.
type operandTile struct {
	descriptor ir.Value // of its first part
	// Distances in bytes: step is that along the depth of what one instruction multiplies, and box
	// that of whole boxes along the depth, or 0. side is that of 64 along the other dimension.
	step, box, side int
	transposed      bool // along the depth it is not contiguous
}

// tile returns the operand of a product that a load has made.
func (t *tileLowering) tile(load int, depthFirst bool, first ir.Value) (x operandTile) {
	b, l := &t.b, &t.tensor.loads[load]
	at := t.sum(t.stageOf(t.tensor.groups[l.group].ring), t.u32(l.offset))
	// columns are contiguous, unless the view exchanges them with rows
	contiguousDepth := depthFirst != l.transposed
	const eight = 8 * swizzleBytes
	boxes := l.other * swizzleBytes
	leading := 16
	if contiguousDepth {
		x.step, x.box, x.side = depthBytes, boxes, 64*swizzleBytes
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

// at returns the descriptor of a part: the depth counts instructions, and side multiples of 64
// along the other dimension.
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
	c := f.Arg(i, 2)
	if c.IsLocal() && t.variable(c) != to {
		t.finish(f.Result(i))
		t.finish(c)
		t.move(to, c)
	}
	k, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	_, rows, columns := m.TileShape(f.Type(i))
	blocks := rows / 64 / p.consumers
	kind := t.u32(wgmmaKind(m, f, i))
	each := depthBytes / k.Bytes()
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
		t.finish(f.Arg(i, 0))
		registers = t.packed(f.Arg(i, 0), k)
	}
	for n, load := range [...]int{left, right} {
		if load >= 0 && (n == 0 || left < 0 || p.loads[load].group != p.loads[left].group) {
			ring := p.groups[p.loads[load].group].ring
			if p.rings[ring].stages == 1 {
				t.wait(0) // which releases the only stage
			}
			t.await(ring)
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
	t.awaitOther(i)
	t.intrinsic(op.WgmmaFence)
	for block := range blocks {
		for part := range columns / wide {
			for d := range depth / each {
				first := t.u32(block*columns/2 + part*wide/2)
				right := t.at(&b, d, part*wide/64)
				adds := m.ConstBool(d > 0 || c.IsLocal()) // else to zero
				if left < 0 {
					r := registers[(block*depth/each+d)*4:]
					t.intrinsic(op.WgmmaRegisters, to, first, kind, t.u32(wide), r[0], r[1], r[2], r[3], right, adds, flag(b.transposed))
					continue
				}
				t.intrinsic(op.Wgmma, to, first, kind, t.u32(wide), t.at(&a, d, block), right, adds, flag(a.transposed), flag(b.transposed))
			}
		}
	}
	t.intrinsic(op.WgmmaCommit)
	t.wakeOther(i)
	under := product{sums: t.find(f.Result(i)), ring: -1}
	if left < 0 && f.Arg(i, 0).IsLocal() {
		under.factor = t.find(f.Arg(i, 0))
	}
	t.queue = append(t.queue, under)
	t.wait(1) // for the stages before
	for n := range p.groups {
		if g := &p.groups[n]; g.last == i {
			t.b.Store(t.pending[g.ring], t.barrierOf(g.ring, 8))
			t.advance(g.ring)
			t.queue[len(t.queue)-1].ring = g.ring
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
	l := tileLayout{rows: rows, columns: columns, fragment: true, perBlock: columns / 2, blocks: max(rows/64/p.consumers, 1)}
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
	t.finishAll(i)
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

// packsBFloat16 reports whether a conversion is to bfloat16 from f32, for which there is an
// instruction.
func (t *tileLowering) packsBFloat16(i ir.Inst) bool {
	from, _, _ := t.m.TileShape(t.f.TypeOf(t.f.Arg(i, 0)))
	to, _, _ := t.m.TileShape(t.f.Type(i))
	return from == scalar.F32 && to == scalar.BF16
}

// convertPairs lowers a conversion to bfloat16, two elements at a time.
func (t *tileLowering) convertPairs(i ir.Inst) {
	f, b := t.f, &t.b
	t.finishAll(i)
	l, from, to := t.layout(f.Type(i)), t.operand(f.Arg(i, 0)), t.variable(f.Result(i))
	for e := 0; e < l.count; e += 2 {
		low, high := b.Load(t.of(from, t.u32(e))), b.Load(t.of(from, t.u32(e+1)))
		pair := b.Emit(op.Intrinsic, ir.U32, uint32(op.PackBFloat16), low, high)
		b.Store(t.of(to, t.u32(e)), b.Convert(scalar.U16, pair))
		b.Store(t.of(to, t.u32(e+1)), b.Convert(scalar.U16, t.op(op.Shr, pair, 16)))
	}
}

// broadcastFragment lowers a broadcast, which only repeats what an invocation holds.
func (t *tileLowering) broadcastFragment(i ir.Inst) {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	t.finishAll(i)
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
