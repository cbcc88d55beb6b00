package check

import (
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

// This file checks subgroup matrices, as Tint has them: extension
// chromium_experimental_subgroup_matrix. In the IR they are fragments.

// subgroupMatrixName is the name of the extension.
const subgroupMatrixName = "chromium_experimental_subgroup_matrix"

// needMatrices reports a name of the extension where it is not enabled.
func (c *Checker) needMatrices(name string, span source.Span) {
	if c.enabled&extensionSubgroupMatrix == 0 {
		c.error(diag.MissingExtension, span, "`"+name+"` needs the extension "+subgroupMatrixName,
			diag.Note{Message: "write `enable " + subgroupMatrixName + ";` at the beginning of the file"})
		c.enabled |= extensionSubgroupMatrix // reported once
	}
}

// useMatrix records that the function uses a type with a subgroup matrix, which only compute
// shaders do.
func (c *Checker) useMatrix(t ir.Type, n *syntax.ExprNode) {
	if c.types.ClassOf(t)&types.HoldsMatrix != 0 {
		c.info.Collective[sem.SubgroupScope] = true // as variables of such types are
		c.graph.UseStage(sem.ComputeOnly, n.Span, c.tree.Text(n.Name))
	}
}

// subgroupMatrixType reads subgroup_matrix_left<…> and the like: component type, columns, rows.
func (c *Checker) subgroupMatrixType(n *syntax.ExprNode, use ir.Use, arguments []syntax.Expr) ir.Type {
	c.needMatrices(c.tree.Text(n.Name), n.Span)
	if !c.templateCount(n, len(arguments), 3, 3) {
		return ir.Void
	}
	component := c.typeExpr(arguments[0])
	columns, columnsOK := c.matrixSide(arguments[1], "the number of columns of a subgroup matrix")
	rows, rowsOK := c.matrixSide(arguments[2], "the number of rows of a subgroup matrix")
	if component == ir.Void || !columnsOK || !rowsOK || !c.matrixComponent(component, arguments[0], "a subgroup matrix has") {
		return ir.Void
	}
	t := c.module.FragmentOf(use, component, rows, columns)
	c.useMatrix(t, n)
	return t
}

// matrixComponent reports a type that is no component type of subgroup matrices.
func (c *Checker) matrixComponent(t ir.Type, e syntax.Expr, what string) bool {
	if c.module.IsScalar(t) && ir.IsFragmentElement(scalar.Kind(t)) {
		return true
	}
	c.error(diag.InvalidType, c.tree.Expr(e).Span, what+" the component type f32, f16, i32, u32, i8 or u8, found "+c.types.Name(t))
	return false
}

// matrixSide evaluates a number of columns or rows.
func (c *Checker) matrixSide(e syntax.Expr, what string) (n int, ok bool) {
	v, ok := c.creationInteger(e, what)
	if !ok {
		return 0, false
	}
	if !v.IsConst() {
		c.notConstant(e, what, false)
		return 0, false
	}
	side, ok := c.module.ConstUint(v)
	if !ok || side == 0 || side > ir.MaxFragmentSide {
		c.error(diag.InvalidType, c.tree.Expr(e).Span, what+" is 1 to "+itoa(ir.MaxFragmentSide)+", found "+c.constText(v))
		return 0, false
	}
	return int(side), true
}

// constructSubgroupMatrix checks a subgroup matrix made from a scalar, which all elements equal.
func (c *Checker) constructSubgroupMatrix(n *syntax.ExprNode, x *sem.ExprInfo, t ir.Type, arguments []syntax.Expr) {
	element := c.module.FragmentScalar(t)
	if len(arguments) != 1 || !c.convert(arguments[0], element) {
		c.wrongParts(n, x, c.types.Name(t), "its elements are set to one value of type "+c.types.Name(element), arguments)
		return
	}
	x.Call = sem.ConstructCall
}

// restrictMatrixTemplate checks the template argument of a builtin: the type of the matrix that is
// loaded, or the component type of a product.
func (c *Checker) restrictMatrixTemplate(n *syntax.ExprNode, row uint16, b *overload.Binding) bool {
	e := c.tree.ExprList(c.tree.Expr(n.A).List)[0]
	if sem.Builtins[row].Op == op.FragmentMulAdd {
		return c.matrixComponent(b.Template, e, c.callName(n)+" needs")
	}
	m, element := c.module, ir.Type(b.Kinds[0])
	switch {
	case !m.IsFragment(b.Template):
		c.error(diag.InvalidType, c.tree.Expr(e).Span, c.callName(n)+" needs the type of a subgroup matrix, found "+c.types.Name(b.Template))
		return false
	case sem.Builtins[row].Flags&sem.OrderTemplate == 0 && m.FragmentScalar(b.Template) != element:
		c.error(diag.NoOverload, n.Span, c.types.Name(b.Template)+" is loaded from an array of "+c.types.Name(m.FragmentScalar(b.Template))+", found one of "+c.types.Name(element))
		return false
	}
	return true
}

// orderArgument returns the last template argument of a builtin's call if it is row_major or
// col_major, else 0, and the type before it, if there is one.
func (c *Checker) orderArgument(callee *syntax.ExprNode, r sem.Rows) (order syntax.Expr, t ir.Type, ok bool) {
	arguments := c.tree.ExprList(callee.List)
	if len(arguments) == 0 || sem.Builtins[r.First+r.Count-1].Flags&sem.OrderTemplate == 0 {
		return 0, ir.Void, true
	}
	order = arguments[len(arguments)-1]
	n := c.tree.Expr(order)
	if n.Kind != syntax.IdentExpr || c.current[n.Name] != 0 || sem.Lookup(n.Name).Kind != sem.OrderName {
		return 0, ir.Void, true
	}
	want := 1
	if overload.TakesTemplate(r.First) {
		want = 2
	}
	if !c.templateCount(callee, len(arguments), want, want) {
		return order, ir.Void, false
	}
	if want == 2 {
		t = c.typeExpr(arguments[0])
	}
	return order, t, want == 1 || t != ir.Void
}

// restrictOrder checks that the order of the elements is given once, as argument or as template
// argument, and notes the latter.
func (c *Checker) restrictOrder(n *syntax.ExprNode, row uint16, order syntax.Expr, x *sem.ExprInfo) bool {
	b := &sem.Builtins[row]
	if (order != 0) != (b.Flags&sem.OrderTemplate != 0) {
		c.error(diag.NoOverload, n.Span, c.callName(n)+" takes the order of the elements once, as template argument row_major or col_major, or as argument before the stride")
		return false
	}
	if order != 0 {
		x.Member = sem.Lookup(c.tree.Expr(order).Name).A
	}
	return true
}

// restrictSubgroupMatrix checks the types of a product. Of a load or store it checks the order of
// the elements in memory, which is a constant, what is constant of the position, and that memory
// which is stored to can be written.
func (c *Checker) restrictSubgroupMatrix(e syntax.Expr, n *syntax.ExprNode, b *sem.Builtin, arguments []syntax.Expr) {
	matrix := c.info.Exprs[e].Type
	switch b.Op {
	case op.FragmentMulAdd:
		c.restrictProduct(n, c.info.ValueType(arguments[0]), matrix)
		return
	case op.FragmentStore:
		if c.module.AccessOf(c.info.Exprs[arguments[0]].Type) == ir.Read {
			c.error(diag.InvalidAccess, c.tree.Expr(arguments[0]).Span, c.callName(n)+" writes, and this memory is read-only")
		}
		matrix = c.info.ValueType(arguments[ir.FragmentStored])
	case op.FragmentLoad:
	default:
		return
	}
	if order := arguments[len(arguments)-2]; b.Flags&sem.OrderTemplate == 0 {
		if !c.info.Exprs[order].Value.IsConst() {
			c.notConstant(order, "the order of the elements in "+c.callName(n), false)
		}
		c.restrictOffset(n, c.module.Element(c.info.Exprs[arguments[0]].Type), matrix, arguments[ir.FragmentOffset])
		return
	}
	c.restrictPosition(e, n, matrix, arguments)
}

// sumComponents returns the component types of sums, by that of the factors.
func sumComponents(of scalar.Kind) scalar.Set {
	switch of {
	case scalar.F32:
		return scalar.Of(scalar.F32)
	case scalar.F16:
		return scalar.Of(scalar.F32, scalar.F16)
	case scalar.I32, scalar.U32:
		return scalar.Of(scalar.I32, scalar.U32)
	}
	return scalar.Of(scalar.I32, scalar.U32, scalar.I8, scalar.U8)
}

// restrictProduct reports a product whose sum cannot have the component type.
func (c *Checker) restrictProduct(n *syntax.ExprNode, left, sum ir.Type) {
	of, _, _ := c.module.FragmentShape(left)
	if k, _, _ := c.module.FragmentShape(sum); !sumComponents(of).Has(k) {
		c.error(diag.NoOverload, n.Span, "products of "+of.String()+" are not added as "+k.String()+" by "+c.callName(n))
	}
}

// natural returns the constant value of an argument that counts elements. It is not known if it is
// not constant, or negative, which is reported.
func (c *Checker) natural(n *syntax.ExprNode, argument syntax.Expr, what string) (x uint64, known bool) {
	v := c.info.Exprs[argument].Value
	if !v.IsConst() {
		return 0, false
	}
	i := scalar.ToInt64(c.module.ScalarOf(c.module.TypeOf(v)), c.module.ConstBits(v))
	if i < 0 {
		c.error(diag.InvalidIndex, c.tree.Expr(argument).Span, "the "+what+" of "+c.callName(n)+" is "+constInt(i)+"; it must not be negative")
	}
	return uint64(i), i >= 0
}

// restrictOffset reports a constant offset that is outside of an array with a known size. It counts
// components of the matrix.
func (c *Checker) restrictOffset(n *syntax.ExprNode, array, matrix ir.Type, argument syntax.Expr) {
	count, sized := c.module.Count(array)
	if !sized {
		return
	}
	k, _, _ := c.module.FragmentShape(matrix)
	limit := uint64(count) * uint64(c.module.Stride(array)) / uint64(k.Bytes())
	if offset, known := c.natural(n, argument, "offset"); known && offset >= limit {
		c.error(diag.InvalidIndex, c.tree.Expr(argument).Span, "the offset of "+c.callName(n)+" is "+itoa(offset)+", and the array has "+itoa(limit)+" components of the matrix")
	}
}

// restrictPosition checks a load or store whose offset and stride count elements of the array,
// which may be other numbers than those of the matrix, or vectors.
func (c *Checker) restrictPosition(e syntax.Expr, n *syntax.ExprNode, matrix ir.Type, arguments []syntax.Expr) {
	m := c.module
	array := m.Element(c.info.Exprs[arguments[0]].Type)
	k, lines, length := m.FragmentShape(matrix)
	if c.info.Exprs[e].Member != 0 { // by column
		lines, length = length, lines
	}
	apart, element := uint64(m.Stride(array)), uint64(m.Size(m.Element(array)))
	if apart < uint64(k.Bytes()) {
		c.error(diag.NoOverload, n.Span, c.types.Name(matrix)+" has components of "+itoa(uint64(k.Bytes()))+" bytes, and the elements of the array are "+itoa(apart)+" bytes apart")
		return
	}
	line := uint64(length * k.Bytes())
	stride, known := c.natural(n, arguments[len(arguments)-1], "stride")
	switch stride *= element; {
	case !known:
		stride = line
	case stride < line:
		c.error(diag.InvalidIndex, c.tree.Expr(arguments[len(arguments)-1]).Span, "the stride of "+c.callName(n)+" is "+itoa(stride)+" bytes, and a row or column has "+itoa(line))
		return
	}
	offset, known := c.natural(n, arguments[ir.FragmentOffset], "offset")
	if !known {
		offset = 0
	}
	if count, sized := m.Count(array); sized {
		if needed := offset*element + stride*uint64(lines-1) + line; needed > uint64(count)*apart {
			c.error(diag.InvalidIndex, n.Span, c.callName(n)+" needs "+itoa(needed)+" bytes, and the array has "+itoa(uint64(count)*apart))
		}
	}
}
