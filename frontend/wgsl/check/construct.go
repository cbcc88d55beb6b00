package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file checks calls of types (WGSL §17.1): zero values, conversions and constructors, with
// explicit and inferred component types.

// construct checks the call of a type or type generator.
func (c *Checker) construct(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, arguments []syntax.Expr) {
	m := c.module
	t, generator := c.namedType(n.A)
	ok := c.arguments(arguments)
	if generator {
		if ok {
			c.infer(e, n, x, arguments)
		}
		return
	}
	if t == ir.Void || !ok {
		return
	}
	if !c.types.Is(t, types.Constructible) {
		c.error(diag.InvalidType, n.Span, "values of type "+c.types.Name(t)+" cannot be made", diag.Note{Message: notConstructible(c, t)})
		return
	}
	if !c.valueSize(t, n.Span) {
		return
	}
	x.Type = t
	if len(arguments) == 0 {
		// neither a tile nor a subgroup matrix is a const-expression
		if x.Call = sem.ZeroCall; !m.IsTile(t) && !c.types.Is(t, types.HoldsMatrix) {
			x.Value = m.Zero(t)
		}
		return
	}
	switch m.KindOf(t) {
	case ir.FragmentType:
		c.constructSubgroupMatrix(n, x, t, arguments)
	case ir.ScalarType:
		c.constructScalar(e, n, x, t, arguments)
	case ir.VectorType:
		c.constructVector(e, n, x, t, arguments)
	case ir.MatrixType:
		c.constructMatrix(e, n, x, t, arguments)
	case ir.ArrayType, ir.StructType:
		c.constructAggregate(e, n, x, t, arguments)
	case ir.TileType:
		c.wrongParts(n, x, c.types.Name(t), "without arguments it is zero; tileSplat makes a tile of one number, tileLoad loads one from memory", arguments)
	default:
		x.Type = ir.Void
	}
}

func notConstructible(c *Checker, t ir.Type) string {
	switch {
	case c.types.Is(t, types.HoldsAtomic):
		return "it holds an atomic"
	case c.types.Is(t, types.HoldsRuntime):
		return "it holds a runtime-sized array"
	case c.module.IsBuffer(t):
		return viewNote
	case c.module.ScalarOf(t).IsNarrow():
		return "only subgroup matrices have components of this type"
	case c.types.ClassOf(t)&types.Plain == 0:
		return "pointers, textures and samplers are not made by calls"
	}
	return "its size depends on an override"
}

// wrongParts reports arguments from which no value of a type can be made.
func (c *Checker) wrongParts(n *syntax.ExprNode, x *sem.ExprInfo, name, want string, arguments []syntax.Expr) {
	c.error(diag.NoOverload, n.Span, "cannot make "+name+" from "+c.typeNames(arguments), diag.Note{Message: want})
	x.Type, x.Call = ir.Void, sem.NoCall
}

func (c *Checker) constructScalar(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, t ir.Type, arguments []syntax.Expr) {
	m := c.module
	a := arguments[0]
	from := c.info.ValueType(a)
	if len(arguments) != 1 || !m.IsScalar(from) {
		c.wrongParts(n, x, c.types.Name(t), "it is converted from one scalar", arguments)
		return
	}
	c.conversion(e, x, t, a)
}

// conversion converts the value of a to t, which has the same shape.
func (c *Checker) conversion(e syntax.Expr, x *sem.ExprInfo, t ir.Type, a syntax.Expr) {
	x.Call = sem.ConvertCall
	if v := c.info.Exprs[a].Value; v != 0 {
		c.b.Span = c.tree.Expr(e).Span
		c.setValue(e, c.expander.Convert(t, v))
		return
	}
	c.concretize(a)
}

// constructVector checks a vector made from a scalar, from a vector of another kind, or from
// scalars and vectors.
func (c *Checker) constructVector(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, t ir.Type, arguments []syntax.Expr) {
	m := c.module
	size, element := m.Components(t), m.Element(t)
	if len(arguments) == 1 {
		from := c.info.ValueType(arguments[0])
		if m.IsVector(from) && m.Components(from) == size {
			c.convert(arguments[0], t)
			c.conversion(e, x, t, arguments[0])
			return
		}
	}
	count := 0
	ok := true
	for _, a := range arguments {
		from := c.info.ValueType(a)
		k := m.Components(from)
		if k == 0 || !c.convert(a, m.WithScalar(from, scalar.Kind(element))) {
			ok = false
			break
		}
		count += k
	}
	single := len(arguments) == 1 && count == 1
	if !ok || count != size && !single {
		given := ""
		if ok {
			given = ", and the arguments have " + itoa(uint64(count))
		}
		c.wrongParts(n, x, c.types.Name(t), "it has "+diag.Plural(size, "component")+" of type "+c.types.Name(element)+given, arguments)
		return
	}
	x.Call = sem.ConstructCall
	c.constructValue(e, t, arguments)
}

// constructValue evaluates a constructor whose arguments have been converted.
func (c *Checker) constructValue(e syntax.Expr, t ir.Type, arguments []syntax.Expr) {
	mark := len(c.values)
	for _, a := range arguments {
		v := c.info.Exprs[a].Value
		if v == 0 {
			c.values = c.values[:mark]
			return
		}
		c.values = append(c.values, v)
	}
	c.b.Span = c.tree.Expr(e).Span
	c.setValue(e, c.expander.Construct(t, c.values[mark:]))
	c.values = c.values[:mark]
}

// constructMatrix checks a matrix made from a matrix of another kind, from columns, or from
// scalars.
func (c *Checker) constructMatrix(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, t ir.Type, arguments []syntax.Expr) {
	m := c.module
	columns, _ := m.Count(t)
	column := m.Element(t)
	rows, element := m.Components(column), m.Element(column)
	from := c.info.ValueType(arguments[0])
	if len(arguments) == 1 && m.KindOf(from) == ir.MatrixType {
		if c.types.WithLeaf(from, scalar.Kind(element)) == t {
			c.conversion(e, x, t, arguments[0])
			return
		}
	}
	want := ir.Void
	switch {
	case len(arguments) == int(columns) && m.IsVector(from):
		want = column
	case len(arguments) == int(columns)*rows:
		want = element
	}
	ok := want != ir.Void
	for _, a := range arguments {
		ok = ok && c.convert(a, want)
	}
	if !ok {
		c.wrongParts(n, x, c.types.Name(t), "it has "+diag.Plural(int(columns), "column")+" of type "+c.types.Name(column), arguments)
		return
	}
	x.Call = sem.ConstructCall
	c.constructValue(e, t, arguments)
}

// constructAggregate checks an array or structure made from all its parts.
func (c *Checker) constructAggregate(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, t ir.Type, arguments []syntax.Expr) {
	m := c.module
	count, _ := m.Count(t)
	what, part := "array", "element"
	if m.KindOf(t) == ir.StructType {
		what, part = "structure", "member"
	}
	if len(arguments) != int(count) {
		c.error(diag.ArgumentCount, n.Span, c.types.Name(t)+" has "+diag.Plural(int(count), part)+", found "+diag.Plural(len(arguments), "argument"))
		x.Type = ir.Void
		return
	}
	for i, a := range arguments {
		want := m.PartType(t, uint32(i))
		if !c.convert(a, want) {
			c.mismatch(a, want, "use this as "+part+" "+itoa(uint64(i+1))+" of the "+what+", of type")
			x.Type = ir.Void
		}
	}
	if x.Type == ir.Void {
		return
	}
	x.Call = sem.ConstructCall
	c.constructValue(e, t, arguments)
}

// infer checks the call of a type generator without template arguments: the component type is the
// one to which all arguments convert.
func (c *Checker) infer(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, arguments []syntax.Expr) {
	m := c.module
	name := c.tree.Text(c.tree.Expr(n.A).Name)
	p := sem.Lookup(c.tree.Expr(n.A).Name)
	concrete := false
	for _, a := range arguments {
		concrete = concrete || !c.info.Exprs[a].Value.IsConst()
	}
	switch p.Kind {
	case sem.VectorName, sem.MatrixName:
		if len(arguments) == 0 && p.Kind == sem.VectorName {
			x.Type = m.VectorOf(ir.AbstractInt, int(p.A))
			x.Call, x.Value = sem.ZeroCall, m.Zero(x.Type)
			return
		}
		k := scalar.None
		for _, a := range arguments {
			kind := scalar.None
			if from := c.info.ValueType(a); m.KindOf(from) != ir.AtomicType {
				kind = m.ScalarOf(from)
			}
			k = types.CommonKind(k, kind)
			if kind == scalar.None || k == scalar.None {
				k = scalar.None
				break
			}
		}
		if p.Kind == sem.MatrixName && k == scalar.AbstractInt {
			k = scalar.AbstractFloat
		}
		if k == scalar.None || p.Kind == sem.MatrixName && !k.IsFloat() {
			c.wrongParts(n, x, "a "+name, "no component type fits all arguments", arguments)
			return
		}
		if concrete && k.IsAbstract() {
			k = scalar.Kind(c.types.Concrete(ir.Type(k)))
		}
		if p.Kind == sem.VectorName {
			x.Type = m.VectorOf(ir.Type(k), int(p.A))
			c.constructVector(e, n, x, x.Type, arguments)
			return
		}
		x.Type = m.MatrixOf(ir.Type(k), int(p.A), int(p.B))
		c.constructMatrix(e, n, x, x.Type, arguments)
	case sem.ArrayName:
		c.inferArray(e, n, x, arguments, concrete)
	default:
		c.error(diag.InvalidType, n.Span, "`"+name+"` cannot be called")
	}
}

func (c *Checker) inferArray(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, arguments []syntax.Expr, concrete bool) {
	if len(arguments) == 0 {
		c.error(diag.ArgumentCount, n.Span, "an array has at least one element", diag.Note{Message: "the zero value of an array is written array<f32, 4>()"})
		return
	}
	element := ir.Void
	for _, a := range arguments {
		t := c.info.ValueType(a)
		if element == ir.Void {
			element = t
			continue
		}
		if c.types.Convertible(element, t) {
			element = t
		} else if !c.types.Convertible(t, element) {
			c.wrongParts(n, x, "an array", "no element type fits all arguments", arguments)
			return
		}
	}
	if concrete {
		element = c.types.Concrete(element)
	}
	if !c.types.Is(element, types.Constructible) {
		c.error(diag.InvalidType, n.Span, "the elements of an array cannot be of type "+c.types.Name(element))
		return
	}
	t := c.makeArray(element, c.module.ConstU32(uint32(len(arguments))), n.Span)
	if t == ir.Void || !c.valueSize(t, n.Span) {
		return
	}
	for _, a := range arguments {
		c.convert(a, element)
	}
	x.Type, x.Call = t, sem.ConstructCall
	c.constructValue(e, t, arguments)
}
