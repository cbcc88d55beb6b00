package amdgpu

import (
	"strings"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file translates products of matrices to calls of LLVM's intrinsics, whose operands are
// vectors of what a lane has (User Guide for AMDGPU Backend, "LLVM IR Intrinsics").

// matrixRow is a product of matrices.
type matrixRow struct {
	intrinsic string
	// processors are the beginnings of the names of those that have it.
	processors string
	// operand is an element of a and of b as LLVM has it, or the whole operand if each is 1. sum is
	// an element of c.
	operand, sum types.Type
	// words and each are how many words of a a lane has, and how many elements LLVM has for them.
	words, each int
	form        matrixForm
}

// matrixForm is which constants an intrinsic has besides the operands.
type matrixForm uint8

const (
	// three that select, broadcast and rotate blocks, of which there is one
	withBlocks matrixForm = iota
	withoutConstants
	// whether a and b are signed, and whether sums saturate
	withSigns
)

const firstMatrix = op.MfmaF16

var matrixRows = [op.IntrinsicCount - firstMatrix]matrixRow{
	op.MfmaF16 - firstMatrix:       {"llvm.amdgcn.mfma.f32.16x16x16f16", "gfx90a gfx942", types.Half, types.Float, 2, 4, withBlocks},
	op.MfmaBF16 - firstMatrix:      {"llvm.amdgcn.mfma.f32.16x16x16bf16.1k", "gfx90a gfx942", types.I16, types.Float, 2, 4, withBlocks},
	op.MfmaI8 - firstMatrix:        {"llvm.amdgcn.mfma.i32.16x16x32.i8", "gfx942", types.I64, types.I32, 2, 1, withBlocks},
	op.MfmaI8Short - firstMatrix:   {"llvm.amdgcn.mfma.i32.16x16x16i8", "gfx90a", types.I32, types.I32, 1, 1, withBlocks},
	op.MfmaF32 - firstMatrix:       {"llvm.amdgcn.mfma.f32.16x16x4f32", "gfx90a gfx942", types.Float, types.Float, 1, 1, withBlocks},
	op.MfmaF64 - firstMatrix:       {"llvm.amdgcn.mfma.f64.16x16x4f64", "gfx90a gfx942", types.Double, types.Double, 1, 1, withBlocks},
	op.WmmaF16 - firstMatrix:       {"llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16", "gfx11", types.Half, types.Float, 8, 16, withoutConstants},
	op.WmmaBF16 - firstMatrix:      {"llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16", "gfx11", types.I16, types.Float, 8, 16, withoutConstants},
	op.WmmaI8 - firstMatrix:        {"llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32", "gfx11", types.I32, types.I32, 4, 4, withSigns},
	op.WmmaSplitF16 - firstMatrix:  {"llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16", "gfx12", types.Half, types.Float, 4, 8, withoutConstants},
	op.WmmaSplitBF16 - firstMatrix: {"llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v8i16", "gfx12", types.I16, types.Float, 4, 8, withoutConstants},
	op.WmmaSplitI8 - firstMatrix:   {"llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v2i32", "gfx12", types.I32, types.I32, 2, 2, withSigns},
}

// matrixOf returns the row of an intrinsic of this target.
func matrixOf(id op.IntrinsicID) *matrixRow { return &matrixRows[id-firstMatrix] }

// refuseIntrinsic is why a profile does not have an intrinsic.
func refuseIntrinsic(id op.IntrinsicID, p *codegen.Profile) string {
	if id.Owner() != op.OfAMD {
		return codegen.NoIntrinsics
	}
	for name := range strings.FieldsSeq(matrixOf(id).processors) {
		if strings.HasPrefix(p.Name, name) {
			return ""
		}
	}
	return "the processor does not have it; those with it are " + strings.ReplaceAll(matrixOf(id).processors, " ", " and ")
}

// lowerMatrix lowers a product of matrices to the operation of the machine.
func lowerMatrix(b *mir.Builder, i ir.Inst) {
	var args []mir.Operand
	for _, x := range b.F.Args(i) {
		args = append(args, b.Slot(x))
	}
	results := b.Define(b.F.Result(i))
	b.SetAux(b.Emit(matrix, scalar.U32, results, args...), b.F.Aux(i))
}

// multiplyMatrices translates a product of matrices.
func (e *emitter) multiplyMatrices(i mir.Inst) {
	f := e.f
	x, args := matrixOf(op.IntrinsicID(f.Aux(i))), f.Args(i)
	signs := uint64(0)
	if x.form == withSigns {
		signs, args = f.Bits(args[0]), args[1:]
	}
	a, b := e.matrixOperand(x, args[:x.words]), e.matrixOperand(x, args[x.words:2*x.words])
	c := e.vector(x.sum, args[2*x.words:])
	var operands []value.Value
	switch none := integer(types.I32, 0); x.form {
	case withBlocks:
		operands = []value.Value{a, b, c, none, none, none}
	case withSigns:
		operands = []value.Value{flag(signs&1 != 0), a, flag(signs&2 != 0), b, c, flag(false)}
	default:
		operands = []value.Value{a, b, c}
	}
	sums := e.temp(e.call(x.intrinsic, c.Type(), operands...))
	for n, r := range f.Results(i) {
		e.set(r, llvm.NewExtractElement(sums, integer(types.I32, int64(n))))
	}
}

// matrixOperand returns the words of an operand as LLVM has it.
func (e *emitter) matrixOperand(x *matrixRow, words []mir.Operand) value.Value {
	if x.words == 1 {
		return e.cast(words[0], x.operand)
	}
	v := e.vector(types.I32, words)
	switch {
	case x.each == 1:
		return e.temp(llvm.NewBitCast(v, x.operand))
	case x.operand == types.I32:
		return v
	}
	return e.temp(llvm.NewBitCast(v, types.NewVector(uint64(x.each), x.operand)))
}

// vector returns a vector of operands.
func (e *emitter) vector(t types.Type, elements []mir.Operand) value.Value {
	var v value.Value = constant.NewPoison(types.NewVector(uint64(len(elements)), t))
	for n, o := range elements {
		v = e.temp(llvm.NewInsertElement(v, e.cast(o, t), integer(types.I32, int64(n))))
	}
	return v
}

// flag returns a constant of type i1.
func flag(set bool) value.Value {
	if set {
		return newOperand(types.I1, "true")
	}
	return newOperand(types.I1, "false")
}
