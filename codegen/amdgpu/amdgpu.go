// Package amdgpu is the target of AMD's devices. It emits LLVM IR as text, from which LLVM's back
// end (version 19 and later) makes a code object.
//
//	amdgpu.go    the target: its passes, what it cannot express
//	profile.go   the processors
//	emit.go      the LLVM module: variables, functions, attributes, metadata
//	llvm.go      what github.com/llir/llvm lacks: opaque pointers, comments
//	types.go     the LLVM type of each register
//	operand.go   operands, constants, names
//	template.go  expansion of the templates of the table
//	rows.go      the table of operations
//	convert.go   conversions, selects, joining and splitting of bits
//	memory.go    loads, stores, atomics
//	control.go   blocks, phis, branches, calls
//	builtin.go   builtin values and operations of this machine
//	subgroup.go  subgroup operations
//	matrix.go    products of matrices
//	direct.go    the target without LLVM, by package machine
//	object.go    code objects, by package codeobject
//	occupancy.go waves of a SIMD, from the metadata of a code object
//
// Package mir lowers a kernel to the machine level. Its blocks with parameters become LLVM's blocks
// with phis, and its registers become LLVM's values. LLVM selects instructions, allocates
// registers, divides by constants and finds uniform values. The legalisers do what LLVM does not
// do, and define what LLVM leaves undefined.
//
// The parameters of a kernel are what it reads, in the order of the description
// (abi.Kernel.Parameters): addresses of bindings, lengths of runtime-sized arrays, and the
// immediates by value. They are in the kernarg segment in this order, with alignments of 8, 4 and
// 16 bytes (LLVM, User Guide for AMDGPU Backend, "Kernel Argument Segment"). The number of
// workgroups is one of the implicit arguments, which HIP's runtime provides.
package amdgpu

import (
	"bytes"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/peephole"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target of AMD's devices.
var Target = codegen.Target{
	Name:      abi.AMDGPU,
	Doc:       "LLVM IR text for AMD devices, from which LLVM 19 makes a code object for one processor",
	Names:     "with -g comments with file and line in the text that -S writes, none of which is in a code object; names of functions and variables, which are symbols; with -strip these are letters with numbers",
	Extension: ".ll",
	Lower: []opt.Pass{
		lower.FloatAtomics,       // ahead of the guards of accesses
		opt.InlinePartial,        // callers keep uniform registers across calls
		guard.ZeroInitWorkgroup,  // its stores are in bounds, which the next line sees
		guard.Robustness,         // a byte address would have no bounds
		lower.VarForDynamicIndex, // the accesses that it makes are in bounds
		lower.Copies,             // ahead of scalarize, which would split large values
		lower.Scalarize,          // the machine has vectors in memory only
		// there are no vectors any more
		lower.Transcendental(op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
			op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Log, op.Pow, op.Ldexp, op.FrexpSignificand, op.FrexpExponent),
		// makes shifts
		lower.Polyfill(op.Dot4I8, op.Dot4U8, op.Pack4x8Snorm, op.Pack4x8Unorm, op.Pack4xI8, op.Pack4xU8, op.Pack4xI8Clamp,
			op.Pack4xU8Clamp, op.Pack2x16Snorm, op.Pack2x16Unorm, op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8,
			op.Unpack4xU8, op.Unpack2x16Snorm, op.Unpack2x16Unorm),
		// after all that makes divisions and shifts
		lower.DefineArithmetic(lower.GuardDivision | lower.GuardShift | lower.GuardBitField),
		peephole.DivSqrtToRsqrt,   // makes products, which can contract
		peephole.FMAContraction,   // after all that makes products and sums
		lower.DecomposeAggregates, // from here on memory has no structure
		lower.LowerAccess,         // and accesses are byte addresses
		opt.Gvn,                   // addresses are new code with many equal values
		opt.LicmOfPartial(),       // in LLVM a division by zero is undefined behaviour
		opt.Dce,
	},
	Needs:       mir.Needs | ir.Robust | ir.ZeroedMemory | ir.Total | ir.Expanded,
	Unsupported: &unsupported,
	Intrinsic:   refuseIntrinsic,
	Profiles:    profiles,
	Runs:        abi.ProcessorRuns,
	NoHandles:   imageDescriptors,
	UsesMIR:     true,
	Emit:        Emit,
	Recognise:   recognise,

	Object:          makeObject,
	ObjectExtension: ".hsaco",
	Resources:       resources,
}

// signature begins the first line of the code.
const signature = "; LLVM IR written by gpuc for "

// recognise reports whether contents are code of this target: LLVM IR by its first line, or a code
// object by the identification that LLVM has copied to it.
func recognise(contents []byte) bool {
	if bytes.HasPrefix(contents, []byte("\x7fELF")) {
		return bytes.Contains(contents, []byte(identification+"\x00")) || bytes.Contains(contents, []byte(directIdentification+"\x00"))
	}
	return bytes.HasPrefix(contents, []byte(signature))
}

// identification is the value of llvm.ident, which LLVM copies to the section .comment.
const identification = "gpuc's LLVM IR"

// unsupported are the operations that do not reach the emitter, with the reason. Kernels with
// textures are refused.
var unsupported = [op.Count]string{
	op.Print:                 "messages become writes to a buffer, or nothing, before the passes",
	op.View:                  "views of buffers become accesses before the passes",
	op.TextureSize:           noTextures,
	op.TextureLayers:         noTextures,
	op.TextureLevels:         noTextures,
	op.TextureSamples:        noTextures,
	op.TextureLoad:           noTextures,
	op.TextureRead:           noTextures,
	op.TextureStore:          noTextures,
	op.TextureSample:         noTextures,
	op.TextureSampleGradient: noTextures,
	op.TextureSampleCompare:  noTextures,
	op.TextureGather:         noTextures,
	op.TextureGatherCompare:  noTextures,
}

const noTextures = "the target has no textures and samplers"

// imageDescriptors is why kernels with textures are refused. HIP's texture objects point to
// descriptors, which the runtime fills for its device.
const imageDescriptors = "an image of HIP is a descriptor in the layout of one generation of processors, of which gfx942 has no instructions for images; " +
	"take a target that has textures: spirv, ptx, msl or wgsl"

// maxShared is the workgroup memory of every processor in bytes (LLVM, User Guide for AMDGPU
// Backend, LDS).
const maxShared = 64 << 10
