package difftest

// Printing of expressions.

import (
	"fmt"
	"strconv"
	"strings"
)

func levelOf(op string) int {
	switch op {
	case "||":
		return levelOr
	case "&&":
		return levelAnd
	case "&", "|", "^":
		return levelBits
	case "<<", ">>":
		return levelShift
	case "+", "-":
		return levelAdd
	case "*", "/", "%":
		return levelMultiply
	}
	return levelRelational
}

// expr prints an expression with parentheses if it binds weaker than level. typed says that an
// abstract number becomes its type there.
func (w *printer) expr(e *Expr, level int, typed bool) string {
	text, own := w.bare(e, typed)
	if own < level || e.Style&0xf0 == 0xf0 && e.Op != OpLiteral {
		return "(" + text + ")"
	}
	return text
}

func (w *printer) list(args []*Expr, typed bool) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = w.expr(a, 0, typed)
	}
	s := strings.Join(texts, ", ")
	if len(args) > 1 && args[0].Style&0x30 == 0x30 {
		s += ","
	}
	return s
}

// base prints what a member, component or element is taken of.
func (w *printer) base(e *Expr) string {
	if e.Op == OpDeref && e.Style&1 == 0 && e.Args[0].Op != OpAddress {
		return w.expr(e.Args[0], levelPrimary, false) // p.m is short for (*p).m
	}
	return w.expr(e, levelPrimary, false)
}

func (w *printer) bare(e *Expr, typed bool) (string, int) {
	switch e.Op {
	case OpLiteral:
		return w.literal(e, typed)
	case OpVar:
		return e.Var.Name, levelPrimary
	case OpMember:
		return w.base(e.Args[0]) + "." + e.Args[0].Type.Members[e.Index].Name, levelPrimary
	case OpIndex:
		// Without a suffix an index is an i32.
		return w.base(e.Args[0]) + "[" + w.expr(e.Args[1], 0, e.Args[1].Bits < 1<<31) + "]", levelPrimary
	case OpSwizzle, OpResult:
		return w.base(e.Args[0]) + "." + e.Name, levelPrimary
	case OpUnary:
		x := w.expr(e.Args[0], levelUnary, false)
		if x[0] == '-' && e.Name == "-" {
			x = "(" + x + ")"
		}
		return e.Name + x, levelUnary
	case OpBinary:
		return w.operation(e)
	case OpConstruct:
		if e.Type.Kind == AbstractInt {
			return w.expr(e.Args[0], 0, false), levelOr
		}
		return w.typeText(e.Type, e.Style) + "(" + w.list(e.Args, w.convertsArgs(e)) + ")", levelPrimary
	case OpBitcast:
		return "bitcast<" + w.typeText(e.Type, e.Style) + ">(" + w.expr(e.Args[0], 0, false) + ")", levelPrimary
	case OpBuiltin:
		return e.Name + "(" + w.list(e.Args, false) + ")", levelPrimary
	case OpCall:
		return e.Func.Name + "(" + w.list(e.Args, true) + ")", levelPrimary
	case OpDeref:
		return "*" + w.expr(e.Args[0], levelUnary, false), levelUnary
	case OpAddress:
		return "&" + w.expr(e.Args[0], levelUnary, false), levelUnary
	}
	return "?", 0
}

// convertsArgs says whether a value constructor converts abstract numbers among its arguments:
// where each argument is a member, element or component.
func (w *printer) convertsArgs(e *Expr) bool {
	switch e.Type.Kind {
	case Struct, Array:
		return true
	case Vector:
		return len(e.Args) > 1
	case Matrix:
		return len(e.Args) > 1 && e.Args[0].Type.isScalar()
	}
	return false
}

func (w *printer) operation(e *Expr) (string, int) {
	level := levelOf(e.Name)
	left, right := level, level+1
	x, y := e.Args[0], e.Args[1]
	switch level {
	case levelShift:
		left, right = levelUnary, levelUnary
	case levelRelational:
		left, right = levelShift, levelShift
	case levelBits:
		left, right = levelUnary, levelUnary
		if x.Op == OpBinary && x.Name == e.Name {
			left = levelBits
		}
	case levelAnd, levelOr:
		left, right = levelRelational, levelRelational
		if x.Op == OpBinary && x.Name == e.Name {
			left = level
		}
	}
	typed := level != levelShift && x.Type.isScalar() == y.Type.isScalar() && e.Type.Kind != AbstractInt
	a := w.expr(x, left, typed && y.Op != OpLiteral)
	b := w.expr(y, right, (typed || level == levelShift) && (x.Op != OpLiteral))
	text := a + " " + e.Name + " " + b
	if e.Name == "<" {
		// After a name, < may start a template list, which > would end.
		if strings.Contains(b, ">") {
			text = a + " < (" + b + ")"
		}
		return "(" + text + ")", levelPrimary
	}
	return text, level
}

func (w *printer) literal(e *Expr, typed bool) (string, int) {
	bare := typed && e.Style&1 == 1
	form := e.Style >> 1 & 3
	if e.Type.isFloat() && form == 1 && e.Style&0x30 == 0x30 {
		return hexFloat(e, bare)
	}
	negative := func(text string) (string, int) {
		if text[0] == '-' {
			return text, levelUnary
		}
		return text, levelPrimary
	}
	switch e.Type.Kind {
	case AbstractInt:
		if form == 3 && e.Wide >= 0 {
			return fmt.Sprintf("0x%x", e.Wide), levelPrimary
		}
		return negative(strconv.FormatInt(e.Wide, 10))
	case Bool:
		return strconv.FormatBool(e.Bits != 0), levelPrimary
	case I32:
		x := int32(e.Bits)
		switch {
		case x == -1<<31:
			if form&1 == 0 {
				return "i32(-2147483648)", levelPrimary
			}
			return "-2147483647i - 1i", levelAdd
		case bare:
			return negative(strconv.Itoa(int(x)))
		case form == 3:
			return fmt.Sprintf("i32(%d)", x), levelPrimary
		}
		return negative(strconv.Itoa(int(x)) + "i")
	case U32:
		digits := strconv.FormatUint(uint64(e.Bits), 10)
		if form >= 2 && e.Bits > 9 {
			digits = fmt.Sprintf("0x%x", e.Bits)
		}
		switch {
		case bare:
			return digits, levelPrimary
		case form == 3 && e.Bits < 10:
			return "u32(" + digits + ")", levelPrimary
		}
		return digits + "u", levelPrimary
	}
	x := float64(f32(e.Bits))
	text := strconv.FormatFloat(x, 'f', -1, 32)
	if len(text) > 12 {
		text = strconv.FormatFloat(x, 'e', -1, 32)
	}
	suffix := "f"
	if e.Type.Kind == F16 {
		suffix = "h"
	}
	if bare {
		suffix = ""
	}
	if suffix == "" && !strings.ContainsAny(text, ".e") {
		text += ".0"
	} else if form&1 == 0 && !strings.ContainsAny(text, ".e") {
		text += "."
		if form == 0 {
			text += "0"
		}
	}
	return negative(text + suffix)
}

// hexFloat is a float as a hexadecimal literal.
func hexFloat(e *Expr, bare bool) (string, int) {
	text := strconv.FormatFloat(float64(f32(e.Bits)), 'x', -1, 64)
	switch {
	case bare:
	case e.Type.Kind == F16:
		text += "h"
	default:
		text += "f"
	}
	if text[0] == '-' {
		return text, levelUnary
	}
	return text, levelPrimary
}
