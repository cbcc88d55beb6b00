package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes the kernels of matrix products, with tiles: see the guide on WGSL. What follows
// the product is a function of its elements.

// tiling is the shape of a product's tiles. A workgroup computes rows by columns elements, of which
// it takes depth products at a time.
type tiling struct{ rows, columns, depth, invocations int }

// tilings has the tiles by the size of the product. The first row is taken whose minimum of rows,
// columns, and tiles of that size the product reaches.
var tilings = [...]struct {
	element              Type
	rows, columns, tiles int
	tiling               tiling
}{
	{Float16, 256, 512, 128, tiling{128, 256, 64, 256}},
	{Float16, 128, 128, 16, tiling{128, 128, 64, 256}},
	{Float16, 33, 0, 0, tiling{64, 64, 64, 128}},
	{Float16, 0, 0, 0, tiling{32, 64, 64, 128}},
	{Float32, 256, 64, 64, tiling{256, 64, 32, 256}},
	{Float32, 65, 0, 0, tiling{128, 64, 32, 256}},
	{Float32, 33, 0, 0, tiling{64, 64, 32, 128}},
	{Float32, 0, 0, 0, tiling{32, 64, 32, 128}},
}

// tilesOf returns how many tiles of a shape cover a matrix, down and across.
func (t tiling) tilesOf(rows, columns int) (down, across int) {
	return (rows + t.rows - 1) / t.rows, (columns + t.columns - 1) / t.columns
}

func tilingOf(element Type, batches, rows, columns int) tiling {
	for _, row := range tilings {
		down, across := row.tiling.tilesOf(rows, columns)
		if row.element == element && rows >= row.rows && columns >= row.columns && batches*down*across >= row.tiles {
			return row.tiling
		}
	}
	return tilings[len(tilings)-1].tiling
}

// view adds the layout of a matrix to the sizes. Structures in uniform memory begin at multiples of
// 16 bytes (WGSL, "Address Space Layout Constraints").
func (e *emitter) view(name string, offset, rows, columns, rowStride, columnStride int) string {
	words := []uint32{uint32(offset), uint32(rows), uint32(columns), uint32(rowStride), uint32(columnStride), 0, 0, 0}
	e.parameter("@align(16) @size(32) "+name, "tile_view", words...)
	return "p." + name
}

// emitProduct makes the steps of a kernel with a product.
func (p *planner) emitProduct(b *builder, n, result int, out index) {
	e := p.newEmitter(b, n, result, out)
	has := slices.Contains(p.c.device.Info().Features, abi.Float16)
	target := n
	if t := p.nodes[n].element; t == BFloat16 || t == Float16 && !has {
		target = p.between(t, p.nodes[n].count())
	}
	e.output = p.slots[target]
	on := func(m int) func(d int) bool { return func(d int) bool { return b.matrix[m].at(d) != 0 } }
	e.rows, e.columns = e.mergeThose(on(0)), e.mergeThose(on(1))
	e.batches = e.mergeThose(func(d int) bool { return !on(0)(d) && !on(1)(d) && !on(2)(d) })
	v := &b.values[b.product]
	node := p.nodes[v.node]
	rows, columns := node.shape[len(node.shape)-2], node.shape[len(node.shape)-1]
	x := node.operands[0]
	inside := x.shape[len(x.shape)-1]
	batches := total(e.batches)
	tile := tilingOf(v.element, batches, rows, columns)
	down, across := tile.tilesOf(rows, columns)
	element := "f32"
	if v.element == Float16 {
		element = "f16"
	}

	left, right := b.values[v.args[0]].at, b.values[v.args[1]].at
	arrays := [2]string{e.bind(b.values[v.args[0]].slot, false, has), e.bind(b.values[v.args[1]].slot, false, has)}
	views := [3]string{
		e.view("a", left.offset, rows, inside, strideOf(left, b.matrix[0]), strideOf(left, b.matrix[2])),
		e.view("b", right.offset, inside, columns, strideOf(right, b.matrix[2]), strideOf(right, b.matrix[1])),
		e.view("c", 0, rows, columns, columns, 1),
	}
	stored := "sum"
	if result != b.product {
		e.epilogue(has)
		stored = "tileMap(finish, sum, row, column, batch)"
	} else if e.output.element == Float16 {
		stored = "tileConvert<f16>(sum)"
	}

	e.line("@compute @workgroup_size(%d)", tile.invocations)
	e.open("fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u)")
	tiles := e.size("tiles", batches*down*across)
	e.step.grid = [2]uint32{uint32(min(batches*down*across, mostWorkgroups)), 1}
	e.open("for (var n = group.x; n < %s; n += groups.x)", tiles)
	high, wide := e.size("down", down), e.size("across", across)
	at := "n"
	if len(e.batches) > 0 {
		e.line("let batch = n / (%s * %s);", high, wide)
		e.line("let t = n - batch * (%s * %s);", high, wide)
		e.decode(e.batches, "batch")
		for k, x := range []index{left, right, out} {
			name := string("abc"[k])
			e.line("let %s = tile_view(%s, %s.rows, %s.columns, %s.row_stride, %s.column_stride);", name, e.offset(views[k], x), views[k], views[k], views[k], views[k])
			views[k] = name
		}
		at = "t"
	} else {
		e.line("let batch = 0u;")
	}
	e.line("let band = %s / (8u * %s);", at, wide)
	e.line("let within = %s %% (8u * %s);", at, wide)
	e.line("let height = min(%s - 8u * band, 8u);", high)
	e.line("let row = (8u * band + within %% height) * %du;", tile.rows)
	e.line("let column = within / height * %du;", tile.columns)
	e.line("var sum = tile<f32, %d, %d>();", tile.rows, tile.columns)
	e.open("for (var k = 0u; k < %s.columns; k += %du)", views[0], tile.depth)
	e.line("let left = tileLoad<tile<%s, %d, %d>>(&%s, %s, row, k);", element, tile.rows, tile.depth, arrays[0], views[0])
	e.line("let right = tileLoad<tile<%s, %d, %d>>(&%s, %s, k, column);", element, tile.depth, tile.columns, arrays[1], views[1])
	e.line("sum = tileMulAdd(left, right, sum);")
	e.end()
	e.line("tileStore(&result, %s, row, column, %s);", views[2], stored)
	e.end()
	e.end()

	enable := "enable gpuc_tile;\n\n"
	if e.output.element == Float16 || strings.Contains(strings.Join(e.bindings, ""), "array<f16>") {
		enable = "enable f16;\n" + enable
	}
	e.finish(target, enable)
	if target != n {
		p.convert(n, target)
	}
}

// offset returns the offset of a matrix of the batch.
func (e *emitter) offset(view string, x index) string {
	text := view + ".offset"
	for k, m := range e.batches {
		if s := x.at(m.last); s != 0 {
			text += fmt.Sprintf(" + %s * %s", e.variable(e.batches, "batch", k), e.parameter(fmt.Sprint("stride", len(e.parameters)), "u32", uint32(s)))
		}
	}
	return text
}

// epilogue writes the function of the product's elements.
func (e *emitter) epilogue(f16 bool) {
	v := &e.b.values[e.result]
	t := e.output.element
	kind := types[t].stored
	if t == Float16 {
		kind = "f16"
	}
	e.open("fn finish(down: u32, across: u32, x: f32, first_row: u32, first_column: u32, batch: u32) -> %s", kind)
	e.line("let row = first_row + down;")
	e.line("let column = first_column + across;")
	e.open("if row >= p.c.rows || column >= p.c.columns")
	e.line("return %s(0);", kind)
	e.end()
	e.decode(e.batches, "batch")
	e.decode(e.rows, "row")
	e.decode(e.columns, "column")
	e.line("let v%d = x;", e.b.product)
	e.emitted[e.b.product] = true
	e.values([]int{e.result}, false, f16)
	text := fmt.Sprint("v", e.result)
	switch {
	case t == Float16:
		text = fmt.Sprintf("f16(%s)", text)
	case v.element == Bool:
		text = fmt.Sprintf("select(0u, 1u, %s)", text)
	}
	e.line("return %s;", text)
	e.end()
	e.line("")
}
