package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file evaluates builtins whose arguments are known: single operations, and by
// formulas those that are none. Each step is checked, so that a step that overflows
// makes the whole an error. Here stands what WGSL asks of constant arguments besides.

// evaluate evaluates a row with known arguments.
func (c *Checker) evaluate(row *semantics.Builtin, t ir.Type, a []ir.Value) ir.Value {
	switch row.Expansion {
	case semantics.NoExpansion:
		if row.Op == op.Ldexp {
			return c.b.Emit(op.Ldexp, t, 0, a[0], c.exponent(t, a[1]))
		}
		if row.Op == op.Bitcast {
			return c.b.Bitcast(t, a[0])
		}
		return c.b.Emit(row.Op, t, row.Aux, a...)
	case semantics.ExpandSmoothstep:
		if !c.smoothstepEdges(t, a[0], a[1]) {
			return 0
		}
	case semantics.ExpandNormalize:
		if c.module.IsZero(a[0]) {
			return c.b.Fail("normalizes a vector of length zero")
		}
	}
	if v, ok := c.formula.Expand(row, t, a); ok {
		return v
	}
	return c.b.Fail("cannot be evaluated")
}

// smoothstepEdges checks that constant edges differ.
func (c *Checker) smoothstepEdges(t ir.Type, low, high ir.Value) bool {
	if !low.IsConst() || !high.IsConst() {
		return true
	}
	k := c.module.ScalarOf(t)
	for i := range max(c.module.Components(t), 1) {
		if scalar.ToFloat64(k, c.component(low, i)) == scalar.ToFloat64(k, c.component(high, i)) {
			c.b.Fail("has equal edges, so that the function is not defined")
			return false
		}
	}
	return true
}

// exponent gives ldexp's exponent the kind that goes with its first argument.
func (c *Checker) exponent(t ir.Type, v ir.Value) ir.Value {
	k := scalar.I32
	if c.module.ScalarOf(t).IsAbstract() {
		k = scalar.AbstractInt
	}
	if want := c.module.WithScalar(t, k); c.module.TypeOf(v) != want {
		return c.b.Emit(op.Convert, want, 0, v)
	}
	return v
}
