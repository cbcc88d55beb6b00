package interp

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file compiles operations on tiles. A slot holds a tile's handle (tile.go).

// tileHandle is the kind of a tile in slots and variables.
const tileHandle = scalar.U64

// tileOperation is an instruction on tiles.
type tileOperation struct {
	op       op.Op
	result   tileShape    // of a store the tile that it stores
	operands [3]tileShape // of the operands that are tiles
	// widen converts elements: those of the operands of a product to the result's kind, or those
	// that a conversion gets.
	widen [2]func(uint64) uint64
	fold  eval.Function // of a reduction, and of a product x·y + z
	// memory is what a load or store orders.
	memory op.Memory
	// An element of memory is at an offset in each stride of the array. The array has a count of
	// them, or 0 for one that the launch sizes.
	offset, stride, count uint64
}

// tileShape is the type of a tile, as the invocations of the workgroup hold it.
type tileShape struct {
	kind          scalar.Kind
	rows, columns int
	each          int // elements that an invocation holds at most
}

// size returns the number of elements.
func (s *tileShape) size() int { return s.rows * s.columns }

func (c *compiler) tileShape(t ir.Type) tileShape {
	k, rows, columns := c.m.TileShape(t)
	return tileShape{k, rows, columns, (rows*columns + c.items - 1) / c.items}
}

// tileRow appends a row to Program.tiles.
func (c *compiler) tileRow(t tileOperation) uint32 {
	c.image.tiles = append(c.image.tiles, t)
	return uint32(len(c.image.tiles) - 1)
}

// tileTogether compiles an operation that the invocations of a workgroup execute together.
func (c *compiler) tileTogether(i ir.Inst) {
	f := c.f
	t := tileOperation{op: f.Op(i)}
	var operands []slot
	tiles := 0
	for _, v := range f.Args(i) {
		operands = append(operands, c.one(v))
		if x := f.TypeOf(v); c.m.IsTile(x) {
			t.operands[tiles] = c.tileShape(x)
			tiles++
		}
	}
	in := instruction{op: opTile}
	if t.op == op.TileStore {
		t.result = t.operands[0]
	} else {
		t.result = c.tileShape(f.Type(i))
		in.d = c.define(i)[0]
	}
	switch t.op {
	case op.TileLoad, op.TileLoadWindows, op.TileStore:
		t.memory = op.Memory(f.Aux(i))
		c.tileMemory(i, &t)
	case op.TileMulAdd:
		for n := range t.widen {
			t.widen[n] = c.tileConversion(i, t.result.kind, t.operands[n].kind)
		}
		t.fold = tileProduct(t.result.kind)
	case op.TileReduce:
		t.fold = eval.For(atomicOperations[op.AtomicOperation(f.Aux(i))], t.result.kind)
	}
	in.n, in.aux = uint16(t.memory), c.tileRow(t)
	in.x = uint64(c.list(operands)) | uint64(c.site())<<32
	c.emit(in)
}

// tileMemory notes where an array has the elements of a tile.
func (c *compiler) tileMemory(i ir.Inst, t *tileOperation) {
	array := c.m.Element(c.f.TypeOf(c.f.Arg(i, ir.TileArray)))
	t.stride = uint64(c.m.Stride(array))
	if n, known := c.m.Count(array); known {
		t.count = uint64(n)
	}
	if x := c.m.Element(array); c.m.KindOf(x) == ir.StructType {
		t.offset = uint64(c.m.PartOffset(x, 0))
	}
	c.accesses(t.result.kind)
}

// tileProduct returns x·y + z on elements of a kind, rounded once.
func tileProduct(k scalar.Kind) eval.Function {
	if k.IsFloat() {
		return eval.For(op.Fma, k)
	}
	return func(x, y, z, _ uint64) uint64 { return uint64(uint32(x)*uint32(y) + uint32(z)) }
}

// tileConversion returns the conversion of elements between kinds, as invocations hold them.
func (c *compiler) tileConversion(i ir.Inst, to, from scalar.Kind) func(uint64) uint64 {
	f := convertElement(to, from)
	if f == nil {
		c.fail(i, "there is no conversion from "+from.String()+" to "+to.String())
	}
	return f
}

func (c *compiler) tileSplat(i ir.Inst) {
	row := c.tileRow(tileOperation{op: op.TileSplat, result: c.tileShape(c.f.Type(i))})
	c.emit(instruction{op: opTileSplat, d: c.define(i)[0], a: c.one(c.f.Arg(i, 0)), aux: row})
}

func (c *compiler) tileConvert(i ir.Inst) {
	t := tileOperation{op: op.TileConvert, result: c.tileShape(c.f.Type(i))}
	from := c.tileShape(c.f.TypeOf(c.f.Arg(i, 0)))
	t.widen[0] = c.tileConversion(i, t.result.kind, from.kind)
	c.emit(instruction{op: opTileConvert, d: c.define(i)[0], a: c.one(c.f.Arg(i, 0)), aux: c.tileRow(t)})
}

func (c *compiler) tileCount(i ir.Inst) {
	shape := c.tileShape(c.f.TypeOf(c.f.Arg(i, 0)))
	c.move(c.define(i)[0], c.bits(uint64(shape.each)))
}

func (c *compiler) tilePosition(i ir.Inst) {
	in := instruction{op: opTilePosition, a: c.one(c.f.Arg(i, 1)), aux: c.tileOf(i)}
	if c.f.Op(i) == op.TileColumn {
		in.n = 1
	}
	in.d = c.define(i)[0]
	c.emit(in)
}

// tileOf appends a row for an instruction on an invocation's part of its first operand.
func (c *compiler) tileOf(i ir.Inst) uint32 {
	return c.tileRow(tileOperation{op: c.f.Op(i), result: c.tileShape(c.f.TypeOf(c.f.Arg(i, 0)))})
}

func (c *compiler) tileGet(i ir.Inst) {
	f := c.f
	c.emit(instruction{op: opTileGet, d: c.define(i)[0], a: c.one(f.Arg(i, 0)), b: c.one(f.Arg(i, 1)), aux: c.tileOf(i)})
}

func (c *compiler) tileSet(i ir.Inst) {
	f := c.f
	c.emit(instruction{op: opTileSet, d: c.define(i)[0], a: c.one(f.Arg(i, 0)), b: c.one(f.Arg(i, 1)), c: c.one(f.Arg(i, 2)), aux: c.tileOf(i)})
}
