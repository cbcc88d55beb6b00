package check

import (
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/callgraph"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/suggest"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file checks accesses to parts of composites (WGSL §8.5): elements, members and swizzles, of
// values and through references and pointers.

// base checks the base of an access and returns its type. For a reference, or a pointer that is
// dereferenced implicitly (pointer_composite_access), memory is the pointer type and t its store
// type.
func (c *Checker) base(e syntax.Expr) (t, memory ir.Type) {
	x := c.expr(e)
	t = x.Type
	if x.Reference {
		memory, t = t, c.module.Element(t)
		if c.module.IsPointer(t) { // cannot happen: pointers are not storable
			return ir.Void, ir.Void
		}
	} else if c.module.IsPointer(t) {
		memory, t = t, c.module.Element(t)
	}
	if t != ir.Void && c.module.IsBuffer(t) {
		c.bufferValue(e, false)
		return ir.Void, ir.Void
	}
	return t, memory
}

// reference makes x a reference to a part of memory.
func (c *Checker) reference(x *sem.ExprInfo, memory, part ir.Type) {
	m := c.module
	x.Type, x.Reference = m.PointerTo(m.SpaceOf(memory), part, m.AccessOf(memory)), true
}

// index checks a[i].
func (c *Checker) index(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo) {
	m := c.module
	t, memory := c.base(n.A)
	i := c.value(n.B)
	if t == ir.Void || i == ir.Void {
		return
	}
	switch m.KindOf(t) {
	case ir.ArrayType, ir.VectorType, ir.MatrixType:
	default:
		c.error(diag.InvalidIndex, n.Span, "a value of type "+c.types.Name(t)+" cannot be indexed")
		return
	}
	if !types.IsInteger(i) {
		d := diag.Diagnostic{Code: diag.InvalidIndex, Span: c.tree.Expr(n.B).Span, Message: "an index is an i32 or u32, found " + c.types.Name(i)}
		switch {
		case m.IsVector(i) && m.ScalarOf(i).IsInteger():
			d.Notes = append(d.Notes, diag.Note{Message: "one component of it is an index"})
			c.overloads.WrapFix(&d, diag.FixComponent, d.Span, "", ".x")
		case m.IsScalar(i) && m.ScalarOf(i).IsFloat():
			c.overloads.ConvertFix(&d, n.B, c.overloads.ViewOf(i), scalar.U32)
		}
		c.list.Add(d)
		return
	}
	c.concretize(n.B)
	index := c.info.Exprs[n.B].Value
	if index.IsConst() && !c.inBounds(n, t, index) {
		return
	}
	if index.IsOverride() {
		c.checkIndex(n, t, index)
	}
	if memory != ir.Void {
		c.reference(x, memory, m.Element(t))
		return
	}
	if !index.IsConst() && c.types.IsAbstract(t) {
		t = c.concretize(n.A)
	}
	x.Type = m.Element(t)
	if whole := c.info.Exprs[n.A].Value; whole != 0 && index != 0 {
		c.b.Span = n.Span
		c.setValue(e, c.b.Emit(op.Extract, x.Type, 0, whole, index))
	}
}

// inBounds reports whether a constant index is in bounds, and if not adds an error.
func (c *Checker) inBounds(n *syntax.ExprNode, t ir.Type, index ir.Value) bool {
	m := c.module
	i, ok := m.ConstUint(index)
	count, bounded := m.Count(t)
	if ok && (!bounded || i < uint64(count)) || c.skipping > 0 {
		if override := m.KindOf(t) == ir.ArrayType && m.ArrayCount(t).IsOverride(); ok && override {
			c.checkIndex(n, t, index)
		}
		return true
	}
	message := "the index " + c.constText(index) + " lies outside of " + c.types.Name(t)
	if bounded {
		message += ", whose last index is " + strconv.Itoa(int(count)-1)
	}
	c.error(diag.InvalidIndex, c.tree.Expr(n.B).Span, message)
	return false
}

// checkIndex adds a pipeline-creation check that an index that depends on overrides is in bounds.
func (c *Checker) checkIndex(n *syntax.ExprNode, t ir.Type, index ir.Value) {
	m := c.module
	var count ir.Value
	if k, ok := m.Count(t); ok {
		count = m.ConstU32(k)
	} else if m.IsRuntimeArray(t) {
		if index != 0 && m.TypeOf(index) == ir.U32 {
			return // the number of elements is known at run time
		}
		c.checkBelow(n.B, index, m.ConstU32(1<<31), "this is {} and must be at least 0", index)
		return
	} else {
		count = m.ArrayCount(t)
	}
	c.checkBelow(n.B, index, count, "this is {} and must be below {}", index, count)
}

// checkBelow adds a pipeline-creation check that index < count, unsigned.
func (c *Checker) checkBelow(e syntax.Expr, index, count ir.Value, message string, shown ...ir.Value) {
	if c.graph.Function < 0 || c.skipping > 0 || c.lazy > 0 {
		return
	}
	c.b.Span = c.tree.Expr(e).Span
	c.require(c.b.Later(op.Lt, ir.Bool, c.unsigned(index), c.unsigned(count)), message, shown...)
}

// unsigned returns an i32 or u32 that is known as u32; a negative one becomes large.
func (c *Checker) unsigned(v ir.Value) ir.Value {
	return c.b.Bitcast(ir.U32, v)
}

// member checks a.b: a member of a structure, or a swizzle.
func (c *Checker) member(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo) {
	m := c.module
	t, memory := c.base(n.A)
	if t == ir.Void {
		return
	}
	name := c.tree.Text(n.Name)
	switch m.KindOf(t) {
	case ir.StructType:
		members := m.Members(t)
		for i := range members {
			if members[i].Name != name {
				continue
			}
			x.Member = uint16(i)
			if memory != ir.Void {
				c.reference(x, memory, members[i].Type)
				return
			}
			x.Type = members[i].Type
			if whole := c.info.Exprs[n.A].Value; whole != 0 {
				c.b.Span = n.Span
				c.setValue(e, c.b.Extract(whole, uint32(i)))
			}
			return
		}
		d := diag.Diagnostic{Code: diag.UnknownMember, Span: c.tree.Expr(n.B).Span,
			Message: "`" + c.types.Name(t) + "` has no member `" + name + "`"}
		suggest.Best(name, len(members), func(i int) string { return members[i].Name }).AddTo(&d)
		if s := c.info.StructDecl(t); s != 0 {
			d.Notes = append(d.Notes, diag.Note{Span: c.tree.Decl(s).NameSpan, Message: "the structure is declared here"})
		}
		c.list.Add(d)
	case ir.VectorType:
		c.swizzle(e, n, x, t, memory, name)
	default:
		d := diag.Diagnostic{Code: diag.UnknownMember, Span: c.tree.Expr(n.B).Span, Message: "a value of type " + c.types.Name(t) + " has no members"}
		if m.KindOf(t) == ir.ArrayType {
			d.Notes = append(d.Notes, diag.Note{Message: "an element is a[i]; arrayLength(&a) counts those of an array without a size"})
		}
		c.list.Add(d)
	}
}

// swizzle checks v.xyz (WGSL §8.5.1).
func (c *Checker) swizzle(e syntax.Expr, n *syntax.ExprNode, x *sem.ExprInfo, t, memory ir.Type, name string) {
	m := c.module
	size := m.Components(t)
	var components [4]uint32
	sets := 0
	valid := len(name) <= 4
	for i := 0; i < len(name) && valid; i++ {
		at := -1
		for set, letters := range [2]string{"xyzw", "rgba"} {
			for j := range 4 {
				if letters[j] == name[i] {
					at, sets = j, sets|1<<set
				}
			}
		}
		valid = at >= 0 && at < size
		components[i] = uint32(at) & 3
	}
	span := c.tree.Expr(n.B).Span
	switch {
	case !valid:
		c.error(diag.InvalidSwizzle, span, c.types.Name(t)+" has no components `"+name+"`",
			diag.Note{Message: "a swizzle is one to four of the letters " + "xyzw"[:size] + " or of " + "rgba"[:size]})
		return
	case sets == 3:
		c.error(diag.InvalidSwizzle, span, "the swizzle `"+name+"` mixes the letters xyzw and rgba")
		return
	}
	x.Swizzle, x.SwizzleCount = uint8(op.EncodeSwizzle(components[:len(name)]...)), uint8(len(name))
	element := m.Element(t)
	whole := c.info.Exprs[n.A].Value
	if len(name) == 1 {
		if memory != ir.Void {
			c.reference(x, memory, element)
			return
		}
		x.Type = element
		if whole != 0 {
			c.b.Span = n.Span
			c.setValue(e, c.b.Extract(whole, components[0]))
		}
		return
	}
	x.Type = m.VectorOf(element, len(name))
	if memory != ir.Void {
		c.graph.Access(n.A, callgraph.Reading)
	}
	if whole != 0 && memory == ir.Void {
		c.b.Span = n.Span
		c.setValue(e, c.b.Emit(op.Shuffle, x.Type, uint32(x.Swizzle), whole))
	}
}
