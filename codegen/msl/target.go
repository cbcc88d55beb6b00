// Package msl holds the target msl: text in the Metal Shading Language for Apple's devices, which
// their driver compiles when it loads a kernel.
//
//	target.go     the target: what it needs, what it cannot express
//	module.go     the text in its parts, functions, the kernel's parameters
//	resources.go  parameters of functions: buffers, workgroup memory, private variables
//	types.go      types of values and of memory, structures with explicit padding
//	names.go      words that no name may be
//	expr.go       parts of values and of memory
//	constant.go   constants
//	ops.go        the table of operations
//	memory.go     loads, stores, copies, atomics, barriers
//	texture.go    textures and samplers
//	fragment.go   matrices of a SIMD-group
//	helper.go     helper functions
//
// Package codegen/printer decides which expressions are nested or named, and writes control flow.
//
// Metal is C++, whose compilers assume that undefined behaviour never happens. So signed integers
// are added as unsigned ones, and divisors and shifts are guarded (lower.DefineArithmetic). Floats
// are clamped before they become integers, and a loop that may not end has a side effect (Test). An
// ordinary C++ compiler accepts the text with a header that replaces Metal's, as in
// internal/emulate/msl.
package msl

import (
	"bytes"
	"strconv"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target msl.
var Target = codegen.Target{
	Name:      abi.MSL,
	Doc:       "Metal Shading Language 2.4 for Apple's devices, which people can read",
	Names:     "with -g comments with file and line; without it names of all that has one in the source; with -strip they are letters with numbers",
	Extension: ".metal",
	Handles: "textures and samplers of Metal, all types and formats. Loads clamp their coordinates by the texture's size, stores " +
		"outside are left out by a test, and a sample of one dimension has no level, so that it is magnified",
	Lower: []opt.Pass{
		lower.FloatAtomics,               // ahead of the guards of accesses
		guard.RobustTextures,             // adds ordinary code
		guard.Robustness,                 // accesses are those of the source
		guard.ZeroInitWorkgroup,          // its stores need no guard
		lower.FragmentBounds,             // neither do its accesses, nor need its variables zeros
		lower.VarForDynamicIndex,         // the accesses that it makes are in bounds
		lower.Copies,                     // large values, instead of one expression for each
		lower.PromoteF16,                 // makes functions of f32, which the polyfills see
		lower.Polyfill(polyfilled[:]...), // makes shifts and divisions
		lower.ExactChoices,               // the same, with strict arithmetic
		// after all that makes divisions and shifts
		lower.DefineArithmetic(lower.GuardDivision | lower.GuardShift | lower.GuardBitField | lower.GuardIndex),
		lower.ScopeToIf,             // Metal has no exit from a block
		lower.LowerMultiLevelBreaks, // nor from several loops
	},
	Needs: ir.Bound | ir.Rooted | ir.Structured | ir.Robust | ir.ZeroedMemory | ir.Spilled | ir.Expanded | ir.Total | ir.SingleLevelExits,

	Subgroup: subgroupSize,

	Kinds: scalar.Of(scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.F16, scalar.I64, scalar.U64,
		scalar.I8, scalar.U8, scalar.I16, scalar.U16), // all that Metal has (MSL 2.1)
	Unsupported: &unsupported,
	Profiles:    profiles,
	Emit:        emit,
	Recognise:   recognise,
}

// profiles are versions of the language (Metal Shading Language Specification, 1.5.1), for all
// devices, and families of devices. Only matrices of bfloat need a later version. Devices multiply
// matrices of SIMD-groups since Apple's seventh family (Metal Feature Set Tables).
var profiles = []codegen.Profile{
	{Name: "2.4", Doc: "macOS 12, iOS 15", Version: 204, WorkgroupBytes: workgroupBytes},
	{Name: "3.0", Doc: "macOS 13, iOS 16", Version: 300, WorkgroupBytes: workgroupBytes},
	{Name: "3.1", Doc: "macOS 14, iOS 17", Version: 301, WorkgroupBytes: workgroupBytes},
	{Name: "apple7", Doc: "M1, A14 and later, with macOS 12 or iOS 15: matrices of SIMD-groups", Version: 204, Machine: 7, WorkgroupBytes: workgroupBytes,
		Fragments: fragmentProducts[:fragmentProductsBefore31], FragmentSubgroup: subgroupSize},
	{Name: "apple7_bf16", Doc: "the same with macOS 14 or iOS 17: also matrices of bfloat16. It is chosen by name only", Version: 301, Machine: 7, Exact: true, WorkgroupBytes: workgroupBytes,
		Fragments: fragmentProducts, FragmentSubgroup: subgroupSize},
}

// languageName returns how the compiler calls a profile's version of the language.
func languageName(p *codegen.Profile) string {
	return strconv.Itoa(int(p.Version/100)) + "." + strconv.Itoa(int(p.Version%100))
}

// subgroupSize is the number of threads in a SIMD-group of all Apple's devices.
const subgroupSize = 32

// workgroupBytes is the workgroup memory of all devices since Apple's fourth family (Metal Feature
// Set Tables).
const workgroupBytes = 32 << 10

// unsupported gives the reasons why Metal cannot express operations.
var unsupported = [op.Count]string{
	op.Address:   "Metal's references are to parts of structures, not to bytes",
	op.Print:     "messages become writes to a buffer, or nothing, before the passes",
	op.View:      "views of buffers become accesses before the passes",
	op.Intrinsic: codegen.NoIntrinsics,
}

// signature is the start of the code's first line.
const signature = "// Metal written by gpuc"

// recognise recognises generated code by its first line.
func recognise(contents []byte) bool { return bytes.HasPrefix(contents, []byte(signature)) }
