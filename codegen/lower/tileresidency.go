package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file bounds the workgroup memory that tiles take, and notes which tile takes how much.

// minSliceBytes is the least workgroup memory that slices are fitted to.
const minSliceBytes = 1 << 10

// workgroupBytes returns the size of a module's variables in workgroup memory.
func workgroupBytes(m *ir.Module) (bytes int) {
	for n := range m.Globals {
		if g := &m.Globals[n]; m.SpaceOf(g.Type) == ir.Workgroup {
			bytes += int(m.Size(m.Element(g.Type)))
		}
	}
	return bytes
}

// fragmentsExceed says why the products of a kernel cannot be those of fragments: their arrays in
// workgroup memory exceed what devices have. It returns "" if they do not, or if there are none.
func fragmentsExceed(c *opt.Context, m *ir.Module, f *ir.Func) string {
	if c.WorkgroupLimit == 0 || c.FragmentTable == nil && c.FragmentSubgroup == 0 {
		return ""
	}
	tried := m.Clone()
	t := &tileLowering{tileValues: tileValues{m: tried, f: tried.Funcs[slices.Index(m.Funcs, f)]}}
	plain := *c
	plain.Survey = nil
	t.plan(&plain)
	own := workgroupBytes(m)
	if bytes := bytesOf(t.findScratch(leftOf(c, m))); t.products != nil && own+bytes > int(c.WorkgroupLimit) {
		return fmt.Sprintf("with fragments the kernel takes %d bytes of workgroup memory, and there are %d", own+bytes, c.WorkgroupLimit)
	}
	return ""
}

// leftOf returns the workgroup memory that a kernel's own variables leave, or -1 if there is no
// limit.
func leftOf(c *opt.Context, m *ir.Module) int {
	if c.WorkgroupLimit == 0 {
		return -1
	}
	return max(int(c.WorkgroupLimit)-workgroupBytes(m), 0)
}

// findScratch returns how many elements the arrays in workgroup memory have, by kind. Slices become
// smaller until all is within a limit, if that is not negative.
func (t *tileLowering) findScratch(limit int) (sizes [scalar.Count]int) {
	arrays := 0
	t.sliceBytes = tileScratchBytes
	for _, n := range t.scratchSizes() {
		if n > 0 {
			arrays++
		}
	}
	t.sliceBytes /= max(arrays, 1)
	for sizes = t.scratchSizes(); limit >= 0 && bytesOf(sizes) > limit && t.sliceBytes > minSliceBytes; sizes = t.scratchSizes() {
		t.sliceBytes /= 2
	}
	return sizes
}

// bytesOf returns the size of arrays.
func bytesOf(sizes [scalar.Count]int) (bytes int) {
	for k, n := range sizes {
		each := scalar.Kind(k).Bytes()
		if scalar.Kind(k) == scalar.None {
			each = stagedBytes
		}
		bytes += n * each
	}
	return bytes
}

// noteTiles notes the workgroup memory of tiles: of both operands of products, and of what
// reductions, transpositions and other operations exchange.
func (t *tileLowering) noteTiles(c *opt.Context) {
	f := t.f
	note := func(i ir.Inst, x ir.Type, bytes, slice int) {
		k, rows, columns := t.m.TileShape(x)
		c.Tiles = append(c.Tiles, opt.TileMemory{Span: f.SpanOf(i), Element: k, Rows: rows, Columns: columns, Bytes: bytes, Slice: slice})
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		_, isNative := t.products[i]
		switch o := f.Op(i); {
		case isNative && t.copyLoopOf(i) == nil:
			list, slice := t.staged(i)
			for n := range list {
				note(i, f.TypeOf(f.Arg(i, n)), list[n].lines()*list[n].stride*list[n].kind.Bytes(), slice)
			}
		case isNative: // its operands are in a ring, which is as large as there is room
		case t.exchanges(i):
			sizes := [scalar.Count]int{}
			t.fragmentScratch(i, &sizes)
			note(i, f.Type(i), bytesOf(sizes), t.grids[f.Type(i)].exchangedColumns())
		case o == op.TileMulAdd && !t.inLanes:
			p := t.product(i)
			note(i, f.TypeOf(f.Arg(i, 0)), p.slice*p.paddedRows*p.sum.Bytes(), p.slice)
			note(i, f.TypeOf(f.Arg(i, 1)), p.slice*p.paddedColumns*p.sum.Bytes(), p.slice)
		case o == op.TileReduce || o == op.TileBroadcast || o == op.TileTranspose:
			x := f.TypeOf(f.Arg(i, 0))
			k, along, across := t.m.TileShape(x)
			if o == op.TileReduce {
				along, across, _ = t.reduction(i)
			}
			k = scratchKind(k.Held())
			slice := t.sliceOf(along, across, k)
			note(i, x, slice*across*k.Bytes(), slice)
		}
	}
}

// surveyProducts notes which tiles have workgroup memory, how the products of a kernel are
// computed, and how their operands come to workgroup memory.
func (t *tileLowering) surveyProducts(c *opt.Context) {
	if c.Survey == nil {
		return
	}
	c.Survey.Tiles = slices.Clone(c.Tiles)
	f := t.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.TileMulAdd {
			continue
		}
		x := opt.TileProduct{Span: f.SpanOf(i)}
		x.Element, x.Rows, x.Depth = t.m.TileShape(f.TypeOf(f.Arg(i, 0)))
		_, _, x.Columns = t.m.TileShape(f.Type(i))
		unit, isNative := t.products[i]
		switch r := t.copyLoopOf(i); {
		case !isNative:
			x.NoUnit = t.noUnitFor(c, i, &x)
			x.Why = "asynchronous copies are for products by instructions"
		case r != nil:
			x.Unit, x.Stages = unit, r.stages
		case c.CopyBytes == 0:
			x.Unit, x.Why = unit, "the target has no asynchronous copies, or none with these options"
		default:
			x.Unit, x.Why = unit, t.notCopied[i]
		}
		c.Survey.Products = append(c.Survey.Products, x)
	}
}

// noUnitFor says why a product is not one of fragments.
func (t *tileLowering) noUnitFor(c *opt.Context, i ir.Inst, x *opt.TileProduct) string {
	f := t.f
	right, _, _ := t.m.TileShape(f.TypeOf(f.Arg(i, 1)))
	sum, _, _ := t.m.TileShape(f.Type(i))
	var shapes []string
	for _, p := range unitProducts(c, x.Element, right, sum) {
		shapes = append(shapes, fmt.Sprintf("%d×%d×%d", p.Rows, p.Columns, p.Depth))
	}
	size := c.FragmentSubgroup
	if c.FragmentTable != nil {
		size = uint32(c.FragmentTable.Subgroup)
	}
	switch {
	case t.noUnit != "":
		return t.noUnit
	case size == 0:
		return "the target has none"
	case len(shapes) == 0:
		return fmt.Sprintf("the target has none for %s and %s in %s", x.Element, right, sum)
	case sum.IsFloat() && (c.Math == opt.MathStrict || f.Flags(i)&ir.Contract == 0):
		return "they add in another order than strict arithmetic"
	case t.items%int(size) != 0:
		return fmt.Sprintf("a workgroup of %d has no whole subgroups of %d", t.items, size)
	}
	return fmt.Sprintf("subgroups cannot share a product of %d×%d×%d in parts of %s", x.Rows, x.Columns, x.Depth, strings.Join(shapes, " or "))
}
