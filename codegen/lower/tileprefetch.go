package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prefetches the operands of packed products (tilepanels.go). Rows of a large matrix lie
// far apart, so that the processor does not foresee what the next iteration of a loop packs. Each
// strip of the product prefetches a few lines of that, and so they come while it multiplies. What a
// later iteration loads is found as for asynchronous copies (tilecopies.go). A prefetch may name
// any address, so that nothing is compared.

// lineBytes is how much a prefetch brings. Longer lines are named twice.
const lineBytes = 64

// prefetch is what the next iterations load for an operand, in elements of its array.
type prefetch struct {
	array ir.Value
	// start is where the tile of the next iteration begins, and step how much farther that of the
	// one after it.
	start, step ir.Value
	// byRows says that columns are side by side. Lines are so far apart, in either case.
	byRows, stride ir.Value
	rows, columns  int
	perLine        int
}

// findPrefetches finds what the strips of a product prefetch, and builds what they have in common.
func (t *tileLowering) findPrefetches(p *panelProduct) {
	f := t.f
	loop := f.Parent(f.BlockOf(p.inst))
	if p.steps > 1 || loop == 0 || f.Op(loop) != op.Loop || f.Region(loop, 0) != f.BlockOf(p.inst) {
		return
	}
	r := &copyLoop{loop: loop}
	t.findAdvances(r)
	for n := range 2 {
		if x, ok := t.prefetchOf(r, p, n); ok {
			p.prefetches = append(p.prefetches, x)
		}
	}
}

func (t *tileLowering) prefetchOf(r *copyLoop, p *panelProduct, operand int) (x prefetch, ok bool) {
	f, m, b := t.f, t.m, &t.b
	load, ok := f.Def(f.Arg(p.inst, operand))
	if !ok || f.Op(load) != op.TileLoad || !t.isIn(r.loop, f.Result(load)) {
		return x, false
	}
	x.array = f.Arg(load, ir.TileArray)
	bytes := int(m.Stride(m.Element(f.TypeOf(x.array))))
	if !x.array.IsGlobal() || m.SpaceOf(f.TypeOf(x.array)) != ir.Storage || bytes > 8 || bytes&(bytes-1) != 0 {
		return x, false
	}
	for _, v := range f.Args(load)[1:] {
		if !t.isAhead(r, v, maxAhead) {
			return x, false
		}
	}
	begins := func(iterations int) ir.Value {
		ahead := copyAhead{t: t, r: r, copyPoint: &copyPoint{iterations: t.u32(iterations)}, to: map[ir.Value]ir.Value{}}
		arg := func(n int) ir.Value { return b.Convert(scalar.U32, ahead.value(f.Arg(load, n))) }
		row := b.Op(op.Mul, arg(ir.TileFirstRow), arg(ir.TileRowStride))
		column := b.Op(op.Mul, arg(ir.TileFirstColumn), arg(ir.TileColumnStride))
		return t.sum(arg(ir.TileOffset), t.sum(row, column))
	}
	x.start = begins(1)
	x.step = b.Op(op.Sub, begins(2), x.start)
	rowStride, columnStride := t.tileArg(load, ir.TileRowStride), t.tileArg(load, ir.TileColumnStride)
	x.byRows = t.op(op.Eq, columnStride, 1)
	x.stride = b.Op(op.Select, x.byRows, rowStride, columnStride)
	_, x.rows, x.columns = m.TileShape(f.Type(load))
	x.perLine = lineBytes / bytes
	return x, true
}

// prefetchStrip prefetches a strip's share of what the next iterations load.
func (t *tileLowering) prefetchStrip(p *panelProduct, strip ir.Value) {
	for n := range p.prefetches {
		x := &p.prefetches[n]
		t.either(x.byRows, func() { t.prefetchLines(p, x, strip, x.rows, x.columns) }, func() { t.prefetchLines(p, x, strip, x.columns, x.rows) })
	}
}

// prefetchLines prefetches a strip's share of rows or columns with so many elements, in runs of
// neighbouring lines.
func (t *tileLowering) prefetchLines(p *panelProduct, x *prefetch, strip ir.Value, count, length int) {
	b := &t.b
	lines := (length + x.perLine - 1) / x.perLine // of a row
	total := count * lines * p.depth / p.slice
	run := lines
	for n := lines; n*p.strips() >= total; n-- {
		if lines%n == 0 {
			run = n
		}
	}
	runs := lines / run
	each := (total/run + p.strips() - 1) / p.strips()
	t.count(each, func(k ir.Value) {
		at := t.op(op.Min, t.sum(t.op(op.Mul, strip, each), k), total/run-1)
		index := x.start
		if p.depth > p.slice {
			index = t.sum(index, b.Op(op.Mul, t.op(op.Div, at, count*runs), x.step))
			at = t.op(op.Rem, at, count*runs)
		}
		index = t.sum(index, b.Op(op.Mul, t.op(op.Div, at, runs), x.stride))
		index = t.sum(index, t.op(op.Mul, t.op(op.Rem, at, runs), run*x.perLine))
		for n := range run {
			t.intrinsic(op.Prefetch, x.array, index, t.u32(n*lineBytes))
		}
	})
}
