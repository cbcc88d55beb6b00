package uniform

import "unsafe"

// This file lets the tests outside of the package, which need the checker, see how
// much memory an analysis has taken.

// Memory returns how many bytes the analyser keeps, and how many nodes the last
// graph has.
func (u *Analyzer) Memory() (bytes, nodes int) {
	return held(u.heads) + held(u.edges) + held(u.exprs) + held(u.visited) + held(u.parents) + held(u.queue) + held(u.settled) +
		held(u.lets) + held(u.current) + held(u.active) + held(u.assignments) + held(u.loops) + held(u.carried) +
		held(u.changes) + held(u.branch) + held(u.other) + held(u.stamps), len(u.heads)
}

// held returns how many bytes a slice keeps.
func held[T any](s []T) int { return cap(s) * int(unsafe.Sizeof(*new(T))) }
