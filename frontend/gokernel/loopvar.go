// This file makes one variable of those that a loop of three clauses has, of which each iteration
// has its own. Package ssa copies the variable behind each iteration, and a phi says which of them
// is meant:
//
//	outer = alloc                            outer = alloc
//	loop: i = phi outer, next           ─►   loop: outer is meant by i
//	post: next = alloc, *next = *i           post: and by next
//
// Nothing can tell the copies from one variable where no pointer to it outlives its iteration
// (outlived.go).

package gokernel

import "golang.org/x/tools/go/ssa"

// loopVariable returns the variable of a loop that a phi means, by what it is before the loop and
// behind an iteration, or nil.
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

// copied returns the variable that another one is the copy of for the next iteration, or nil.
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

// isCopy reports whether a store copies the variable of a loop for the next iteration.
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
