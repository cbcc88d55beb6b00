package check

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks tiles, of the extension gpuc_tile: their types and what the signatures of their
// functions do not express.

const (
	tileExtension = "gpuc_tile"
	tileElements  = "f32, f16, i32 or u32"
	// where tiles may be
	tilePlaces = "tiles are values, variables of functions, parameters and results; tileStore writes one to memory"
)

// elementFunction shows what tileMap calls.
const elementFunction = "fn f(row: u32, column: u32, x: f32) -> f32, for tileMap(f, t)"

// needTiles reports the use of a word of the extension without it, once.
func (c *Checker) needTiles(word string, span source.Span) {
	if c.enabled&extensionTile == 0 {
		c.error(diag.MissingExtension, span, "`"+word+"` needs the extension "+tileExtension,
			diag.Note{Message: "write `enable " + tileExtension + ";` at the beginning of the file"})
		c.enabled |= extensionTile
	}
}

// tileNote says where tiles may be, if t is one.
func (c *Checker) tileNote(t ir.Type) []diag.Note {
	if c.module.IsTile(t) {
		return []diag.Note{{Message: tilePlaces}}
	}
	return nil
}

// isTileElement reports whether WGSL has tiles with such elements.
func isTileElement(t ir.Type) bool {
	return t == ir.F32 || t == ir.F16 || t == ir.I32 || t == ir.U32
}

// tileType reads tile<T, R, C>.
func (c *Checker) tileType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	c.needTiles("tile", n.Span)
	if !c.templateCount(n, len(arguments), 3, 3) {
		return ir.Void
	}
	element := c.typeExpr(arguments[0])
	rows, rowsOK := c.tileSide(arguments[1], "the number of rows")
	columns, columnsOK := c.tileSide(arguments[2], "the number of columns")
	switch {
	case element == ir.Void || !rowsOK || !columnsOK:
		return ir.Void
	case !isTileElement(element):
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span, "the elements of a tile are "+tileElements+", found "+c.types.Name(element))
		return ir.Void
	case rows*columns > ir.MaxTileElements:
		c.error(diag.InvalidType, n.Span, "a tile has at most "+itoa(ir.MaxTileElements)+" elements, found "+itoa(uint64(rows*columns)),
			diag.Note{Message: "a larger matrix is computed as several tiles, in a loop or by several workgroups"})
		return ir.Void
	}
	return c.module.TileOf(element, rows, columns)
}

// tileSide evaluates the number of rows or columns of a tile.
func (c *Checker) tileSide(e syntax.Expr, what string) (int, bool) {
	what += " of a tile"
	n, ok := c.constInteger(e, func() string { return what })
	if ok && (n < 1 || n > ir.MaxTileSide) {
		c.error(diag.InvalidType, c.tree.Expr(e).Span, what+" must be from 1 to "+itoa(ir.MaxTileSide)+", found "+constInt(n))
		return 0, false
	}
	return int(n), ok
}

// restrictTile checks the template argument of a function on tiles, before it determines the type
// of the call.
func (c *Checker) restrictTile(n *syntax.ExprNode, row uint16, b *overload.Binding, arguments []syntax.Expr) bool {
	m, t := c.module, b.Template
	span := c.tree.Expr(c.tree.ExprList(c.tree.Expr(n.A).List)[0]).Span
	o := sem.Builtins[row].Op
	switch {
	case o == op.TileConvert && !isTileElement(t):
		d := diag.Diagnostic{Code: diag.InvalidType, Span: span, Message: c.callName(n) + " needs the elements of the result, which are " + tileElements + ", found " + c.types.Name(t)}
		if m.IsTile(t) {
			d.Notes = append(d.Notes, diag.Note{Message: "the shape stays that of the argument"})
		}
		c.list.Add(d)
		return false
	case o == op.TileConvert:
		return true
	case !m.IsTile(t):
		c.error(diag.InvalidType, span, c.callName(n)+" needs the type of its result, such as tile<f32, 64, 32>, found "+c.types.Name(t))
		return false
	}
	element, rows, columns := m.TileShape(t)
	switch o {
	case op.TileLoad:
		return c.tileMemory(n, element, arguments[0])
	case op.TileSplat:
		a := arguments[0]
		view := c.overloads.ViewOf(c.info.ValueType(a))
		if from := c.types.LeafKind(view.Type); types.ConversionRank(from, element) == types.Infeasible {
			d := diag.Diagnostic{Code: diag.TypeMismatch, Span: c.tree.Expr(a).Span, Message: "the elements of " + c.types.Name(t) + " are " + element.String() + ", found " + from.String()}
			c.overloads.ConvertFix(&d, a, view, element)
			c.list.Add(d)
			return false
		}
		b.Kinds[0] = element
	case op.TileBroadcast:
		from := c.info.ValueType(arguments[0])
		if from != m.TileOf(ir.Type(element), rows, 1) && from != m.TileOf(ir.Type(element), 1, columns) {
			c.error(diag.TypeMismatch, c.tree.Expr(arguments[0]).Span, c.callName(n)+" cannot make "+c.types.Name(t)+" of "+c.types.Name(from),
				diag.Note{Message: "it repeats one column, " + c.types.Name(m.TileOf(ir.Type(element), rows, 1)) + ", or one row, " + c.types.Name(m.TileOf(ir.Type(element), 1, columns))})
			return false
		}
	}
	return true
}

// tileMemory checks the array that a tile is loaded from or stored to.
func (c *Checker) tileMemory(n *syntax.ExprNode, element scalar.Kind, pointer syntax.Expr) bool {
	m := c.module
	t := c.info.Exprs[pointer].Type
	space, part := m.SpaceOf(t), m.Element(m.Element(t))
	if m.KindOf(part) == ir.StructType && len(m.Members(part)) == 1 {
		part = m.Members(part)[0].Type
	}
	span := c.tree.Expr(pointer).Span
	switch {
	case space == ir.Function || space == ir.Private || space == ir.Immediate:
		c.error(diag.InvalidPointer, span, c.callName(n)+" needs an array that the workgroup shares, in storage or workgroup memory, found "+c.types.Name(t))
	case part != ir.Type(element):
		c.error(diag.TypeMismatch, span, c.callName(n)+" needs an array of "+element.String()+", found "+c.types.Name(m.Element(t)),
			diag.Note{Message: "the elements of the array are those of the tile; tileConvert changes the elements of a tile"})
	default:
		return true
	}
	return false
}

// restrictTileStore checks the memory that a tile is stored to.
func (c *Checker) restrictTileStore(n *syntax.ExprNode, arguments []syntax.Expr) {
	m := c.module
	element, _, _ := m.TileShape(c.info.ValueType(arguments[4]))
	t := c.info.Exprs[arguments[0]].Type
	if c.tileMemory(n, element, arguments[0]) && (m.SpaceOf(t).ReadOnly() || m.AccessOf(t) == ir.Read) {
		c.error(diag.InvalidAccess, c.tree.Expr(arguments[0]).Span, c.callName(n)+" needs memory that can be written, found "+c.types.Name(t),
			diag.Note{Message: "declare the buffer with var<storage, read_write>"})
	}
}

// tileMap checks a call of tileMap: a function, tiles of one shape, and further arguments.
func (c *Checker) tileMap(n *syntax.ExprNode, x *sem.ExprInfo, row uint16, arguments []syntax.Expr) {
	c.needTiles(sem.Builtins[row].Name, c.tree.Expr(n.A).Span)
	if c.tree.Expr(n.A).HasTemplate {
		c.error(diag.InvalidType, c.tree.Expr(n.A).Span, c.callName(n)+" takes no template arguments")
	}
	if len(arguments) < 2 {
		if len(arguments) > 0 {
			c.elementFunction(n, arguments[0])
		}
		c.error(diag.ArgumentCount, n.Span, c.callName(n)+" takes a function and at least one tile, found "+diag.Plural(len(arguments), "argument"),
			diag.Note{Message: elementFunction})
		return
	}
	o, values := c.elementFunction(n, arguments[0]), arguments[1:]
	if !c.arguments(values) || o == 0 {
		return
	}
	tiles := slices.IndexFunc(values, func(a syntax.Expr) bool { return !c.module.IsTile(c.info.ValueType(a)) })
	if tiles < 0 {
		tiles = len(values)
	}
	if !c.oneShape(n, values[:max(tiles, 1)]) || !c.fitsElements(n, o, arguments[0], values[:tiles], values[tiles:]) {
		return
	}
	f := &c.info.Functions[c.object(o).Function]
	if !isTileElement(f.Result) {
		c.error(diag.TypeMismatch, c.tree.Expr(arguments[0]).Span, c.callName(n)+" makes a tile of the results of `"+c.tree.Text(c.object(o).Name)+
			"`, whose elements are "+tileElements+", found "+c.types.Name(f.Result), c.info.DeclaredHere(o))
		return
	}
	_, rows, columns := c.module.TileShape(c.info.ValueType(values[0]))
	x.Call, x.Builtin, x.Object, x.Type = sem.BuiltinCall, row, o, c.module.TileOf(f.Result, rows, columns)
	c.graph.CallForElements(c.tree.Expr(arguments[0]).Span, c.object(o).Function)
	c.graph.UseBuiltin(row, n.Span, nil)
}

// elementFunction returns the function of the program that the first argument of tileMap names, or
// 0 after an error.
func (c *Checker) elementFunction(n *syntax.ExprNode, e syntax.Expr) sem.Object {
	name := c.tree.Expr(e)
	note := []diag.Note{{Message: elementFunction}}
	if name.Kind == syntax.IdentExpr && !name.HasTemplate {
		o := c.current[name.Name]
		switch {
		case o == 0 && sem.Lookup(name.Name).Kind == sem.NotPredeclared:
			c.unknownName(name.Name, name.Span, wantFunction, 0)
			return 0
		case o != 0 && c.object(o).Kind == sem.BadObject:
			return 0
		case o != 0 && c.object(o).Kind == sem.FunctionObject:
			c.resolve(o, name.Span)
			c.info.Exprs[e].Object = o
			if c.info.Functions[c.object(o).Function].Stage != sem.NoStage {
				c.error(diag.NotCallable, name.Span, "`"+c.tree.Text(name.Name)+"` is an entry point, which only the pipeline calls", c.info.DeclaredHere(o))
				return 0
			}
			return o
		case o != 0:
			note = append(note, c.info.DeclaredHere(o))
		}
	}
	c.error(diag.TypeMismatch, name.Span, "the first argument of "+c.callName(n)+" is the name of a function of the program", note...)
	return 0
}

// oneShape checks that arguments are tiles of one shape.
func (c *Checker) oneShape(n *syntax.ExprNode, tiles []syntax.Expr) bool {
	first := c.info.ValueType(tiles[0])
	if !c.module.IsTile(first) {
		c.error(diag.TypeMismatch, c.tree.Expr(tiles[0]).Span, "the second argument of "+c.callName(n)+" is a tile, found "+c.types.Name(first),
			diag.Note{Message: "after the function come the tiles, then the other arguments of the function"})
		return false
	}
	_, rows, columns := c.module.TileShape(first)
	for _, a := range tiles[1:] {
		t := c.info.ValueType(a)
		if _, r, k := c.module.TileShape(t); r != rows || k != columns {
			c.error(diag.TypeMismatch, c.tree.Expr(a).Span, "the tiles of "+c.callName(n)+" have one shape, and this is "+c.types.Name(t),
				diag.Note{Span: c.tree.Expr(tiles[0]).Span, Message: "this is " + c.types.Name(first)},
				diag.Note{Message: "tileBroadcast repeats a row or a column"})
			return false
		}
	}
	return true
}

// fitsElements checks the parameters of the function that tileMap calls: row, column, the elements
// of the tiles, and the rest.
func (c *Checker) fitsElements(n *syntax.ExprNode, o sem.Object, name syntax.Expr, tiles, rest []syntax.Expr) bool {
	f := &c.info.Functions[c.object(o).Function]
	called := "`" + c.tree.Text(c.object(o).Name) + "`"
	if want := 2 + len(tiles) + len(rest); len(f.Parameters) != want {
		c.error(diag.ArgumentCount, n.Span, c.callName(n)+" calls "+called+" with "+diag.Plural(want, "argument")+": row, column, "+
			diag.Plural(len(tiles), "element")+" and "+itoa(uint64(len(rest)))+" more; it takes "+itoa(uint64(len(f.Parameters))), c.info.DeclaredHere(o))
		return false
	}
	ok := true
	for i, p := range f.Parameters {
		parameter, want, what := c.object(p), ir.U32, "the row"
		switch {
		case i == 1:
			what = "the column"
		case i >= 2+len(tiles):
			a := rest[i-2-len(tiles)]
			if from := c.info.ValueType(a); !c.types.Is(from, types.Constructible) && !c.types.IsAbstract(from) || c.module.IsTile(from) {
				c.error(diag.TypeMismatch, c.tree.Expr(a).Span, "the further arguments of "+c.callName(n)+" are values, found "+c.types.Name(from),
					diag.Note{Message: called + " can use variables at module scope by their names; tiles come before all other arguments"})
				ok = false
			} else {
				ok = c.fit(a, from, parameter.Type, "pass this as", parameter.Span, "the parameter is declared here") && ok
			}
			continue
		case i > 1:
			want, what = c.module.HeldType(c.info.ValueType(tiles[i-2])), "an element of tile "+itoa(uint64(i-1))
		}
		if parameter.Type != want && parameter.Type != ir.Void {
			c.error(diag.TypeMismatch, c.tree.Expr(name).Span, "parameter "+itoa(uint64(i+1))+" of "+called+" must be "+c.types.Name(want)+", for "+what+", and is "+c.types.Name(parameter.Type),
				diag.Note{Span: parameter.Span, Message: "the parameter is declared here"})
			ok = false
		}
	}
	return ok
}
