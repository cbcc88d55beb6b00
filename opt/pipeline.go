package opt

// The pipelines. Standard is what `gpuc build` runs:
//
//	inline ─► sroa ─► mem2reg ─► dce
//
// Minimal, for -O0, does only what targets rely on.

// Standard makes code fast.
var Standard = []Pass{Inline, Sroa, Mem2Reg, Dce}

// Minimal establishes what the targets' legalisers need.
var Minimal = []Pass{Inline}

// Passes lists every portable pass, for `gpuc ir -passes` and `gpuc doc`.
var Passes = []*Pass{&Inline, &Sroa, &Mem2Reg, &Dce}
