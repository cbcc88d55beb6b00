package lower

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file lowers the tiles of a kernel for NVIDIA's compute capability 9.0 (CUTLASS: warp
// specialization). The kernel's body becomes two. The producer has only the loads of operands: one
// thread asks the tensor memory accelerator for them, into a ring of stages in workgroup memory.
// The consumers have all else: one or two warpgroups, each with its part of the rows of every tile.
//
//	producer                             consumers
//	  wait until a stage is empty          wait until the stage is full
//	  expect its bytes                     wgmma on the stage
//	  copy a and b to it                   wait for the product before, release its stage
//
// Both run the control flow of the source, so that they agree on the order of stages. A barrier in
// workgroup memory has the phase of each stage: full, when all bytes have come, and empty, when all
// warps of the consumers have arrived.

const (
	warpgroup = 128
	// swizzleBytes is the width of a box of the tensor memory accelerator. The parts of 16 bytes of
	// each row are permuted, so that products read them without bank conflicts.
	swizzleBytes = 128
	// tensorBytes is the workgroup memory of a kernel (compute capability 9.0).
	tensorBytes = 227 << 10
	// maxStages bounds the stages of a ring.
	maxStages = 8
	// boxSide is the maximum of rows of a box.
	boxSide = 256
	// producerRegisters and consumerRegisters are those of a thread, for one and for two warpgroups
	// of consumers: together at most those of a multiprocessor.
	producerRegisters = 40
)

var consumerRegisters = [...]int{1: 240, 2: 232}

// TensorMap is a matrix that a kernel copies by the tensor memory accelerator.
type TensorMap struct {
	// Array is the variable of the elements. Layout is where the five integers of the matrix's
	// layout begin: a variable and an offset in bytes.
	Array, Layout ir.Value
	Offset        uint32
	Element       scalar.Kind
	Rows, Columns uint32 // of a box
	// Swizzle is the span in bytes in which copies permute parts of 16 bytes, or 0.
	Swizzle uint32
	// Windows says that the matrix is that of a tensor's windows, and Layout has nine integers.
	Windows MapWindows
}

// tensorLoad is a load whose tile is an operand in workgroup memory.
type tensorLoad struct {
	inst ir.Inst
	// contiguous and other are the tile's extents in memory: transposed says that its rows are
	// contiguous, and not its columns.
	contiguous, other int
	transposed        bool
	size              int // of an element, in bytes
	rowBytes          int // of a box
	tensorMap         int
	offset            int // in a stage, in bytes
	group             int
}

func (l *tensorLoad) boxes() int { return l.contiguous * l.size / l.rowBytes }

func (l *tensorLoad) bytes() int { return l.contiguous * l.other * l.size }

// tensorPlan is what producer and consumers have in common.
type tensorPlan struct {
	maps   []TensorMap
	loads  []tensorLoad
	groups []loadGroup
	rings  []ring
	number map[ir.Inst]int // of loads, from 1
	// stores are the maps of stores that go through workgroup memory, by instruction, from 1. Each
	// warpgroup has so many buffers for their boxes, which begin at an offset.
	stores       map[ir.Inst]int
	buffers      int
	bufferOffset int
	consumers    int      // warpgroups
	fma          *fmaGrid // of products of float32, or nil
	bytes        int
	memory       ir.Value
	arrivals     int
}

// TensorTiles lowers the tiles of a kernel for compute capability 9.0. It returns the kernel's
// tensor maps, or why the kernel has no such form. Then the module is not to be used.
func TensorTiles(c *opt.Context, m *ir.Module, f *ir.Func) (maps []TensorMap, why string) {
	p := &tensorPlan{number: map[ir.Inst]int{}, stores: map[ir.Inst]int{}}
	if why := p.check(m, f); why != "" {
		return nil, why
	}
	shape := tileLowering{tileValues: tileValues{m: m, f: f}, tensor: p}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.TileCount {
			f.Replace(f.Result(i), m.ConstI32(int32(shape.layout(f.TypeOf(f.Arg(i, 0))).count)))
		}
	}
	f.ApplyReplacements()
	opt.UnrollWhere(c, m, f, func(loop ir.Inst) bool { return countsElements(f, loop) })
	rotateProducts(m, f)
	if why := p.plan(c, m, f); why != "" {
		return nil, why
	}
	rewrite.Builtin(f, ir.LocalInvocationIndex, "local_index")
	p.memory = m.AddGlobal(ir.Global{Name: "tiles", Role: ir.TileRings, Type: m.PointerTo(ir.Workgroup, p.ringType(m), ir.ReadWrite)})
	producer, consumer := m.CopyFunc(f, "producer"), m.CopyFunc(f, "consumer")
	for _, role := range [...]*ir.Func{producer, consumer} {
		t := &tileLowering{tileValues: tileValues{m: m, f: role}, tensor: p, tensorRole: tensorRole{produces: role == producer}}
		if why := t.runTensor(f.Builtins); why != "" {
			return nil, why
		}
	}
	p.skeleton(m, f, producer, consumer)
	if c.Survey != nil {
		c.Survey.Tensor = p.form()
	}
	return p.maps, ""
}

// form describes the plan.
func (p *tensorPlan) form() *opt.TensorForm {
	x := &opt.TensorForm{Consumers: p.consumers, ProducerRegisters: producerRegisters, ConsumerRegisters: consumerRegisters[p.consumers], Bytes: p.bytes,
		Resident: (tensorBytes + reservedBytes) / (p.bytes + reservedBytes)}
	for n := range p.rings {
		x.Rings = append(x.Rings, opt.TensorRing{Stages: p.rings[n].stages, Bytes: p.rings[n].bytes})
	}
	for n := range p.maps {
		x.Swizzle = max(x.Swizzle, int(p.maps[n].Swizzle))
	}
	return x
}

// countsElements reports whether a loop is over the elements of tiles.
func countsElements(f *ir.Func, loop ir.Inst) bool {
	body := f.Region(loop, 0)
	for i := f.First(body); i != 0; i = f.Next(i) {
		switch f.Op(i) {
		case op.TileSet, op.TileGet:
			return true
		}
	}
	return false
}

// check looks for what the form does not have.
func (p *tensorPlan) check(m *ir.Module, f *ir.Func) string {
	for _, b := range f.Builtins {
		if b != ir.WorkgroupID && b != ir.NumWorkgroups && b != ir.WorkgroupIndex {
			return "the kernel uses the positions of invocations"
		}
	}
	p.consumers = 2
	if why := p.findFMA(m, f); why != "" {
		return why
	}
	products := 0
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		switch {
		case o == op.TileMulAdd && p.fma != nil:
			products++
		case o == op.TileMulAdd:
			products++
			_, rows, columns := m.TileShape(f.Type(i))
			k, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
			right, _, _ := m.TileShape(f.TypeOf(f.Arg(i, 1)))
			switch each := depthBytes / k.Bytes(); {
			case k != right && !k.IsFloat():
				return fmt.Sprintf("products of %s and %s are instructions from PTX ISA 8.4 on", k, right)
			case wgmmaKind(m, f, i) < 0:
				return "there is a product of " + k.String()
			case rows%64 != 0 || columns%8 != 0 || k.Bytes() == 1 && columns%32 != 0 || depth%each != 0:
				return fmt.Sprintf("a product of %d×%d and %d columns is not divided by 64×8 and %d", rows, columns, depth, each)
			case rows%(2*64) != 0:
				p.consumers = 1
			}
		case o == op.TileTranspose:
			return "a tile is transposed"
		case ir.IsTileLoad(o) && f.Aux(i) != 0:
			return "a matrix is read and written"
		case op.Tiles.Has(o), o == op.Load, o.Is(op.Terminator):
		case o == op.Store && m.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Function:
		case !o.Pure() && !o.Is(op.Control) && o != op.Var:
			return "it has the operation " + o.String()
		}
	}
	if products == 0 {
		return "there is no product"
	}
	if p.fma != nil {
		return ""
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, v := range append(slices.Clone(f.Args(i)), f.Result(i)) {
			if v == ir.NoValue || !m.IsTile(f.TypeOf(v)) {
				continue
			}
			if _, rows, columns := m.TileShape(f.TypeOf(v)); rows > 1 && rows%(64*p.consumers) != 0 || columns > 1 && columns%8 != 0 {
				if !ir.IsTileLoad(f.Op(i)) && f.Op(i) != op.TileMulAdd {
					return fmt.Sprintf("a tile of %d×%d is not divided by %d×8", rows, columns, 64*p.consumers)
				}
			}
		}
	}
	return ""
}

// plan finds the loads of operands, their maps, and the rings.
func (p *tensorPlan) plan(c *opt.Context, m *ir.Module, f *ir.Func) string {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if ir.IsTileLoad(f.Op(i)) {
			last, joint := lastUse(f, i)
			if last == 0 {
				continue
			}
			l, why := p.load(c, m, f, i)
			if why != "" {
				return why
			}
			p.loads = append(p.loads, l)
			p.number[i] = len(p.loads)
			p.groups = append(p.groups, loadGroup{loads: []int{len(p.loads) - 1}, block: f.BlockOf(i), last: last, joint: joint})
		}
	}
	p.join(f)
	boxes := 0
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.TileStore:
			boxes = max(boxes, p.store(m, f, i))
		case op.TileMulAdd:
			if why := p.operands(m, f, i); why != "" {
				return why
			}
		}
	}
	if p.share(f); len(p.rings) == 0 {
		return "no operand is loaded for a product"
	}
	return p.budget(boxes)
}

// operands says what the operands of a product lack, or returns "".
func (p *tensorPlan) operands(m *ir.Module, f *ir.Func, i ir.Inst) string {
	load := func(n int) *tensorLoad {
		if d, ok := f.Def(f.Arg(i, n)); ok && p.number[d] != 0 {
			return &p.loads[p.number[d]-1]
		}
		return nil
	}
	a, b := load(0), load(1)
	k, _, _ := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	switch {
	case b == nil:
		return "the second operand of a product is not loaded for it"
	case k.Bytes() == 2:
	case a == nil:
		return "the first operand of a product of " + k.String() + " is not loaded for it"
	case k == scalar.F32 && (b.transposed || b.alongDepth(f)):
		return "the second operand of a product of f32 is not contiguous along its columns, or also a first one"
	case k == scalar.F32:
	case a.transposed || !b.transposed:
		return "the operands of a product of " + k.String() + " are not contiguous along the columns of the first"
	}
	return ""
}

// depthBytes is how much of a row of an operand one instruction multiplies.
const depthBytes = 32

// wgmmaKinds are the kinds of operands of wgmma, in the order of the emitter's rows.
var wgmmaKinds = [...][2]scalar.Kind{{scalar.F16, scalar.F16}, {scalar.BF16, scalar.BF16},
	{scalar.E4M3, scalar.E4M3}, {scalar.E4M3, scalar.E5M2}, {scalar.E5M2, scalar.E4M3}, {scalar.E5M2, scalar.E5M2},
	{scalar.I8, scalar.I8}, {scalar.I8, scalar.U8}, {scalar.U8, scalar.I8}, {scalar.U8, scalar.U8}}

// wgmmaKind returns the row of a product in wgmmaKinds, or -1.
func wgmmaKind(m *ir.Module, f *ir.Func, i ir.Inst) int {
	var kinds [2]scalar.Kind
	for n := range kinds {
		kinds[n], _, _ = m.TileShape(f.TypeOf(f.Arg(i, n)))
	}
	return slices.Index(wgmmaKinds[:], kinds)
}

// lastUse returns the instruction of a load's block behind which its tile is not used, if all uses
// are operands of products. joint says that these are in the block. The result is 0 if the tile is
// used otherwise.
func lastUse(f *ir.Func, load ir.Inst) (last ir.Inst, joint bool) {
	v := f.Result(load)
	joint = true
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a != v {
				continue
			}
			if f.Op(i) != op.TileMulAdd || n > 1 {
				return 0, false
			}
			last, joint = i, joint && f.BlockOf(i) == f.BlockOf(load)
		}
	}
	for last != 0 && f.BlockOf(last) != f.BlockOf(load) {
		last = f.Parent(f.BlockOf(last))
	}
	return last, joint
}

// store notes a store that the tensor memory accelerator can do, and returns the boxes that each
// warpgroup has of it, or 0.
func (p *tensorPlan) store(m *ir.Module, f *ir.Func, i ir.Inst) (boxes int) {
	k, rows, columns := m.TileShape(f.TypeOf(f.Arg(i, ir.TileValue)))
	at, transposed, ok := p.matrix(m, f, i)
	ok = ok && (f.Aux(i) == 0 || isAlone(f, i))
	if p.fma != nil {
		return p.fmaStore(m, f, i, at, ok && !transposed)
	}
	if k != scalar.F16 && k != scalar.BF16 && k != scalar.F32 && k != scalar.I32 || !ok || transposed || rows%(64*p.consumers) != 0 || columns*k.Bytes()%swizzleBytes != 0 {
		return 0
	}
	p.stores[i] = 1 + p.mapOf(TensorMap{Array: f.Arg(i, ir.TileArray), Layout: at.variable, Offset: at.layout, Element: k,
		Rows: 64, Columns: uint32(swizzleBytes / k.Bytes()), Swizzle: swizzleBytes})
	return rows / 64 / p.consumers * columns * k.Bytes() / swizzleBytes
}

// isAlone reports whether a store is all that a kernel does with an array. Then it is ordered with
// itself, and need not be with stores by other instructions than the accelerator's.
func isAlone(f *ir.Func, store ir.Inst) bool {
	array := f.Arg(store, ir.TileArray)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if i != store && f.Op(i) != op.ArrayLength && slices.Contains(f.Args(i), array) {
			return false
		}
	}
	return true
}

// mapOf returns the number of a tensor map, which is added if it is new.
func (p *tensorPlan) mapOf(x TensorMap) int {
	n := slices.Index(p.maps, x)
	if n < 0 {
		n = len(p.maps)
		p.maps = append(p.maps, x)
	}
	return n
}

// matrix finds the parameter that the matrix of a load or store is as a whole, and whether rows and
// columns are exchanged.
func (p *tensorPlan) matrix(m *ir.Module, f *ir.Func, i ir.Inst) (at matrixField, transposed, ok bool) {
	const offset, matrixRows, matrixColumns, rowStride, columnStride = 0, 1, 2, 3, 4
	var fields [5]matrixField
	for n, operand := range [...]int{ir.TileOffset, ir.TileRows, ir.TileColumns, ir.TileRowStride, ir.TileColumnStride} {
		fields[n], ok = fieldOf(m, f, asInt(f, f.Arg(i, operand)))
		if !ok || fields[n].of != matrixMembers || fields[n].variable != fields[0].variable || fields[n].layout != fields[0].layout {
			return at, false, false
		}
	}
	want := [5]int{offset, matrixRows, matrixColumns, rowStride, columnStride}
	if transposed = fields[1].member == matrixColumns; transposed {
		want = [5]int{offset, matrixColumns, matrixRows, columnStride, rowStride}
	}
	for n := range want {
		if fields[n].member != want[n] {
			return at, false, false
		}
	}
	return fields[0], transposed, true
}

// asInt returns the value that a member of a tile_view is converted from, whose bits are the same.
func asInt(f *ir.Func, v ir.Value) ir.Value {
	if i, ok := f.Def(v); ok && f.Op(i) == op.Convert && f.Type(i) == ir.I32 && f.TypeOf(f.Arg(i, 0)) == ir.U32 {
		return f.Arg(i, 0)
	}
	return v
}

// load describes the load of an operand.
func (p *tensorPlan) load(c *opt.Context, m *ir.Module, f *ir.Func, i ir.Inst) (l tensorLoad, why string) {
	k, rows, columns := m.TileShape(f.Type(i))
	l = tensorLoad{inst: i, contiguous: columns, other: rows, size: k.Bytes()}
	var at matrixField
	var windows MapWindows
	var transposed, ok bool
	if f.Op(i) == op.TileLoadWindows {
		if at, windows, why = p.windows(c, m, f, i); why != "" {
			return l, why
		}
		ok = true
	} else {
		at, transposed, ok = p.matrix(m, f, i)
	}
	if !ok {
		return l, "a matrix is no parameter as a whole"
	}
	if transposed {
		l.transposed, l.contiguous, l.other = true, rows, columns
	}
	if p.fma != nil && !l.alongDepth(f) {
		return p.loadWhole(f, i, at, windows, l)
	}
	l.rowBytes = swizzleBytes
	if l.contiguous*k.Bytes()%swizzleBytes != 0 || l.other > boxSide {
		return l, fmt.Sprintf("an operand of %d×%d is not divided into boxes of %d bytes and at most %d rows", rows, columns, swizzleBytes, boxSide)
	}
	l.tensorMap = p.mapOf(TensorMap{Array: f.Arg(i, ir.TileArray), Layout: at.variable, Offset: at.layout, Element: k,
		Rows: uint32(l.other), Columns: uint32(swizzleBytes / k.Bytes()), Swizzle: swizzleBytes, Windows: windows})
	return l, ""
}

// skeleton replaces the kernel's body: it sets up the barriers, and each warpgroup takes its role.
func (p *tensorPlan) skeleton(m *ir.Module, f *ir.Func, producer, consumer *ir.Func) {
	for i := f.First(f.Entry); i != 0; {
		next := f.Next(i)
		f.Remove(i)
		i = next
	}
	f.Workgroup[0] = m.ConstU32(uint32(warpgroup * (1 + p.consumers)))
	f.Workgroup[1], f.Workgroup[2] = m.ConstU32(1), m.ConstU32(1)
	b := ir.NewBuilder(f)
	b.Span, b.Folds = f.Span, true
	item := rewrite.Builtin(f, ir.LocalInvocationIndex, "local_index")
	base := b.Emit(op.Intrinsic, ir.U32, uint32(op.SharedAddress), p.memory)
	t := tileLowering{tileValues: tileValues{m: m, f: f}, b: *b}
	t.when(t.b.Op(op.Eq, item, m.ConstU32(0)), func() {
		for n := range p.rings {
			r := &p.rings[n]
			for stage := range r.stages {
				at := r.full + 16*stage
				t.intrinsic(op.MBarrierInit, t.op(op.Add, base, at), t.u32(1))
				t.intrinsic(op.MBarrierInit, t.op(op.Add, base, at+8), t.u32(p.arrivals))
			}
		}
		t.intrinsic(op.MBarrierFence)
	})
	t.b.Barrier(op.WorkgroupMemory)
	role := t.b.If(t.op(op.Lt, item, warpgroup))
	behind := t.b
	t.b.SetBlock(f.Region(role, 0))
	t.intrinsic(op.SetRegisters, t.u32(0), t.u32(producerRegisters))
	t.when(t.b.Op(op.Eq, item, m.ConstU32(0)), func() { t.b.Call(producer, f.Params(f.Entry)...) })
	t.b.Exit(role)
	t.b.SetBlock(f.Region(role, 1))
	t.intrinsic(op.SetRegisters, t.u32(1), t.u32(consumerRegisters[p.consumers]))
	t.b.Call(consumer, f.Params(f.Entry)...)
	t.b.Exit(role)
	t.b = behind
	t.b.Return(ir.NoValue)
}

// intrinsic builds an intrinsic without a result.
func (t *tileLowering) intrinsic(id op.IntrinsicID, args ...ir.Value) {
	t.b.Emit(op.Intrinsic, ir.Void, uint32(id), args...)
}
