package lower

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers products of float32 in kernels with tensor maps (tiletensor.go). wgmma would
// round their operands, so that the consumers multiply by fma. Each sum is a chain of them in
// ascending order, as that of a plain Go operation.
//
// The warps of the consumers are a grid over the product, and the lanes of a warp one over its
// part. A lane has quads of rows and of columns:
//
//	for each stage                       wait until it is full
//	  for each column of a, row of b       load the quads of a and b, of 16 bytes each
//	                                       add the products of all rows and columns
//	                                     release it
//
// The quads of the first operand are contiguous in a stage if its rows are contiguous in memory, as
// those of a transposed view. Of the second operand the columns are. The loads of a warp have no
// bank conflicts: neighbouring lanes read neighbouring quads, or the same one.
//
// If the columns of the first operand are contiguous, its boxes are as those of wgmma, and a lane
// loads four columns of each of its rows at a time. That is as many loads, but the values of one
// column are in one bank of registers, which costs about a tenth.

const (
	quad      = 4
	quadBytes = quad * 4
	// lanesDown and lanesAcross are the grid of a warp's lanes.
	lanesDown, lanesAcross = 4, 8
	// maxSums is how many elements of a product an invocation holds at most, in registers.
	maxSums = 128
	// depthUnroll is how many columns of the first operand the body of a loop has. With all sums it
	// takes 34 KiB; twice that is more than the instruction cache holds.
	depthUnroll = 16
	// fmaBoxRows and fmaBoxColumns are those of a box, which a warp stores.
	fmaBoxRows, fmaBoxColumns = 32, swizzleBytes / 4
	// fmaBuffers is how many buffers of a warpgroup (tilestore.go) have a box of each warp.
	fmaBuffers = warpgroup / 32 * fmaBoxRows / boxRows
)

// fmaGrid is how the consumers share the elements of products, which all have one shape.
type fmaGrid struct {
	rows, columns          int // of a product
	warpRows, warpColumns  int // of a warp
	warpsAcross            int
	quadsDown, quadsAcross int // of an invocation
}

// MultipliesByFMA reports whether all products of a kernel are of float32.
func MultipliesByFMA(m *ir.Module, f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.TileMulAdd {
			if k, _, _ := m.TileShape(f.TypeOf(f.Arg(i, 0))); k != scalar.F32 {
				return false
			}
		}
	}
	return true
}

// findFMA finds the grid of a kernel whose products are of float32. It returns why there is none,
// or "" too if no product is of float32.
func (p *tensorPlan) findFMA(m *ir.Module, f *ir.Func) string {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd {
			continue
		}
		k, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
		_, rows, columns := m.TileShape(f.Type(i))
		switch {
		case k != scalar.F32:
			continue
		case !MultipliesByFMA(m, f):
			return "some products are of f32, and others are not"
		case depth%depthUnroll != 0:
			return fmt.Sprintf("the depth of a product of f32, %d, is not divided by %d", depth, depthUnroll)
		case p.fma == nil:
			p.fma, p.consumers = newFMAGrid(rows, columns)
		}
		switch {
		case p.fma == nil:
			return fmt.Sprintf("the warps cannot share a product of f32 of %d×%d, in parts of %d×%d", rows, columns, quad*lanesDown, quad*lanesAcross)
		case p.fma.rows != rows || p.fma.columns != columns:
			return fmt.Sprintf("one product of f32 has %d×%d elements, and another %d×%d", p.fma.rows, p.fma.columns, rows, columns)
		}
	}
	if p.fma == nil {
		return ""
	}
	return p.fma.check(m, f)
}

// newFMAGrid returns the grid with the fewest loads, and how many warpgroups it is for. It returns
// nil if there is none.
func newFMAGrid(rows, columns int) (best *fmaGrid, consumers int) {
	for consumers = 2; consumers > 0 && best == nil; consumers-- {
		for down := 1; down <= consumers*warpgroup/32; down *= 2 {
			g := fmaGrid{rows: rows, columns: columns, warpsAcross: consumers * warpgroup / 32 / down}
			g.warpRows, g.warpColumns = rows/down, columns/g.warpsAcross
			g.quadsDown, g.quadsAcross = g.warpRows/(quad*lanesDown), g.warpColumns/(quad*lanesAcross)
			whole := g.quadsDown*quad*lanesDown*down == rows && g.quadsAcross*quad*lanesAcross*g.warpsAcross == columns
			if whole && g.sums() <= maxSums && (best == nil || g.quadsDown+g.quadsAcross <= best.quadsDown+best.quadsAcross) {
				best = &g
			}
		}
	}
	return best, consumers + 1
}

// rowsOfLane and columnsOfLane are those of an invocation.
func (g *fmaGrid) rowsOfLane() int { return quad * g.quadsDown }

func (g *fmaGrid) columnsOfLane() int { return quad * g.quadsAcross }

func (g *fmaGrid) sums() int { return g.rowsOfLane() * g.columnsOfLane() }

// check looks for what the form does not have.
func (g *fmaGrid) check(m *ir.Module, f *ir.Func) string {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch f.Op(i) {
		case op.TileMulAdd:
			continue
		case op.TileReduce:
			return "a tile is reduced, and there are products of f32"
		case op.TileLoad, op.TileLoadWindows:
			if last, _ := lastUse(f, i); last != 0 {
				continue
			}
		}
		for _, v := range append(slices.Clone(f.Args(i)), f.Result(i)) {
			if v == ir.NoValue || !m.IsTile(f.TypeOf(v)) {
				continue
			}
			if _, rows, columns := m.TileShape(f.TypeOf(v)); rows != g.rows && rows != 1 || columns != g.columns && columns != 1 {
				return fmt.Sprintf("a tile has %d×%d elements, and products of f32 have %d×%d", rows, columns, g.rows, g.columns)
			}
		}
	}
	return ""
}

// ringType returns the type of the workgroup memory.
func (p *tensorPlan) ringType(m *ir.Module) ir.Type {
	if p.fma != nil {
		return m.ArrayOf(m.VectorOf(ir.F32, quad), m.ConstU32(uint32(p.bytes/quadBytes)))
	}
	return m.ArrayOf(ir.U32, m.ConstU32(uint32(p.bytes/4)))
}

// alongDepth reports whether a load is that of first operands whose columns are contiguous.
func (l *tensorLoad) alongDepth(f *ir.Func) bool {
	if l.transposed {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.TileMulAdd && f.Arg(i, 0) == f.Result(l.inst) {
			return true
		}
	}
	return false
}

// loadWhole describes the load of an operand, whose tile is one box.
func (p *tensorPlan) loadWhole(f *ir.Func, i ir.Inst, at matrixField, windows MapWindows, l tensorLoad) (whole tensorLoad, why string) {
	if l.contiguous > boxSide || l.other > boxSide {
		return l, fmt.Sprintf("an operand of f32 of %d×%d is no box of at most %d×%d", l.other, l.contiguous, boxSide, boxSide)
	}
	l.rowBytes = l.contiguous * l.size
	l.tensorMap = p.mapOf(TensorMap{Array: f.Arg(i, ir.TileArray), Layout: at.variable, Offset: at.layout, Element: scalar.F32,
		Rows: uint32(l.other), Columns: uint32(l.contiguous), Windows: windows})
	return l, ""
}

// fmaStore notes a store of boxes, and returns the buffers that each warpgroup has for it, or 0.
func (p *tensorPlan) fmaStore(m *ir.Module, f *ir.Func, i ir.Inst, at matrixField, ok bool) (buffers int) {
	k, rows, columns := m.TileShape(f.TypeOf(f.Arg(i, ir.TileValue)))
	if g := p.fma; !ok || k != scalar.F32 || rows != g.rows || columns != g.columns || g.warpRows%fmaBoxRows != 0 || g.warpColumns%fmaBoxColumns != 0 {
		return 0
	}
	p.stores[i] = 1 + p.mapOf(TensorMap{Array: f.Arg(i, ir.TileArray), Layout: at.variable, Offset: at.layout, Element: k,
		Rows: fmaBoxRows, Columns: fmaBoxColumns, Swizzle: swizzleBytes})
	return fmaBuffers
}

// layout returns the layout of a shape: that of the products, or of one of their rows or columns.
func (g *fmaGrid) layout(rows, columns int) tileLayout {
	l := tileLayout{rows: rows, columns: columns, fma: g, eachRows: 1, eachColumns: 1}
	if rows > 1 {
		l.eachRows = g.rowsOfLane()
	}
	if columns > 1 {
		l.eachColumns = g.columnsOfLane()
	}
	l.count = l.eachRows * l.eachColumns
	return l
}

// findLane computes the first row and column of the invocation. The lanes are in pairs down, and
// eight of these across:
//
//	 0  2  4 … 14
//	 1  3  5 … 15
//	16 18 20 … 30
//	17 19 21 … 31
func (t *tileLowering) findLane() {
	lane := t.op(op.Rem, t.item, 32)
	firstRow, firstColumn := t.findWarp()
	down := t.sum(t.op(op.Rem, lane, 2), t.op(op.Mul, t.op(op.Div, lane, 2*lanesAcross), 2))
	across := t.op(op.Rem, t.op(op.Div, lane, 2), lanesAcross)
	t.row = t.sum(firstRow, t.op(op.Mul, down, quad))
	t.column = t.sum(firstColumn, t.op(op.Mul, across, quad))
}

// findWarp computes the first row and column of the warp.
func (t *tileLowering) findWarp() (row, column ir.Value) {
	g := t.tensor.fma
	warp := t.op(op.Div, t.item, 32)
	return t.op(op.Mul, t.op(op.Div, warp, g.warpsAcross), g.warpRows), t.op(op.Mul, t.op(op.Rem, warp, g.warpsAcross), g.warpColumns)
}

// fmaPosition returns where element e of the invocation is.
func (t *tileLowering) fmaPosition(l *tileLayout, e int) (row, column ir.Value) {
	down, across := e/l.eachColumns, e%l.eachColumns
	row, column = t.u32(0), t.u32(0)
	if l.rows > 1 {
		row = t.sum(t.row, t.u32(down/quad*quad*lanesDown+down%quad))
	}
	if l.columns > 1 {
		column = t.sum(t.column, t.u32(across/quad*quad*lanesAcross+across%quad))
	}
	return row, column
}

// fmaOperands are the operands of a product in the current stage.
type fmaOperands struct {
	// left and right are the first quads of the invocation. They are indices of quads.
	left, right ir.Value
	// boxQuads are the quads of a box of the first operand, whose columns are contiguous, or 0.
	boxQuads int
	flags    ir.Flags
}

// fmaProduct lowers a product.
func (t *tileLowering) fmaProduct(i ir.Inst) {
	f, b, p := t.f, &t.b, t.tensor
	to := t.variable(f.Result(i))
	t.move(to, f.Arg(i, 2))
	x := fmaOperands{flags: f.Flags(i) & ir.Fast}
	awaited := -1
	for n, first := range [...]*ir.Value{&x.left, &x.right} {
		load, _ := f.Def(f.Arg(i, n))
		l := &p.loads[p.number[load]-1]
		ring := p.groups[l.group].ring
		if l.group != awaited {
			awaited = l.group
			t.await(ring)
		}
		stage := t.op(op.Mul, b.Load(t.current[ring]), p.rings[ring].bytes/quadBytes)
		*first = t.sum(stage, t.u32((p.rings[ring].offset+l.offset)/quadBytes))
		switch {
		case n == 1:
			*first = t.sum(*first, t.op(op.Div, t.column, quad))
		case l.alongDepth(f):
			x.boxQuads = l.other * swizzleBytes / quadBytes
			*first = t.sum(*first, t.op(op.Mul, t.row, swizzleBytes/quadBytes))
		default:
			*first = t.sum(*first, t.op(op.Div, t.row, quad))
		}
	}
	_, _, depth := t.m.TileShape(f.TypeOf(f.Arg(i, 0)))
	b.Flags = 0
	b.Count(uint32(depth/depthUnroll), func(part ir.Value) { t.multiply(to, &x, part) })
	for n := range p.groups {
		if g := &p.groups[n]; g.last == i {
			t.arrive(t.barrierOf(g.ring, 8))
			t.advance(g.ring)
		}
	}
}

// multiply adds a part of the depth to the sums. The products of a row come in an order that has
// the column of the last one of the row before first, as it is in the operand reuse cache.
func (t *tileLowering) multiply(to ir.Value, operands *fmaOperands, part ir.Value) {
	b, g := &t.b, t.tensor.fma
	sums := make([]ir.Value, g.sums())
	for e := range sums {
		sums[e] = b.Load(t.of(to, t.u32(e)))
	}
	var left, x []ir.Value
	var first ir.Value
	if operands.boxQuads > 0 {
		first = t.partOfBox(operands, part)
	} else {
		first = t.sum(operands.left, t.op(op.Mul, part, depthUnroll*g.rows/quad))
	}
	right := t.sum(operands.right, t.op(op.Mul, part, depthUnroll*g.columns/quad))
	for k := range depthUnroll {
		switch {
		case operands.boxQuads == 0:
			x = t.quads(first, k*g.rows/quad, g.quadsDown, lanesDown)
		case k%quad == 0:
			left = t.quadsAlong(first, k/quad)
			fallthrough
		default:
			x = x[:0]
			for _, v := range left {
				x = append(x, b.Extract(v, uint32(k%quad)))
			}
		}
		y := t.quads(right, k*g.columns/quad, g.quadsAcross, lanesAcross)
		b.Flags = operands.flags
		for row := range x {
			for column := range y {
				if row%2 == 1 {
					column = len(y) - 1 - column
				}
				sum := &sums[row*len(y)+column]
				*sum = b.Op(op.Fma, x[row], y[column], *sum)
			}
		}
		b.Flags = 0
	}
	for e := range sums {
		b.Store(t.of(to, t.u32(e)), sums[e])
	}
}

// quads returns the elements of quads of an operand, each so many from the one before.
func (t *tileLowering) quads(first ir.Value, more, n, apart int) (list []ir.Value) {
	for q := range n {
		v := t.b.Load(t.b.AccessWithin(t.tensor.memory, t.sum(first, t.u32(more+q*apart))))
		for e := range uint32(quad) {
			list = append(list, t.b.Extract(v, e))
		}
	}
	return list
}

// A row of a box has eight quads, of which the row's number modulo eight exchanges some (PTX ISA,
// "Swizzling modes"). The invocation's first row is a multiple of four, and the first quad of a
// part of the depth, too. So bit 2 of the number of a quad depends on these two, and the lower bits
// on the row of four and the quad of the part.

// partOfBox returns the quad with which a part of the depth begins in the invocation's first row.
func (t *tileLowering) partOfBox(x *fmaOperands, part ir.Value) ir.Value {
	const parts = swizzleBytes / quadBytes / quad // of a row
	box := t.op(op.Mul, t.op(op.Div, part, parts), x.boxQuads)
	quads := t.b.Op(op.Xor, t.op(op.Mul, t.op(op.Rem, part, parts), quad), t.op(op.And, t.row, quad))
	return t.sum(t.sum(x.left, box), quads)
}

// quadsAlong returns a quad of each of the invocation's rows, along the depth of a part.
func (t *tileLowering) quadsAlong(first ir.Value, n int) (list []ir.Value) {
	for row := range t.tensor.fma.rowsOfLane() {
		down, in := row/quad*quad*lanesDown, row%quad
		at := (down+in)*(swizzleBytes/quadBytes) + (n ^ in)
		list = append(list, t.b.Load(t.b.AccessWithin(t.tensor.memory, t.sum(first, t.u32(at)))))
	}
	return list
}

// broadcastFMA lowers a broadcast, which only repeats what an invocation holds.
func (t *tileLowering) broadcastFMA(i ir.Inst) {
	f, b := t.f, &t.b
	x := f.Arg(i, 0)
	l, result := t.layout(f.TypeOf(x)), t.layout(f.Type(i))
	from, to := t.operand(x), t.variable(f.Result(i))
	for e := range result.count {
		row, column := e/result.eachColumns%l.eachRows, e%result.eachColumns%l.eachColumns
		b.Store(t.of(to, t.u32(e)), b.Load(t.of(from, t.u32(row*l.eachColumns+column))))
	}
}

// storeFMA lowers a store by the tensor memory accelerator. A warp has one buffer, to which it
// writes a quad of each lane's rows at a time. Its parts of 16 bytes are exchanged as those of
// writeBox.
func (t *tileLowering) storeFMA(i ir.Inst) {
	f, b, p := t.f, &t.b, t.tensor
	g := p.fma
	const boxDown, boxAcross = fmaBoxRows / (quad * lanesDown), fmaBoxColumns / (quad * lanesAcross)
	from := t.operand(f.Arg(i, ir.TileValue))
	firstRow, firstColumn := t.findWarp()
	down, across := b.Op(op.Sub, t.row, firstRow), t.op(op.Div, b.Op(op.Sub, t.column, firstColumn), quad)
	buffer := t.sum(t.u32(p.bufferOffset), t.op(op.Mul, t.op(op.Div, t.item, 32), fmaBoxRows*swizzleBytes))
	leader := t.op(op.Eq, t.op(op.Rem, t.item, 32), 0)
	t.orderStore(i, leader)
	write := func(r, c, row int) { // a row of a quad of a quad of columns
		at := t.sum(down, t.u32(r%boxDown*quad*lanesDown+row))
		part := b.Op(op.Xor, t.sum(across, t.u32(c%boxAcross*lanesAcross)), t.op(op.Rem, at, 8))
		to := t.sum(t.op(op.Div, buffer, quadBytes), t.sum(t.op(op.Mul, at, swizzleBytes/quadBytes), part))
		var v [quad]ir.Value
		for e := range v {
			v[e] = b.Load(t.of(from, t.u32((r*quad+row)*g.columnsOfLane()+c*quad+e)))
		}
		b.Store(b.AccessWithin(p.memory, to), b.Construct(t.m.VectorOf(ir.F32, quad), v[:]...))
	}
	position := func(origin int, first ir.Value, n int) ir.Value {
		return b.Op(op.Add, f.Arg(i, origin), b.Convert(scalar.I32, t.sum(first, t.u32(n))))
	}
	for r := 0; r < g.quadsDown; r += boxDown {
		for c := 0; c < g.quadsAcross; c += boxAcross {
			t.when(leader, func() { t.intrinsic(op.BulkWait, t.u32(0)) })
			t.intrinsic(op.WarpBarrier)
			for n := range boxDown * boxAcross * quad {
				write(r+n/quad/boxAcross, c+n/quad%boxAcross, n%quad)
			}
			t.intrinsic(op.AsyncFence)
			t.intrinsic(op.WarpBarrier)
			t.when(leader, func() {
				row, column := position(ir.TileFirstRow, firstRow, r*quad*lanesDown), position(ir.TileFirstColumn, firstColumn, c*quad*lanesAcross)
				t.intrinsic(op.TensorStore, t.u32(p.stores[i]-1), t.sum(t.base, buffer), column, row)
				t.intrinsic(op.BulkCommit)
			})
		}
	}
}

// storing returns one in how many consumers copies boxes from workgroup memory.
func (p *tensorPlan) storing() int {
	if p.fma != nil {
		return 32
	}
	return warpgroup
}
