// Package amdgpu is the target of AMD's devices: LLVM IR as text, which LLVM's back end for them
// (version 19 and later) makes a code object of.
//
//	amdgpu.go    the target: what it needs, what it cannot express
//	profile.go   the processors
//	emit.go      the module: functions, parameters, attributes
//	data.go      workgroup memory, tables of constants
//	form.go      the LLVM type of each register
//	operand.go   operands, constants, names
//	template.go  how a row of the table becomes text
//	rows.go      the table of operations
//	convert.go   conversions, choices, what joins and splits bits
//	memory.go    loads, stores, atomics
//	control.go   blocks, phis, branches, calls
//	machine.go   builtin values and the operations that only this machine has
//	subgroup.go  subgroup operations
//	declare.go   declarations of what the text calls of LLVM's
//	object.go    code objects, by runtime/codeobject
//	occupancy.go how many waves run at once with the registers and memory that a code object says (package object reads that)
//
// The text is printed from the machine level (codegen/mir): its blocks with parameters are LLVM's
// blocks with phis, and its registers are LLVM's values. LLVM chooses instructions, allocates
// registers, divides by constants and finds out what is uniform; what it leaves undone or takes for
// undefined is done by the legalisers.
//
// A kernel takes what it reads, as the description lists (abi.Kernel.Parameters): addresses of
// bindings, lengths of runtime-sized arrays, and the immediates by value. They lie in the kernarg
// segment in this order, each at a multiple of its alignment: 8, 4 and 16 bytes (LLVM, User Guide
// for AMDGPU Backend, "Kernel Argument Segment"). How many workgroups there are is read from the
// implicit arguments that HIP's runtime provides.
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
		opt.InlinePartial,
		guard.ZeroInitWorkgroup,
		guard.Robustness,
		lower.VarForDynamicIndex,
		lower.Copies,
		lower.Scalarize,
		lower.Transcendental(op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
			op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Log, op.Pow, op.Ldexp, op.FrexpSignificand, op.FrexpExponent),
		lower.Polyfill(op.Dot4I8, op.Dot4U8, op.Pack4x8Snorm, op.Pack4x8Unorm, op.Pack4xI8, op.Pack4xU8, op.Pack4xI8Clamp,
			op.Pack4xU8Clamp, op.Pack2x16Snorm, op.Pack2x16Unorm, op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8,
			op.Unpack4xU8, op.Unpack2x16Snorm, op.Unpack2x16Unorm),
		lower.DefineArithmetic(lower.GuardDivision | lower.GuardShift | lower.GuardBitField),
		peephole.DivSqrtToRsqrt,
		peephole.FMAContraction,
		lower.DecomposeAggregates,
		lower.LowerAccess,
		opt.Gvn,
		opt.LicmOfPartial(), // for LLVM nothing is defined behind a division by zero
		opt.Dce,
	},
	Needs:       mir.Needs | ir.Robust | ir.ZeroedMemory | ir.Total | ir.Expanded,
	Unsupported: &unsupported,
	Profiles:    profiles,
	Runs:        abi.ProcessorRuns,
	NoHandles:   imageDescriptors,
	Flattens:    true,
	Emit:        Emit,
	Recognise:   recognise,

	Object:          makeObject,
	ObjectExtension: ".hsaco",
	Resources:       resources,
}

// signature is how the first line of the code begins.
const signature = "; LLVM IR written by gpuc for "

// recognise tells the code from other LLVM IR by its first line, and a code object by the
// identification that LLVM has copied to it.
func recognise(contents []byte) bool {
	if bytes.HasPrefix(contents, []byte("\x7fELF")) {
		return bytes.Contains(contents, []byte(identification+"\x00")) || bytes.Contains(contents, []byte(directIdentification+"\x00"))
	}
	return bytes.HasPrefix(contents, []byte(signature))
}

// identification is what llvm.ident says of who made a module, which ends up in the section
// .comment.
const identification = "gpuc's LLVM IR"

// unsupported are the operations that no kernel reaches the emitter with. One with textures is
// refused before.
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

// imageDescriptors is the reason. HIP's texture objects point to descriptors, which the runtime
// fills for its device, and without a driver of ours that makes some nothing could be bound.
const imageDescriptors = "an image of HIP is a descriptor in the layout of one generation of processors, of which gfx942 has no instructions for images; " +
	"take a target that has textures: spirv, ptx, msl or wgsl"

// maxShared is the workgroup memory that every processor grants (LLVM, User Guide for AMDGPU
// Backend, LDS of 64 KiB).
const maxShared = 64 << 10

// Emit writes a module's kernel and the functions it calls.
func Emit(x *codegen.Emission) []byte {
	e := opt.Scratch[emitter](x.Context, "amdgpu")
	e.Emission, e.m = x, x.Module
	e.forms = formsOf(x.Context.Math)
	e.out = e.out[:0]
	e.wave = x.Profile.Subgroup
	x.Info.Name = kernelName(x.Kernel.Name)

	reach := ir.ReachOf(x.Module, x.Kernel)
	e.header()
	e.variables(reach)
	e.signatures = grown(e.signatures, len(e.m.Funcs))
	e.shapes = e.shapes[:0]
	e.builder.Begin(mir.Settings{Verify: x.Context.Verify, Dump: x.Context.DumpOf(mir.Stage), Stage: x.Context.Stage}, x.Module, e, &traits, &reach, x.Bindings, uint32(x.Info.ImmediateBytes()))
	place := 0 // in the module's functions, which nearly are in the same order
	for _, f := range reach.Funcs {
		for e.m.Funcs[place] != f {
			place = (place + 1) % len(e.m.Funcs)
		}
		e.function(f, place)
	}
	e.builder.End()
	e.trailer()
	e.Emission, e.m, e.source = nil, nil, nil // the memory stays, the kernel need not
	return append([]byte(nil), e.out...)
}
