package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the products of fragments that devices have instructions for, and prints these (PTX
// ISA, "Warp-level Matrix Multiply-Accumulate Instructions").

// fragmentProducts are the products of compute capability 8.0 and above: those of an instruction,
// and those of two.
var fragmentProducts = []ir.FragmentProduct{
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16},
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F16, Rows: 16, Columns: 16, Depth: 16},
	{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16},
	{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: 16, Columns: 8, Depth: 16},
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F16, Rows: 16, Columns: 8, Depth: 16},
	{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: 16, Columns: 8, Depth: 16},
	{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
	{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 8, Depth: 32},
	{Left: scalar.U8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.U8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
	{Left: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
	{Left: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
}

// The layouts of operands (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"
// and "… for mma.m16n8k32"). Four invocations share a row of the left operand and of the result,
// and a column of the right one.
var (
	leftHalves  = ir.FragmentLayout{Rows: "cde1", Columns: "0ab2", Packed: 2}
	rightHalves = ir.FragmentLayout{Rows: "0ab1", Columns: "cde", Packed: 2}
	leftBytes   = ir.FragmentLayout{Rows: "cde2", Columns: "01ab3", Packed: 4}
	rightBytes  = ir.FragmentLayout{Rows: "01ab2", Columns: "cde", Packed: 4}
	wordSums    = ir.FragmentLayout{Rows: "cde1", Columns: "0ab", Packed: 1}
	halfSums    = ir.FragmentLayout{Rows: "cde1", Columns: "0ab", Packed: 2}
)

// fragmentTable has the instructions of compute capability 8.0 and above. The numbers of those of
// one intrinsic are indices of matrixTypes.
var fragmentTable = ir.FragmentTable{Subgroup: warp, LoadsMatrices: true, Instructions: []ir.FragmentInstruction{
	{FragmentProduct: ir.FragmentProduct{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: 16, Columns: 8, Depth: 16},
		Intrinsic: op.MatrixF32, Number: 0, LeftLayout: leftHalves, RightLayout: rightHalves, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: 16, Columns: 8, Depth: 16},
		Intrinsic: op.MatrixF32, Number: 1, LeftLayout: leftHalves, RightLayout: rightHalves, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F16, Rows: 16, Columns: 8, Depth: 16},
		Intrinsic: op.MatrixF16, Number: 2, LeftLayout: leftHalves, RightLayout: rightHalves, ResultLayout: halfSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
		Intrinsic: op.MatrixI32, Number: 3, LeftLayout: leftBytes, RightLayout: rightBytes, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 8, Depth: 32},
		Intrinsic: op.MatrixI32, Number: 4, LeftLayout: leftBytes, RightLayout: rightBytes, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
		Intrinsic: op.MatrixI32, Number: 4, LeftLayout: leftBytes, RightLayout: rightBytes, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
		Intrinsic: op.MatrixI32, Number: 5, LeftLayout: leftBytes, RightLayout: rightBytes, ResultLayout: wordSums},
	{FragmentProduct: ir.FragmentProduct{Left: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 8, Depth: 32},
		Intrinsic: op.MatrixI32, Number: 6, LeftLayout: leftBytes, RightLayout: rightBytes, ResultLayout: wordSums},
}}

// matrixTypes are the shapes and types of mma.sync.
var matrixTypes = [...]string{
	"m16n8k16.row.col.f32.f16.f16.f32",
	"m16n8k16.row.col.f32.bf16.bf16.f32",
	"m16n8k16.row.col.f16.f16.f16.f16",
	"m16n8k32.row.col.s32.s8.s8.s32",
	"m16n8k32.row.col.s32.u8.u8.s32",
	"m16n8k32.row.col.s32.s8.u8.s32",
	"m16n8k32.row.col.s32.u8.s8.s32",
}

// The registers of the operands of mma.sync; what is left are sums.
const (
	leftRegisters  = 4
	rightRegisters = 2
)

// multiplyMatrices prints a product of fragments.
func (e *emitter) multiplyMatrices(i mir.Inst) {
	args := e.f.Args(i)
	number := e.f.Bits(args[0])
	args = args[1:]
	for n, x := range args {
		args[n] = e.register(x)
	}
	e.text("\tmma.sync.aligned.", matrixTypes[number], " ")
	e.tuple(e.f.Results(i))
	for _, operand := range [...][]mir.Operand{args[:leftRegisters], args[leftRegisters:][:rightRegisters], args[leftRegisters+rightRegisters:]} {
		e.text(", ")
		e.tuple(operand)
	}
	e.text(";\n")
}

// loadMatrices prints a load of four matrices.
func (e *emitter) loadMatrices(i mir.Inst) {
	args := e.f.Args(i)
	address := e.register(args[1])
	e.text("\tldmatrix.sync.aligned.m8n8.x4")
	if e.f.Bits(args[0]) != 0 {
		e.text(".trans")
	}
	e.text(".shared.b16 ")
	e.tuple(e.f.Results(i))
	e.text(", [")
	e.name(address)
	e.text("];\n")
}
