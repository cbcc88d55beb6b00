package amdgpu

import (
	"github.com/llir/llvm/ir/types"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file chooses the LLVM type of each register. The machine level knows only the width of a
// register, but LLVM distinguishes integers, floats and pointers. A register has the type that its
// definition produces. A block parameter has the type of the first argument that is passed for it.
// Addresses are pointers, so that LLVM knows which accesses belong to one binding.

// classTypes are the types of registers that nothing else is known of. A register of 16 bits always
// holds an f16.
var classTypes = [mir.ClassCount]types.Type{mir.Predicate: types.I1, mir.Half: types.Half, mir.Word: types.I32, mir.Long: types.I64}

// kindTypes are the types of registers by scalar kind. Narrow integers are words in registers.
var kindTypes = [scalar.Count]types.Type{
	scalar.Bool: types.I1, scalar.F16: types.Half, scalar.I32: types.I32, scalar.U32: types.I32, scalar.F32: types.Float,
	scalar.I8: types.I32, scalar.U8: types.I32, scalar.I16: types.I32, scalar.U16: types.I32,
	scalar.I64: types.I64, scalar.U64: types.I64, scalar.F64: types.Double,
}

// spaceTypes are the types of addresses.
var spaceTypes = [...]types.Type{
	ir.Function: privatePointer, ir.Private: privatePointer, ir.Workgroup: sharedPointer, ir.Constant: constantPointer,
	ir.Uniform: globalPointer, ir.Storage: globalPointer, ir.Immediate: constantPointer, ir.Handle: types.I32,
}

// typeOf returns the type of a register, or that of a constant's kind.
func (e *emitter) typeOf(o mir.Operand) types.Type {
	if o.IsConst() {
		return kindTypes[e.f.KindOf(o)]
	}
	return e.types[e.f.Index(o)]
}

// classType returns the integer type that is as wide as an operand; for f16 it is half.
func (e *emitter) classType(o mir.Operand) types.Type { return classTypes[mir.ClassOf(e.f.KindOf(o))] }

func (e *emitter) setType(o mir.Operand, t types.Type) { e.types[e.f.Index(o)] = t }

// chooseTypes gives each register its type.
func (e *emitter) chooseTypes() {
	f := e.f
	e.types = grown(e.types, f.Indices())
	e.registers = grown(e.registers, f.Indices())
	all := e.types
	for c := mir.Predicate; c < mir.ClassCount; c++ {
		for n := range f.Registers(c) {
			all[n] = classTypes[c]
		}
		all = all[f.Registers(c):]
	}
	for n, r := range f.Params {
		if s := f.ParamSpaces[n]; s != ir.Handle {
			e.setType(r, spaceTypes[s])
		}
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			e.chooseType(i)
		}
	}
}

// chooseType gives the results of an instruction, or the parameters of the blocks that it branches
// to, their types.
func (e *emitter) chooseType(i mir.Inst) {
	f := e.f
	switch o := f.Op(i); o {
	case mir.BindingAddress:
		e.setType(f.Result(i), globalPointer)
	case mir.SymbolAddress:
		e.setType(f.Result(i), spaceTypes[f.Symbols[f.Aux(i)].Space])
	case mir.Jump, mir.Branch:
		for _, edge := range f.Edges(i) {
			args := f.EdgeArgs(edge)
			for n, p := range f.BlockParams(edge.To) {
				if e.typeOf(p) == classTypes[p.Class()] {
					e.setType(p, e.typeOf(args[n]))
				}
			}
		}
	case mir.Op(op.Load):
		for _, r := range f.Results(i) {
			e.setType(r, kindTypes[f.Memory(i).Kind])
		}
	case mir.Op(op.Convert):
		e.setType(f.Result(i), kindTypes[f.To(i)])
	case matrix:
		for _, r := range f.Results(i) {
			e.setType(r, matrixOf(op.IntrinsicID(f.Aux(i))).sum)
		}
	case mir.Op(op.Select):
		x, y := e.typeOf(f.Arg(i, 1)), e.typeOf(f.Arg(i, 2))
		if e.setType(f.Result(i), x); x == classTypes[f.Result(i).Class()] {
			e.setType(f.Result(i), y)
		}
	case mir.Op(op.Add):
		if x := e.typeOf(f.Arg(i, 0)); isPointer(x) {
			e.setType(f.Result(i), x)
			return
		}
		e.chooseRegular(i)
	default:
		if o < mir.Join {
			e.chooseRegular(i)
		}
	}
}

// resultTypes are the types of results that are of another kind than the operands.
var resultTypes = [op.Count]types.Type{op.Pack2x16Float: types.I32, op.Unpack2x16Float: types.Float}

// chooseRegular is chooseType for operations whose results are bools or of the kind of the
// operands.
func (e *emitter) chooseRegular(i mir.Inst) {
	o := op.Op(e.f.Op(i))
	if o == op.Call || o == op.AtomicReadModifyWrite || o == op.AtomicCompareExchange || o == op.AtomicLoad {
		return
	}
	k := e.f.Kind(i)
	for _, r := range e.f.Results(i) {
		if t := resultTypes[o]; t != nil {
			e.setType(r, t)
		} else if k.IsFloat() && r.Class() == mir.ClassOf(k) {
			e.setType(r, kindTypes[k])
		}
	}
}
