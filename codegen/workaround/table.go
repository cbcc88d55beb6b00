package workaround

import (
	"github.com/gpuc/gpuc/codegen/workaround/mesa"
	"github.com/gpuc/gpuc/codegen/workaround/nvidia"
	"github.com/gpuc/gpuc/codegen/workaround/ptxas"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
)

// ID names a row.
type ID uint8

// The rows.
const (
	LoopCount ID = iota
	SwitchCases
	NarrowExtension
	RotateSum
	NVMinMaxNegation
	NVMinMaxLate
	NVSextShift
	NVNarrowPopcount
	NVUniformF16MinMax
	NVNegatedPhi
	NVVectorStore
	NVVectorCompare
	NVVectorPhi
	NVContraction
	NVEndlessLoop
	NVReturnInLoop
	NVAbs
	NVBoolPhi
	NVNestedLoop
	NVDontUnroll
	NVBlockType
	PTXASMultiReturn
	PTXASNegation
	PTXASMinMaxLate
	PTXASSignShift
	PTXASSubType
	PTXASNot
	PTXASAbs
	PTXASAbsF16
	PTXASLop3
	PTXASLoneRet
	PTXASLateExit
	MesaSextCompare
	MesaAbsentLanes
	MesaDoubleRounding
	count
)

// Versions of compilers that tables name.
const (
	vulkan580  = "580"
	ptxas12to  = "12.9 to 13.5"
	ptxasTo130 = "12.9, 13.0"
)

var fixed135 = Version(13, 5, 0)

// Table has a row for each workaround.
var Table = [count]Row{
	LoopCount: {
		Name:   "loop-count",
		Faults: []Fault{{NVIDIA, vulkan580, 0}, {PTXAS, ptxas12to, 0}, {Mesa, "22.3.6", 0}},
		Symptom: "The trip count of a loop whose counter wraps is computed as if it did not wrap, in 32 bits. " +
			"The loop runs too few iterations, or a test for a negative counter is removed.",
		Rewrite: "Comparisons of counters that may wrap become unsigned with a bias of 2^31, or an equation of min and max, which have no order to count by.",
		Cost:    "one or two instructions for each such test; none where ranges prove that the counter does not wrap",
		Pass:    &shared.HideLoopCount,
	},
	SwitchCases: {
		Name:   "nv-switch-cases",
		Faults: []Fault{{NVIDIA, vulkan580, 0}, {PTXAS, ptxas12to, 0}},
		Symptom: "A block that several cases of a switch reach, and that tests the selector again, is split by selector. " +
			"A loop in it runs too few iterations or never ends for one of them.",
		Rewrite: "Each block has one case; `x == 4 || x == 7` becomes one test, min(x ^ 4, x ^ 7) == 0.",
		Cost:    "two or three instructions for each switch with such a block",
		Pass:    &shared.SingleCaseBlocks,
	},
	NarrowExtension: {
		Name:    "nv-narrow-ext",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}, {PTXAS, ptxasTo130, 0}},
		Symptom: "An 8- or 16-bit value that was sign-extended and is unsigned then is converted to a float, or divided, as if it were signed.",
		Rewrite: "The operand is extended by arithmetic: (x & 0xff ^ 0x80) - 0x80.",
		Cost:    "three instructions for each such conversion or division",
		Pass:    &shared.HideNarrowExtension,
	},
	RotateSum: {
		Name:    "nv-rotate-sum",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}, {PTXAS, ptxasTo130, fixed135}},
		Symptom: "The sum or difference of x << n and x >> 64-n, signed too, is taken for a 64-bit rotation.",
		Rewrite: "One of the shifts is made of a 32-bit shift.",
		Cost:    "two instructions for each such pair; unsigned rotations stay",
		Pass:    &shared.SplitShiftedSums,
	},
	NVMinMaxNegation: {
		Name:    "nv-minmax-negation",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "Two signed min or max that become one instruction of three operands lose the sign of a negated operand.",
		Rewrite: "min and max of negated values are unsigned, with a bias of 2^31; complements and differences that are subtracted are rewritten as sums.",
		Cost:    "three instructions for each min or max of a negated value",
		Pass:    &nvidia.UnsignedMinMaxOfNegation,
	},
	NVMinMaxLate: {
		Name:    "nv-minmax-late",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "An unsigned min or max is fused with the sum it limits. When an operand of the sum becomes constant after that, a complement or negation in it is lost.",
		Rewrite: "The min or max is signed, with a bias of 2^31.",
		Cost:    "three instructions for each such min or max",
		Pass:    &nvidia.SignedMinMaxOfLateNegation,
	},
	NVSextShift: {
		Name:    "nv-sext-shift",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "i64(x) << 31 of a sign-extended x becomes the signed wide product of x and 2^31, which is negative in 32 bits.",
		Rewrite: "The shift is made of 32-bit shifts.",
		Cost:    "two instructions for each such shift",
		Pass:    &nvidia.SplitExtendedShift,
	},
	NVNarrowPopcount: {
		Name:    "nv-narrow-popcount",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "countOneBits of an 8- or 16-bit value from memory counts the sign's copies, in kernels that also divide 64-bit integers.",
		Rewrite: "The bits of a bit field are counted.",
		Cost:    "one instruction for each such count",
		Pass:    &shared.MaskNarrowPopcount,
	},
	NVUniformF16MinMax: {
		Name:    "nv-uniform-f16-minmax",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "Two min or max of f16 that become one instruction of three operands read the lower half of a word of a uniform buffer where the upper half is meant.",
		Rewrite: "min and max of f16 values from uniform buffers are computed in f32.",
		Cost:    "three conversions for each",
		Pass:    &nvidia.PromoteUniformF16MinMax,
	},
	NVNegatedPhi: {
		Name:    "nv-negated-phi",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "A loop with a phi that is negated in each iteration, from a constant, is taken for an endless one.",
		Rewrite: "The loop carries the value and its negation in two phis, and exchanges them.",
		Cost:    "one register",
		Pass:    &nvidia.PairNegatedPhi,
	},
	NVVectorStore: {
		Name:   "nv-vector-store",
		Faults: []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "A private array that is indexed dynamically, and whose vectors are stored component by component, becomes a table of constants. " +
			"A read sees a store that comes after it.",
		Rewrite: "The store is widened: the vector is loaded, one component inserted, and the vector stored.",
		Cost:    "a load and an insert for each such store",
		Pass:    &nvidia.WidenComponentStore,
	},
	NVVectorCompare: {
		Name:    "nv-vector-compare",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "x <= (x & mask) becomes x <= mask for all components of a vector, which is wrong for a mask of -1.",
		Rewrite: "Vectors of signed integers are compared by components.",
		Cost:    "none in machine code",
		Pass:    &nvidia.ScalarizeVectorCompare,
	},
	NVVectorPhi: {
		Name:    "nv-vector-phi",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "c - v is taken for v - c, and -v for v, where a loop carries the vector v and one component of it is summed.",
		Rewrite: "Negations and subtractions of vectors that a loop carries are scalarised.",
		Cost:    "none in machine code",
		Pass:    &nvidia.ScalarizeVectorPhi,
	},
	NVContraction: {
		Name:    "nv-contraction",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "(c - x) * d with constants c and d becomes fma(-x, d, c*d) with c*d rounded, which WGSL does not permit. Products and sums with constants are regrouped.",
		Rewrite: "gpuc fuses products and sums by itself and forbids the driver to fuse others (NoContraction), unless -math=fast.",
		Cost:    "sums that only the driver would fuse stay two instructions",
		Pass:    &nvidia.NoContraction,
	},
	NVEndlessLoop: {
		Name:    "nv-endless-loop",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "The compiler does not terminate on some loops without an exit, even if they never run.",
		Rewrite: "Such a loop counts its iterations and ends after 2^32 - 1 of them.",
		Cost:    "a counter in loops without an exit",
		Pass:    &nvidia.BoundEndlessLoop,
	},
	NVReturnInLoop: {
		Name:    "nv-return-in-loop",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "A return from a loop within a loop ends the process with a segmentation fault.",
		Rewrite: "The function breaks out of the loops and returns at its end.",
		Cost:    "a flag for each loop that is left",
		Pass:    &nvidia.MergeNestedReturns,
	},
	NVAbs: {
		Name:    "nv-abs",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "-abs(x) > -3, like any comparison of it with a negative constant, is false.",
		Rewrite: "max(x, -x) instead of SAbs.",
		Cost:    "one instruction for each abs of an i32",
	},
	NVBoolPhi: {
		Name:    "nv-bool-phi",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "Some phis of bools in loop headers, whose first value is computed, end the process with a segmentation fault.",
		Rewrite: "Loops carry bools as u32.",
		Cost:    "a select and a comparison for each bool that a loop carries",
	},
	NVNestedLoop: {
		Name:    "nv-nested-loop",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "A loop at the start of a loop is merged with it. The outer counter is then kept in a uniform register while some invocations still run the inner loop.",
		Rewrite: "A memory barrier of the invocation's scope, which orders nothing, between the two headers.",
		Cost:    "none in machine code; the driver merges no such loops",
	},
	NVDontUnroll: {
		Name:    "nv-dont-unroll",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "Unrolling a loop that ends at its last test and also before it ends the process with a segmentation fault.",
		Rewrite: "Such loops say DontUnroll.",
		Cost:    "the driver does not unroll them",
	},
	NVBlockType: {
		Name:    "nv-block-type",
		Faults:  []Fault{{NVIDIA, vulkan580, 0}},
		Symptom: "Decorations of one buffer hold for all buffers of its Block type. Beside a NonWritable one, loads of another see no stores.",
		Rewrite: "Each buffer has a separate Block type.",
		Cost:    "a few words of code for each buffer",
	},
	PTXASMultiReturn: {
		Name:    "ptxas-multi-return",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "Two values of a function with two returns get one uniform register, which both sides of a divergent branch write.",
		Rewrite: "Functions that are called return at their end only.",
		Cost:    "a branch for each early return",
		Pass:    &ptxas.MergeCalleeReturns,
	},
	PTXASNegation: {
		Name:    "ptxas-negation",
		Faults:  []Fault{{PTXAS, ptxasTo130, fixed135}},
		Symptom: "max(max(x, -x), y) becomes one instruction that has x twice; k = -k in a loop is taken for a copy; of 0 - ~y + 1 it makes ~y - 1.",
		Rewrite: "-x is x - (x << 1); sums have no complements.",
		Cost:    "none or one instruction for each negation",
		Pass:    &ptxas.NegateBySubtraction,
	},
	PTXASMinMaxLate: {
		Name:    "ptxas-minmax-late",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "For sm_90 a sum and the min or max of it become one instruction (VIADDMNMX). When an operand of the sum becomes constant after that, signs are lost.",
		Rewrite: "A bias of 2^31 between the sum and the min or max, where the operand depends on a loop that may be unrolled.",
		Cost:    "three instructions for each such min or max",
		Pass:    &ptxas.BiasLateMinMax,
	},
	PTXASSignShift: {
		Name:    "ptxas-sign-shift",
		Faults:  []Fault{{PTXAS, ptxasTo130, fixed135}},
		Symptom: "A signed shift right of a value whose sign bit is known to be 1 shifts in zeros: (x | 0x80000000) >> 3 >> 31 is 0.",
		Rewrite: "The complement is shifted: ~(~x >> 3).",
		Cost:    "two instructions for each such shift",
		Pass:    &ptxas.ComplementSignedShift,
	},
	PTXASSubType: {
		Name:    "ptxas-sub-type",
		Faults:  []Fault{{PTXAS, ptxasTo130, fixed135}},
		Symptom: "A subtraction that may be 0 - x loses the sign of its operand when it is fused with a min or max of the same type.",
		Rewrite: "Subtractions of i32 are written as sub.u32, those of u32 as sub.s32.",
		Cost:    "none",
	},
	PTXASNot: {
		Name:    "ptxas-not",
		Faults:  []Fault{{PTXAS, ptxasTo130, fixed135}},
		Symptom: "After a branch that implies the value of the operand, not.b32 and xor with -1 return the operand.",
		Rewrite: "~x is written as -1 - x.",
		Cost:    "none",
	},
	PTXASAbs: {
		Name:    "ptxas-abs",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "-abs(x) > -3, like any comparison of it with a negative constant, is false.",
		Rewrite: "abs is a shift, a subtraction and a max.",
		Cost:    "two instructions for each abs of an i32",
	},
	PTXASAbsF16: {
		Name:    "ptxas-abs-f16",
		Faults:  []Fault{{PTXAS, ptxasTo130, fixed135}},
		Symptom: "and.b16 on one half of a pair of converted f16 is left out, whatever its mask is.",
		Rewrite: "abs of an f16 masks both halves of a word.",
		Cost:    "none",
	},
	PTXASLop3: {
		Name:    "ptxas-lop3",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "lop3 before a comparison with zero ends ptxas, and a process that loads the code, with a segmentation fault.",
		Rewrite: "Functions that compare a word with zero have no lop3.",
		Cost:    "longer text; ptxas makes most lop3 by itself",
	},
	PTXASLoneRet: {
		Name:    "ptxas-lone-ret",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "A lone ret is copied to both sides of a divergent branch, which never join then. Uniform registers are given to values of both.",
		Rewrite: "Called functions with branches synchronise the warp before they return.",
		Cost:    "two instructions for each return of such a function",
	},
	PTXASLateExit: {
		Name:    "ptxas-late-exit",
		Faults:  []Fault{{PTXAS, ptxas12to, 0}},
		Symptom: "A branch on two predicates, one side of which only leaves the kernel after optimisation, tests only one of them.",
		Rewrite: "Such a side triggers a performance event before it leaves.",
		Cost:    "one instruction on a side that leaves",
	},
	MesaSextCompare: {
		Name:    "mesa-sext-compare",
		Faults:  []Fault{{Mesa, "22.3.6", 0}},
		Symptom: "Ordered comparisons of a sign-extended 64-bit integer with a constant give the opposite: i64(1) > 5 is true.",
		Rewrite: "The value is compared before the extension, or unsigned with a bias of 2^63.",
		Cost:    "none, or two instructions",
		Pass:    &mesa.CompareBeforeExtension,
	},
	MesaAbsentLanes: {
		Name:   "mesa-absent-lanes",
		Faults: []Fault{{Mesa, "22.3.6", 0}},
		Symptom: "llvmpipe runs eight invocations along x at a time. Lanes without an invocation run the loops too, " +
			"and spend the 65,536 iterations that it grants to all loops of a kernel.",
		Rewrite: "Kernels with loops, whose workgroup is no multiple of eight along x, end such lanes at the start.",
		Cost:    "a test at the start of such kernels",
		Pass:    &mesa.EndAbsentLanes,
	},
	MesaDoubleRounding: {
		Name:    "mesa-double-rounding",
		Faults:  []Fault{{Mesa, "22.3.6", 0}},
		Symptom: "On processors without AVX-512, trunc and round of f64 go through 32-bit integers: results beyond them are wrong, and zeros lose their sign.",
		Rewrite: "Both are made of floor and ceil.",
		Cost:    "three instructions for trunc, ten for round; none for other types",
		Pass:    &mesa.RoundDoublesByFloor,
	},
}

// Choice is a choice in the lowering for all drivers, because of a fault of one. It costs little or
// nothing, and has no switch.
type Choice struct {
	Fault
	Symptom string
	Choice  string
	In      string // package and function
}

// Choices has the choices without a switch.
var Choices = []Choice{
	{Fault{NVIDIA, vulkan580, 0}, "Vectors are divided by 1 where the divisor is a select of a select of constants.",
		"Integers are divided by components.", "lower.DefineArithmetic"},
	{Fault{NVIDIA, vulkan580, 0}, "A bit field whose offset differs between invocations is read in two steps, with the middle in a uniform register (ptxas too).",
		"Such bit fields are shifts.", "lower.DefineArithmetic"},
	{Fault{NVIDIA, vulkan580, 0}, "An index from a table into an array of one vec3 reads 0.",
		"The index of an array of one element is 0.", "guard.Robustness"},
	{Fault{NVIDIA, vulkan580, 0}, "A store outside of private memory that never runs ends the process with a segmentation fault.",
		"Guarded stores to private memory are clamped, too.", "guard.Robustness"},
	{Fault{NVIDIA, vulkan580, 0}, "A store to layer 2^31 of a texture writes layer 0.",
		"Coordinates and layers of stores are kept below 2^16.", "guard.RobustTextures"},
	{Fault{NVIDIA, vulkan580, 0}, "Constant tables of 64 KiB, or 15,856 bytes of private variables, are refused.",
		"Large tables and variables are in buffers of the runtime.", "lower.Tables, lower.Scratch"},
	{Fault{NVIDIA, vulkan580, 0}, "int32(-a) of an i8 -128 is 128.",
		"Conversions to 8 and 16 bits and back are bit fields of words.", "peephole.CombineTruncExt"},
	{Fault{NVIDIA, vulkan580, 0}, "An fma of f32 flushes subnormal values although the module forbids it.",
		"Strict arithmetic uses the device's fma only where no value is subnormal.", "lower.Exact"},
	{Fault{NVIDIA, vulkan580, 0}, "Functions that say DontInline hang.", "No function says it.", "spirv"},
	{Fault{NVIDIA, vulkan580, 0}, "A constant branch in a loop with returns, at -O0, ends the process with a segmentation fault.",
		"An if with a constant condition is its block.", "spirv"},
	{Fault{PTXAS, "12.9", 0}, "Sums of two f32 constants round ties to the smaller value (NVIDIA's Vulkan driver too).",
		"Operations on constants are evaluated at -O0, too.", "opt.Gvn"},
	{Fault{PTXAS, ptxas12to, 0}, "min(f() - x, y) of a function that returns the constant 15 becomes min(x - 15, y).",
		"Callers name the constant that a function returns.", "mir"},
	{Fault{PTXAS, ptxas12to, 0}, "Uniform registers are kept across a call that a part of a warp makes.",
		"Such calls are inlined.", "opt.InlinePartial"},
	{Fault{PTXAS, ptxas12to, 0}, "Local variables lose stores, or end ptxas with a segmentation fault, at -O0.",
		"Variables become values at -O0, too.", "ptx"},
	{Fault{Mesa, "22.3.6", 0}, "x + 0 is x and x * 0 is 0 in strict modules.",
		"Strict sums and products with a constant zero are written otherwise.", "lower.Exact"},
	{Fault{Mesa, "22.3.6", 0}, "The sine of an f16 ends the process.", "Functions of f16 are computed in f32.", "lower.PromoteF16"},
	{Fault{Mesa, "22.3.6", 0}, "The compile time of a large table, copy or zero grows with the square of its size.",
		"Tables are in a buffer; large copies are loops.", "lower.Tables, lower.BulkCopies"},
	{Fault{Mesa, "22.3.6", 0}, "The size of a level that differs between invocations is that of one of them.",
		"The size of level 0 is shifted.", "guard.RobustTextures"},
	{Fault{Mesa, "22.3.6", 0}, "Layers of cubes, times six, wrap as integers.",
		"Layers that are sampled are kept below 2^16.", "guard.RobustTextures"},
}
