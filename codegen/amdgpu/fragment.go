package amdgpu

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the products of fragments that processors have instructions for. These ignore which
// lanes are active, so they are for waves whose lanes all exist.
//
// CDNA multiplies signed bytes only. Unsigned ones take three or five instructions for one. Floats
// of 8 bits on gfx942 have another bias and no infinities ("FNUZ"), so that those of tiles become
// bf16 (lower.unitProducts).
//
// Rounding: v_mfma_f32_16x16x4_f32 is a chain of fused operations in the order of k, as the
// portable form. How the other instructions add and round floats is not documented. MI200 takes
// subnormal f16 and bf16 for zero (ROCm, MIOpen, "MI200 MFMA behavior specifics").

// Products of squares, and with other depths.
var (
	halfProduct     = ir.FragmentProduct{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16}
	brainProduct    = ir.FragmentProduct{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16}
	signedProduct   = ir.FragmentProduct{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 16}
	unsignedProduct = ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 16, Depth: 16}
	deepProduct     = ir.FragmentProduct{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32}
	deepUnsigned    = ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 16, Depth: 32}
	unsignedSums    = ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 16}
	unsignedLeft    = ir.FragmentProduct{Left: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 16}
	unsignedRight   = ir.FragmentProduct{Left: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 16}
	deepSums        = ir.FragmentProduct{Left: scalar.U8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32}
	deepLeft        = ir.FragmentProduct{Left: scalar.U8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32}
	deepRight       = ir.FragmentProduct{Left: scalar.I8, Right: scalar.U8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32}
	shallowProduct  = ir.FragmentProduct{Left: scalar.F32, Right: scalar.F32, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 4}
	singleProduct8  = ir.FragmentProduct{Left: scalar.F32, Right: scalar.F32, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 8}
	singleProduct16 = ir.FragmentProduct{Left: scalar.F32, Right: scalar.F32, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16}
)

// The products of processors: of one instruction, or of several one after the other.
var (
	cdna2Products = []ir.FragmentProduct{halfProduct, brainProduct, signedProduct, deepProduct, shallowProduct, singleProduct8, singleProduct16,
		unsignedProduct, unsignedSums, unsignedLeft, unsignedRight, deepUnsigned, deepSums, deepLeft, deepRight}
	cdna3Products = []ir.FragmentProduct{halfProduct, brainProduct, deepProduct, shallowProduct, singleProduct8, singleProduct16,
		deepUnsigned, deepSums, deepLeft, deepRight}
	rdnaProducts = []ir.FragmentProduct{halfProduct, brainProduct, signedProduct, unsignedProduct, deepProduct, deepUnsigned,
		unsignedSums, unsignedLeft, unsignedRight, deepSums, deepLeft, deepRight}
)

// The layouts of CDNA, whose waves have 64 lanes: a fourth of them has a fourth of the depth ("AMD
// Instinct MI300" ISA, "Dense Matrix Multiplication: Data Layouts").
var (
	quarterSums      = ir.FragmentLayout{Rows: "01ef", Columns: "abcd", Packed: 1}
	cdnaHalvesLeft   = ir.FragmentLayout{Rows: "abcd", Columns: "01ef", Packed: 2}
	cdnaHalvesRight  = ir.FragmentLayout{Rows: "01ef", Columns: "abcd", Packed: 2}
	cdnaBytesLeft    = ir.FragmentLayout{Rows: "abcd", Columns: "01ef", Packed: 4}
	cdnaBytesRight   = ir.FragmentLayout{Rows: "01ef", Columns: "abcd", Packed: 4}
	cdnaDeepLeft     = ir.FragmentLayout{Rows: "abcd", Columns: "012ef", Packed: 4}
	cdnaDeepRight    = ir.FragmentLayout{Rows: "012ef", Columns: "abcd", Packed: 4}
	cdnaSinglesLeft  = ir.FragmentLayout{Rows: "abcd", Columns: "ef", Packed: 1}
	cdnaSinglesRight = ir.FragmentLayout{Rows: "ef", Columns: "abcd", Packed: 1}
)

// The layouts of RDNA, whose waves have 32 lanes. On RDNA 3 both halves of a wave have the same
// factors, and every second row of sums. On RDNA 4 each has a half of the depth and of the rows
// (RDNA3 and RDNA4 ISA, "Wave Matrix Multiply Accumulate").
var (
	alternateSums    = ir.FragmentLayout{Rows: "e012", Columns: "abcd", Packed: 1}
	rdna3HalvesLeft  = ir.FragmentLayout{Rows: "abcd", Columns: "0123", Packed: 2}
	rdna3HalvesRight = ir.FragmentLayout{Rows: "0123", Columns: "abcd", Packed: 2}
	rdna3BytesLeft   = ir.FragmentLayout{Rows: "abcd", Columns: "0123", Packed: 4}
	rdna3BytesRight  = ir.FragmentLayout{Rows: "0123", Columns: "abcd", Packed: 4}
	splitSums        = ir.FragmentLayout{Rows: "012e", Columns: "abcd", Packed: 1}
	rdna4HalvesLeft  = ir.FragmentLayout{Rows: "abcd", Columns: "012e", Packed: 2}
	rdna4HalvesRight = ir.FragmentLayout{Rows: "012e", Columns: "abcd", Packed: 2}
	rdna4BytesLeft   = ir.FragmentLayout{Rows: "abcd", Columns: "012e", Packed: 4}
	rdna4BytesRight  = ir.FragmentLayout{Rows: "012e", Columns: "abcd", Packed: 4}
)

// The tables of the processors.
var (
	cdna2Fragments = ir.FragmentTable{Subgroup: 64, Instructions: []ir.FragmentInstruction{
		{FragmentProduct: halfProduct, Intrinsic: op.MfmaF16, LeftLayout: cdnaHalvesLeft, RightLayout: cdnaHalvesRight, ResultLayout: quarterSums},
		{FragmentProduct: brainProduct, Intrinsic: op.MfmaBF16, LeftLayout: cdnaHalvesLeft, RightLayout: cdnaHalvesRight, ResultLayout: quarterSums},
		{FragmentProduct: signedProduct, Intrinsic: op.MfmaI8Short, LeftLayout: cdnaBytesLeft, RightLayout: cdnaBytesRight, ResultLayout: quarterSums},
		{FragmentProduct: unsignedProduct, Intrinsic: op.MfmaI8Short, OffsetLeft: true, OffsetRight: true, LeftLayout: cdnaBytesLeft, RightLayout: cdnaBytesRight, ResultLayout: quarterSums},
		{FragmentProduct: unsignedSums, Intrinsic: op.MfmaI8Short, OffsetLeft: true, OffsetRight: true, LeftLayout: cdnaBytesLeft, RightLayout: cdnaBytesRight, ResultLayout: quarterSums},
		{FragmentProduct: unsignedLeft, Intrinsic: op.MfmaI8Short, OffsetLeft: true, LeftLayout: cdnaBytesLeft, RightLayout: cdnaBytesRight, ResultLayout: quarterSums},
		{FragmentProduct: unsignedRight, Intrinsic: op.MfmaI8Short, OffsetRight: true, LeftLayout: cdnaBytesLeft, RightLayout: cdnaBytesRight, ResultLayout: quarterSums},
		{FragmentProduct: shallowProduct, Intrinsic: op.MfmaF32, LeftLayout: cdnaSinglesLeft, RightLayout: cdnaSinglesRight, ResultLayout: quarterSums},
	}}
	cdna3Fragments = ir.FragmentTable{Subgroup: 64, Instructions: []ir.FragmentInstruction{
		{FragmentProduct: halfProduct, Intrinsic: op.MfmaF16, LeftLayout: cdnaHalvesLeft, RightLayout: cdnaHalvesRight, ResultLayout: quarterSums},
		{FragmentProduct: brainProduct, Intrinsic: op.MfmaBF16, LeftLayout: cdnaHalvesLeft, RightLayout: cdnaHalvesRight, ResultLayout: quarterSums},
		{FragmentProduct: deepProduct, Intrinsic: op.MfmaI8, LeftLayout: cdnaDeepLeft, RightLayout: cdnaDeepRight, ResultLayout: quarterSums},
		{FragmentProduct: deepUnsigned, Intrinsic: op.MfmaI8, OffsetLeft: true, OffsetRight: true, LeftLayout: cdnaDeepLeft, RightLayout: cdnaDeepRight, ResultLayout: quarterSums},
		{FragmentProduct: deepSums, Intrinsic: op.MfmaI8, OffsetLeft: true, OffsetRight: true, LeftLayout: cdnaDeepLeft, RightLayout: cdnaDeepRight, ResultLayout: quarterSums},
		{FragmentProduct: deepLeft, Intrinsic: op.MfmaI8, OffsetLeft: true, LeftLayout: cdnaDeepLeft, RightLayout: cdnaDeepRight, ResultLayout: quarterSums},
		{FragmentProduct: deepRight, Intrinsic: op.MfmaI8, OffsetRight: true, LeftLayout: cdnaDeepLeft, RightLayout: cdnaDeepRight, ResultLayout: quarterSums},
		{FragmentProduct: shallowProduct, Intrinsic: op.MfmaF32, LeftLayout: cdnaSinglesLeft, RightLayout: cdnaSinglesRight, ResultLayout: quarterSums},
	}}
	rdna3Fragments = ir.FragmentTable{Subgroup: 32, Instructions: []ir.FragmentInstruction{
		{FragmentProduct: halfProduct, Intrinsic: op.WmmaF16, LeftLayout: rdna3HalvesLeft, RightLayout: rdna3HalvesRight, ResultLayout: alternateSums},
		{FragmentProduct: brainProduct, Intrinsic: op.WmmaBF16, LeftLayout: rdna3HalvesLeft, RightLayout: rdna3HalvesRight, ResultLayout: alternateSums},
		{FragmentProduct: signedProduct, Intrinsic: op.WmmaI8, Number: bothSigned, LeftLayout: rdna3BytesLeft, RightLayout: rdna3BytesRight, ResultLayout: alternateSums},
		{FragmentProduct: unsignedProduct, Intrinsic: op.WmmaI8, LeftLayout: rdna3BytesLeft, RightLayout: rdna3BytesRight, ResultLayout: alternateSums},
		{FragmentProduct: unsignedSums, Intrinsic: op.WmmaI8, LeftLayout: rdna3BytesLeft, RightLayout: rdna3BytesRight, ResultLayout: alternateSums},
		{FragmentProduct: unsignedLeft, Intrinsic: op.WmmaI8, Number: rightSigned, LeftLayout: rdna3BytesLeft, RightLayout: rdna3BytesRight, ResultLayout: alternateSums},
		{FragmentProduct: unsignedRight, Intrinsic: op.WmmaI8, Number: leftSigned, LeftLayout: rdna3BytesLeft, RightLayout: rdna3BytesRight, ResultLayout: alternateSums},
	}}
	rdna4Fragments = ir.FragmentTable{Subgroup: 32, Instructions: []ir.FragmentInstruction{
		{FragmentProduct: halfProduct, Intrinsic: op.WmmaSplitF16, LeftLayout: rdna4HalvesLeft, RightLayout: rdna4HalvesRight, ResultLayout: splitSums},
		{FragmentProduct: brainProduct, Intrinsic: op.WmmaSplitBF16, LeftLayout: rdna4HalvesLeft, RightLayout: rdna4HalvesRight, ResultLayout: splitSums},
		{FragmentProduct: signedProduct, Intrinsic: op.WmmaSplitI8, Number: bothSigned, LeftLayout: rdna4BytesLeft, RightLayout: rdna4BytesRight, ResultLayout: splitSums},
		{FragmentProduct: unsignedProduct, Intrinsic: op.WmmaSplitI8, LeftLayout: rdna4BytesLeft, RightLayout: rdna4BytesRight, ResultLayout: splitSums},
		{FragmentProduct: unsignedSums, Intrinsic: op.WmmaSplitI8, LeftLayout: rdna4BytesLeft, RightLayout: rdna4BytesRight, ResultLayout: splitSums},
		{FragmentProduct: unsignedLeft, Intrinsic: op.WmmaSplitI8, Number: rightSigned, LeftLayout: rdna4BytesLeft, RightLayout: rdna4BytesRight, ResultLayout: splitSums},
		{FragmentProduct: unsignedRight, Intrinsic: op.WmmaSplitI8, Number: leftSigned, LeftLayout: rdna4BytesLeft, RightLayout: rdna4BytesRight, ResultLayout: splitSums},
	}}
)

// The numbers of products of bytes by WMMA: which sides are signed.
const (
	leftSigned  = 1
	rightSigned = 2
	bothSigned  = leftSigned | rightSigned
)
