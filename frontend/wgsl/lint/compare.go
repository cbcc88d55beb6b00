package lint

import (
	"math"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file warns of comparisons with a constant result, and of equality of rounded floats.

// comparison checks a comparison. Those of constants pass: programs are configured by them.
func (l *linter) comparison(e syntax.Expr, n *syntax.ExprNode) {
	if l.info.Exprs[e].Value.IsConst() {
		return
	}
	if l.same(n.A, n.B) {
		l.withItself(e, n)
		return
	}
	switch t := l.info.ValueType(n.A); {
	case t == ir.I32 || t == ir.U32:
		l.outcome(e, n)
	case t == ir.F32 || t == ir.F16:
		if n.Op == syntax.Equal || n.Op == syntax.NotEqual {
			l.floats(n)
		}
	}
}

// withItself warns of comparing an expression with itself. Floats pass where NaN matters.
func (l *linter) withItself(e syntax.Expr, n *syntax.ExprNode) {
	k := l.module.ScalarOf(l.info.ValueType(n.A))
	always := n.Op == syntax.Equal || n.Op == syntax.LessEqual || n.Op == syntax.GreaterEqual
	if k.IsFloat() && (always || n.Op == syntax.NotEqual) {
		return
	}
	l.decided(e, n, always, diag.Note{Message: "both sides are the same"})
}

// decided warns of a comparison with a constant result.
func (l *linter) decided(e syntax.Expr, n *syntax.ExprNode, outcome bool, notes ...diag.Note) {
	l.warn(diag.ConstantComparison, n.Span, l.quoted(e)+" is always "+strconv.FormatBool(outcome), notes...)
}

// same reports whether two expressions without calls name the same variable, member or element.
func (l *linter) same(a, b syntax.Expr) bool {
	a, b = l.tree.Unparen(a), l.tree.Unparen(b)
	x, y := l.tree.Expr(a), l.tree.Expr(b)
	if x.Kind != y.Kind {
		return false
	}
	switch x.Kind {
	case syntax.IdentExpr:
		o := l.info.Exprs[a].Object
		return o != 0 && o == l.info.Exprs[b].Object
	case syntax.LiteralExpr:
		return l.tree.Source(x.Span) == l.tree.Source(y.Span)
	case syntax.MemberExpr:
		return x.Name == y.Name && l.same(x.A, y.A)
	case syntax.IndexExpr:
		return l.same(x.A, y.A) && l.same(x.B, y.B)
	}
	return false
}

// interval is a range of integers, both ends included.
type interval struct{ low, high int64 }

// typeInterval returns the range of an integer type.
func typeInterval(t ir.Type) interval {
	if t == ir.U32 {
		return interval{0, math.MaxUint32}
	}
	return interval{math.MinInt32, math.MaxInt32}
}

// constant returns the value of a constant integer.
func (l *linter) constant(e syntax.Expr) (x int64, ok bool) {
	v := l.info.Exprs[e].Value
	if !v.IsConst() {
		return 0, false
	}
	t := l.module.TypeOf(v)
	if !l.module.IsScalar(t) || !scalar.Kind(t).IsInteger() {
		return 0, false
	}
	if t == ir.U32 {
		return int64(uint32(l.module.ConstBits(v))), true
	}
	return scalar.ToInt64(scalar.Kind(t), l.module.ConstBits(v)), true
}

// intervalOf returns the range of an integer expression by its outermost operation.
func (l *linter) intervalOf(e syntax.Expr) interval {
	e = l.tree.Unparen(e)
	n, whole := l.tree.Expr(e), typeInterval(l.info.ValueType(e))
	if n.Kind != syntax.BinaryExpr {
		return whole
	}
	right, known := l.constant(n.B)
	left, leftKnown := l.constant(n.A)
	switch {
	case n.Op == syntax.And && known && right >= 0:
		return interval{0, right}
	case n.Op == syntax.And && leftKnown && left >= 0:
		return interval{0, left}
	case n.Op == syntax.Percent && known && right > 0:
		return interval{max(whole.low, 1-right), right - 1}
	case n.Op == syntax.ShiftRight && known && 0 <= right && right < 32:
		return interval{whole.low >> right, whole.high >> right}
	}
	return whole
}

// mask returns the bits that a masked integer can have.
func (l *linter) mask(e syntax.Expr) int64 {
	e = l.tree.Unparen(e)
	if n := l.tree.Expr(e); n.Kind == syntax.BinaryExpr && n.Op == syntax.And {
		for _, side := range [2]syntax.Expr{n.A, n.B} {
			if x, ok := l.constant(side); ok && x >= 0 {
				return x
			}
		}
	}
	return -1
}

// outcome warns of a comparison of an integer with a constant whose result follows from the
// integer's range.
func (l *linter) outcome(e syntax.Expr, n *syntax.ExprNode) {
	operation, value := n.Op, n.A
	limit, known := l.constant(n.B)
	if !known {
		if limit, known = l.constant(n.A); !known {
			return
		}
		operation, value = mirrored(n.Op), n.B
	}
	can := l.intervalOf(value)
	outcome, decided := false, true
	switch {
	case operation == syntax.Less && can.high < limit, operation == syntax.LessEqual && can.high <= limit,
		operation == syntax.Greater && can.low > limit, operation == syntax.GreaterEqual && can.low >= limit:
		outcome = true
	case operation == syntax.Less && can.low >= limit, operation == syntax.LessEqual && can.low > limit,
		operation == syntax.Greater && can.high <= limit, operation == syntax.GreaterEqual && can.high < limit:
	case (operation == syntax.Equal || operation == syntax.NotEqual) && (limit < can.low || limit > can.high || limit&^l.mask(value) != 0):
		outcome = operation == syntax.NotEqual
	default:
		decided = false
	}
	if !decided {
		return
	}
	note := diag.Note{Span: l.tree.Expr(value).Span, Message: "this is " + strconv.FormatInt(can.low, 10) + " to " + strconv.FormatInt(can.high, 10)}
	if limit >= can.low && limit <= can.high && (operation == syntax.Equal || operation == syntax.NotEqual) {
		note.Message = "this never has the bits of " + strconv.FormatInt(limit, 10)
	}
	notes := []diag.Note{note}
	if l.info.ValueType(value) == ir.U32 && limit == 0 && can.low == 0 {
		notes = append(notes, diag.Note{Message: "one less than 0 is 4294967295 in a u32: a loop that counts down to 0 tests before it subtracts, or counts in i32"})
	}
	l.decided(e, n, outcome, notes...)
}

// mirrored returns a comparison for exchanged operands.
func mirrored(o syntax.Token) syntax.Token {
	switch o {
	case syntax.Less:
		return syntax.Greater
	case syntax.LessEqual:
		return syntax.GreaterEqual
	case syntax.Greater:
		return syntax.Less
	case syntax.GreaterEqual:
		return syntax.LessEqual
	}
	return o
}

// inexactBuiltins are the builtin functions with rounded results (WGSL §15.7.4), sorted.
var inexactBuiltins = [...]string{
	"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "degrees", "distance", "dot", "exp", "exp2",
	"inverseSqrt", "length", "log", "log2", "mix", "pow", "radians", "sin", "sinh", "smoothstep", "sqrt", "tan", "tanh",
}

// floats warns of == and != on a rounded operand, or with a constant that the type cannot
// represent. Comparisons with zero pass, which guard divisions, and so do those of values that are
// only stored and selected.
func (l *linter) floats(n *syntax.ExprNode) {
	for _, side := range [2]syntax.Expr{n.A, n.B} {
		if v := l.info.Exprs[side].Value; v.IsConst() && l.module.IsZero(v) {
			return
		}
	}
	note := diag.Note{Message: "test whether they are close enough: abs(a - b) <= tolerance"}
	for _, side := range [2]syntax.Expr{n.A, n.B} {
		if written, held, ok := l.inexact(side); ok {
			l.warn(diag.FloatEquality, n.Span, "this compares with "+written+", which no "+l.types.Name(l.info.ValueType(side))+" is",
				diag.Note{Span: l.tree.Expr(side).Span, Message: "it is " + held}, note)
			return
		}
	}
	for _, side := range [2]syntax.Expr{n.A, n.B} {
		if l.rounded(side) {
			l.warn(diag.FloatEquality, n.Span, "rounding decides whether these floats are equal",
				diag.Note{Span: l.tree.Expr(side).Span, Message: "this is rounded"}, note)
			return
		}
	}
}

// rounded reports whether the outermost run-time operation of an expression rounds. Sums pass,
// which are often of integers, and so do products with powers of two.
func (l *linter) rounded(e syntax.Expr) bool {
	e = l.tree.Unparen(e)
	n, x := l.tree.Expr(e), &l.info.Exprs[e]
	switch {
	case x.Value != 0:
		return false
	case n.Kind == syntax.BinaryExpr:
		return (n.Op == syntax.Slash || n.Op == syntax.Star) && !l.powerOfTwo(n.A) && !l.powerOfTwo(n.B)
	case x.Call == sem.BuiltinCall:
		_, found := slices.BinarySearch(inexactBuiltins[:], l.builtin(e))
		return found
	}
	return false
}

// powerOfTwo reports whether an expression is a constant power of two.
func (l *linter) powerOfTwo(e syntax.Expr) bool {
	v := l.info.Exprs[e].Value
	if !v.IsConst() || !l.module.IsScalar(l.module.TypeOf(v)) {
		return false
	}
	x, _ := math.Frexp(scalar.ToFloat64(scalar.Kind(l.module.TypeOf(v)), l.module.ConstBits(v)))
	return math.Abs(x) == 0.5
}
