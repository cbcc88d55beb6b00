package opt

import "sync"

// The pipelines of portable passes. Each is a literal list. TestPipelines proves that every pass
// finds the properties that it needs; the reason for the order is at each line.

// variant says which of a kernel's two compilations a line of a pipeline belongs to: the one that
// every launch can use, or the one for large launches (codegen/largelaunch.go).
type variant uint8

const (
	both variant = iota
	small
	large
)

type line struct {
	pass Pass
	in   variant
}

// pipeline is a list of passes, which is put together when it is first needed. No variable of the
// package holds one from the start, so that a program that runs a few passes links no others.
type pipeline struct {
	once   sync.Once
	passes []Pass
}

var standard, standardLarge, unrolling, unrollingLarge, vulkan, vulkanLarge pipeline

// of returns the passes of the lines that a variant has.
func (p *pipeline) of(v variant, lines func() []line) []Pass {
	p.once.Do(func() {
		for _, l := range lines() {
			if l.in == both || l.in == v {
				p.passes = append(p.passes, l.pass)
			}
		}
	})
	return p.passes
}

// The passes whose changes make later lines worth running.
var (
	moved        = []*Pass{&Licm}
	afterMem2Reg = []*Pass{&Mem2Reg}
	unrolled     = []*Pass{&Unroll, &UnrollByPeriod}
	short        = []*Pass{&UnrollStrided, &UnrollShort, &UnrollByPeriod}
	again        = []*Pass{&UnrollArrays}
	partially    = []*Pass{&RuntimeUnroll}
)

// Standard makes code fast on targets whose compilers unroll by themselves: MSL, WGSL, AMDGPU, CPU.
func Standard() []Pass { return standard.of(small, standardLines) }

// StandardLarge is Standard for large launches.
func StandardLarge() []Pass { return standardLarge.of(large, standardLines) }

// Inlined is Standard after the checks of the trap mode, which come after Inline. A second run of
// Inline would have its budget anew, and spend it on functions that checks have made four times as
// large.
func Inlined() []Pass { return Standard()[1:] }

func standardLines() []line {
	return []line{
		{Inline, both},                  // later passes see across calls
		{Specialize, both},              // calls that remain pass no pointer that a target refuses
		{Sroa, both},                    // splits variables for mem2reg
		{Mem2Reg, both},                 //
		{Simplify, both},                //
		{Gvn, both},                     // frees loops of loads, which makes values invariant
		{Licm, both},                    // brings equal values of different blocks together
		{If(moved, Gvn), both},          // merges those
		{RangeSimplify, both},           // uses the intervals of what is left
		{Simplify, both},                // uses what gvn and the intervals found
		{LaunchBoundsVersioning, large}, // behind all that finds out about indices
		{Dce, both},                     //
		{Sroa, both},                    // indices have become constant
		{Mem2Reg, both},                 //
	}
}

// Unrolled makes code fast on targets whose compilers leave arrays that loops index in memory: PTX.
func Unrolled() []Pass { return unrolling.of(small, unrolledLines) }

// UnrolledLarge is Unrolled for large launches.
func UnrolledLarge() []Pass { return unrollingLarge.of(large, unrolledLines) }

func unrolledLines() []line {
	return []line{
		{Inline, both},
		{Specialize, both},
		{Sroa, both},
		{Mem2Reg, both},
		{Simplify, both},
		{IndVarNormalize, both},        // loops that begin elsewhere count from zero
		{Unroll, both},                 // indices of the invocation's arrays become constant
		{UnrollArraysByPeriod(), both}, // and remainders of the induction variables of long loops
		{If(unrolled, Simplify), both},
		{If(unrolled, Sroa), both}, // arrays with constant indices become values
		{If(unrolled, Mem2Reg), both},
		{If(afterMem2Reg, Simplify), both},
		{If(unrolled, UnrollArrays), both}, // counts that unrolling has made known
		{If(again, Simplify), both},
		{If(again, Sroa), both},
		{If(again, Mem2Reg), both},
		{If(afterMem2Reg, Simplify), both},
		{If(unrolled, MergeBranches), both}, // iterations with the same test
		{If(unrolled, ReassociateDivision), both},
		{Gvn, both},
		{Licm, both},
		{If(moved, Gvn), both},
		{RangeSimplify, both},
		{SoftwarePipeline, both}, // loops over tiles are as they will stay
		{Simplify, large},
		{LaunchBoundsVersioning, large}, // ahead of runtime-unroll, which tests the same accesses
		{RuntimeUnroll, both},
		{Simplify, both},
		{If(partially, Gvn), both},
		{Dce, both},
		{Sroa, both},
		{Mem2Reg, both},
	}
}

// Vulkan makes code fast on targets whose compilers make values of arrays that loops index, as far
// as they unroll those loops: SPIR-V.
func Vulkan() []Pass { return vulkan.of(small, vulkanLines) }

// VulkanLarge is Vulkan for large launches.
func VulkanLarge() []Pass { return vulkanLarge.of(large, vulkanLines) }

func vulkanLines() []line {
	return []line{
		{Inline, both},
		{Specialize, both},
		{Sroa, both},
		{Mem2Reg, both},
		{Simplify, both},
		{IndVarNormalize, both},
		{StripMine, both},      // tiles that leave room for other workgroups
		{UnrollStrided, small}, // loops that targets' compilers do not unroll
		{UnrollShort, large},   // short loops, too: not worth the size in code for every launch
		{UnrollByPeriod, both},
		{If(short, Simplify), both},
		{If(short, Sroa), both},
		{If(short, Mem2Reg), both},
		{If(afterMem2Reg, Simplify), both},
		{If(short, MergeBranches), both},
		{If(short, ReassociateDivision), both},
		{Gvn, both},
		{Licm, both},
		{If(moved, Gvn), both},
		{RangeSimplify, both},
		{SoftwarePipeline, both},
		{Simplify, large},
		{LaunchBoundsVersioning, large},
		{RuntimeUnroll, both},
		{Simplify, both},
		{If(partially, Gvn), both},
		{Dce, both},
		{Sroa, both},
		{Mem2Reg, both},
	}
}

// Coarsened comes after ThreadCoarsening, and simplifies the code that it has written.
func Coarsened() []Pass {
	return []Pass{Simplify, Gvn, Licm, If(moved, Gvn), RangeSimplify, Simplify, Dce, Sroa, Mem2Reg}
}

// Minimal are the passes of -O0, which establish what the targets' lowering needs.
func Minimal() []Pass { return []Pass{Specialize} }

// Promoted is for -O0 on targets whose variables have to become values.
func Promoted() []Pass { return []Pass{Specialize, Sroa, Mem2Reg} }

// Passes lists every portable pass, for `gpuc ir -passes` and `gpuc doc`.
var Passes = []*Pass{&Inline, &InlinePartial, &InlineHandles, &InlineTiles, &Specialize, &Sroa, &Mem2Reg, &PromoteTiles, &Simplify, &IndVarNormalize, &StripMine, &Unroll, &UnrollShort, &UnrollStrided, &UnrollArrays, &UnrollByPeriod, &MergeBranches, &ReassociateDivision, &RuntimeUnroll, &Gvn, &Licm, &RangeSimplify, &SoftwarePipeline, &Dce, &LaunchBoundsVersioning, &ThreadCoarsening}
