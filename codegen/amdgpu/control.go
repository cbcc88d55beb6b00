package amdgpu

import (
	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
)

// This file translates blocks, terminators, and functions that are called. Block parameters become
// phis. The terminators of the predecessors add the incoming values, so the phis of all blocks are
// made first.

// fillBlocks translates the blocks of a function.
func (e *emitter) fillBlocks() {
	f := e.f
	for _, b := range f.Order {
		e.block = e.blocks[b]
		for _, p := range f.BlockParams(b) {
			e.set(p, &llvm.InstPhi{Typ: e.typeOf(p)})
		}
	}
	for _, b := range f.Order {
		e.block = e.blocks[b]
		for i := f.First(b); i != f.Last(b); i = f.Next(i) {
			e.location(i)
			e.instruction(i)
		}
		e.location(f.Last(b))
		e.block.Term = e.terminator(f.Last(b))
	}
}

// phi returns the phi of the n-th parameter of a block.
func (e *emitter) phi(b mir.Block, n int) *llvm.InstPhi { return e.blocks[b].Insts[n].(*llvm.InstPhi) }

// pass adds the value that the current block passes to a phi.
func (e *emitter) pass(phi *llvm.InstPhi, v value.Value) {
	phi.Incs = append(phi.Incs, llvm.NewIncoming(v, e.block))
}

// passArgs passes what an edge has. Values of other types than the parameters are cast.
func (e *emitter) passArgs(edge mir.Edge) {
	for n, o := range e.f.EdgeArgs(edge) {
		phi := e.phi(edge.To, n)
		e.pass(phi, e.cast(o, phi.Typ))
	}
}

// terminator returns the end of a block.
func (e *emitter) terminator(i mir.Inst) llvm.Terminator {
	f := e.f
	edges := f.Edges(i)
	switch f.Op(i) {
	case mir.Jump:
		e.passArgs(edges[0])
		return llvm.NewBr(e.blocks[edges[0].To])
	case mir.Branch:
		if edges[0].To == edges[1].To {
			e.selectArgs(i)
			return llvm.NewBr(e.blocks[edges[0].To])
		}
		e.passArgs(edges[0])
		e.passArgs(edges[1])
		return llvm.NewCondBr(e.cast(f.Arg(i, 0), types.I1), e.blocks[edges[0].To], e.blocks[edges[1].To])
	case mir.Return:
		return llvm.NewRet(e.returned(i))
	}
	return llvm.NewUnreachable()
}

// selectArgs passes what a branch with two edges to one block has. The phis of LLVM have one value
// for each predecessor, so the branch becomes selects and a jump.
func (e *emitter) selectArgs(i mir.Inst) {
	f := e.f
	edges := f.Edges(i)
	xs, ys := f.EdgeArgs(edges[0]), f.EdgeArgs(edges[1])
	for n := range xs {
		phi := e.phi(edges[0].To, n)
		x, y := e.cast(xs[n], phi.Typ), e.cast(ys[n], phi.Typ)
		e.pass(phi, e.temp(llvm.NewSelect(e.cast(f.Arg(i, 0), types.I1), x, y)))
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
