package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file evaluates const-expressions and builds override-expressions (WGSL §8.2). Both use the
// checker's builder (ir.NewEvaluator), so that package expand serves both.

// check makes pipeline creation evaluate an override-expression even if its value is unused.
// Operands of a short circuit are evaluated with it.
func (c *Checker) check(v ir.Value) {
	if v.IsOverride() {
		c.require(v, "")
	}
}

// require adds a pipeline-creation check (ir.Check) of a condition.
func (c *Checker) require(condition ir.Value, message string, shown ...ir.Value) {
	if c.graph.Function < 0 || c.skipping > 0 || c.lazy > 0 || !condition.IsOverride() {
		return
	}
	f := &c.info.Functions[c.graph.Function]
	if n := len(f.Checks); n == 0 || f.Checks[n-1].Value != condition {
		f.Checks = append(f.Checks, ir.Check{Value: condition, Message: message, Shown: shown})
	}
}

// checkEdges adds a pipeline-creation check that smoothstep's edges differ.
func (c *Checker) checkEdges(e syntax.Expr, low, high ir.Value) {
	if low == 0 || high == 0 || low.IsConst() && high.IsConst() || c.graph.Function < 0 {
		return
	}
	c.b.Span = c.tree.Expr(e).Span
	differ := c.expander.Compare(op.Ne, low, high)
	if differ != 0 && c.module.IsVector(c.module.TypeOf(differ)) {
		differ = c.b.Emit(op.All, ir.Bool, 0, differ)
	}
	c.require(differ, "the edges of smoothstep are equal")
}

// notEvaluated reports a const-expression that cannot be evaluated.
func (c *Checker) notEvaluated(e syntax.Expr, predicate string) {
	d := diag.Diagnostic{Code: diag.EvaluationError, Span: c.tree.Expr(e).Span, Message: "the expression " + predicate}
	if why := eval.Explain(predicate); why != "" {
		d.Notes = append(d.Notes, diag.Note{Message: why})
	}
	c.list.Add(d)
}

// setValue sets the value of an expression to the result of an evaluation, or reports its failure.
func (c *Checker) setValue(e syntax.Expr, v ir.Value) {
	x := &c.info.Exprs[e]
	if v == 0 {
		if c.skipping == 0 {
			text := c.b.Problem
			if text == "" {
				text = "cannot be evaluated"
			}
			c.notEvaluated(e, text)
		}
		v = c.module.Zero(x.Type)
	}
	c.b.Problem = ""
	x.Value = v
	c.check(v)
}

// component returns component i of a scalar or vector constant; a scalar has the same for all i.
func (c *Checker) component(v ir.Value, i int) uint64 {
	if c.module.IsVector(c.module.TypeOf(v)) {
		v = c.module.ConstPart(v, uint32(i))
	}
	return c.module.ConstBits(v)
}

// checkPartial applies the rules on single operands (WGSL §8.7, §8.9, §17.5): x / 0 is an error for
// every x.
func (c *Checker) checkPartial(e syntax.Expr, o op.Op, t ir.Type, values []ir.Value) {
	m := c.module
	k := m.ScalarOf(t)
	set := eval.Known(0)
	overrides := false
	for i, v := range values {
		if v.IsConst() {
			set |= eval.KnownA << i
		}
		overrides = overrides || v.IsOverride()
	}
	if overrides {
		c.checkOverrides(e, o, t, values)
	}
	if set == 0 || k == scalar.None {
		return
	}
	for i := range max(m.Components(t), 1) {
		var x [4]uint64
		for j, v := range values {
			if v.IsConst() && j < len(x) {
				x[j] = c.component(v, i)
			}
		}
		if p := eval.CheckKnown(o, k, set, x[0], x[1], x[2], x[3]); p != eval.OK {
			if c.skipping == 0 {
				c.notEvaluated(e, p.For(k))
			}
			return
		}
	}
}

// checkedOperands are the operands with such rules, as bits, by operation.
var checkedOperands = [op.Count]uint8{
	op.Div: 2, op.Rem: 2, op.Shl: 2, op.Shr: 2, op.Clamp: 2 | 4, op.ExtractBits: 2 | 4, op.InsertBits: 4 | 8, op.Ldexp: 2,
}

// checkOverrides is checkPartial for overrides: it adds a pipeline-creation check that evaluates
// the operation with the operands that are known and with harmless ones for the others.
func (c *Checker) checkOverrides(e syntax.Expr, o op.Op, t ir.Type, values []ir.Value) {
	needs := checkedOperands[o]
	if needs == 0 || c.graph.Function < 0 || c.skipping > 0 || c.lazy > 0 {
		return
	}
	if k := c.module.ScalarOf(t); (o == op.Div || o == op.Rem) && !k.IsInteger() {
		return
	}
	var args [4]ir.Value
	for i, v := range values {
		switch {
		case needs>>i&1 == 0 && (o == op.Clamp || v == 0):
			args[i] = c.module.Zero(t)
			if o == op.Clamp {
				args[i] = values[1]
			}
		case v == 0:
			return
		default:
			args[i] = v
		}
	}
	c.b.Span = c.tree.Expr(e).Span
	if o != op.ExtractBits && o != op.InsertBits {
		for i := range values {
			args[i] = c.b.Splat(t, args[i])
		}
	}
	c.check(c.b.Later(o, t, args[:len(values)]...))
}

// evaluate evaluates a row with known arguments.
func (c *Checker) evaluate(row *sem.Builtin, t ir.Type, a []ir.Value) ir.Value {
	switch row.Expansion {
	case expand.None:
		if row.Op == op.Ldexp {
			return c.b.Emit(op.Ldexp, t, 0, a[0], c.exponent(t, a[1]))
		}
		if row.Op == op.Bitcast {
			return c.b.Bitcast(t, a[0])
		}
		return c.b.Emit(row.Op, t, row.Aux, a...)
	case expand.Smoothstep:
		if !c.smoothstepEdges(t, a[0], a[1]) {
			return 0
		}
	case expand.Normalize:
		if c.module.IsZero(a[0]) {
			return c.b.Fail("normalizes a vector of length zero")
		}
	}
	if v, ok := c.expander.Expand(row.Expansion, row.Op, t, a); ok {
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

// exponent converts ldexp's exponent to the kind that fits its first argument.
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
