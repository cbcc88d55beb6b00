package lint

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file warns of literals and quotients whose value is not what is written.

// value returns the value and the digits of a decimal literal.
func (l *linter) value(n *syntax.ExprNode) (x float64, digits string, ok bool) {
	digits = strings.TrimRight(l.tree.Source(n.Span), "fhiu")
	if strings.ContainsAny(digits, "xX") {
		return 0, "", false
	}
	x, err := strconv.ParseFloat(digits, 64)
	return x, digits, err == nil
}

// literal warns of a float literal that changes its value. It may be an integer with all its digits
// that the type cannot represent, and one so small that it may be flushed to zero. Fractions pass,
// and so do numbers with trailing zeros or an exponent, which are magnitudes. 2^n - 1 passes, by
// which hashes are divided.
func (l *linter) literal(e syntax.Expr, n *syntax.ExprNode) {
	x := &l.info.Exprs[e]
	if x.Type != ir.F32 && x.Type != ir.F16 || !x.Value.IsConst() {
		return
	}
	written, digits, ok := l.value(n)
	if !ok || written == 0 {
		return
	}
	kind, smallest, exact := scalar.Kind(x.Type), math.Ldexp(1, -126), 24
	if x.Type == ir.F16 {
		smallest, exact = math.Ldexp(1, -14), 11
	}
	held := scalar.ToFloat64(kind, l.module.ConstBits(x.Value))
	name := l.types.Name(x.Type)
	switch {
	case held == 0:
		l.warn(diag.InexactLiteral, n.Span, "`"+digits+"` is 0 as "+name, diag.Note{Message: "the smallest that devices keep is " + shortFloat(smallest)})
	case written < smallest:
		l.warn(diag.InexactLiteral, n.Span, "devices may take `"+digits+"` for 0", diag.Note{Message: "it is below " + shortFloat(smallest) + ", and what is smaller may be flushed to zero"})
	case held != written && written == math.Trunc(written) && !strings.ContainsAny(digits, "eE"):
		whole, _, _ := strings.Cut(digits, ".")
		if significant := strings.TrimRight(whole, "0"); !allOnes(written) && written > math.Ldexp(1, exact) && len(significant) > 3 && len(significant) > len(whole)/2 {
			l.warn(diag.InexactLiteral, n.Span, "`"+digits+"` is "+strconv.FormatFloat(held, 'f', 0, 64)+" as "+name,
				diag.Note{Message: "not every integer above " + strconv.Itoa(1<<exact) + " is an " + name})
		}
	}
}

// allOnes reports whether an integer is 2^n - 1.
func allOnes(x float64) bool {
	fraction, _ := math.Frexp(x + 1)
	return fraction == 0.5
}

func shortFloat(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }

// inexact reports whether an expression is a literal, or a negated one, that its type cannot
// represent, and returns both values.
func (l *linter) inexact(e syntax.Expr) (written, held string, ok bool) {
	v := l.info.Exprs[e].Value
	inner := l.tree.Unparen(e)
	if n := l.tree.Expr(inner); n.Kind == syntax.UnaryExpr && n.Op == syntax.Minus {
		inner = l.tree.Unparen(n.A)
	}
	n := l.tree.Expr(inner)
	if n.Kind != syntax.LiteralExpr || !v.IsConst() {
		return "", "", false
	}
	x, _, ok := l.value(n)
	k := scalar.Kind(l.module.TypeOf(v))
	is := scalar.ToFloat64(k, l.module.ConstBits(v))
	if !ok || math.Abs(is) == x {
		return "", "", false
	}
	return l.quoted(e), shownExactly(is), true
}

// shownExactly formats a float with enough digits to differ from the literal.
func shownExactly(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// division warns of a division of constant integers with a remainder, if the result becomes a
// float.
func (l *linter) division(e syntax.Expr, n *syntax.ExprNode) {
	if t := l.info.ValueType(e); t == ir.F32 || t == ir.F16 {
		l.truncated(e, n)
	}
}

// conversion does so for f32(a / b), and for a dividend of 1. Other run-time quotients pass: rows
// are computed so.
func (l *linter) conversion(e syntax.Expr, n *syntax.ExprNode) {
	arguments := l.tree.ExprList(n.List)
	t := l.info.ValueType(e)
	if l.info.Exprs[e].Call != sem.ConvertCall || t != ir.F32 && t != ir.F16 || len(arguments) != 1 {
		return
	}
	inner := l.tree.Unparen(arguments[0])
	if d := l.tree.Expr(inner); d.Kind == syntax.BinaryExpr && d.Op == syntax.Slash {
		// division has checked the others
		if t := l.info.ValueType(inner); t != ir.F32 && t != ir.F16 {
			l.truncated(inner, d)
		}
	}
}

// truncated warns of a quotient of integers that loses its fraction.
func (l *linter) truncated(e syntax.Expr, n *syntax.ExprNode) {
	dividend, known := l.constant(n.A)
	if !known {
		return
	}
	note := diag.Note{Message: "for a fraction write the numbers with a point, or convert them before dividing: f32(a) / f32(b)"}
	switch divisor, both := l.constant(n.B); {
	case both && divisor != 0 && dividend%divisor != 0:
		l.warn(diag.IntegerDivision, n.Span, l.quoted(e)+" divides integers, and is "+strconv.FormatInt(dividend/divisor, 10), note)
	case !both && dividend == 1 && isInteger(l.info.ValueType(n.B)):
		l.warn(diag.IntegerDivision, n.Span, l.quoted(e)+" divides integers, and is 0 unless the divisor is 1", note)
	}
}

func isInteger(t ir.Type) bool { return t == ir.I32 || t == ir.U32 }
