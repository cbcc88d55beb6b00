package opt

// The pipelines. Standard is what `gpuc build` runs:
//
//	inline ─► specialize ─► sroa ─► mem2reg ─► simplify ─► gvn ─► licm ─► gvn ─► simplify ─► dce ─► sroa ─► mem2reg
//
// Gvn frees loops of loads and so makes values invariant; licm brings equal values
// of different blocks together, which the second gvn merges. The second simplify
// sees what gvn found out about conditions and memory. The last two promote the variables whose indices became constant on the way; where
// no variable is left they cost nothing.
//
// Minimal, for -O0, does only what targets rely on: calls pass no pointers that a
// target does not take.

// Standard makes code fast.
var Standard = []Pass{Inline, Specialize, Sroa, Mem2Reg, Simplify, Gvn, Licm, Gvn, Simplify, Dce, Sroa, Mem2Reg}

// Minimal establishes what the targets' legalisers need.
var Minimal = []Pass{Specialize}

// Passes lists every portable pass, for `gpuc ir -passes` and `gpuc doc`.
var Passes = []*Pass{&Inline, &Specialize, &Sroa, &Mem2Reg, &Simplify, &Gvn, &Licm, &Dce}
