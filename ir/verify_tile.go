package ir

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the rules for tiles.

// The limits of a tile's shape.
const (
	MaxTileSide     = 1024    // rows or columns
	MaxTileElements = 1 << 16 // rows times columns
)

// tileElements are the kinds of a tile's elements.
var tileElements = scalar.Of(scalar.F16, scalar.BF16, scalar.E4M3, scalar.E5M2, scalar.F32, scalar.F64, scalar.I8, scalar.U8, scalar.I32, scalar.U32)

// IsTileElement reports whether tiles may have elements of a kind.
func IsTileElement(k scalar.Kind) bool { return tileElements.Has(k) }

// tileProblem says why a tile type is not valid, or "".
func (m *Module) tileProblem(t Type) string {
	k, rows, columns := m.TileShape(t)
	switch {
	case !IsTileElement(k):
		return "tiles have no elements of type " + k.String()
	case rows < 1 || columns < 1 || rows > MaxTileSide || columns > MaxTileSide || rows*columns > MaxTileElements:
		return fmt.Sprintf("a tile has 1 to %d rows and columns, and at most %d elements", MaxTileSide, MaxTileElements)
	}
	return ""
}

// tileOutside says why a type is not valid that has tiles in memory, or "". Only variables of
// functions are tiles: they are promoted, and memory has no layout for them.
func (m *Module) tileOutside(t Type) string {
	switch m.KindOf(t) {
	case ArrayType:
		if m.IsTile(m.Element(t)) {
			return "tiles are in no arrays"
		}
	case StructType:
		for _, member := range m.Members(t) {
			if m.IsTile(member.Type) {
				return "tiles are in no structures"
			}
		}
	case PointerType:
		if m.IsTile(m.Element(t)) && m.SpaceOf(t) != Function {
			return "only variables of functions are tiles"
		}
	}
	return ""
}

// TileProduct returns the element kind of the sum of products of elements, and whether there is a
// product of these kinds.
func TileProduct(a, b scalar.Kind) (sum scalar.Kind, ok bool) {
	for _, row := range tileProducts {
		if row.operands.Has(a) && row.operands.Has(b) {
			return row.sum, true
		}
	}
	return scalar.None, false
}

// tileProducts has the products of tiles: both operands have kinds of one row.
var tileProducts = [...]struct {
	operands scalar.Set
	sum      scalar.Kind
}{
	{scalar.Of(scalar.F16), scalar.F32},
	{scalar.Of(scalar.BF16), scalar.F32},
	{scalar.Of(scalar.E4M3, scalar.E5M2), scalar.F32},
	{scalar.Of(scalar.F32), scalar.F32},
	{scalar.Of(scalar.F64), scalar.F64},
	{scalar.Of(scalar.I8, scalar.U8), scalar.I32},
}

// tile returns the type of a tile operand.
func (v *verifier) tile(i Inst, n int) (t Type, message string) {
	if n >= len(v.f.Args(i)) {
		return Void, fmt.Sprintf("operand %d is missing", n+1)
	}
	if t = v.typeOf(i, n); !v.m.IsTile(t) {
		return Void, fmt.Sprintf("operand %d is %s, want a tile", n+1, v.m.TypeString(t))
	}
	return t, ""
}

// The operands of tile_load and tile_store: the array, and where in it the tile is.
const (
	TileArray = iota
	TileOffset
	TileRowStride
	TileColumnStride
	TileRows
	TileColumns
	TileFirstRow
	TileFirstColumn
	TileValue // of tile_store
)

// The operands of tile_load_windows: the array, where in it the tensor is, the window, and where
// the tile is in the matrix of windows. The first two are those of tile_load. Lists have the sides
// of images in the order H, W.
const (
	WindowsSizes       = TileOffset + 1     // N, H, W, C
	WindowsStrides     = WindowsSizes + 4   // likewise
	WindowsTaps        = WindowsStrides + 4 // how many elements of a channel a window has
	WindowsSteps       = WindowsTaps + 2    // from one window to the next
	WindowsPadding     = WindowsSteps + 2
	WindowsDilations   = WindowsPadding + 2
	WindowsPositions   = WindowsDilations + 2 // how many windows an image has
	WindowsFirstRow    = WindowsPositions + 2
	WindowsFirstColumn = WindowsFirstRow + 1
	windowsOperands    = WindowsFirstColumn + 1
)

// IsTileLoad reports whether an operation loads a tile from memory.
func IsTileLoad(o op.Op) bool { return o == op.TileLoad || o == op.TileLoadWindows }

// tileMemory checks the operands of loads and stores of tiles of type t. Those before last
// say where it is.
func (v *verifier) tileMemory(i Inst, t Type, last int) string {
	if !v.m.IsTile(t) {
		return v.m.TypeString(t) + " is no tile"
	}
	array, space, message := v.pointer(i, TileArray)
	if message != "" {
		return message
	}
	if v.m.KindOf(array) != ArrayType || space == Function || space == Private {
		return "operand 1 points to no array that invocations share"
	}
	element, held := v.m.Element(array), v.m.HeldType(t)
	if v.m.KindOf(element) == StructType && len(v.m.Members(element)) == 1 {
		element = v.m.Members(element)[0].Type
	}
	if element != held {
		return fmt.Sprintf("the array has elements of type %s, want %s", v.m.TypeString(element), v.m.TypeString(held))
	}
	for n := TileOffset; n < last; n++ {
		if got := v.typeOf(i, n); got != I32 {
			return fmt.Sprintf("operand %d is %s, want i32", n+1, v.m.TypeString(got))
		}
	}
	return ""
}

func tileLoadTypes(v *verifier, i Inst) string { return v.tileLoad(i, TileValue) }

func tileLoadWindowsTypes(v *verifier, i Inst) string { return v.tileLoad(i, windowsOperands) }

// tileLoad checks a load with so many operands.
func (v *verifier) tileLoad(i Inst, operands int) string {
	if message := v.operands(i, operands); message != "" {
		return message
	}
	if message := v.tileMemory(i, v.f.Type(i), operands); message != "" {
		return message
	}
	if v.m.AccessOf(v.typeOf(i, TileArray)) == Write {
		return "the memory is write-only"
	}
	return v.result(i, v.f.Type(i))
}

func tileStoreTypes(v *verifier, i Inst) string {
	if message := v.operands(i, TileValue+1); message != "" {
		return message
	}
	if message := v.tileMemory(i, v.typeOf(i, TileValue), TileValue); message != "" {
		return message
	}
	if base := v.typeOf(i, TileArray); v.m.SpaceOf(base).ReadOnly() || v.m.AccessOf(base) == Read {
		return "the memory is read-only"
	}
	return v.result(i, Void)
}

func tileSplatTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	t := v.f.Type(i)
	if !v.m.IsTile(t) || v.typeOf(i, 0) != v.m.HeldType(t) {
		return "the operand is no element of the result"
	}
	return v.result(i, t)
}

func tileMulAddTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 3); message != "" {
		return message
	}
	var kind [3]scalar.Kind
	var rows, columns [3]int
	for n := range kind {
		t, message := v.tile(i, n)
		if message != "" {
			return message
		}
		kind[n], rows[n], columns[n] = v.m.TileShape(t)
	}
	if columns[0] != rows[1] || rows[0] != rows[2] || columns[1] != columns[2] {
		return fmt.Sprintf("a product of %d×%d and %d×%d is not %d×%d", rows[0], columns[0], rows[1], columns[1], rows[2], columns[2])
	}
	if sum, ok := TileProduct(kind[0], kind[1]); !ok || sum != kind[2] {
		return fmt.Sprintf("there is no product of %s and %s in %s", kind[0], kind[1], kind[2])
	}
	return v.result(i, v.typeOf(i, 2))
}

func tileConvertTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, message := v.tile(i, 0)
	if message != "" {
		return message
	}
	t := v.f.Type(i)
	if !v.m.IsTile(t) || v.m.TileOf(v.m.tileElement(t), v.m.tileRows(from), v.m.tileColumns(from)) != t {
		return "a conversion keeps the shape"
	}
	return v.result(i, t)
}

func (m *Module) tileElement(t Type) Type { return Type(m.types[t].a) }
func (m *Module) tileRows(t Type) int     { return int(m.types[t].b) }
func (m *Module) tileColumns(t Type) int  { return int(m.types[t].c) }

// isVectorOf reports whether a tile has one row or one column, and as many columns or rows as a
// wide one of the same elements.
func (m *Module) isVectorOf(vector, wide Type) bool {
	k, rows, columns := m.TileShape(wide)
	return vector == m.TileOf(Type(k), rows, 1) || vector == m.TileOf(Type(k), 1, columns)
}

func tileReduceTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, message := v.tile(i, 0)
	if message != "" {
		return message
	}
	switch op.AtomicOperation(v.f.Aux(i)) {
	case op.AtomicAdd, op.AtomicMin, op.AtomicMax:
	default:
		return "tiles are reduced by add, min and max"
	}
	if k, _, _ := v.m.TileShape(from); k.Bits() < 32 {
		return "tiles of " + k.String() + " are not reduced"
	}
	t := v.f.Type(i)
	if !v.m.IsTile(t) || !v.m.isVectorOf(t, from) {
		return "the result has neither one column nor one row of the operand's elements"
	}
	return v.result(i, t)
}

func tileBroadcastTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, message := v.tile(i, 0)
	if message != "" {
		return message
	}
	t := v.f.Type(i)
	if !v.m.IsTile(t) || !v.m.isVectorOf(from, t) {
		return "the operand has neither one column nor one row of the result's elements"
	}
	return v.result(i, t)
}

func tileTransposeTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	from, message := v.tile(i, 0)
	if message != "" {
		return message
	}
	k, rows, columns := v.m.TileShape(from)
	return v.result(i, v.m.TileOf(Type(k), columns, rows))
}

func tileCountTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	if _, message := v.tile(i, 0); message != "" {
		return message
	}
	return v.result(i, I32)
}

// tileIndex checks that the operands are a tile, the index of an element, and more.
func (v *verifier) tileIndex(i Inst, operands int) (t Type, message string) {
	if message := v.operands(i, operands); message != "" {
		return Void, message
	}
	if t, message = v.tile(i, 0); message != "" {
		return Void, message
	}
	if got := v.typeOf(i, 1); got != I32 {
		return Void, "operand 2 is " + v.m.TypeString(got) + ", want i32"
	}
	return t, ""
}

func tilePositionTypes(v *verifier, i Inst) string {
	if _, message := v.tileIndex(i, 2); message != "" {
		return message
	}
	return v.result(i, I32)
}

func tileGetTypes(v *verifier, i Inst) string {
	t, message := v.tileIndex(i, 2)
	if message != "" {
		return message
	}
	return v.result(i, v.m.HeldType(t))
}

func tileSetTypes(v *verifier, i Inst) string {
	t, message := v.tileIndex(i, 3)
	if message != "" {
		return message
	}
	if got := v.typeOf(i, 2); got != v.m.HeldType(t) {
		return "operand 3 is " + v.m.TypeString(got) + ", want " + v.m.TypeString(v.m.HeldType(t))
	}
	return v.result(i, t)
}
