package spirv

import (
	"bytes"
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/peephole"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target spirv.
var Target = codegen.Target{
	Name:      abi.SPIRV,
	Doc:       "SPIR-V 1.3 binary for Vulkan 1.1 compute",
	Names:     "with -g file, line and column (OpLine), and names of values (OpName); without it names of functions, variables, structures and members; with -strip none but the entry point's",
	Extension: ".spv",
	Handles: "images, storage images and samplers of Vulkan. Loads clamp their coordinates by the image's size, so that " +
		"every device reads the same texel; stores outside are dropped by Vulkan. Cube arrays and some storage formats are " +
		"optional in Vulkan, and the description requires them by name",
	Lower: []opt.Pass{
		lower.FloatAtomics,                     // ahead of the guards of accesses
		guard.RobustTextures,                   // adds ordinary code
		guard.Robustness,                       // accesses are those of the source
		lower.StandardUniforms,                 // reads of members, in bounds already
		guard.ZeroInitWorkgroup,                // its stores need no guard
		lower.FragmentAccess,                   // what it adds is in bounds, and needs no zeros
		lower.VarForDynamicIndex,               // the accesses that it makes are in bounds
		lower.Copies,                           // makes of values what the next lines move or copy
		lower.Scratch,                          // those that the lines above made, too
		lower.Tables,                           // large constants
		lower.BulkCopies,                       // of what stays in variables
		lower.PromoteF16,                       // makes functions of f32, which the polyfills see
		peephole.CombineTruncExt,               // ahead of the guards of narrow shifts
		polyfill,                               // makes shifts and divisions
		lower.Exact,                            // the same, with strict arithmetic
		lower.DefineArithmetic(lower.GuardAll), // after all that makes divisions and shifts
		lower.ExpandI64,                        // halves of a guarded shift need no guard
		peephole.CombineRangeCheck,             // after the guards, which are range checks too
		peephole.FMAContraction,                // after all that makes products and sums
	},
	Workarounds: []workaround.ID{
		workaround.NVVectorStore,
		workaround.NVMinMaxNegation,
		workaround.NVSextShift,
		workaround.NarrowExtension,
		workaround.NVNarrowPopcount,
		workaround.NVUniformF16MinMax,
		workaround.MesaSextCompare,
		workaround.MesaDoubleRounding,
		workaround.RotateSum,
		workaround.NVNegatedPhi,
		workaround.LoopCount,
		workaround.NVMinMaxLate,
		workaround.SwitchCases,
		workaround.NVVectorCompare,
		workaround.MesaAbsentLanes,
		workaround.NVVectorPhi,
		workaround.NVContraction,
		workaround.NVEndlessLoop,
		workaround.NVReturnInLoop,
		workaround.NVAbs,
		workaround.NVBoolPhi,
		workaround.NVNestedLoop,
		workaround.NVDontUnroll,
		workaround.NVBlockType,
	},
	Finish: []opt.Pass{
		lower.LowerMultiLevelExits, // merged returns leave several loops
	},
	Needs: ir.Bound | ir.Rooted | ir.Structured | ir.Robust | ir.ZeroedMemory | ir.Spilled | ir.Scratched | ir.Expanded | ir.Total |
		ir.SingleLevelExits,
	Unsupported:   &unsupported,
	Intrinsic:     refuseIntrinsic,
	Profiles:      profiles,
	Guaranteed:    codegen.Guarantee{Bytes: 16384, By: "Vulkan", Limit: "maxComputeSharedMemorySize"},
	Portable:      opt.Vulkan,
	PortableLarge: opt.VulkanLarge,
	Coarse:        codegen.Items,
	Emit:          emit,
	Demands:       demands,
	Assemble:      assemble,
	Recognise:     recognise,
}

// recognise tells modules from those of other compilers, which have a number of their
// own for the generator, and assembly from that of SPIRV-Tools by its first line.
func recognise(contents []byte) bool {
	if bytes.HasPrefix(contents, []byte(assemblyHeader)) {
		return true
	}
	return len(contents) >= 20 && binary.LittleEndian.Uint32(contents) == grammar.MagicNumber && binary.LittleEndian.Uint32(contents[8:]) == generator
}

// profiles are the versions of SPIR-V, as the header has them. Vulkan 1.1 takes 1.3, 1.2
// takes 1.5, 1.3 takes 1.6 (Vulkan, appendix "Vulkan Environment for SPIR-V").
var profiles = []codegen.Profile{
	{Name: "1.3", Doc: "Vulkan 1.1", Version: 0x10300},
	{Name: "1.4", Doc: "Vulkan 1.2, and 1.1 with VK_KHR_spirv_1_4", Version: interfacesHaveAll},
	{Name: "1.5", Doc: "Vulkan 1.2", Version: 0x10500},
	{Name: "1.6", Doc: "Vulkan 1.3", Version: 0x10600},
	{Name: cooperativeProfile, Doc: "Vulkan 1.3 with VK_KHR_cooperative_matrix, the Vulkan memory model, subgroups of 32 and these products: " +
		"of `f16` to `f16` and `f32` with 16×16×16 elements (rows, columns, depth), and of `i8` to `i32` and `u8` to `u32` with 16×16×32",
		Version: 0x10600, Exact: true, Feature: abi.CooperativeMatrices, Fragments: products[:productsBeforeBrain], FragmentSubgroup: 32, FragmentWords: true},
	{Name: brainProfile, Doc: "the same with VK_KHR_shader_bfloat16, and also products of `bf16` to `f32` with 16×16×16",
		Version: 0x10600, Exact: true, Feature: abi.BFloat16Matrices, Fragments: products, FragmentSubgroup: 32, FragmentWords: true},
}

// cooperativeProfile has cooperative matrices, and brainProfile also those of bfloat16. It is the
// last one, as devices with it have the other one as well (codegen.Target.Highest).
const (
	cooperativeProfile = "1.6_coopmat"
	brainProfile       = "1.6_coopmat_bf16"
)

// products are those that the devices with brainProfile have.
var products = []ir.FragmentProduct{
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F16, Rows: 16, Columns: 16, Depth: 16},
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16},
	{Left: scalar.I8, Right: scalar.I8, Sum: scalar.I32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.U8, Right: scalar.U8, Sum: scalar.U32, Rows: 16, Columns: 16, Depth: 32},
	{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: 16, Columns: 16, Depth: 16},
}

// productsBeforeBrain is how many of them the devices with cooperativeProfile have.
const productsBeforeBrain = 4

// interfacesHaveAll is the version since which an entry point names all variables that it
// uses, and not its inputs alone (SPIR-V, OpEntryPoint).
const interfacesHaveAll = 0x10400

// unsupported are the operations that no legaliser replaces.
var unsupported = [op.Count]string{
	op.Address: "buffers have no addresses in Vulkan 1.1",
	op.Print:   "messages become writes to a buffer, or nothing, before the passes",
	op.View:    "views of buffers become accesses before the passes",
}

// polyfill replaces the operations whose rows ask for it.
var polyfill = lower.Polyfill(polyfills()...)

func polyfills() (ops []op.Op) {
	for o := range table {
		if table[o].polyfill {
			ops = append(ops, op.Op(o))
		}
	}
	return ops
}
