package types

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file makes the structures that builtin functions yield.

// Result says which builtin's result a structure is.
type Result uint8

// The results.
const (
	FrexpResult Result = iota
	ModfResult
	ExchangeResult
)

// resultKey finds a result structure in Types.results.
type resultKey struct {
	of   Result
	kind scalar.Kind
	n    uint8
	typ  ir.Type
}

// ResultStructure returns a structure type that a builtin yields (WGSL §17.5,
// §17.8), making it on first use.
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
