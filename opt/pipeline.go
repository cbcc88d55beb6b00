package opt

// The pipelines. Standard is what `gpuc build` runs:
//
//	inline ─► sroa ─► mem2reg ─► simplify ─► gvn ─► licm ─► simplify ─► dce
//
// Minimal, for -O0, does only what targets rely on.

// Standard makes code fast.
var Standard = []Pass{}

// Minimal establishes what the targets' legalisers need.
var Minimal = []Pass{}

// Passes lists every portable pass, for `gpuc ir -passes` and `gpuc doc`.
var Passes = []*Pass{}
