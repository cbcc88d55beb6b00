// This file merges the per-iteration copies of a variable declared by a three-clause for statement.
// Package ssa copies the variable after each iteration, and a phi selects the current copy:
//
//	outer = alloc                            outer = alloc
//	loop: i = phi outer, next           ─►   loop: i is outer
//	post: next = alloc, *next = *i           post: next is outer
//
// The copies are equivalent to one variable if no pointer to it outlives its iteration
// (lifetime.go).

package gokernel

import "golang.org/x/tools/go/ssa"

// loopVariable returns the allocations of a for statement's variable that a phi selects between:
// that before the loop and the copy for the next iteration. It returns nil for other phis.
func loopVariable(phi *ssa.Phi) (outer, next *ssa.Alloc) {
	if len(phi.Edges) != 2 {
		return nil, nil
	}
	outer, ok1 := phi.Edges[0].(*ssa.Alloc)
	next, ok2 := phi.Edges[1].(*ssa.Alloc)
	if !ok1 || !ok2 || !phi.Pos().IsValid() || outer.Pos() != phi.Pos() || next.Pos() != phi.Pos() {
		return nil, nil
	}
	return outer, next
}

// copied returns the variable that another one is the next iteration's copy of, or nil.
func copied(v *ssa.Alloc) (outer *ssa.Alloc) {
	for _, use := range *v.Referrers() {
		if phi, ok := use.(*ssa.Phi); ok {
			if outer, next := loopVariable(phi); next == v {
				return outer
			}
		}
	}
	return nil
}

// isCopy reports whether a store copies a for statement's variable for the next iteration.
func isCopy(s *ssa.Store) bool {
	v, ok := s.Addr.(*ssa.Alloc)
	if !ok || copied(v) == nil {
		return false
	}
	load, ok := s.Val.(*ssa.UnOp)
	if !ok {
		return false
	}
	phi, ok := load.X.(*ssa.Phi)
	if !ok {
		return false
	}
	_, next := loopVariable(phi)
	return next == v
}
