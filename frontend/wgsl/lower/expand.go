package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers builtin functions. Most are one operation, which sem.Builtins names. The others
// have a formula in package expand or, if only running shaders use them, a function here.

// expansions lower the builtins without a formula; t is the result type.
var expansions = [expand.Count]func(l *Lowerer, row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value{
	expand.CompareExchange: compareExchange,
	expand.UniformLoad:     uniformLoad,
	expand.Texture:         onTexture,
	expand.ClampedSample:   clampedSample,
	expand.View:            bufferView,
	expand.TileMemory:      tileMemory,
	expand.SubgroupMatrix:  subgroupMatrix,
}

// unsupported says why the builtins of an expansion cannot be compiled.
var unsupported = [expand.Count]string{
	expand.AtomicPair: "gpuc has no 64-bit atomics",
}

// unsupported reports a construct that the checker accepts and lowering does not.
func (l *Lowerer) unsupported(span source.Span, message string) {
	l.list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: span, Message: message})
}

// builtin lowers the call of a builtin function.
func (l *Lowerer) builtin(row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	if row.Expansion == expand.None {
		return l.single(row, t, args)
	}
	if v, ok := l.expander.Expand(row.Expansion, row.Op, t, args); ok {
		return v
	}
	return expansions[row.Expansion](l, row, t, args)
}

// single lowers a builtin that is one operation. Lane arguments of subgroup functions may be i32 in
// WGSL only.
func (l *Lowerer) single(row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	if row.Op == op.Bitcast {
		return l.b.Bitcast(t, args[0])
	}
	if row.Flags&sem.NeedsSubgroups != 0 && len(args) == 2 {
		if lane, ok := l.m.ConstUint(args[1]); ok {
			args[1] = l.m.ConstU32(uint32(lane))
		} else {
			args[1] = l.expander.Convert(ir.U32, args[1])
		}
	}
	return l.b.Emit(row.Op, t, row.Aux, args...)
}

// compareExchange makes a structure of the old value and of whether it was exchanged. The IR's
// operation never fails spuriously.
func compareExchange(l *Lowerer, _ *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	old := l.b.Emit(op.AtomicCompareExchange, l.f.TypeOf(args[1]), 0, args...)
	return l.b.Construct(t, old, l.b.Op(op.Eq, old, args[1]))
}

// uniformLoad emits a load between two barriers: it sees all earlier writes, precedes all later
// ones, and is uniform.
func uniformLoad(l *Lowerer, _ *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	o := op.Load
	if l.m.KindOf(l.m.Element(l.f.TypeOf(args[0]))) == ir.AtomicType {
		o = op.AtomicLoad
	}
	l.b.Barrier(op.WorkgroupMemory)
	flags := l.b.Flags
	l.b.Flags = ir.UniformResult
	v := l.b.Emit(o, t, 0, args[0])
	l.b.Flags = flags
	l.b.Barrier(op.WorkgroupMemory)
	return v
}
