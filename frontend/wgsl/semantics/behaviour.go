package semantics

// This file says how control can leave a statement.

// Behaviour is the ways control can leave a statement (WGSL §9.7).
type Behaviour uint8

// The ways.
const (
	NextBehaviour Behaviour = 1 << iota
	BreakBehaviour
	ContinueBehaviour
	ReturnBehaviour
	BadBehaviour // the analysis failed and was reported
)
