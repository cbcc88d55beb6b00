package check

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file says what can be done with a type (WGSL §6.2 to §6.5): the classes
// that declarations ask for, computed once for each type from its parts.

// class is a set of properties of a type.
type class uint16

const (
	classKnown    class = 1 << iota
	constructible       // values can be made, passed and returned
	storable            // can be in memory
	hostShareable       // can be in a buffer
	fixedSize           // fixed footprint, maybe by overrides
	creationFixed       // fixed footprint that only needs constants
	holdsAtomic         // an atomic is part of it
	holdsRuntime        // a runtime-sized array is part of it
	abstract            // of abstract kind
	plain               // no pointer, texture, sampler or buffer
	holdsArray          // an array is part of it
)

// shared are the properties that composites have if all their parts have them,
// and inherited those they have if one part does.
const (
	shared    = constructible | storable | hostShareable | fixedSize | creationFixed | plain
	inherited = holdsAtomic | holdsRuntime | abstract | holdsArray
)

// classOf returns a type's properties.
func (c *Checker) classOf(t ir.Type) class {
	if t == ir.Void {
		return ^class(0) &^ inherited // errors satisfy everything
	}
	for int(t) >= len(c.classes) {
		c.classes = append(c.classes, 0)
	}
	if c.classes[t] == 0 {
		k := c.computeClass(t) | classKnown
		c.classes[t] = k
	}
	return c.classes[t]
}

func (c *Checker) computeClass(t ir.Type) class {
	m := c.module
	switch m.KindOf(t) {
	case ir.ScalarType:
		switch k := scalar.Kind(t); {
		case k == scalar.Bool:
			return shared &^ hostShareable
		case k.IsAbstract():
			return abstract | plain | fixedSize | creationFixed | constructible
		}
		return shared
	case ir.VectorType, ir.MatrixType:
		return c.classOf(m.Element(t))
	case ir.AtomicType:
		return shared&^constructible | holdsAtomic
	case ir.ArrayType:
		element := c.classOf(m.Element(t)) | holdsArray
		switch count := m.ArrayCount(t); {
		case count == 0:
			return element&^(constructible|fixedSize|creationFixed) | holdsRuntime
		case count.IsOverride():
			return element &^ (constructible | creationFixed | hostShareable)
		}
		return element
	case ir.StructType:
		all := shared
		some := class(0)
		for _, member := range m.Members(t) {
			k := c.classOf(member.Type)
			all &= k
			some |= k & inherited
		}
		return all | some
	case ir.TextureType, ir.SamplerType:
		return storable
	case ir.BufferType:
		switch size := m.BufferSize(t); {
		case size == 0:
			return storable | hostShareable
		case size.IsOverride():
			return storable | fixedSize
		}
		return storable | hostShareable | fixedSize | creationFixed
	}
	return 0
}

func (c *Checker) is(t ir.Type, k class) bool       { return c.classOf(t)&k == k }
func (c *Checker) holdsAtomic(t ir.Type) bool       { return c.classOf(t)&holdsAtomic != 0 }
func (c *Checker) holdsRuntimeArray(t ir.Type) bool { return c.classOf(t)&holdsRuntime != 0 }

// isAbstract reports whether a type is of abstract kind.
func (c *Checker) isAbstract(t ir.Type) bool {
	if c.module.IsScalar(t) {
		return scalar.Kind(t).IsAbstract()
	}
	return t != ir.Void && c.classOf(t)&abstract != 0
}

// isInteger reports whether t is i32, u32 or an abstract integer.
func isInteger(t ir.Type) bool {
	return t == ir.I32 || t == ir.U32 || t == ir.AbstractInt
}

// concrete returns the concretization of a type (WGSL §6.1.2).
func (c *Checker) concrete(t ir.Type) ir.Type {
	if !c.isAbstract(t) {
		return t
	}
	k := scalar.F32
	if c.leafKind(t) == scalar.AbstractInt {
		k = scalar.I32
	}
	return c.withLeaf(t, k)
}

// leafKind returns the scalar kind at the bottom of vectors, matrices and
// arrays; that of a result structure is its first member's.
func (c *Checker) leafKind(t ir.Type) scalar.Kind {
	m := c.module
	for {
		switch m.KindOf(t) {
		case ir.ArrayType:
			t = m.Element(t)
		case ir.StructType:
			members := m.Members(t)
			if len(members) == 0 {
				return scalar.None
			}
			t = members[0].Type
		default:
			return m.ScalarOf(t)
		}
	}
}

// withLeaf returns the type of the same structure with another scalar kind.
func (c *Checker) withLeaf(t ir.Type, k scalar.Kind) ir.Type {
	m := c.module
	switch m.KindOf(t) {
	case ir.ScalarType:
		return ir.Type(k)
	case ir.VectorType:
		return m.VectorOf(ir.Type(k), m.Components(t))
	case ir.MatrixType:
		n, _ := m.Count(t)
		return m.MatrixOf(ir.Type(k), int(n), m.Components(m.Element(t)))
	case ir.ArrayType:
		return m.ArrayOf(c.withLeaf(m.Element(t), k), m.ArrayCount(t))
	case ir.StructType:
		for _, r := range c.results {
			if r.typ == t {
				return c.resultStructure(r.form, k, int(r.n))
			}
		}
	}
	return t
}

// convertible reports whether a value of one type converts by itself to another
// (WGSL §6.1.2).
func (c *Checker) convertible(from, to ir.Type) bool {
	if from == to || from == ir.Void || to == ir.Void {
		return true
	}
	if !c.isAbstract(from) {
		return false
	}
	return conversionRank(c.leafKind(from), c.leafKind(to)) < infeasible && c.withLeaf(from, c.leafKind(to)) == to
}

// typeName returns a type as WGSL spells it.
func (c *Checker) typeName(t ir.Type) string {
	m := c.module
	switch m.KindOf(t) {
	case ir.VoidType:
		return "no value"
	case ir.ScalarType:
		return scalar.Kind(t).String()
	case ir.VectorType:
		return "vec" + strconv.Itoa(m.Components(t)) + "<" + c.typeName(m.Element(t)) + ">"
	case ir.MatrixType:
		n, _ := m.Count(t)
		column := m.Element(t)
		return "mat" + strconv.Itoa(int(n)) + "x" + strconv.Itoa(m.Components(column)) + "<" + c.typeName(m.Element(column)) + ">"
	case ir.AtomicType:
		return "atomic<" + c.typeName(m.Element(t)) + ">"
	case ir.ArrayType:
		s := "array<" + c.typeName(m.Element(t))
		if count := m.ArrayCount(t); count != 0 {
			s += ", " + c.countText(count)
		}
		return s + ">"
	case ir.BufferType:
		if size := m.BufferSize(t); size != 0 {
			return "buffer<" + c.countText(size) + ">"
		}
		return "buffer"
	case ir.StructType:
		return m.StructName(t)
	case ir.PointerType:
		s := "ptr<" + m.SpaceOf(t).String() + ", " + c.typeName(m.Element(t))
		if m.AccessOf(t) != ir.DefaultAccess(m.SpaceOf(t)) {
			s += ", " + m.AccessOf(t).String()
		}
		return s + ">"
	case ir.SamplerType:
		if m.IsComparison(t) {
			return "sampler_comparison"
		}
		return "sampler"
	case ir.TextureType:
		shape := m.ShapeOf(t)
		switch {
		case shape.IsStorage():
			return shape.String() + "<" + m.FormatOf(t).String() + ", " + m.AccessOf(t).String() + ">"
		case shape.Typed():
			return shape.String() + "<" + m.ChannelOf(t).String() + ">"
		}
		return shape.String()
	}
	return "?"
}

// countText shows the count or size that is part of a type: a number, or the
// override's name.
func (c *Checker) countText(v ir.Value) string {
	if n, ok := c.module.ConstUint(v); ok {
		return strconv.FormatUint(n, 10)
	}
	if name := c.module.Overrides[v.Index()].Name; name != "" {
		return name
	}
	return "override-expression"
}
