package amdgpu

import (
	"fmt"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
)

// This file translates blocks, terminators, and functions that are called. Block parameters become
// phis. Where an edge passes a value of another type than the parameter has, a cast precedes the
// branch. A phi can come before that cast, so the name of its result is computed from the block,
// the edge and the parameter (edgeValue).

// predecessor is an edge that leads to a block.
type predecessor struct {
	from mir.Block
	edge int    // index among those of its terminator
	next uint32 // index in preds of the block's next predecessor, or 0
}

// findPredecessors lists for each block which edges lead to it, in the order of the blocks.
func (e *emitter) findPredecessors() {
	f := e.f
	e.firstPred = grown(e.firstPred, f.Blocks())
	e.preds = append(e.preds[:0], predecessor{})
	for n := len(f.Order) - 1; n >= 0; n-- {
		b := f.Order[n]
		edges := f.Edges(f.Last(b))
		if sameTarget(edges) {
			edges = edges[:1]
		}
		for k := len(edges) - 1; k >= 0; k-- {
			to := edges[k].To
			e.preds = append(e.preds, predecessor{b, k, e.firstPred[to]})
			e.firstPred[to] = uint32(len(e.preds) - 1)
		}
	}
}

// sameTarget reports whether both edges of a branch lead to one block. The phis of LLVM have one
// value for each predecessor, so the branch becomes a jump that passes the results of selects.
func sameTarget(edges []mir.Edge) bool { return len(edges) == 2 && edges[0].To == edges[1].To }

// edgeValue returns what an edge passes for the n-th parameter if that is not a register or
// constant as it is.
func edgeValue(t types.Type, from mir.Block, edge, n int) *operand {
	return newOperand(t, fmt.Sprintf("%%e%d_%d_%d", from, edge, n))
}

// setEdge appends an instruction that defines an edgeValue.
func (e *emitter) setEdge(v *operand, i instruction) {
	i.SetName(v.Ident()[1:])
	e.add(i)
}

// fillBlocks translates the blocks of a function.
func (e *emitter) fillBlocks() {
	f := e.f
	e.findPredecessors()
	for _, b := range f.Order {
		e.block = e.blocks[b]
		e.phis(b)
		for i := f.First(b); i != f.Last(b); i = f.Next(i) {
			e.location(i)
			e.instruction(i)
		}
		e.location(f.Last(b))
		e.block.Term = e.terminator(b, f.Last(b))
	}
}

// phis translates a block's parameters.
func (e *emitter) phis(b mir.Block) {
	f := e.f
	for n, p := range f.BlockParams(b) {
		t := e.typeOf(p)
		phi := &llvm.InstPhi{Typ: t}
		for at := e.firstPred[b]; at != 0; at = e.preds[at].next {
			x := e.preds[at]
			edges := f.Edges(f.Last(x.from))
			o := f.EdgeArgs(edges[x.edge])[n]
			var v value.Value
			if e.needsInstruction(edges, o, t) {
				v = edgeValue(t, x.from, x.edge, n)
			} else {
				v = e.cast(o, t)
			}
			phi.Incs = append(phi.Incs, llvm.NewIncoming(v, e.blocks[x.from]))
		}
		e.set(p, phi)
	}
}

// needsInstruction reports whether what an edge passes is an edgeValue.
func (e *emitter) needsInstruction(edges []mir.Edge, o mir.Operand, t types.Type) bool {
	return sameTarget(edges) || !o.IsConst() && e.typeOf(o) != t
}

// castArgs appends the casts of what an edge passes.
func (e *emitter) castArgs(from mir.Block, edges []mir.Edge, edge int) {
	args := e.f.EdgeArgs(edges[edge])
	for n, p := range e.f.BlockParams(edges[edge].To) {
		if t := e.typeOf(p); e.needsInstruction(edges, args[n], t) {
			e.setEdge(edgeValue(t, from, edge, n), castTo(e.register(args[n]), t))
		}
	}
}

// terminator returns the end of a block.
func (e *emitter) terminator(b mir.Block, i mir.Inst) llvm.Terminator {
	f := e.f
	edges := f.Edges(i)
	switch f.Op(i) {
	case mir.Jump:
		e.castArgs(b, edges, 0)
		return llvm.NewBr(e.blocks[edges[0].To])
	case mir.Branch:
		if sameTarget(edges) {
			e.selectArgs(b, i)
			return llvm.NewBr(e.blocks[edges[0].To])
		}
		e.castArgs(b, edges, 0)
		e.castArgs(b, edges, 1)
		return llvm.NewCondBr(e.cast(f.Arg(i, 0), types.I1), e.blocks[edges[0].To], e.blocks[edges[1].To])
	case mir.Return:
		return llvm.NewRet(e.returned(i))
	}
	return llvm.NewUnreachable()
}

// selectArgs appends selects of what a branch with two edges to one block passes.
func (e *emitter) selectArgs(b mir.Block, i mir.Inst) {
	f := e.f
	edges := f.Edges(i)
	xs, ys := f.EdgeArgs(edges[0]), f.EdgeArgs(edges[1])
	for n, p := range f.BlockParams(edges[0].To) {
		t := e.typeOf(p)
		x, y := e.cast(xs[n], t), e.cast(ys[n], t)
		e.setEdge(edgeValue(t, b, 0, n), llvm.NewSelect(e.cast(f.Arg(i, 0), types.I1), x, y))
	}
}

// functionHead returns function n of the module without its blocks. Several results are returned as
// a structure, of integers and f16.
func (e *emitter) functionHead(n int) *llvm.Func {
	var params []*llvm.Param
	for _, p := range e.f.Params {
		params = append(params, llvm.NewParam(e.register(p).Ident()[1:], e.typeOf(p)))
	}
	var results []types.Type
	for _, b := range e.f.Order {
		if last := e.f.Last(b); e.f.Op(last) == mir.Return {
			for _, o := range e.f.Args(last) {
				results = append(results, e.classType(o))
			}
			break
		}
	}
	var result types.Type = types.Void
	switch {
	case len(results) == 1:
		result = results[0]
	case len(results) > 1:
		result = types.NewStruct(results...)
	}
	f := llvm.NewFunc(e.functionName(n), result, params...)
	f.Linkage = enum.LinkageInternal
	return f
}

// returned returns the value of a return, or nil.
func (e *emitter) returned(i mir.Inst) value.Value {
	args := e.f.Args(i)
	switch len(args) {
	case 0:
		return nil
	case 1:
		return e.cast(args[0], e.classType(args[0]))
	}
	var fields []types.Type
	for _, o := range args {
		fields = append(fields, e.classType(o))
	}
	var all value.Value = constant.NewPoison(types.NewStruct(fields...))
	for n, o := range args {
		all = e.temp(llvm.NewInsertValue(all, e.cast(o, fields[n]), uint64(n)))
	}
	return all
}

// callFunction translates a call of a function of the module.
func (e *emitter) callFunction(i mir.Inst) {
	callee := e.functions[e.f.Aux(i)]
	args := make([]value.Value, len(callee.Params))
	for n, o := range e.f.Args(i) {
		args[n] = e.cast(o, callee.Params[n].Typ)
	}
	results, call := e.f.Results(i), llvm.NewCall(callee, args...)
	switch {
	case call.Typ == types.Void:
		e.add(call)
	case len(results) == 1 && isScalar(call.Typ):
		e.set(results[0], call)
	default:
		all := e.temp(call)
		for n, r := range results {
			e.set(r, llvm.NewExtractValue(all, uint64(n)))
		}
	}
}

func isScalar(t types.Type) bool {
	_, structure := t.(*types.StructType)
	return !structure
}
