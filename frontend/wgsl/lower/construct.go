package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers calls of functions, builtin functions and types.

// call lowers a call expression and returns its result, or 0.
func (l *Lowerer) call(e syntax.Expr) ir.Value {
	n, x := l.tree.Expr(e), &l.info.Exprs[e]
	if x.Call == sem.ZeroCall {
		return l.m.Zero(x.Type)
	}
	if x.Call == sem.BuiltinCall && !l.supported(x, n.Span) {
		if x.Type == ir.Void {
			return 0
		}
		return l.m.Zero(x.Type)
	}
	if x.Call == sem.BuiltinCall && sem.Builtins[x.Builtin].Expansion == expand.TileMap {
		return l.tileMap(n, x)
	}
	mark := len(l.args)
	for _, a := range l.tree.ExprList(n.List) {
		v := l.value(a)
		l.args = append(l.args, v)
	}
	args := l.args[mark:]
	l.b.Span = n.Span
	var v ir.Value
	switch x.Call {
	case sem.UserCall:
		callee := l.info.Objects[x.Object].Function
		for i, p := range l.info.Functions[callee].Parameters {
			args[i] = l.passed(args[i], l.info.Objects[p].Type)
		}
		v = l.b.Emit(op.Call, x.Type, uint32(l.functions[callee]-1), args...)
	case sem.BuiltinCall:
		row := &sem.Builtins[x.Builtin]
		if row.Flags&sem.OrderTemplate != 0 { // the order becomes an argument
			stride := args[len(args)-1]
			l.args[len(l.args)-1] = l.m.ConstBool(x.Member != 0)
			l.args = append(l.args, stride)
			args = l.args[mark:]
		}
		v = l.builtin(row, x.Type, args)
	case sem.ConvertCall:
		v = l.expander.Convert(x.Type, args[0])
	case sem.ConstructCall:
		v = l.expander.Construct(x.Type, args)
	default:
		panic("lowering a call of nothing")
	}
	l.args = l.args[:mark]
	return v
}

// supported reports whether a builtin function can be compiled, and if not adds an error.
func (l *Lowerer) supported(x *sem.ExprInfo, span source.Span) bool {
	row := &sem.Builtins[x.Builtin]
	why := unsupported[row.Expansion]
	if why == "" {
		return true
	}
	l.unsupported(span, row.Name+" cannot be compiled: "+why)
	return false
}
