package spirv

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target spirv.
var Target = codegen.Target{
	Name:      abi.SPIRV,
	Doc:       "SPIR-V 1.3 binary for Vulkan 1.1 compute",
	Extension: ".spv",
	Legalize: []opt.Pass{
		legalize.Robust,
		legalize.StandardUniforms,
		legalize.ZeroWorkgroup,
		legalize.SpillIndexed,
		legalize.BulkCopies,
		legalize.WideHalf,
		polyfill,
		legalize.Totalise(legalize.GuardAll),
		legalize.Wide,
		legalize.StructExits,
	},
	Unsupported: &unsupported,
	Emit:        emit,
	Assemble:    assemble,
}

// unsupported are the operations that no legaliser replaces.
var unsupported = [op.Count]string{
	op.Address: "buffers have no addresses in Vulkan 1.1",
}

// polyfill replaces what has no instruction. Ldexp, Frexp and the packing of
// GLSL.std.450 are not used: drivers are free in the rounding, or in what
// happens to subnormal numbers and large exponents, where the IR is not.
var polyfill = legalize.Polyfill(lacking...)

var lacking = []op.Op{
	op.CountLeadingZeros, op.CountTrailingZeros, op.Ldexp, op.FrexpSignificand, op.FrexpExponent, op.Dot4I8, op.Dot4U8,
	op.Pack4x8Snorm, op.Pack4x8Unorm, op.Pack4xI8, op.Pack4xU8, op.Pack4xI8Clamp, op.Pack4xU8Clamp,
	op.Pack2x16Snorm, op.Pack2x16Unorm,
	op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8, op.Unpack4xU8, op.Unpack2x16Snorm, op.Unpack2x16Unorm,
}
