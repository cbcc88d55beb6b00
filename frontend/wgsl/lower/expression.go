package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers expressions to values, from left to right (WGSL §8.1.3).

// value returns the value of an expression after the load rule, or 0 for a call without a result.
func (l *Lowerer) value(e syntax.Expr) ir.Value {
	x := &l.info.Exprs[e]
	if x.Value != 0 {
		return x.Value
	}
	if x.Reference {
		return l.read(e)
	}
	n := l.tree.Expr(e)
	switch n.Kind {
	case syntax.IdentExpr:
		l.b.Span = n.Span
		return l.visible(l.values[x.Object])
	case syntax.ParenExpr:
		return l.value(n.A)
	case syntax.CallExpr:
		return l.call(e)
	case syntax.UnaryExpr:
		return l.unary(n, x.Type)
	case syntax.BinaryExpr:
		if n.Op == syntax.AndAnd || n.Op == syntax.OrOr {
			return l.shortCircuit(n)
		}
		a := l.value(n.A)
		b := l.value(n.B)
		l.b.Span = n.Span
		return l.arithmetic(n.Op, x.Type, a, b)
	case syntax.IndexExpr:
		v := l.value(n.A)
		i := l.index(n.B, l.f.TypeOf(v))
		l.b.Span = n.Span
		return l.extract(v, i)
	case syntax.MemberExpr:
		return l.member(e)
	}
	panic("lowering an expression that has no value")
}

// member lowers a member or components of a value. For several components of a reference the whole
// vector is loaded.
func (l *Lowerer) member(e syntax.Expr) ir.Value {
	n, x := l.tree.Expr(e), &l.info.Exprs[e]
	v := l.value(n.A)
	l.b.Span = n.Span
	if l.m.IsPointer(l.f.TypeOf(v)) { // p.xy
		v = l.b.Load(v)
	}
	if x.SwizzleCount > 1 {
		return l.b.Emit(op.Shuffle, x.Type, uint32(x.Swizzle), v)
	}
	return l.b.Emit(op.Extract, x.Type, 0, v, l.m.ConstU32(l.part(e)))
}

func (l *Lowerer) unary(n *syntax.ExprNode, t ir.Type) ir.Value {
	if n.Op == syntax.And { // &a
		return l.address(n.A)
	}
	v := l.value(n.A)
	l.b.Span = n.Span
	if n.Op == syntax.Minus {
		return l.b.Emit(op.Neg, t, 0, v)
	}
	return l.b.Emit(op.Not, t, 0, v) // ! and ~
}

// operators are the operations of binary operators.
var operators = [...]op.Op{
	syntax.Plus:         op.Add,
	syntax.Minus:        op.Sub,
	syntax.Star:         op.Mul,
	syntax.Slash:        op.Div,
	syntax.Percent:      op.Rem,
	syntax.And:          op.And,
	syntax.Or:           op.Or,
	syntax.Xor:          op.Xor,
	syntax.ShiftLeft:    op.Shl,
	syntax.ShiftRight:   op.Shr,
	syntax.Equal:        op.Eq,
	syntax.NotEqual:     op.Ne,
	syntax.Less:         op.Lt,
	syntax.LessEqual:    op.Le,
	syntax.Greater:      op.Gt,
	syntax.GreaterEqual: op.Ge,
}

// arithmetic emits a binary operator other than && and ||, with result type t.
func (l *Lowerer) arithmetic(token syntax.Token, t ir.Type, a, b ir.Value) ir.Value {
	o := operators[token]
	ta, tb := l.f.TypeOf(a), l.f.TypeOf(b)
	switch na, nb := l.m.Components(ta), l.m.Components(tb); {
	case na == 0 || nb == 0:
		return l.expander.Matrix(o, t, a, b)
	case na < nb:
		a = l.b.Splat(tb, a)
	case nb < na:
		b = l.b.Splat(ta, b)
	}
	return l.b.Emit(o, t, 0, a, b)
}

// shortCircuit lowers && and ||. A right side that is cheap and has no side effects is evaluated
// unconditionally: a branch costs more, and hides the conditions from the passes.
func (l *Lowerer) shortCircuit(n *syntax.ExprNode) ir.Value {
	return l.shortCircuitWith(l.value(n.A), n.Op, n.B, n.Span)
}

// shortCircuitWith lowers a && e or a || e for the value a. a && (b && c) becomes (a && b) && c, so
// that chains nest no deeper than their operands.
func (l *Lowerer) shortCircuitWith(a ir.Value, o syntax.Token, e syntax.Expr, span source.Span) ir.Value {
	if budget := eagerBudget; l.eager(e, &budget) {
		b := l.value(e)
		l.b.Span = span
		if o == syntax.AndAnd {
			return l.b.Emit(op.And, ir.Bool, 0, a, b)
		}
		return l.b.Emit(op.Or, ir.Bool, 0, a, b)
	}
	n := l.tree.Expr(e)
	for n.Kind == syntax.ParenExpr {
		n = l.tree.Expr(n.A)
	}
	if n.Kind == syntax.BinaryExpr && n.Op == o {
		return l.shortCircuitWith(l.shortCircuitWith(a, o, n.A, span), o, n.B, n.Span)
	}
	l.b.Span = span
	i := l.b.If(a)
	result := l.f.AddResult(i, ir.Bool)
	evaluate, skip := 0, 1
	if o == syntax.OrOr {
		evaluate, skip = 1, 0
	}
	l.b.SetBlock(l.f.Region(i, evaluate))
	b := l.value(e)
	l.b.Span = span
	l.b.Exit(i, b)
	l.b.SetBlock(l.f.Region(i, skip))
	l.b.Exit(i, l.m.ConstBool(o == syntax.OrOr))
	l.b.SetBlock(l.f.BlockOf(i))
	return result
}

// eagerBudget is the number of operations up to which a right side is evaluated unconditionally.
const eagerBudget = 8

// eager reports whether an expression reads no shared memory, is in bounds, and costs at most the
// budget, which it reduces.
func (l *Lowerer) eager(e syntax.Expr, budget *int) bool {
	x := &l.info.Exprs[e]
	if x.Value != 0 {
		return true
	}
	n := l.tree.Expr(e)
	*budget--
	if *budget < 0 {
		return false
	}
	switch n.Kind {
	case syntax.IdentExpr:
		if !x.Reference {
			return !l.m.IsPointer(x.Type)
		}
		switch l.m.SpaceOf(x.Type) {
		case ir.Function, ir.Private, ir.Uniform, ir.Immediate:
			return true
		}
	case syntax.ParenExpr, syntax.MemberExpr:
		return l.eager(n.A, budget)
	case syntax.UnaryExpr:
		return n.Op != syntax.And && n.Op != syntax.Star && l.eager(n.A, budget)
	case syntax.BinaryExpr:
		if n.Op == syntax.Slash || n.Op == syntax.Percent {
			return false
		}
		return l.eager(n.A, budget) && l.eager(n.B, budget)
	case syntax.IndexExpr:
		return l.info.Exprs[n.B].Value.IsConst() && l.eager(n.A, budget)
	case syntax.CallExpr:
		if x.Call != sem.ConvertCall && x.Call != sem.ConstructCall {
			return false
		}
		for _, a := range l.tree.ExprList(n.List) {
			if !l.eager(a, budget) {
				return false
			}
		}
		return true
	}
	return false
}
