package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds literals that change their values, and values that an int of 32 bits cannot hold.

// heldBy returns a number rounded to a float type.
func heldBy(k types.BasicKind, v constant.Value) float64 {
	if k == types.Float32 {
		f, _ := constant.Float32Val(v)
		return float64(f)
	}
	f, _ := constant.Float64Val(v)
	return f
}

// digitsOf returns the bits of precision of a float type.
func digitsOf(k types.BasicKind) int {
	if k == types.Float32 {
		return 24
	}
	return 53
}

// literal warns of a float literal that changes its value. That is an integer that is written with
// all its digits but rounded, or a number so small that devices may flush it to zero. Fractions are
// ignored, of which nobody expects more than the nearest number. So are numbers that end in zeros
// or have an exponent, which state a magnitude. So is the maximum of some bits, 4294967295.0, by
// which hashes are divided.
func (l *linter) literal(n *ast.BasicLit) {
	k := l.kind(n)
	if !isFloat(k) || strings.ContainsAny(n.Value, "xXpP") {
		return
	}
	written := constant.MakeFromLiteral(n.Value, n.Kind, 0)
	if written.Kind() == constant.Unknown || constant.Sign(written) == 0 {
		return
	}
	// Smaller numbers are subnormal, and devices may flush them.
	smallest := constant.MakeFloat64(math.Ldexp(1, -126))
	if k == types.Float32 && less(constant.ToFloat(written), smallest) {
		if heldBy(k, written) == 0 {
			l.warn(diag.InexactLiteral, n, quoted(n)+" is 0 as float32", diag.Note{Message: "the smallest that devices keep is 1.1754944e-38"})
		} else {
			l.warn(diag.InexactLiteral, n, "devices may take "+quoted(n)+" for 0", diag.Note{Message: "it is below 1.1754944e-38, and what is smaller may be flushed to zero"})
		}
		return
	}
	if !strings.ContainsAny(n.Value, "eE") {
		l.inexactInteger(n, k, written)
	}
}

// inexactInteger warns of an integer that a float kind cannot represent.
func (l *linter) inexactInteger(at ast.Expr, k types.BasicKind, written constant.Value) {
	v := constant.ToInt(written)
	if v.Kind() != constant.Int {
		return
	}
	held := heldBy(k, v)
	if constant.Compare(constant.ToInt(constant.MakeFloat64(held)), token.EQL, v) {
		return
	}
	text := strings.TrimPrefix(v.ExactString(), "-")
	magnitude := v
	if constant.Sign(v) < 0 {
		magnitude = constant.UnaryOp(token.SUB, v, 0)
	}
	next := constant.BinaryOp(magnitude, token.ADD, constant.MakeInt64(1))
	allOnes := constant.Sign(constant.BinaryOp(next, token.AND, magnitude)) == 0
	if significant := strings.TrimRight(text, "0"); allOnes || len(significant) <= 3 || len(significant) <= len(text)/2 {
		return
	}
	exact := constant.Shift(constant.MakeInt64(1), token.SHL, uint(digitsOf(k)))
	l.warn(diag.InexactLiteral, at, quoted(at)+" is "+strconv.FormatFloat(held, 'f', 0, 64)+" as "+types.Typ[k].Name(),
		diag.Note{Message: "not every integer above " + exact.ExactString() + " is a " + types.Typ[k].Name()})
}

// named does so for the uses of constants.
func (l *linter) named(n *ast.Ident) {
	c, ok := l.Info.Uses[n].(*types.Const)
	if !ok || c.Val().Kind() != constant.Int && c.Val().Kind() != constant.Float {
		return
	}
	// The author of a typed constant has chosen its precision.
	if k := l.kind(n); isFloat(k) && !isFloat(basic(c.Type())) {
		l.inexactInteger(n, k, c.Val())
	}
}

// inexact reports whether an expression is a literal, possibly negated, that its type cannot
// represent, and returns the rounded value.
func (l *linter) inexact(x ast.Expr) (held string, ok bool) {
	k, inner, sign := l.kind(x), ast.Unparen(x), 1.0
	if n, negated := inner.(*ast.UnaryExpr); negated && n.Op == token.SUB {
		inner, sign = ast.Unparen(n.X), -1
	}
	n, literal := inner.(*ast.BasicLit)
	if !literal || strings.ContainsAny(n.Value, "xXpP") {
		return "", false
	}
	written := constant.MakeFromLiteral(n.Value, n.Kind, 0)
	is := heldBy(k, written)
	if constant.Compare(constant.ToFloat(written), token.EQL, constant.MakeFloat64(is)) {
		return "", false
	}
	digits := 12 // enough to distinguish a float from the decimal literal
	if k == types.Float64 {
		digits = 20
	}
	return strconv.FormatFloat(sign*is, 'g', digits, 64), true
}

// division warns of a division of constant integers with a remainder whose result becomes a float.
// Named constants are ignored.
func (l *linter) division(n *ast.BinaryExpr) {
	if isFloat(l.kind(n)) {
		l.truncated(n)
	}
}

// truncated warns of a quotient of integers that loses its fraction. That is one of literals with a
// remainder, or one with the dividend 1, which is 0 for all divisors but 1. Quotients of variables
// are ignored: indices are computed so.
func (l *linter) truncated(n *ast.BinaryExpr) {
	dividend, divisor := l.integer(n.X), l.integer(n.Y)
	one, literal := ast.Unparen(n.X).(*ast.BasicLit)
	if dividend == nil || !literal || one.Kind != token.INT {
		return
	}
	note := diag.Note{Message: "for a fraction write a number with a point, or convert before dividing: float32(a) / float32(b)"}
	if divisor == nil {
		if widths[l.kind(n.Y)] != 0 && constant.Compare(dividend, token.EQL, constant.MakeInt64(1)) {
			l.warn(diag.IntegerDivision, n, quoted(n)+" divides integers, and is 0 unless the divisor is 1", note)
		}
		return
	}
	quotient := l.integer(n)
	other, untyped := ast.Unparen(n.Y).(*ast.BasicLit)
	if !untyped || other.Kind != token.INT || quotient == nil || constant.Compare(constant.BinaryOp(quotient, token.MUL, divisor), token.EQL, dividend) {
		return
	}
	d := l.warn(diag.IntegerDivision, n, quoted(n)+" divides integers, and is "+quotient.ExactString(), note)
	if !strings.ContainsAny(one.Value, "xXoObB_") {
		d.Fixes = []diag.Fix{{Kind: diag.FixFraction, Span: l.node(one), Text: one.Value + ".0", Message: "divide floats: " + one.Value + ".0"}}
	}
}

// conversion warns of quotients and constants that are converted to floats, and of products that
// overflow the int of devices before they are converted.
func (l *linter) conversion(n *ast.CallExpr) {
	x := l.converted(n)
	if x == nil {
		return
	}
	to, from := l.kind(n), l.kind(x)
	inner := ast.Unparen(x)
	switch {
	case isFloat(to) && !isFloat(from):
		if d, ok := inner.(*ast.BinaryExpr); ok && d.Op == token.QUO {
			l.truncated(d)
		}
		if id, ok := inner.(*ast.Ident); ok && l.value(x) != nil && from != types.UntypedInt {
			if c, ok := l.Info.Uses[id].(*types.Const); ok {
				l.inexactInteger(n, to, c.Val())
			}
		}
	case to == types.Int64 || to == types.Uint64:
		l.widened(n, inner, to)
	}
}

// widened warns of a product or shift of ints that is converted to an integer of 64 bits, after it
// may have wrapped. Sums are ignored, and products with a constant, such as that of an index and an
// element size: they wrap only for buffers larger than any device has. So are products of factors
// that are known to be small, and shifts by less than half of the bits.
func (l *linter) widened(at *ast.CallExpr, x ast.Expr, to types.BasicKind) {
	n, ok := x.(*ast.BinaryExpr)
	k := l.kind(x)
	if !ok || k != types.Int && k != types.Uint || n.Op != token.MUL && n.Op != token.SHL || l.value(x) != nil {
		return
	}
	if n.Op == token.MUL && (l.value(n.X) != nil || l.value(n.Y) != nil || l.computed(n, interval{}).within(typeInterval(k))) {
		return
	}
	if by := l.integer(n.Y); n.Op == token.SHL && by != nil && less(by, constant.MakeInt64(16)) {
		return
	}
	name := types.Typ[to].Name()
	l.warn(diag.GoIntWidth, at, quoted(x)+" has 32 bits on devices, and is made wider when it has wrapped",
		diag.Note{Message: "convert before: " + name + "(a) " + n.Op.String() + " b, with b of that type, too"})
}

// shift warns of a shift of an int by 32 bits or more, whose result is 0 on devices. By 64 it is 0
// in Go, too, which vet reports.
func (l *linter) shift(x, by ast.Expr, at ast.Node) {
	k, n := l.kind(x), l.integer(by)
	if k != types.Int && k != types.Uint || l.value(x) != nil || n == nil {
		return
	}
	if bits, exact := constant.Int64Val(n); !exact || bits < 32 || bits >= 64 {
		return
	}
	l.warn(diag.GoIntWidth, at, "nothing is left of "+quoted(x)+", which has 32 bits on devices, when it is shifted by "+n.ExactString(),
		diag.Note{Message: "int and uint have 64 bits in Go on most hosts; write int64 or uint64 if 64 bits are intended"})
}

// wordFunctions are the functions of math/bits on uint whose results depend on its width.
var wordFunctions = []string{"Add", "Sub", "Mul", "Div", "Rem", "Reverse", "ReverseBytes", "RotateLeft"}

// words warns of those functions.
func (l *linter) words(n *ast.CallExpr) {
	f := l.callee(n)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != "math/bits" || !slices.Contains(wordFunctions, f.Name()) || l.value(n) != nil {
		return
	}
	l.warn(diag.GoIntWidth, n.Fun, "bits."+f.Name()+" is of a uint, which has 32 bits on devices",
		diag.Note{Message: "bits." + f.Name() + "32 and bits." + f.Name() + "64 state the width"})
}
