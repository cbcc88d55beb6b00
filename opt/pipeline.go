package opt

import (
	"slices"
	"sync"

	"github.com/gpuc/gpuc/ir"
)

// The pipelines. Standard is what `gpuc build` runs:
//
//	inline ─► specialize ─► sroa ─► mem2reg ─► simplify ─► gvn ─► licm ─► gvn ─► decide ─► simplify ─► dce ─► sroa ─► mem2reg
//
// Gvn frees loops of loads and so makes values invariant; licm brings equal values of different
// blocks together, which the second gvn merges, if there were any. The second simplify sees what
// gvn found out about conditions and memory, and decide about numbers. The last two promote the
// variables whose indices became constant on the way; where no variable is left they cost nothing.
//
// Unrolled has loops unrolled whose variables would stay in memory otherwise, where a target's
// compiler does not (codegen.Target.Portable), and loops written out whose counts have remainders
// that repeat. Behind that indices are constants, and the passes run again that made values of
// variables.
//
// Inlined is the rest of it where inline came before the checks of the trap mode: a second run
// would have its budget anew, and spend it on functions that are four times as large with checks.
//
// Minimal, for -O0, does only what targets rely on: calls pass no pointers that a
// target does not take.

// Standard makes code fast.
var Standard = []Pass{Inline, Specialize, Sroa, Mem2Reg, Simplify, Gvn, Licm, gvnOfMoved(), RangeSimplify, Simplify, Dce, Sroa, Mem2Reg}

// Unrolled makes code fast for targets whose compilers leave in memory what loops index,
// UnrolledOdd for those that make values of it, and UnrolledShort their forms for large launches.
// They are put together when they are first asked for.
var (
	Unrolled      = sync.OnceValue(func() []Pass { return unrolledBy(Unroll) })
	UnrolledShort = sync.OnceValue(func() []Pass { return unrolledBy(UnrollShort) })
	UnrolledOdd   = sync.OnceValue(func() []Pass { return unrolledBy(UnrollOdd) })
)

func unrolledBy(unroll Pass) []Pass {
	var again, strips []Pass
	if unroll.Name != Unroll.Name {
		strips = []Pass{StripMine}
	}
	if unroll.Name == Unroll.Name {
		again = []Pass{afterUnroll(UnrollAgain), afterAgain(Simplify), afterAgain(Sroa), afterAgain(Mem2Reg), afterAgain(afterPromotion(Simplify))}
	}
	return slices.Concat(Standard[:5], []Pass{IndVarNormalize}, strips, []Pass{unroll, UnrollByPeriod, afterUnroll(Simplify), afterUnroll(Sroa), afterUnroll(Mem2Reg), afterUnroll(afterPromotion(Simplify))},
		again, []Pass{afterUnroll(MergeBranches), afterUnroll(ReassociateDivision)},
		Standard[5:9], []Pass{SoftwarePipeline, RuntimeUnroll}, Standard[9:10], []Pass{afterUnroll(Gvn)}, Standard[10:])
}

// Inlined makes code fast whose functions are inlined.
var Inlined = Standard[1:]

// Coarser makes kernels coarse. What it leaves is for passes that make code fast.
var Coarser = []Pass{ThreadCoarsening}

// gvnOfMoved is Gvn behind Licm: there is nothing new to merge if that has moved nothing.
func gvnOfMoved() Pass {
	p := Gvn
	p.Run = func(c *Context, m *ir.Module) {
		if c.moved {
			Gvn.Run(c, m)
		}
	}
	return p
}

// Minimal establishes what the targets' legalisers need.
var Minimal = []Pass{Specialize}

// Promoted is Minimal for targets whose variables have to become values.
var Promoted = []Pass{Specialize, Sroa, Mem2Reg}

// Passes lists every portable pass, for `gpuc ir -passes` and `gpuc doc`.
var Passes = []*Pass{&Inline, &InlinePartial, &InlineHandles, &Specialize, &Sroa, &Mem2Reg, &Simplify, &IndVarNormalize, &StripMine, &Unroll, &UnrollShort, &UnrollOdd, &UnrollAgain, &UnrollByPeriod, &MergeBranches, &ReassociateDivision, &RuntimeUnroll, &Gvn, &Licm, &RangeSimplify, &SoftwarePipeline, &Dce, &LaunchBoundsVersioning, &ThreadCoarsening}
