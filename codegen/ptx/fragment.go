package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the products of fragments that devices have instructions for, and prints these (PTX
// ISA, "Warp-level Matrix Multiply-Accumulate Instructions").

// allProducts are the products of compute capability 8.0 and above: those of an instruction, and
// those of two. The first two are for devices below 9.0, and the last one for others.
var allProducts = [...]ir.FragmentProduct{
	twoDoubles, doubleProduct,
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
	wideDouble,
}

// The products of float64.
var (
	twoDoubles    = ir.FragmentProduct{Left: scalar.F64, Right: scalar.F64, Sum: scalar.F64, Rows: 16, Columns: 8, Depth: 4}
	doubleProduct = ir.FragmentProduct{Left: scalar.F64, Right: scalar.F64, Sum: scalar.F64, Rows: 8, Columns: 8, Depth: 4}
	wideDouble    = ir.FragmentProduct{Left: scalar.F64, Right: scalar.F64, Sum: scalar.F64, Rows: 16, Columns: 8, Depth: 8}
)

// The products below compute capability 9.0, and from there on.
var (
	fragmentProducts = allProducts[:len(allProducts)-1]
	wideProducts     = allProducts[2:]
)

// The layouts of operands (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"
// and "… for mma.m16n8k32", "… for mma.m8n8k4 with .f64 floating point type" and "… for
// mma.m16n8k8"). Four invocations share a row of the left operand and of the result,
// and a column of the right one.
var (
	leftHalves  = ir.FragmentLayout{Rows: "cde1", Columns: "0ab2", Packed: 2}
	rightHalves = ir.FragmentLayout{Rows: "0ab1", Columns: "cde", Packed: 2}
	leftBytes   = ir.FragmentLayout{Rows: "cde2", Columns: "01ab3", Packed: 4}
	rightBytes  = ir.FragmentLayout{Rows: "01ab2", Columns: "cde", Packed: 4}
	wordSums    = ir.FragmentLayout{Rows: "cde1", Columns: "0ab", Packed: 1}
	halfSums    = ir.FragmentLayout{Rows: "cde1", Columns: "0ab", Packed: 2}
	leftDouble  = ir.FragmentLayout{Rows: "cde", Columns: "ab", Packed: 1}
	rightDouble = ir.FragmentLayout{Rows: "ab", Columns: "cde", Packed: 1}
	doubleSums  = ir.FragmentLayout{Rows: "cde", Columns: "0ab", Packed: 1}
	leftWide    = ir.FragmentLayout{Rows: "cde0", Columns: "ab1", Packed: 1}
	rightWide   = ir.FragmentLayout{Rows: "ab0", Columns: "cde", Packed: 1}
)

// allInstructions are those of compute capability 8.0 and above. The first one is for devices below
// 9.0, and the last one for others. The numbers of those of one intrinsic are indices of
// matrixTypes.
var allInstructions = [...]ir.FragmentInstruction{
	{FragmentProduct: doubleProduct, Intrinsic: op.MatrixF64, Number: 7, LeftLayout: leftDouble, RightLayout: rightDouble, ResultLayout: doubleSums},
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
	{FragmentProduct: wideDouble, Intrinsic: op.MatrixWideF64, Number: 8, LeftLayout: leftWide, RightLayout: rightWide, ResultLayout: wordSums},
}

// The instructions below compute capability 9.0, and from there on, which differ for float64.
var (
	fragmentTable = ir.FragmentTable{Subgroup: warp, LoadsMatrices: true, Instructions: allInstructions[:len(allInstructions)-1]}
	wideTable     = ir.FragmentTable{Subgroup: warp, LoadsMatrices: true, Instructions: allInstructions[1:]}
)

// matrixTypes are the shapes and types of mma.sync.
var matrixTypes = [...]string{
	"m16n8k16.row.col.f32.f16.f16.f32",
	"m16n8k16.row.col.f32.bf16.bf16.f32",
	"m16n8k16.row.col.f16.f16.f16.f16",
	"m16n8k32.row.col.s32.s8.s8.s32",
	"m16n8k32.row.col.s32.u8.u8.s32",
	"m16n8k32.row.col.s32.s8.u8.s32",
	"m16n8k32.row.col.s32.u8.s8.s32",
	"m8n8k4.row.col.f64.f64.f64.f64",
	"m16n8k8.row.col.f64.f64.f64.f64",
}

// factorRegisters returns how many registers the factors of mma.sync have; what is left are sums.
func factorRegisters(id op.IntrinsicID) (left, right int) {
	if id == op.MatrixF64 {
		return 1, 1
	}
	return 4, 2
}

// multiplyMatrices prints a product of fragments.
func (e *emitter) multiplyMatrices(i mir.Inst) {
	args := e.f.Args(i)
	number := e.f.Bits(args[0])
	args = args[1:]
	for n, x := range args {
		args[n] = e.register(x)
	}
	left, right := factorRegisters(op.IntrinsicID(e.f.Aux(i)))
	e.text("\tmma.sync.aligned.", matrixTypes[number], " ")
	e.tuple(e.f.Results(i))
	for _, operand := range [...][]mir.Operand{args[:left], args[left:][:right], args[left+right:]} {
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
