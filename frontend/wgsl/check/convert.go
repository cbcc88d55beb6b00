package check

import (
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file converts abstract values to the types that their context requires (WGSL §6.1.2), and
// reports type mismatches.

// convertValue converts a constant; why says why it cannot.
func (c *Checker) convertValue(v ir.Value, to ir.Type) (result ir.Value, why string) {
	m := c.module
	from := m.TypeOf(v)
	if from == to {
		return v, ""
	}
	if m.IsZero(v) && m.KindOf(from) != ir.ScalarType {
		return m.Zero(to), ""
	}
	switch m.KindOf(from) {
	case ir.ScalarType, ir.VectorType:
		args := [1]ir.Value{v}
		return m.Evaluate(op.Convert, to, 0, args[:])
	}
	n, _ := m.Count(from)
	mark := len(c.values)
	for i := range n {
		var part ir.Value
		if part, why = c.convertValue(m.ConstPart(v, i), m.PartType(to, i)); why != "" {
			break
		}
		c.values = append(c.values, part)
	}
	if why == "" {
		result = m.ConstComposite(to, c.values[mark:])
	}
	c.values = c.values[:mark]
	return result, why
}

// convert converts an expression to the type that its context requires, and reports a value that
// the type cannot represent. ok is false if the types do not convert, which the caller reports.
func (c *Checker) convert(e syntax.Expr, to ir.Type) (ok bool) {
	x := &c.info.Exprs[e]
	from := c.info.ValueType(e)
	if from == to || from == ir.Void || to == ir.Void {
		return true
	}
	if !c.types.Convertible(from, to) {
		return false
	}
	if x.Value.IsConst() {
		v, why := c.convertValue(x.Value, to)
		if v == ir.NoValue {
			if c.skipping == 0 {
				d := diag.Diagnostic{Code: diag.EvaluationError, Span: c.tree.Expr(e).Span, Message: "the value " + c.constText(x.Value) + " " + why}
				if k := c.module.ScalarOf(to); k.Range() != "" {
					d.Notes = append(d.Notes, diag.Note{Message: k.String() + " holds " + k.Range()})
				}
				c.list.Add(d)
			}
			v = c.module.Zero(to)
		}
		x.Value = v
	}
	x.Type, x.Reference = to, false
	for v := x.Value; c.tree.Expr(e).Kind == syntax.ParenExpr; {
		e = c.tree.Expr(e).A
		inner := &c.info.Exprs[e]
		inner.Type, inner.Value, inner.Reference = to, v, false
	}
	return true
}

// concretize converts an expression of abstract type to its concrete type.
func (c *Checker) concretize(e syntax.Expr) ir.Type {
	t := c.info.ValueType(e)
	if c.types.IsAbstract(t) {
		t = c.types.Concrete(t)
		c.convert(e, t)
	}
	return t
}

// expect checks an expression and converts it to a type. what completes the message "cannot …", and
// note, at a span, explains the type.
func (c *Checker) expect(e syntax.Expr, to ir.Type, what string, at source.Span, note string) bool {
	return c.fit(e, c.value(e), to, what, at, note)
}

// fit converts an expression of type from, which has been checked; see expect.
func (c *Checker) fit(e syntax.Expr, from, to ir.Type, what string, at source.Span, note string) bool {
	if from == ir.Void || to == ir.Void {
		return false
	}
	if !c.convert(e, to) {
		if note == "" {
			c.mismatch(e, to, what)
		} else {
			c.mismatch(e, to, what, diag.Note{Span: at, Message: note})
		}
		return false
	}
	return true
}

// mismatch reports an expression of the wrong type.
func (c *Checker) mismatch(e syntax.Expr, to ir.Type, what string, notes ...diag.Note) {
	from := c.info.ValueType(e)
	d := diag.Diagnostic{Code: diag.TypeMismatch, Span: c.tree.Expr(e).Span,
		Message: "cannot " + what + " " + c.types.Name(to) + ": the value is " + c.types.Name(from), Label: c.types.Name(from), Notes: notes}
	m := c.module
	switch {
	case m.IsPointer(to) && c.info.Exprs[e].Reference && m.Element(to) == from && m.SpaceOf(to) == m.SpaceOf(c.info.Exprs[e].Type):
		c.overloads.WrapFix(&d, diag.FixReference, d.Span, "&", "")
	case m.IsPointer(from) && m.Element(from) == to:
		c.overloads.WrapFix(&d, diag.FixDereference, d.Span, "*", "")
	case c.bufferPointer(from) && c.bufferPointer(to):
		d.Notes = append(d.Notes, diag.Note{Message: "as an argument, a pointer to a buffer of a constant size can become one to a smaller buffer, or to one without a size"})
	case m.KindOf(from) == ir.AtomicType && m.Element(from) == to:
		c.overloads.WrapFix(&d, diag.FixAtomicLoad, d.Span, "atomicLoad(&", ")")
	}
	if m.IsScalar(from) && m.IsScalar(to) || m.IsVector(from) && m.IsVector(to) && m.Components(from) == m.Components(to) {
		c.overloads.ConvertFix(&d, e, c.overloads.ViewOf(from), m.ScalarOf(to))
		if m.ScalarOf(from) == scalar.AbstractFloat && m.ScalarOf(to).IsInteger() && len(d.Fixes) == 0 {
			d.Notes = append(d.Notes, diag.Note{Message: "a number with a point becomes no integer by itself; write a whole number, or " + c.types.Name(to) + "(…), which drops the fraction"})
		}
	}
	c.list.Add(d)
}

// constText formats a constant for a message.
func (c *Checker) constText(v ir.Value) string {
	m := c.module
	t := m.TypeOf(v)
	if !m.IsScalar(t) {
		return "of type " + c.types.Name(t)
	}
	return types.ScalarText(scalar.Kind(t), m.ConstBits(v))
}

func itoa(x uint64) string { return strconv.FormatUint(x, 10) }

func constInt(x int64) string { return strconv.FormatInt(x, 10) }
