package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds comparisons with a constant result, cases that are never selected, and
// comparisons of rounded numbers.

// comparison checks a comparison. One of constants is ignored: it configures the program.
func (l *linter) comparison(n *ast.BinaryExpr) {
	if l.value(n) != nil || l.value(n.X) != nil && l.value(n.Y) != nil {
		return
	}
	k := l.kind(n.X)
	if k == types.Invalid {
		return
	}
	if l.same(n.X, n.Y) {
		l.withItself(n, k)
		return
	}
	if widths[k] != 0 {
		l.outcome(n)
	} else if isFloat(k) && (n.Op == token.EQL || n.Op == token.NEQ) {
		l.floats(n)
	}
}

// withItself warns of a comparison of an expression with itself. Floats are ignored where NaN
// changes the result.
func (l *linter) withItself(n *ast.BinaryExpr, k types.BasicKind) {
	always := n.Op == token.EQL || n.Op == token.LEQ || n.Op == token.GEQ
	if isFloat(k) && (always || n.Op == token.NEQ) {
		return
	}
	l.decided(n, always, diag.Note{Message: "both sides are the same"})
}

// decided warns of a comparison with a constant result.
func (l *linter) decided(n *ast.BinaryExpr, outcome bool, notes ...diag.Note) {
	l.warn(diag.ConstantComparison, n, quoted(n)+" is always "+strconv.FormatBool(outcome), notes...)
}

// same reports whether two expressions denote the same variable, field or element, without calls.
func (l *linter) same(a, b ast.Expr) bool {
	a, b = ast.Unparen(a), ast.Unparen(b)
	if x := l.value(a); x != nil {
		y := l.value(b)
		return y != nil && x.Kind() == y.Kind() && constant.Compare(x, token.EQL, y)
	}
	switch x := a.(type) {
	case *ast.Ident:
		y, ok := b.(*ast.Ident)
		return ok && l.Info.Uses[x] != nil && l.Info.Uses[x] == l.Info.Uses[y]
	case *ast.SelectorExpr:
		y, ok := b.(*ast.SelectorExpr)
		return ok && l.Info.Uses[x.Sel] == l.Info.Uses[y.Sel] && l.same(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := b.(*ast.IndexExpr)
		return ok && l.same(x.X, y.X) && l.same(x.Index, y.Index)
	case *ast.StarExpr:
		y, ok := b.(*ast.StarExpr)
		return ok && l.same(x.X, y.X)
	}
	return false
}

// widths are the bits of integers on devices, negative for signed ones, and 0 for other kinds.
var widths = [types.UntypedNil + 1]int{
	types.Int: -32, types.Int8: -8, types.Int16: -16, types.Int32: -32, types.Int64: -64,
	types.Uint: 32, types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64,
}

// interval is a range of integers, both ends included.
type interval struct{ low, high constant.Value }

func between(low, high int64) interval {
	return interval{constant.MakeInt64(low), constant.MakeInt64(high)}
}

// typeInterval is the range of an integer kind on devices.
func typeInterval(k types.BasicKind) interval {
	one, bits := constant.MakeInt64(1), widths[k]
	if bits < 0 {
		half := constant.Shift(one, token.SHL, uint(-bits-1))
		return interval{constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)}
	}
	return interval{constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, uint(bits)), token.SUB, one)}
}

func less(a, b constant.Value) bool { return constant.Compare(a, token.LSS, b) }

// within reports whether an interval is contained in another.
func (i interval) within(o interval) bool { return !less(i.low, o.low) && !less(o.high, i.high) }

// String shows both ends.
func (i interval) String() string { return i.low.ExactString() + " to " + i.high.ExactString() }

// integer returns the value of a constant integer, or nil.
func (l *linter) integer(x ast.Expr) constant.Value {
	v := l.value(x)
	if v == nil {
		return nil
	}
	if v = constant.ToInt(v); v.Kind() != constant.Int {
		return nil
	}
	return v
}

// itemNumbers returns the range of a method of gpu.Item that returns an index or a size. The upper
// end is not limited: a comparison with the size of a workgroup makes a kernel work for several
// sizes.
func itemNumbers(method string) (i interval, found bool) {
	switch method {
	case "Index", "Global", "Group", "Local", "LocalIndex":
		return between(0, math.MaxInt32), true
	case "Groups", "Size":
		return between(1, math.MaxInt32), true
	}
	return interval{}, false
}

// intervalOf returns the range of an integer expression, from its outermost operations.
func (l *linter) intervalOf(x ast.Expr) interval {
	x = ast.Unparen(x)
	if v := l.integer(x); v != nil {
		return interval{v, v}
	}
	whole := typeInterval(l.kind(x))
	can := whole
	switch n := x.(type) {
	case *ast.BinaryExpr:
		can = l.computed(n, whole)
	case *ast.CallExpr:
		can = l.called(n, whole)
	case *ast.SelectorExpr: // a coordinate
		if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && l.isItems(call) {
			can, _ = itemNumbers(l.runtime(call))
		}
	}
	if can.low == nil || !can.within(whole) { // it may wrap
		return whole
	}
	return can
}

// computed returns the range of an operation's result.
func (l *linter) computed(n *ast.BinaryExpr, whole interval) interval {
	left, right := l.integer(n.X), l.integer(n.Y)
	zero := constant.MakeInt64(0)
	switch n.Op {
	case token.AND:
		for _, mask := range [2]constant.Value{left, right} {
			if mask != nil && constant.Sign(mask) >= 0 {
				return interval{zero, mask}
			}
		}
	case token.REM:
		if right != nil && constant.Sign(right) > 0 {
			most := constant.BinaryOp(right, token.SUB, constant.MakeInt64(1))
			if low := l.intervalOf(n.X).low; constant.Sign(low) < 0 {
				return interval{constant.UnaryOp(token.SUB, most, 0), most}
			}
			return interval{zero, most}
		}
	case token.SHR:
		if by, exact := constant.Uint64Val(constant.ToInt(orZero(right))); right != nil && exact && by < 64 {
			of := l.intervalOf(n.X)
			return interval{constant.Shift(of.low, token.SHR, uint(by)), constant.Shift(of.high, token.SHR, uint(by))}
		}
	case token.MUL:
		a, b := l.intervalOf(n.X), l.intervalOf(n.Y)
		ends := [4]constant.Value{constant.BinaryOp(a.low, token.MUL, b.low), constant.BinaryOp(a.low, token.MUL, b.high),
			constant.BinaryOp(a.high, token.MUL, b.low), constant.BinaryOp(a.high, token.MUL, b.high)}
		i := interval{ends[0], ends[0]}
		for _, v := range ends[1:] {
			i = interval{smaller(i.low, v), larger(i.high, v)}
		}
		return i
	}
	return whole
}

func orZero(v constant.Value) constant.Value {
	if v == nil {
		return constant.MakeInt64(0)
	}
	return v
}

func smaller(a, b constant.Value) constant.Value {
	if less(b, a) {
		return b
	}
	return a
}

func larger(a, b constant.Value) constant.Value {
	if less(a, b) {
		return b
	}
	return a
}

// called returns the range of a call's result: a length, a minimum or maximum, a conversion, or a
// method of an item.
func (l *linter) called(n *ast.CallExpr, whole interval) interval {
	if x := l.converted(n); x != nil {
		if widths[l.kind(x)] != 0 {
			return l.intervalOf(x)
		}
		return whole
	}
	if f, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && l.Info.Types[n.Fun].IsBuiltin() {
		switch f.Name {
		case "len", "cap":
			return between(0, math.MaxInt32)
		case "min", "max":
			pick := smaller
			if f.Name == "max" {
				pick = larger
			}
			i := l.intervalOf(n.Args[0])
			for _, x := range n.Args[1:] {
				o := l.intervalOf(x)
				i = interval{pick(i.low, o.low), pick(i.high, o.high)}
			}
			return i
		}
	}
	if l.isItems(n) {
		can, _ := itemNumbers(l.runtime(n))
		return can
	}
	return whole
}

// isItems reports whether a call is of a method of itemNumbers.
func (l *linter) isItems(n *ast.CallExpr) bool {
	f := l.callee(n)
	if f == nil || f.Signature().Recv() == nil {
		return false
	}
	_, found := itemNumbers(l.runtime(n))
	return found
}

// mask returns the bits that a masked integer can have, or nil for any.
func (l *linter) mask(x ast.Expr) constant.Value {
	if n, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && n.Op == token.AND {
		for _, side := range [2]ast.Expr{n.X, n.Y} {
			if v := l.integer(side); v != nil && constant.Sign(v) >= 0 {
				return v
			}
		}
	}
	return nil
}

// never reports whether an expression never has a value, and why.
func (l *linter) never(x ast.Expr, number constant.Value) (note diag.Note, never bool) {
	can := l.intervalOf(x)
	if less(number, can.low) || less(can.high, number) {
		return diag.Note{Span: l.node(x), Message: "this is " + can.String()}, true
	}
	if mask := l.mask(x); mask != nil && constant.Sign(constant.BinaryOp(number, token.AND_NOT, mask)) != 0 {
		return diag.Note{Span: l.node(x), Message: "this never has the bits of " + number.ExactString()}, true
	}
	return diag.Note{}, false
}

// outcome warns of a comparison of an integer with a constant if the integer's range decides it.
func (l *linter) outcome(n *ast.BinaryExpr) {
	operation, x, limit := n.Op, n.X, l.integer(n.Y)
	if limit == nil {
		if limit = l.integer(n.X); limit == nil {
			return
		}
		operation, x = mirrored(n.Op), n.Y
	}
	if operation == token.EQL || operation == token.NEQ {
		if note, never := l.never(x, limit); never {
			l.decided(n, operation == token.NEQ, note)
		}
		return
	}
	can := l.intervalOf(x)
	holds := [2]bool{constant.Compare(can.low, operation, limit), constant.Compare(can.high, operation, limit)}
	if holds[0] != holds[1] {
		return
	}
	notes := []diag.Note{{Span: l.node(x), Message: "this is " + can.String()}}
	if widths[l.kind(x)] > 0 && constant.Sign(limit) == 0 {
		notes = append(notes, diag.Note{Message: "0 - 1 wraps to the largest unsigned value: a loop that counts down to 0 tests before it subtracts, or counts in int"})
	}
	l.decided(n, holds[0], notes...)
}

// mirrored returns a comparison with its operands exchanged.
func mirrored(o token.Token) token.Token {
	switch o {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return o
}

// cases warns of cases of a switch that its tag never equals.
func (l *linter) cases(n *ast.SwitchStmt) {
	if n.Tag == nil || l.value(n.Tag) != nil {
		return
	}
	if widths[l.kind(n.Tag)] == 0 {
		return
	}
	for _, s := range n.Body.List {
		for _, x := range s.(*ast.CaseClause).List {
			v := l.integer(x)
			if v == nil {
				continue
			}
			if note, never := l.never(n.Tag, v); never {
				l.warn(diag.UnreachableCode, x, "the switch never chooses this case", note)
			}
		}
	}
}

// inexactFunctions are the functions of package gpu, and of package math, whose results are
// rounded, in alphabetical order.
var inexactFunctions = [...]string{
	"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Distance", "Exp", "Exp2", "FMA",
	"InverseSqrt", "Length", "Log", "Log2", "Pow", "Sin", "Sinh", "Sqrt", "Tan", "Tanh",
}

// floats warns of == and != if rounding decides the result: an operand is the result of a rounded
// operation, or a constant that its type cannot represent. A comparison with zero is ignored, which
// guards divisions. So is one of numbers that are only stored: it tests which of them it is.
func (l *linter) floats(n *ast.BinaryExpr) {
	sides := [2]ast.Expr{n.X, n.Y}
	for _, side := range sides {
		if v := l.value(side); v != nil && constant.Sign(v) == 0 {
			return
		}
	}
	note := diag.Note{Message: "test whether they are close enough: gpu.Abs(a-b) <= tolerance"}
	for _, side := range sides {
		if held, ok := l.inexact(side); ok {
			l.warn(diag.FloatEquality, n, "this compares with "+quoted(side)+", which no "+types.Typ[l.kind(side)].Name()+" is",
				diag.Note{Span: l.node(side), Message: "it is " + held}, note)
			return
		}
	}
	for _, side := range sides {
		if l.rounded(side) {
			l.warn(diag.FloatEquality, n, "rounding decides whether these floats are equal", diag.Note{Span: l.node(side), Message: "this is rounded"}, note)
			return
		}
	}
}

// rounded reports whether the outermost operation of an expression rounds. Sums are ignored, whose
// terms are often integers, and products with powers of two, which are exact.
func (l *linter) rounded(x ast.Expr) bool {
	x = ast.Unparen(x)
	if l.value(x) != nil {
		return false
	}
	switch n := x.(type) {
	case *ast.BinaryExpr:
		return (n.Op == token.QUO || n.Op == token.MUL) && !l.powerOfTwo(n.X) && !l.powerOfTwo(n.Y)
	case *ast.CallExpr:
		if inner := l.converted(n); inner != nil && isFloat(l.kind(inner)) {
			return l.rounded(inner)
		}
		if f := l.callee(n); f != nil && f.Pkg() != nil && (f.Pkg().Path() == l.Runtime || f.Pkg().Path() == "math") {
			_, found := slices.BinarySearch(inexactFunctions[:], f.Name())
			return found
		}
	}
	return false
}

// powerOfTwo reports whether an expression is a constant power of two.
func (l *linter) powerOfTwo(x ast.Expr) bool {
	v := l.value(x)
	if v == nil || v.Kind() != constant.Int && v.Kind() != constant.Float {
		return false
	}
	f, _ := constant.Float64Val(v)
	fraction, _ := math.Frexp(f)
	return math.Abs(fraction) == 0.5
}
