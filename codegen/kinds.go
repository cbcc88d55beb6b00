package codegen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file refuses the scalar kinds that a target does not have. Each is reported once, at the
// first variable or instruction that has it after the passes. Kinds that the passes remove are not
// reported.

// kindChecker finds the kinds in a module.
type kindChecker struct {
	m     *ir.Module
	t     *Target
	list  *diag.List
	types []scalar.Set // the kinds in each type, and None as a mark that they are known
	said  scalar.Set
}

// checkKinds reports the kinds of a module that a target does not have.
func checkKinds(m *ir.Module, t *Target, list *diag.List) {
	c := kindChecker{m: m, t: t, list: list}
	for i := range m.Globals {
		if m.Globals[i].Span.Valid() { // one that passes made is reported where it is used
			c.look(m.Globals[i].Type, m.Globals[i].Span)
		}
	}
	for _, f := range m.Funcs {
		for _, p := range f.Params(f.Entry) {
			c.look(f.TypeOf(p), f.Span)
		}
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			c.look(f.Type(i), f.SpanOf(i))
			if f.Op(i).Is(op.Control) {
				for _, r := range f.Results(i) {
					c.look(f.TypeOf(r), f.SpanOf(i))
				}
			}
		}
	}
	for i := range m.Globals {
		c.look(m.Globals[i].Type, m.Globals[i].Span)
	}
}

// usualAtomics are the kinds that nearly all targets have atomics of.
var usualAtomics = scalar.Of(scalar.I32, scalar.U32, scalar.I64, scalar.U64)

// checkAtomics reports the first atomic of each kind that the target has none of. Those that the
// passes make of others are not reported.
func checkAtomics(m *ir.Module, t *Target, list *diag.List) {
	has := cmp.Or(t.Atomics, usualAtomics)
	for n := range m.Globals {
		g := &m.Globals[n]
		if k := atomicKind(m, m.Element(g.Type), has, map[ir.Type]bool{}); k != scalar.None {
			has |= scalar.Of(k)
			list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: g.Span, Message: fmt.Sprintf("target %s has no atomics of type %s", t.Name, k)})
		}
	}
}

// atomicKind returns a kind of an atomic in a type that is not in a set, or None.
func atomicKind(m *ir.Module, t ir.Type, has scalar.Set, searched map[ir.Type]bool) scalar.Kind {
	for m.KindOf(t) == ir.ArrayType {
		t = m.Element(t)
	}
	switch {
	case m.KindOf(t) == ir.AtomicType && !has.Has(m.ScalarOf(t)):
		return m.ScalarOf(t)
	case m.KindOf(t) == ir.StructType && !searched[t]:
		searched[t] = true // structures may be nested like a binary tree
		for _, member := range m.Members(t) {
			if k := atomicKind(m, member.Type, has, searched); k != scalar.None {
				return k
			}
		}
	}
	return scalar.None
}

// look reports the kinds in a type.
func (c *kindChecker) look(t ir.Type, at source.Span) {
	missing := c.in(t) &^ c.t.Kinds &^ c.said
	for k := scalar.Bool; missing != 0 && k < scalar.Count; k++ {
		if missing.Has(k) {
			missing &^= scalar.Of(k)
			c.said |= scalar.Of(k)
			c.list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: at,
				Message: fmt.Sprintf("target %s has no values of type %s", c.t.Name, k),
				Notes:   []diag.Note{{Message: "it has " + c.kinds() + "; values can be converted to those"}}})
		}
	}
}

// kinds lists the numbers that the target has.
func (c *kindChecker) kinds() string {
	var names []string
	for k := scalar.Bool + 1; k < scalar.Count; k++ {
		if c.t.Kinds.Has(k) && k.Bits() > 0 {
			names = append(names, k.String())
		}
	}
	return strings.Join(names, ", ")
}

// in returns the kinds in a type.
func (c *kindChecker) in(t ir.Type) (s scalar.Set) {
	m := c.m
	if k := m.ScalarOf(t); k != scalar.None {
		return scalar.Of(k)
	}
	if int(t) < len(c.types) && c.types[t] != 0 {
		return c.types[t] &^ scalar.Of(scalar.None)
	}
	switch m.KindOf(t) {
	case ir.ArrayType, ir.PointerType:
		s = c.in(m.Element(t))
	case ir.StructType:
		for _, member := range m.Members(t) {
			s |= c.in(member.Type)
		}
	}
	for int(t) >= len(c.types) {
		c.types = append(c.types, 0)
	}
	c.types[t] = s | scalar.Of(scalar.None)
	return s
}
