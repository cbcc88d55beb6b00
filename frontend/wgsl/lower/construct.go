package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers calls: of functions, builtin functions, and types, which make
// and convert values.

// call lowers a call expression and returns its result, or 0.
func (l *Lowerer) call(e syntax.Expr) ir.Value {
	n, x := l.tree.Expr(e), &l.info.Exprs[e]
	if x.Call == check.ZeroCall {
		return l.m.Zero(x.Type)
	}
	if x.Call == check.BuiltinCall && !l.supported(x, n.Span) {
		if x.Type == ir.Void {
			return 0
		}
		return l.m.Zero(x.Type)
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
	case check.UserCall:
		callee := l.info.Objects[x.Object].Function
		for i, p := range l.info.Functions[callee].Parameters {
			args[i] = l.passed(args[i], l.info.Objects[p].Type)
		}
		v = l.b.Emit(op.Call, x.Type, uint32(l.functions[callee]-1), args...)
	case check.BuiltinCall:
		v = l.builtin(&check.Builtins[x.Builtin], x.Type, args)
	case check.ConvertCall:
		v = l.convert(x.Type, args[0])
	case check.ConstructCall:
		v = l.construct(x.Type, args)
	default:
		panic("lowering a call of nothing")
	}
	l.args = l.args[:mark]
	return v
}

// convert returns a scalar, vector or matrix with the scalar kind of type t.
func (l *Lowerer) convert(t ir.Type, v ir.Value) ir.Value {
	if l.f.TypeOf(v) == t {
		return v
	}
	if l.m.KindOf(t) == ir.MatrixType {
		return l.formula.Columns(t, func(i uint32, column ir.Type) ir.Value {
			return l.convert(column, l.b.Extract(v, i))
		})
	}
	return l.b.Emit(op.Convert, t, 0, v)
}

// construct makes a value of type t: an array or structure of its parts, a
// matrix of columns or scalars, a vector of scalars and vectors, or of one
// scalar for all components (WGSL §17.1.1).
func (l *Lowerer) construct(t ir.Type, args []ir.Value) ir.Value {
	kind := l.m.KindOf(t)
	if len(args) == 1 && kind != ir.ArrayType && kind != ir.StructType {
		given := l.f.TypeOf(args[0])
		if l.m.IsScalar(given) && l.m.IsVector(t) {
			return l.b.Splat(t, l.convert(l.m.Element(t), args[0]))
		}
		return l.convert(t, args[0])
	}
	switch kind {
	case ir.VectorType:
		return l.vector(t, args)
	case ir.MatrixType:
		if l.m.IsVector(l.f.TypeOf(args[0])) {
			break
		}
		rows := l.m.Components(l.m.Element(t))
		return l.formula.Columns(t, func(i uint32, column ir.Type) ir.Value {
			return l.b.Construct(column, args[int(i)*rows:int(i+1)*rows]...)
		})
	}
	return l.b.Construct(t, args...)
}

// vector makes a vector of the components of scalars and vectors.
func (l *Lowerer) vector(t ir.Type, args []ir.Value) ir.Value {
	var parts [4]ir.Value
	n := 0
	for _, a := range args {
		given := l.f.TypeOf(a)
		if l.m.IsScalar(given) {
			parts[n] = a
			n++
			continue
		}
		for i := range l.m.Components(given) {
			parts[n] = l.b.Extract(a, uint32(i))
			n++
		}
	}
	return l.b.Construct(t, parts[:n]...)
}

// supported reports whether the IR can express a builtin function yet, and says
// so if not.
func (l *Lowerer) supported(x *check.ExprInfo, span source.Span) bool {
	row := &check.Builtins[x.Builtin]
	why := unsupported[row.Expansion]
	if why == "" {
		return true
	}
	l.unsupported(span, row.Name+" cannot be compiled: "+why)
	return false
}
