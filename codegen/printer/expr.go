package printer

import (
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// This file holds expressions as text, with what is known of them.

// Level is how tightly an expression's outermost operator binds. Operators of neighbouring levels
// never meet without parentheses where WGSL (§8.18) and C++ ([expr]) order them otherwise:
// comparisons take sums at least, bits and shifts take unary expressions.
type Level uint8

const (
	Relational Level = iota
	Bitwise          // whose operands are unary
	Shift            // as well
	Additive
	Multiplicative
	Unary
	Primary
)

// MaxWidth is how long an expression may be that is nested.
const MaxWidth = 72

// Anything means the memory of all variables.
const Anything = ^ir.NoValue

// Expr is the text of a value or, for a pointer, of what it points to.
type Expr struct {
	Text     string
	Level    Level
	Reads    ir.Value   // the variable it reads, Anything, or none
	Vars     []ir.Value // results and parameters whose variables it names
	Constant bool       // its language knows it before the code runs
	Scalar   *Expr      // of a vector of equal components: one of them
	Mixed    bool       // an operation on a vector and a scalar
	// Operator and operands of an operation with two
	Operator, Left, Right string
	Operand               string // the right one without parentheses
	// Bits is the text without the conversion around it, where the language converts what an
	// operation gives and another one would convert it back; or "". BitsLevel is its level.
	Bits      string
	BitsLevel Level
	// Span is where the value is computed. Where an exit passes the value, it is the position that
	// the exit's line comes from.
	Span source.Span
}

// Atom is an expression that needs no parentheses.
func Atom(text string) Expr { return Expr{Text: text, Level: Primary} }

// Within puts an expression in parentheses if it binds less tightly than asked for.
func (x Expr) Within(l Level) Expr {
	if x.Level < l {
		x.Text, x.Operator = "("+x.Text+")", ""
		x.Level = Primary
	}
	return x
}

// With notes what a part of an expression reads and names.
func (x Expr) With(part Expr) Expr {
	if x.Reads == ir.NoValue {
		x.Reads = part.Reads
	} else if part.Reads != ir.NoValue && part.Reads != x.Reads {
		x.Reads = Anything
	}
	if len(part.Vars) > 0 {
		x.Vars = append(x.Vars[:len(x.Vars):len(x.Vars)], part.Vars...)
	}
	return x
}

// operandLevels are what the operands of an operator have to be, on the left and on the right.
var operandLevels = [Primary][2]Level{
	Relational: {Additive, Additive}, Bitwise: {Unary, Unary}, Shift: {Unary, Unary},
	Additive: {Additive, Multiplicative}, Multiplicative: {Multiplicative, Unary},
}

// Binary writes an operation on two operands. Of a vector of equal components it writes one, where
// vectors and scalars mix.
func Binary(a Expr, operator string, b Expr, l Level) Expr {
	mixed := (l == Additive || l == Multiplicative) && (a.Scalar != nil || b.Scalar != nil)
	if mixed {
		switch {
		case b.Scalar != nil:
			b = *b.Scalar
		case a.Scalar != nil:
			a = *a.Scalar
		}
	}
	left, right := a, b.Within(operandLevels[l][1])
	if l != Bitwise || a.Operator != operator {
		left = a.Within(operandLevels[l][0])
	}
	x := Expr{Text: left.Text + " " + operator + " " + right.Text, Level: l, Operator: operator, Left: left.Text, Right: right.Text, Operand: b.Text, Mixed: mixed}
	return x.With(a).With(b)
}

// Prefix writes a unary operation.
func Prefix(operator string, a Expr) Expr {
	return Expr{Text: operator + a.Within(Primary).Text, Level: Unary}.With(a)
}

// Call writes a call. A comparison among its arguments gets parentheses, for < and > of two
// arguments would enclose a template's.
func Call(function string, args []Expr) Expr {
	x := Expr{Level: Primary}
	var b strings.Builder
	b.WriteString(function + "(")
	for n, a := range args {
		if n > 0 {
			b.WriteString(", ")
		}
		if n+1 < len(args) {
			b.WriteString(a.Within(Bitwise).Text)
		} else {
			b.WriteString(a.Text)
		}
		x = x.With(a)
	}
	b.WriteString(")")
	x.Text = b.String()
	return x
}
