package check

import (
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file checks type expressions (WGSL §6.7 to §6.9): names of types, and type generators with
// template arguments.

// typeExpr returns the type that an expression names, or Void after an error.
func (c *Checker) typeExpr(e syntax.Expr) ir.Type {
	if e == 0 {
		return ir.Void
	}
	n := c.tree.Expr(e)
	if n.Kind != syntax.IdentExpr {
		if n.Kind != syntax.BadExpr {
			c.error(diag.NotAType, n.Span, "expected a type, found an expression")
		}
		return ir.Void
	}
	t, generator := c.namedType(e)
	if generator {
		c.error(diag.InvalidType, n.Span, "`"+c.tree.Text(n.Name)+"` needs template arguments here: "+templateHint(sem.Lookup(n.Name).Kind))
		return ir.Void
	}
	return t
}

func templateHint(k sem.PredeclaredKind) string {
	switch k {
	case sem.VectorName, sem.MatrixName:
		return "a component type, such as <f32>"
	case sem.ArrayName:
		return "an element type and a count, such as <f32, 4>"
	case sem.AtomicName:
		return "<i32> or <u32>"
	case sem.TileName:
		return "an element type, rows and columns, such as <f32, 64, 32>"
	case sem.SubgroupMatrixName:
		return "a component type, columns and rows, such as <f32, 8, 8>"
	case sem.PointerName:
		return "an address space and a type, such as <function, f32>"
	}
	return "what its texels are, such as <f32>"
}

// namedType returns the type that an IdentExpr names. generator says that it is a type generator
// without template arguments, which only a constructor allows; t is then Void.
func (c *Checker) namedType(e syntax.Expr) (t ir.Type, generator bool) {
	n := c.tree.Expr(e)
	if o := c.current[n.Name]; o != 0 {
		c.resolve(o, n.Span)
		info := c.object(o)
		c.info.Exprs[e].Object = o
		switch info.Kind {
		case sem.BadObject:
			return ir.Void, false
		case sem.StructObject, sem.AliasObject:
			if n.HasTemplate {
				c.error(diag.InvalidType, n.Span, "`"+c.tree.Text(n.Name)+"` takes no template arguments", c.info.DeclaredHere(o))
				return ir.Void, false
			}
			c.useMatrix(info.Type, n)
			return info.Type, false
		}
		c.error(diag.NotAType, n.Span, "`"+c.tree.Text(n.Name)+"` is "+objectNames[info.Kind]+", and a type is needed here", c.info.DeclaredHere(o))
		return ir.Void, false
	}
	p := sem.Lookup(n.Name)
	arguments := c.tree.ExprList(n.List)
	switch generates := p.Generates(); {
	case !p.Kind.IsType() || p.Kind == sem.BufferName:
	case generates && !n.HasTemplate:
		return ir.Void, true
	case !generates && n.HasTemplate:
		message := "`" + c.tree.Text(n.Name) + "` takes no template arguments"
		if p.Kind == sem.VectorName || p.Kind == sem.MatrixName {
			message += "; it is an alias with a component type of its own"
		}
		c.error(diag.InvalidType, n.Span, message)
		return ir.Void, false
	}
	switch p.Kind {
	case sem.NotPredeclared:
		c.unknownName(n.Name, n.Span, wantType, 0)
		return ir.Void, false
	case sem.ScalarName:
		return c.scalarType(scalar.Kind(p.A), n.Span), false
	case sem.SamplerName:
		return c.module.SamplerOf(p.A == 1), false
	case sem.VectorName, sem.MatrixName:
		return c.vectorOrMatrix(n, p, arguments), false
	case sem.ArrayName:
		return c.arrayType(n, arguments), false
	case sem.AtomicName:
		return c.atomicType(n, arguments), false
	case sem.PointerName:
		return c.pointerType(n, arguments), false
	case sem.BufferName:
		return c.bufferType(n, arguments), false
	case sem.TileName:
		return c.tileType(n, arguments), false
	case sem.TileViewName:
		c.needTiles("tile_view", n.Span)
		return c.types.TileView(), false
	case sem.SubgroupMatrixName:
		return c.subgroupMatrixType(n, ir.Use(p.A), arguments), false
	case sem.TextureName:
		return c.textureType(n, texture.Shape(p.A), arguments), false
	}
	c.error(diag.NotAType, n.Span, "`"+c.tree.Text(n.Name)+"` is "+predeclaredNames[p.Kind]+", and a type is needed here")
	return ir.Void, false
}

// predeclaredNames describe predeclared names in messages.
var predeclaredNames = [...]string{
	sem.ScalarName: "a type", sem.VectorName: "a type", sem.MatrixName: "a type", sem.ArrayName: "a type", sem.AtomicName: "a type", sem.PointerName: "a type",
	sem.SamplerName: "a type", sem.BufferName: "a type", sem.TileName: "a type", sem.TileViewName: "a type", sem.SubgroupMatrixName: "a type", sem.TextureName: "a type",
	sem.FunctionName: "a builtin function", sem.SpaceName: "an address space", sem.AccessName: "an access mode", sem.FormatName: "a texel format",
	sem.OrderName: "an order of elements",
}

func (c *Checker) scalarType(k scalar.Kind, span source.Span) ir.Type {
	if k == scalar.F16 && c.enabled&extensionF16 == 0 {
		c.error(diag.MissingExtension, span, "f16 needs the extension f16", diag.Note{Message: "write `enable f16;` at the beginning of the file"})
		c.enabled |= extensionF16 // reported once
	}
	if k.IsNarrow() {
		c.needMatrices(k.String(), span)
	}
	return ir.Type(k)
}

// templateCount checks the number of template arguments.
func (c *Checker) templateCount(n *syntax.ExprNode, have, least, most int) bool {
	if have >= least && have <= most {
		return true
	}
	want := strconv.Itoa(least)
	if most > least {
		want += " or " + strconv.Itoa(most)
	}
	c.error(diag.InvalidType, n.Span, "`"+c.tree.Text(n.Name)+"` takes "+want+" template arguments, found "+strconv.Itoa(have))
	return false
}

// templateType returns the only template argument of a type generator, which must be a type.
func (c *Checker) templateType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	if !c.templateCount(n, len(arguments), 1, 1) {
		return ir.Void
	}
	return c.typeExpr(arguments[0])
}

func (c *Checker) vectorOrMatrix(n *syntax.ExprNode, p sem.Predeclared, arguments []syntax.Expr) ir.Type {
	k := scalar.Kind(p.B)
	if p.Kind == sem.MatrixName {
		k = scalar.Kind(p.C)
	}
	element := ir.Type(k)
	if k != scalar.None {
		c.scalarType(k, n.Span)
	} else if element = c.templateType(n, arguments); element == ir.Void {
		return ir.Void
	}
	switch {
	case p.Kind == sem.VectorName && c.module.IsScalar(element) && c.types.Is(element, types.Constructible):
		return c.module.VectorOf(element, int(p.A))
	case p.Kind == sem.VectorName:
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span, "the components of a vector are scalars, found "+c.types.Name(element))
		return ir.Void
	case element != ir.F32 && element != ir.F16:
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span, "the components of a matrix are f32 or f16, found "+c.types.Name(element))
		return ir.Void
	}
	return c.module.MatrixOf(element, int(p.A), int(p.B))
}

func (c *Checker) atomicType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	element := c.templateType(n, arguments)
	pair := c.enabled&extensionAtomicPair != 0 && element == c.module.VectorOf(ir.U32, 2)
	switch {
	case element == ir.Void:
		return ir.Void
	case element != ir.I32 && element != ir.U32 && !pair:
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span, "an atomic holds i32 or u32, found "+c.types.Name(element))
		return ir.Void
	}
	return c.module.AtomicOf(element)
}

// maxBytes is the greatest size of an array or structure: sizes must fit 32 bits.
const maxBytes = ir.TooLarge - 1

// arrayType reads array<…>.
func (c *Checker) arrayType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	if !c.templateCount(n, len(arguments), 1, 2) {
		return ir.Void
	}
	element := c.typeExpr(arguments[0])
	count := ir.NoValue
	if len(arguments) == 2 {
		var ok bool
		if count, ok = c.arrayCount(arguments[1]); !ok {
			return ir.Void
		}
	}
	if element == ir.Void {
		return ir.Void
	}
	if !c.arrayElement(element, c.tree.Expr(arguments[0]).Span) {
		return ir.Void
	}
	return c.makeArray(element, count, n.Span)
}

func (c *Checker) arrayElement(element ir.Type, span source.Span) bool {
	if k := c.types.ClassOf(element); k&types.Plain == 0 || k&types.CreationFixed == 0 {
		c.error(diag.InvalidType, span, "the elements of an array need a plain type of known size, found "+c.types.Name(element), c.tileNote(element)...)
		return false
	}
	return true
}

// makeArray returns an array type unless it is too large.
func (c *Checker) makeArray(element ir.Type, count ir.Value, span source.Span) ir.Type {
	m := c.module
	if count.IsConst() {
		stride := (uint64(m.Size(element)) + uint64(m.Align(element)) - 1) / uint64(m.Align(element)) * uint64(m.Align(element))
		if bytes := stride * m.ConstBits(count); bytes > maxBytes || stride > maxBytes {
			c.error(diag.LimitExceeded, span, "the array is larger than 4 GiB")
			return ir.Void
		}
	}
	return m.ArrayOf(element, count)
}

// maxValueBytes is the greatest size of a value or of a variable of an invocation: a thousand times
// what every device supports (WGSL §2.4). It bounds the compile time of short programs.
const maxValueBytes = 1 << 22

// valueSize reports a type that is too large for a value or for a variable of an invocation.
func (c *Checker) valueSize(t ir.Type, span source.Span) bool {
	if bytes := c.module.Size(t); bytes > maxValueBytes {
		c.error(diag.LimitExceeded, span, "a value of type "+c.types.Name(t)+" has "+itoa(uint64(bytes))+" bytes; at most "+itoa(maxValueBytes)+" are supported",
			diag.Note{Message: "large data belongs in a storage buffer"})
		return false
	}
	return true
}

// arrayCount evaluates the count of an array: a u32 constant or an override.
func (c *Checker) arrayCount(e syntax.Expr) (ir.Value, bool) {
	v, ok := c.creationInteger(e, "the number of elements")
	if !ok || v.IsOverride() {
		return v, ok
	}
	x, ok := c.module.ConstUint(v)
	if !ok || x == 0 {
		c.error(diag.InvalidType, c.tree.Expr(e).Span, "an array has at least one element, found a count of "+c.constText(v))
		return 0, false
	}
	return c.module.ConstU32(uint32(x)), true
}

// creationInteger evaluates a template argument that must be an i32 or u32, constant or override.
// what names it in messages.
func (c *Checker) creationInteger(e syntax.Expr, what string) (ir.Value, bool) {
	around := c.shortCircuits
	c.shortCircuits = shortCircuits{}
	t := c.value(e)
	c.shortCircuits = around
	if t == ir.Void {
		return 0, false
	}
	if !types.IsInteger(t) {
		c.error(diag.InvalidType, c.tree.Expr(e).Span, what+" is an i32 or u32, found "+c.types.Name(t))
		return 0, false
	}
	c.concretize(e)
	v := c.info.Exprs[e].Value
	if v == 0 {
		c.notConstant(e, what, true)
		return 0, false
	}
	return v, true
}

// enumerant returns the enumerant of a kind that a template argument names.
func (c *Checker) enumerant(e syntax.Expr, kind sem.PredeclaredKind) (uint16, bool) {
	n := c.tree.Expr(e)
	if n.Kind == syntax.IdentExpr && !n.HasTemplate && c.current[n.Name] == 0 {
		if p := sem.Lookup(n.Name); p.Kind == kind {
			return p.A, true
		}
	}
	d := diag.Diagnostic{Code: diag.InvalidType, Span: n.Span, Message: "expected " + predeclaredNames[kind] + enumerantLists[kind]}
	if n.Kind == syntax.IdentExpr {
		if o := c.current[n.Name]; o != 0 {
			d.Notes = append(d.Notes, c.info.DeclaredHere(o))
		}
	}
	c.list.Add(d)
	return 0, false
}

var enumerantLists = [...]string{
	sem.SpaceName:  ": function, private, workgroup, uniform, storage or immediate",
	sem.AccessName: ": read, write or read_write",
	sem.FormatName: ", such as rgba8unorm",
}

// accessMode checks an explicit access mode of an address space.
func (c *Checker) accessMode(code diag.Code, e syntax.Expr, space ir.Space, access ir.Access) bool {
	switch {
	case space != ir.Storage:
		c.error(code, c.tree.Expr(e).Span, "an access mode can be written for address space storage only")
	case access == ir.Write:
		c.error(code, c.tree.Expr(e).Span, "storage memory is accessed with read or read_write")
	default:
		return true
	}
	return false
}

func (c *Checker) pointerType(n *syntax.ExprNode, arguments []syntax.Expr) ir.Type {
	if !c.templateCount(n, len(arguments), 2, 3) {
		return ir.Void
	}
	space, spaceOK := c.enumerant(arguments[0], sem.SpaceName)
	pointee := c.typeExpr(arguments[1])
	access, accessOK := uint16(ir.DefaultAccess(ir.Space(space))), true
	if len(arguments) == 3 {
		access, accessOK = c.enumerant(arguments[2], sem.AccessName)
	}
	if !spaceOK || !accessOK || pointee == ir.Void {
		return ir.Void
	}
	if len(arguments) == 3 && !c.accessMode(diag.InvalidType, arguments[2], ir.Space(space), ir.Access(access)) {
		return ir.Void
	}
	if !c.storeType(ir.Space(space), pointee, ir.Access(access), c.tree.Expr(arguments[1]).Span, false) {
		return ir.Void
	}
	t := c.module.PointerTo(ir.Space(space), pointee, ir.Access(access))
	if c.onlyViewed(t) {
		c.viewed = append(c.viewed, viewedPointer{t, c.tree.Expr(arguments[1]).Span})
	}
	return t
}

func (c *Checker) textureType(n *syntax.ExprNode, shape texture.Shape, arguments []syntax.Expr) ir.Type {
	m := c.module
	if shape.IsStorage() {
		if !c.templateCount(n, len(arguments), 2, 2) {
			return ir.Void
		}
		format, formatOK := c.enumerant(arguments[0], sem.FormatName)
		access, accessOK := c.enumerant(arguments[1], sem.AccessName)
		if !formatOK || !accessOK {
			return ir.Void
		}
		return m.StorageTextureOf(shape, texture.Format(format), ir.Access(access))
	}
	if !shape.Typed() {
		return m.TextureOf(shape, scalar.F32)
	}
	switch element := c.templateType(n, arguments); element {
	case ir.F32, ir.I32, ir.U32:
		return m.TextureOf(shape, m.ScalarOf(element))
	case ir.Void:
	default:
		c.error(diag.InvalidType, c.tree.Expr(arguments[0]).Span, "a texture is sampled as f32, i32 or u32, found "+c.types.Name(element))
	}
	return ir.Void
}
