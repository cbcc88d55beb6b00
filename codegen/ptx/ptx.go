// Package ptx is the target of NVIDIA devices: PTX text, which the CUDA driver
// assembles for the device it runs on.
//
// A kernel declares the parameters that it reads; the description lists them
// (abi.Kernel.Parameters), and runtime/driver/cuda passes those.
//
// The assembler allocates registers, schedules, unrolls and converts branches. The lowering does
// what it does not: division by constants, contraction, operand order.
package ptx

import (
	"bytes"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/peephole"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the PTX target.
var Target = codegen.Target{
	Name:      abi.PTX,
	Doc:       "PTX text for NVIDIA devices of compute capability 7.0 and above",
	Names:     "with -g file, line and column (.file, .loc); without it names of functions and variables, which are symbols; with -strip these are letters with numbers. Registers have no names",
	Extension: ".ptx",
	Lower: []opt.Pass{
		opt.InlineHandles,        // PTX passes no texture references to functions
		opt.InlinePartial,        // ptxas cannot call from a part of a warp
		guard.ZeroInitWorkgroup,  // its stores are in bounds, which the next line sees
		guard.Robustness,         // a byte address would have no bounds
		guard.RobustTextures,     // its coordinates are still vectors
		lower.VarForDynamicIndex, // the accesses that it makes are in bounds
		lower.Copies,             // ahead of scalarize, which would split large values
		lower.Scalarize,          // PTX has vectors in memory only
		// there are no vectors any more
		lower.Transcendental(op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
			op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Log, op.Pow, op.Ldexp, op.FrexpSignificand, op.FrexpExponent),
		peephole.CombineTruncExt, // ahead of the guards of narrow shifts
		lower.DivByConstant,      // these need no guard
		// after all that makes divisions and shifts
		lower.DefineArithmetic(lower.GuardDivision | lower.GuardShift | lower.GuardBitField),
		peephole.CombineRangeCheck, // after the guards, which are range checks too
		peephole.DivSqrtToRsqrt,    // makes products, which can contract
		peephole.FMAContraction,    // after all that makes products and sums
		lower.DecomposeAggregates,  // from here on memory has no structure
		lower.LowerProvenAccess,    // and accesses are byte addresses
	},
	Workarounds: []workaround.ID{
		workaround.LoopCount,
		workaround.SwitchCases,
		workaround.PTXASMultiReturn,
		workaround.PTXASNegation,
		workaround.PTXASMinMaxLate,
		workaround.PTXASSignShift,
		workaround.NarrowExtension,
		workaround.RotateSum,
		workaround.PTXASSubType,
		workaround.PTXASNot,
		workaround.PTXASAbs,
		workaround.PTXASAbsF16,
		workaround.PTXASLop3,
		workaround.PTXASLoneRet,
		workaround.PTXASLateExit,
	},
	Finish: []opt.Pass{
		opt.Gvn,                    // addresses are new code with many equal values
		opt.Licm,                   // and with values that loops do not change
		opt.Dce,                    // values that only the above used
		lower.ScheduleOperandReuse, // last: nothing may move instructions afterwards
	},
	Needs:       mir.Needs | ir.Robust | ir.ZeroedMemory | ir.Total,
	Unsupported: &unsupported,
	Intrinsic:   refuseIntrinsic,
	Handles: "texture objects of CUDA, one for each sampler that a texture is sampled with, and surface objects, whose texels the kernel " +
		"makes itself. Loads clamp their coordinates by the texture's size; comparisons gather four texels and compare them",
	Profiles:      profiles,
	UsesMIR:       true,
	Atomics:       scalar.Of(scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16, scalar.F32, scalar.F64),
	Promotes:      true, // ptxas does
	Portable:      opt.Unrolled,
	PortableLarge: opt.UnrolledLarge,
	Subgroup:      warp,
	ByValue:       true,
	Coarse:        codegen.Items,
	Tensor:        codegen.TensorForm{Profile: "sm_90a", Unmapped: "sm_90", Lower: lower.TensorTiles},
	Emit:          Emit,
	Recognise:     recognise,
	Resources:     resources,
	Mix:           mix,
}

// recognise tells code from that of NVIDIA's compilers and LLVM, which begin with a
// comment that names them.
func recognise(contents []byte) bool {
	return bytes.HasPrefix(contents, []byte(versionDirective)) && bytes.Contains(contents, []byte(entryDirective))
}

const (
	versionDirective = ".version "
	entryDirective   = "\n.visible .entry "
)

// unsupported lists operations that no kernel can reach the emitter with.
var unsupported = [op.Count]string{
	op.Print: "messages become writes to a buffer, or nothing, before the passes",
	op.View:  "views of buffers become accesses before the passes",
}

// Emit writes a module's kernel and the functions it calls.
func Emit(x *codegen.Emission) []byte {
	e := opt.Scratch[emitter](x.Context, "ptx")
	e.Emission, e.m = x, x.Module
	e.forms = formsOf(x.Context.Math, x.Workarounds)
	e.out, e.labels = e.out[:0], 0
	x.Info.Name = kernelName(x.Kernel.Name)

	reach := ir.ReachOf(x.Module, x.Kernel)
	e.header()
	e.files()
	e.variables(reach)
	e.builder.Begin(mir.Settings{Verify: x.Context.Verify, Dump: x.Context.DumpOf(mir.Stage), Stage: x.Context.Stage}, x.Module, e, &traits, &reach, x.Bindings, uint32(x.Info.ImmediateBytes()))
	if x.ByValue {
		e.passValues(&reach)
	}
	index := 0 // in the module's functions, which nearly are in the same order
	for _, f := range reach.Funcs {
		for e.m.Funcs[index] != f {
			index = (index + 1) % len(e.m.Funcs)
		}
		e.function(f, index)
	}
	e.builder.End()
	// the memory stays, the kernel need not
	e.Emission, e.m, e.source, e.refused = nil, nil, nil, nil
	return append([]byte(nil), e.out...)
}

// header writes the directives of a module. Without a profile nothing needs more than
// compute capability 7.0, so one text serves every device since.
func (e *emitter) header() {
	e.out = append(e.out, versionDirective...)
	e.writeNumber(uint64(e.Profile.Version / 10))
	e.out = append(e.out, '.')
	e.writeNumber(uint64(e.Profile.Version % 10))
	e.out = append(append(append(e.out, "\n.target "...), e.Profile.Name...), "\n.address_size 64\n"...)
}
