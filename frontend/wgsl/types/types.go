// Package types answers questions about the types of a module (WGSL §6): their classes, their
// conversions and their spelling.
package types

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Table holds what is computed for the types of a module. Its memory is reused for the next module.
type Table struct {
	module  *ir.Module
	classes []Class // by type
	results []resultKey
	// tileView is the structure tile_view, or Void if the program does not use it.
	tileView ir.Type
}

// Reset begins a module.
func (y *Table) Reset(m *ir.Module) {
	y.module, y.classes, y.results, y.tileView = m, y.classes[:0], y.results[:0], ir.Void
}

// Class is a set of properties of a type (WGSL §6.2 to §6.5).
type Class uint16

const (
	classKnown    Class = 1 << iota
	Constructible       // values can be made, passed and returned
	Storable            // can be stored in memory
	HostShareable       // can be in a buffer that the host fills or reads
	FixedSize           // fixed footprint, which may depend on overrides
	CreationFixed       // fixed footprint, from constants alone
	HoldsAtomic         // an atomic is part of it
	HoldsRuntime        // a runtime-sized array is part of it
	abstract            // of abstract kind
	Plain               // no pointer, texture, sampler or buffer
	HoldsArray          // an array is part of it
	HoldsMatrix         // a subgroup matrix is part of it
)

// shared are the properties that a composite has if all of its parts do, inherited those that it
// has if one part does.
const (
	shared    = Constructible | Storable | HostShareable | FixedSize | CreationFixed | Plain
	inherited = HoldsAtomic | HoldsRuntime | abstract | HoldsArray | HoldsMatrix
)

// ClassOf returns a type's properties.
func (y *Table) ClassOf(t ir.Type) Class {
	if t == ir.Void {
		return ^Class(0) &^ inherited // an error has been reported
	}
	for int(t) >= len(y.classes) {
		y.classes = append(y.classes, 0)
	}
	if y.classes[t] == 0 {
		k := y.computeClass(t) | classKnown
		y.classes[t] = k
	}
	return y.classes[t]
}

func (y *Table) computeClass(t ir.Type) Class {
	m := y.module
	switch m.KindOf(t) {
	case ir.ScalarType:
		switch k := scalar.Kind(t); {
		case k == scalar.Bool:
			return shared &^ HostShareable
		case k.IsAbstract():
			return abstract | Plain | FixedSize | CreationFixed | Constructible
		case k.IsNarrow(): // the component types of subgroup matrices, and of nothing else
			return 0
		}
		return shared
	case ir.VectorType, ir.MatrixType:
		return y.ClassOf(m.Element(t))
	case ir.AtomicType:
		return shared&^Constructible | HoldsAtomic
	case ir.ArrayType:
		element := y.ClassOf(m.Element(t)) | HoldsArray
		switch count := m.ArrayCount(t); {
		case count == 0:
			return element&^(Constructible|FixedSize|CreationFixed) | HoldsRuntime
		case count.IsOverride():
			return element &^ (Constructible | CreationFixed | HostShareable)
		}
		return element
	case ir.StructType:
		all := shared
		some := Class(0)
		for _, member := range m.Members(t) {
			k := y.ClassOf(member.Type)
			all &= k
			some |= k & inherited
		}
		return all | some
	case ir.FragmentType:
		return shared&^HostShareable | HoldsMatrix
	case ir.TextureType, ir.SamplerType:
		return Storable
	case ir.BufferType:
		switch size := m.BufferSize(t); {
		case size == 0:
			return Storable | HostShareable
		case size.IsOverride():
			return Storable | FixedSize
		}
		return Storable | HostShareable | FixedSize | CreationFixed
	case ir.TileType:
		return Constructible | FixedSize | CreationFixed
	}
	return 0
}

// Is reports whether a type has all properties of a class.
func (y *Table) Is(t ir.Type, k Class) bool { return y.ClassOf(t)&k == k }

// IsAbstract reports whether a type is of abstract kind.
func (y *Table) IsAbstract(t ir.Type) bool {
	if y.module.IsScalar(t) {
		return scalar.Kind(t).IsAbstract()
	}
	return t != ir.Void && y.ClassOf(t)&abstract != 0
}

// IsInteger reports whether t is i32, u32 or an abstract integer.
func IsInteger(t ir.Type) bool {
	return t == ir.I32 || t == ir.U32 || t == ir.AbstractInt
}

// Name returns a type as WGSL spells it, for messages.
func (y *Table) Name(t ir.Type) string {
	m := y.module
	switch m.KindOf(t) {
	case ir.VoidType:
		return "no value"
	case ir.ScalarType:
		return scalar.Kind(t).String()
	case ir.VectorType:
		return "vec" + strconv.Itoa(m.Components(t)) + "<" + y.Name(m.Element(t)) + ">"
	case ir.MatrixType:
		n, _ := m.Count(t)
		column := m.Element(t)
		return "mat" + strconv.Itoa(int(n)) + "x" + strconv.Itoa(m.Components(column)) + "<" + y.Name(m.Element(column)) + ">"
	case ir.AtomicType:
		return "atomic<" + y.Name(m.Element(t)) + ">"
	case ir.ArrayType:
		s := "array<" + y.Name(m.Element(t))
		if count := m.ArrayCount(t); count != 0 {
			s += ", " + y.countText(count)
		}
		return s + ">"
	case ir.BufferType:
		if size := m.BufferSize(t); size != 0 {
			return "buffer<" + y.countText(size) + ">"
		}
		return "buffer"
	case ir.TileType:
		k, rows, columns := m.TileShape(t)
		return "tile<" + k.String() + ", " + strconv.Itoa(rows) + ", " + strconv.Itoa(columns) + ">"
	case ir.FragmentType:
		component, rows, columns := m.FragmentShape(t)
		return "subgroup_matrix_" + m.FragmentUse(t).String() + "<" + component.String() + ", " + strconv.Itoa(columns) + ", " + strconv.Itoa(rows) + ">"
	case ir.StructType:
		return m.StructName(t)
	case ir.PointerType:
		s := "ptr<" + m.SpaceOf(t).String() + ", " + y.Name(m.Element(t))
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

// ScalarText formats the bits of a scalar as a decimal number, or as true or false.
func ScalarText(k scalar.Kind, bits uint64) string {
	switch {
	case k == scalar.Bool:
		return strconv.FormatBool(bits != 0)
	case k == scalar.U32:
		return strconv.FormatUint(bits, 10)
	case k.IsInteger():
		return strconv.FormatInt(scalar.ToInt64(k, bits), 10)
	}
	return strconv.FormatFloat(scalar.ToFloat64(k, bits), 'g', -1, 64)
}

// countText formats the count or size of a type: a number, or the name of the override.
func (y *Table) countText(v ir.Value) string {
	if n, ok := y.module.ConstUint(v); ok {
		return strconv.FormatUint(n, 10)
	}
	if name := y.module.Overrides[v.Index()].Name; name != "" {
		return name
	}
	return "override-expression"
}

// TileViewMembers are the members of tile_view, each a u32: where in an array a matrix is, in
// elements.
var TileViewMembers = [...]string{"offset", "rows", "columns", "row_stride", "column_stride"}

// TileView returns the structure tile_view of the extension gpuc_tile.
func (y *Table) TileView() ir.Type {
	if y.tileView == ir.Void {
		var members []ir.Member
		for _, name := range TileViewMembers {
			members = append(members, ir.Member{Name: name, Type: ir.U32})
		}
		size, align := y.module.LayoutStruct(members, nil, nil)
		y.tileView = y.module.NewStruct("tile_view", members, size, align)
	}
	return y.tileView
}

// IsTileView reports whether t is the structure tile_view.
func (y *Table) IsTileView(t ir.Type) bool { return t != ir.Void && t == y.tileView }

// Result is a kind of result structure.
type Result uint8

// The results.
const (
	FrexpResult Result = iota
	ModfResult
	ExchangeResult
)

// resultKey is a result structure in Table.results.
type resultKey struct {
	of   Result
	kind scalar.Kind
	n    uint8
	typ  ir.Type
}

// ResultStructure returns the structure type of a builtin's result (WGSL §17.5, §17.8), for a
// scalar kind and n components.
func (y *Table) ResultStructure(of Result, k scalar.Kind, n int) ir.Type {
	for i := range y.results {
		if r := &y.results[i]; r.of == of && r.kind == k && int(r.n) == n {
			return r.typ
		}
	}
	m := y.module
	shape := func(k scalar.Kind) ir.Type {
		if n > 1 {
			return m.VectorOf(ir.Type(k), n)
		}
		return ir.Type(k)
	}
	suffix := k.String()
	if k.IsAbstract() {
		suffix = "abstract"
	}
	if n > 1 {
		suffix = "vec" + strconv.Itoa(n) + "_" + suffix
	}
	var members []ir.Member
	name := ""
	switch of {
	case FrexpResult:
		exponent := scalar.I32
		if k.IsAbstract() {
			exponent = scalar.AbstractInt
		}
		name = "__frexp_result_" + suffix
		members = []ir.Member{{Name: "fract", Type: shape(k)}, {Name: "exp", Type: shape(exponent)}}
	case ModfResult:
		name = "__modf_result_" + suffix
		members = []ir.Member{{Name: "fract", Type: shape(k)}, {Name: "whole", Type: shape(k)}}
	default:
		name = "__atomic_compare_exchange_result_" + suffix
		members = []ir.Member{{Name: "old_value", Type: ir.Type(k)}, {Name: "exchanged", Type: ir.Bool}}
	}
	size, align := m.LayoutStruct(members, nil, nil)
	t := m.NewStruct(name, members, size, align)
	y.results = append(y.results, resultKey{of, k, uint8(n), t})
	return t
}
