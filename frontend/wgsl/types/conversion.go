package types

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Concrete returns the concretization of a type (WGSL §6.1.2).
func (y *Table) Concrete(t ir.Type) ir.Type {
	if !y.IsAbstract(t) {
		return t
	}
	k := scalar.F32
	if y.LeafKind(t) == scalar.AbstractInt {
		k = scalar.I32
	}
	return y.WithLeaf(t, k)
}

// LeafKind returns the scalar kind of the leaves of a vector, matrix or array; of a result
// structure it is that of the first member.
func (y *Table) LeafKind(t ir.Type) scalar.Kind {
	m := y.module
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

// WithLeaf returns the type of the same shape with another scalar kind.
func (y *Table) WithLeaf(t ir.Type, k scalar.Kind) ir.Type {
	m := y.module
	switch m.KindOf(t) {
	case ir.ScalarType:
		return ir.Type(k)
	case ir.VectorType:
		return m.VectorOf(ir.Type(k), m.Components(t))
	case ir.MatrixType:
		n, _ := m.Count(t)
		return m.MatrixOf(ir.Type(k), int(n), m.Components(m.Element(t)))
	case ir.ArrayType:
		return m.ArrayOf(y.WithLeaf(m.Element(t), k), m.ArrayCount(t))
	case ir.StructType:
		for _, r := range y.results {
			if r.typ == t {
				return y.ResultStructure(r.of, k, int(r.n))
			}
		}
	}
	return t
}

// Infeasible is the rank of conversions that do not exist.
const Infeasible = 100

// conversions are the feasible automatic conversions with their ranks, cheapest first.
var conversions = [scalar.Count][]struct {
	to   scalar.Kind
	rank int
}{
	scalar.AbstractInt:   {{scalar.I32, 3}, {scalar.U32, 4}, {scalar.AbstractFloat, 5}, {scalar.F32, 6}, {scalar.F16, 7}},
	scalar.AbstractFloat: {{scalar.F32, 1}, {scalar.F16, 2}},
}

// ConversionRank is ConversionRank of WGSL §6.1.2 between scalar kinds.
func ConversionRank(from, to scalar.Kind) int {
	if from == to {
		return 0
	}
	for _, c := range conversions[from] {
		if c.to == to {
			return c.rank
		}
	}
	return Infeasible
}

// Cheapest returns the kind of a class to which k converts at the least rank, or None. If concrete,
// it is not an abstract kind.
func Cheapest(k scalar.Kind, class uint16, concrete bool) scalar.Kind {
	if class>>k&1 != 0 && !(concrete && k.IsAbstract()) {
		return k
	}
	for _, c := range conversions[k] {
		if class>>c.to&1 != 0 && !(concrete && c.to.IsAbstract()) {
			return c.to
		}
	}
	return scalar.None
}

// CommonKind returns the kind to which two kinds convert, or None.
func CommonKind(a, b scalar.Kind) scalar.Kind {
	switch {
	case a == b || b == scalar.None:
		return a
	case a == scalar.None || ConversionRank(a, b) < Infeasible:
		return b
	case ConversionRank(b, a) < Infeasible:
		return a
	}
	return scalar.None
}

// Convertible reports whether a value converts automatically from one type to another (WGSL
// §6.1.2).
func (y *Table) Convertible(from, to ir.Type) bool {
	if from == to || from == ir.Void || to == ir.Void {
		return true
	}
	if !y.IsAbstract(from) {
		return false
	}
	return ConversionRank(y.LeafKind(from), y.LeafKind(to)) < Infeasible && y.WithLeaf(from, y.LeafKind(to)) == to
}
