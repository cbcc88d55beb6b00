package gokernel

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has gpu.Tile, gpu.Matrix and gpu.Tensor: tiles are values of the IR, and a matrix or a
// tensor is a slice with integers, its layout.

// isTile reports whether a type is a gpu.Tile.
func isTile(t types.Type) bool { return isNamed(t, "Tile") }

// holdsTile reports whether a type has a gpu.Tile in it or points to one.
func holdsTile(t types.Type) bool {
	return part(pointedAt(t), func(t types.Type) bool { return isTile(pointedAt(t)) }) != nil
}

// isView reports whether a type is a gpu.Matrix or a gpu.Tensor.
func isView(t types.Type) bool { return isNamed(t, "Matrix") || isNamed(t, "Tensor") }

// viewKind names the kind of a view: matrix or tensor.
func viewKind(t types.Type) string {
	return strings.ToLower(types.Unalias(t).(*types.Named).Obj().Name())
}

// ViewElement returns the type of the elements of a matrix or a tensor, or nil for another type.
func ViewElement(t types.Type) types.Type {
	if !isView(t) {
		return nil
	}
	return types.Unalias(t).(*types.Named).TypeArgs().At(0)
}

// ViewLayout returns the type of the integers of a matrix or a tensor, or nil for another type.
func ViewLayout(t types.Type) types.Type {
	if !isView(t) {
		return nil
	}
	n := types.Unalias(t).(*types.Named).Obj()
	return n.Pkg().Scope().Lookup(n.Name() + "Layout").Type()
}

// tileElements are the types that elements of tiles can have. Integers and floats with types of
// their own count, too.
var tileElements = [scalar.Count]string{scalar.F16: "gpu.Float16", scalar.BF16: "gpu.BFloat16", scalar.E4M3: "gpu.Float8E4M3", scalar.E5M2: "gpu.Float8E5M2",
	scalar.F32: "float32", scalar.F64: "float64", scalar.I8: "int8", scalar.U8: "uint8", scalar.I32: "int32", scalar.U32: "uint32"}

const tileElementsHint = "tiles have elements of type gpu.Float16, BFloat16, Float8E4M3, Float8E5M2, float32, float64, int8, uint8, int32 and uint32"

// tileElement returns the kind of a type as the element of a tile, or scalar.None.
func tileElement(t types.Type) scalar.Kind {
	for k, name := range tileElements {
		if small, ok := strings.CutPrefix(name, "gpu."); ok && isNamed(t, small) {
			return scalar.Kind(k)
		}
	}
	b, ok := t.Underlying().(*types.Basic)
	if k := scalar.None; ok && b.Kind() != types.Int && b.Kind() != types.Uint {
		if k = scalar.Kind(basics[b.Kind()]); ir.IsTileElement(k) {
			return k
		}
	}
	return scalar.None
}

// tileProblem says what is wrong with the type of a tile, or returns nil.
func tileProblem(t types.Type, named func(types.Type) string) *typeProblem {
	if hint := shapeHint(types.Unalias(t).(*types.Named).TypeArgs().At(0)); hint != "" {
		return &typeProblem{named(t) + " is no type of a tile", hint}
	}
	return nil
}

// shapeHint returns "" for an array type that says the shape of a tile, and what others lack.
func shapeHint(t types.Type) string {
	const array = "its argument is an array of rows, as in gpu.Tile[[64][32]float32]"
	rows, ok := t.Underlying().(*types.Array)
	if !ok {
		return array
	}
	columns, ok := rows.Elem().Underlying().(*types.Array)
	if !ok {
		return array
	}
	if tileElement(columns.Elem()) == scalar.None {
		return tileElementsHint
	}
	r, c := rows.Len(), columns.Len()
	if r < 1 || c < 1 || r > ir.MaxTileSide || c > ir.MaxTileSide || r*c > ir.MaxTileElements {
		return "a tile has 1 to 1024 rows and columns, and at most 65536 elements"
	}
	return ""
}

// tile returns the type of a gpu.Tile.
func (t *typeTable) tile(x types.Type) ir.Type {
	rows := types.Unalias(x).(*types.Named).TypeArgs().At(0).Underlying().(*types.Array)
	columns := rows.Elem().Underlying().(*types.Array)
	return t.m.TileOf(ir.Type(tileElement(columns.Elem())), int(rows.Len()), int(columns.Len()))
}

// tileFunction is a function of package gpu on tiles. Its operands, after the item, have been
// translated.
type tileFunction func(f *frame, args []operand, v *ssa.Call, to ir.Type) operand

// addTiles adds the functions to a table of intrinsics.
func addTiles(table map[string]intrinsic) {
	for name, translate := range map[string]tileFunction{
		"LoadTile": loadTile, "LoadWindows": loadWindows, "StoreTile": storeTile, "FillTile": fillTile, "MulAdd": mulAddTiles,
		"MapTile": mapTiles, "MapTile2": mapTiles, "MapTile3": mapTiles,
		"ConvertTile": convertTile, "TransposeTile": transposeTile,
		"SumTile": reduceTile(op.AtomicAdd), "MaxTile": reduceTile(op.AtomicMax), "MinTile": reduceTile(op.AtomicMin),
	} {
		table[gpuPath+"."+name] = together(func(f *frame, args []operand, v *ssa.Call) operand {
			f.t.noteBarrier(v.Pos())
			to := ir.Void
			if isTile(v.Type()) {
				to = f.t.of(v.Type())
			}
			return translate(f, args[1:], v, to)
		})
	}
}

// isTileMap reports whether a function calls another for each element of tiles.
func isTileMap(f *types.Func) bool {
	return slices.Contains([]string{gpuPath + ".MapTile", gpuPath + ".MapTile2", gpuPath + ".MapTile3"}, f.FullName())
}

// namedAt returns a type as the function with a call writes it.
func namedAt(v *ssa.Call, t types.Type) string {
	var in *types.Package
	if p := v.Parent().Package(); p != nil {
		in = p.Pkg
	}
	return typeName(t, in)
}

// shape returns a tile type's shape as text: 64×32.
func (t *translator) shape(x ir.Type) string {
	_, rows, columns := t.m.TileShape(x)
	return sizeText(rows, columns)
}

func sizeText(rows, columns int) string { return fmt.Sprintf("%d×%d", rows, columns) }

// held returns an element as an invocation holds it: the pattern of a small float.
func (f *frame) held(x ir.Value) ir.Value {
	if f.t.m.KindOf(f.t.b.F.TypeOf(x)) == ir.StructType {
		return f.t.b.Extract(x, 0)
	}
	return x
}

// fromHeld is the inverse of held, for a type of Go.
func (f *frame) fromHeld(x types.Type, v ir.Value) ir.Value {
	if made := f.t.of(x); f.t.m.KindOf(made) == ir.StructType {
		return f.t.b.Construct(made, v)
	}
	return v
}

// matrixOperands returns the first operands of tile_load and tile_store.
func (f *frame) matrixOperands(matrix *operand, row, column ir.Value) []ir.Value {
	data := &matrix.parts[0]
	list := make([]ir.Value, 0, ir.TileValue+1)
	list = append(list, f.address(&data.reference))
	offset := f.offsetIn(data, matrix.parts[1].value)
	field := func(n int) ir.Value { return matrix.parts[n].value }
	const rows, columns, rowStride, columnStride = 2, 3, 4, 5
	return append(list, offset, field(rowStride), field(columnStride), field(rows), field(columns), row, column)
}

func loadTile(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	data := &args[0].parts[0]
	if !f.fitsView(v, to, "matrix") || data.kind != aSlice {
		return operand{}
	}
	if data.base == ir.NoValue { // of a matrix without elements
		return made(f.t.m.Zero(to))
	}
	f.t.read(&data.reference)
	list := f.matrixOperands(&args[0], args[1].value, args[2].value)
	return made(f.t.b.Emit(op.TileLoad, to, uint32(f.t.tileMemory(&data.reference)), list...))
}

func loadWindows(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	const of, window = 0, 1 // the fields of gpu.Windows; what follows are the positions
	windows := args[0].parts
	tensor := windows[of].parts
	data := &tensor[0]
	if !f.fitsView(v, to, "tensor") || data.kind != aSlice {
		return operand{}
	}
	if data.base == ir.NoValue {
		return made(f.t.m.Zero(to))
	}
	f.t.read(&data.reference)
	list := append(make([]ir.Value, 0, ir.WindowsFirstColumn+1), f.address(&data.reference), f.offsetIn(data, tensor[1].value))
	list = append(list, values(tensor[2:])...)
	for n := range ir.WindowsPositions - ir.WindowsTaps {
		list = append(list, f.t.b.Extract(windows[window].value, uint32(n)))
	}
	list = append(list, values(windows[window+1:])...)
	list = append(list, args[1].value, args[2].value)
	return made(f.t.b.Emit(op.TileLoadWindows, to, uint32(f.t.tileMemory(&data.reference)), list...))
}

// offsetIn returns an offset in a slice as one in its array.
func (f *frame) offsetIn(data *operand, offset ir.Value) ir.Value {
	if data.first == ir.NoValue {
		return offset
	}
	return f.t.b.Op(op.Add, f.t.b.Convert(scalar.I32, data.first), offset)
}

func storeTile(f *frame, args []operand, v *ssa.Call, _ ir.Type) operand {
	data := &args[0].parts[0]
	if !f.fitsView(v, f.t.b.F.TypeOf(args[3].value), "matrix") || data.kind != aSlice || data.base == ir.NoValue {
		return operand{}
	}
	f.t.recordWrite(&data.reference)
	list := append(f.matrixOperands(&args[0], args[1].value, args[2].value), args[3].value)
	memory := f.t.tileMemory(&data.reference)
	if memory == 0 && f.t.second && !f.storesApart(v, f.t.b.F.TypeOf(args[3].value)) {
		memory = op.StorageMemory
	}
	f.t.b.Emit(op.TileStore, ir.Void, uint32(memory), list...)
	return operand{}
}

// tileMemory returns the memory that the load or store of a tile orders: none if the kernel only
// reads it, or writes it in one statement only. That one may have to be ordered with itself
// (apart.go).
func (t *translator) tileMemory(r *reference) op.Memory {
	g := t.m.Global(r.base)
	switch {
	case t.m.SpaceOf(g.Type) == ir.Workgroup:
		return op.WorkgroupMemory
	case t.facts.written[g.Name] && t.facts.read[g.Name], t.facts.writes[g.Name] > 1:
		return op.StorageMemory
	}
	return 0
}

// fitsView reports whether the matrix or tensor of a load or store has the elements of a tile type,
// which it reports otherwise.
func (f *frame) fitsView(v *ssa.Call, tile ir.Type, view string) bool {
	k, _, _ := f.t.m.TileShape(tile)
	element := types.Unalias(v.Call.Args[1].Type()).(*types.Named).TypeArgs().At(0)
	if tileElement(element) == k {
		return true
	}
	f.refuse(diag.GoSubset, v.Pos(), "gpu.ConvertTile converts a tile", "a tile of %s is not one of a %s of %s", tileElements[k], view, namedAt(v, element))
	return false
}

func fillTile(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	x := f.held(args[0].value)
	if k, _, _ := f.t.m.TileShape(to); tileElement(v.Call.Args[1].Type()) != k {
		f.refuse(diag.GoSubset, v.Pos(), "convert it", "gpu.FillTile fills a tile of %s with %s", tileElements[k], namedAt(v, v.Call.Args[1].Type()))
		return operand{}
	}
	return made(f.t.b.Emit(op.TileSplat, to, 0, x))
}

func mulAddTiles(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	m := f.t.m
	var list []ir.Value
	var kinds [3]scalar.Kind
	var rows, columns [3]int
	for n := range kinds {
		list = append(list, args[n].value)
		kinds[n], rows[n], columns[n] = m.TileShape(f.t.b.F.TypeOf(args[n].value))
	}
	if columns[0] != rows[1] || rows[0] != rows[2] || columns[1] != columns[2] {
		f.refuse(diag.GoSubset, v.Pos(), "a product of M×K and K×N elements is M×N", "gpu.MulAdd of tiles of %s and %s adds no tile of %s",
			sizeText(rows[0], columns[0]), sizeText(rows[1], columns[1]), sizeText(rows[2], columns[2]))
		return operand{}
	}
	if sum, ok := ir.TileProduct(kinds[0], kinds[1]); !ok || sum != kinds[2] {
		f.refuse(diag.GoSubset, v.Pos(), "products of two tiles of Float16, of BFloat16, of 8-bit floats or of float32 add to float32, of float64 to float64, of 8-bit integers to int32",
			"gpu.MulAdd has no product of %s and %s in %s", tileElements[kinds[0]], tileElements[kinds[1]], tileElements[kinds[2]])
		return operand{}
	}
	return made(f.t.b.Emit(op.TileMulAdd, to, 0, list...))
}

func convertTile(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	from := f.t.b.F.TypeOf(args[0].value)
	if f.t.shape(from) != f.t.shape(to) {
		f.refuse(diag.GoSubset, v.Pos(), "a conversion keeps the shape", "gpu.ConvertTile makes no tile of %s of one of %s", f.t.shape(to), f.t.shape(from))
		return operand{}
	}
	return made(f.t.b.Emit(op.TileConvert, to, 0, args[0].value))
}

func transposeTile(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	k, rows, columns := f.t.m.TileShape(f.t.b.F.TypeOf(args[0].value))
	if to != f.t.m.TileOf(ir.Type(k), columns, rows) {
		f.refuse(diag.GoSubset, v.Pos(), "the result has the operand's elements, with rows and columns exchanged",
			"gpu.TransposeTile makes no tile of %s of one of %s", f.t.shape(to), sizeText(rows, columns))
		return operand{}
	}
	return made(f.t.b.Emit(op.TileTranspose, to, 0, args[0].value))
}

// reduceTile is the function for a reduction.
func reduceTile(o op.AtomicOperation) tileFunction {
	return func(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
		from := f.t.b.F.TypeOf(args[0].value)
		k, rows, columns := f.t.m.TileShape(from)
		if to != f.t.m.TileOf(ir.Type(k), rows, 1) && to != f.t.m.TileOf(ir.Type(k), 1, columns) {
			f.refuse(diag.GoSubset, v.Pos(), "the result has the operand's elements, and one column for the rows or one row for the columns",
				"a tile of %s is not reduced to one of %s", f.t.shape(from), f.t.shape(to))
			return operand{}
		}
		if k.Bits() < 32 {
			f.refuse(diag.GoSubset, v.Pos(), "gpu.ConvertTile converts it to float32", "tiles of %s are not reduced", tileElements[k])
			return operand{}
		}
		return made(f.t.b.Emit(op.TileReduce, to, uint32(o), args[0].value))
	}
}

// mapTiles is the function that calls another for each element of tiles. It becomes a loop over the
// elements of the invocation.
func mapTiles(f *frame, args []operand, v *ssa.Call, to ir.Type) operand {
	t := f.t
	b, m := &t.b, t.m
	_, rows, columns := m.TileShape(to)
	tiles := values(args[:len(args)-1])
	for n, x := range tiles {
		k, r, c := m.TileShape(b.F.TypeOf(x))
		if r != rows && (r != 1 || n == 0) || c != columns && (c != 1 || n == 0) {
			f.refuse(diag.GoSubset, v.Pos(), "the result has the shape of the first tile; the others have its rows or one, and its columns or one",
				"a tile of %s has no element for each of %s", sizeText(r, c), sizeText(rows, columns))
			return operand{}
		}
		if r != rows {
			x = b.Emit(op.TileBroadcast, m.TileOf(ir.Type(k), rows, c), 0, x)
		}
		if c != columns {
			x = b.Emit(op.TileBroadcast, m.TileOf(ir.Type(k), rows, columns), 0, x)
		}
		tiles[n] = x
	}
	callee := functionOf(v.Call.Args[len(v.Call.Args)-1])
	if callee.function == nil {
		f.refuse(diag.GoSubset, v.Pos(), "write a function literal as its last argument, or name a function", "the compiler has to know the function that is called for each element")
		return operand{}
	}
	for n, x := range tiles {
		taken := callee.function.Signature.Params().At(n + 2).Type()
		if k, _, _ := m.TileShape(b.F.TypeOf(x)); tileElement(taken) != k {
			f.refuse(diag.GoSubset, v.Pos(), "its parameters are the row, the column, and an element of each tile", "the function takes %s, and the tile has elements of %s", namedAt(v, taken), tileElements[k])
			return operand{}
		}
	}
	result := callee.function.Signature.Results().At(0).Type()
	if k, _, _ := m.TileShape(to); tileElement(result) != k {
		f.refuse(diag.GoSubset, v.Pos(), "its result is the element", "the function returns %s, and the tile has elements of %s", namedAt(v, result), tileElements[k])
		return operand{}
	}
	mapped := b.Var(to, "mapped")
	b.Store(mapped, m.Zero(to))
	count := b.Emit(op.TileCount, ir.I32, 0, tiles[0])
	loop := b.Loop()
	e := b.F.AddLoopParam(loop, m.ConstI32(0))
	behind := b.Block()
	t.loops = append(t.loops, loop)
	b.SetBlock(b.F.Region(loop, 0))
	row, column := b.Emit(op.TileRow, ir.I32, 0, tiles[0], e), b.Emit(op.TileColumn, ir.I32, 0, tiles[0], e)
	given := []operand{made(row), made(column)}
	for n, x := range tiles {
		held := b.Emit(op.TileGet, m.HeldType(b.F.TypeOf(x)), 0, x, e)
		given = append(given, made(f.fromHeld(callee.function.Signature.Params().At(n+2).Type(), held)))
	}
	captured := make([]operand, len(callee.bindings))
	for n, x := range callee.bindings {
		captured[n] = f.operand(x)
	}
	// not for what an invocation holds beyond the last element
	exists := b.If(b.Op(op.And, b.Op(op.Lt, row, m.ConstI32(int32(rows))), b.Op(op.Lt, column, m.ConstI32(int32(columns)))))
	held := b.F.AddResult(exists, m.HeldType(to))
	around := b.Block()
	b.SetBlock(b.F.Region(exists, 0))
	t.mapping = b.F.ValueCount()
	element := f.inline(v, callee.function, given, captured)
	t.mapping = 0
	if element.kind != aValue { // it has been reported
		element = made(m.Zero(m.HeldType(to)))
	}
	b.Exit(exists, f.held(element.value))
	b.SetBlock(b.F.Region(exists, 1))
	b.Exit(exists, m.Zero(m.HeldType(to)))
	b.SetBlock(around)
	b.Store(mapped, b.Emit(op.TileSet, to, 0, b.Load(mapped), e, held))
	b.Continue(loop)
	t.loops = t.loops[:len(t.loops)-1]
	b.SetBlock(b.F.Region(loop, 1))
	next := b.Op(op.Add, e, m.ConstI32(1))
	b.Next(loop, []ir.Value{next}, b.Op(op.Ge, next, count), nil)
	b.SetBlock(behind)
	return made(b.Load(mapped))
}

// closure is a function value that the compiler knows.
type closure struct {
	function *ssa.Function
	bindings []ssa.Value
}

// functionOf returns the function that a value is.
func functionOf(v ssa.Value) closure {
	switch v := v.(type) {
	case *ssa.Function:
		return closure{function: v}
	case *ssa.MakeClosure:
		function, _ := v.Fn.(*ssa.Function)
		return closure{function, v.Bindings}
	case *ssa.ChangeType:
		return functionOf(v.X)
	}
	return closure{}
}

// refusesWrite reports a write of a function for the elements of a tile to memory that is not its
// own.
func (f *frame) refusesWrite(r *reference) bool {
	switch {
	case f.t.mapping == 0 || r.base.IsLocal() && int(r.base.Index()) >= f.t.mapping:
		return false
	case r.base.IsLocal():
		f.refuse(diag.GoSubset, token.NoPos, returnsElement, assignsOutside)
	default:
		f.refuse(diag.GoSubset, token.NoPos, "it returns the element, and gpu.StoreTile stores tiles", "a function for the elements of a tile writes no memory that items share")
	}
	return true
}

const (
	assignsOutside = "a function for the elements of a tile assigns to no variable outside of it"
	returnsElement = "it returns the element; each item calls it for the elements that it holds"
)
