package structure

// This file decides where blocks are emitted, as in Ramsey's "Beyond Relooper: recursive
// translation of unstructured control flow to structured control flow" (2022). A merge block
// belongs to its immediate dominator. A block outside the loop of that dominator belongs to the
// loop's header.

// placement is where a block is emitted.
type placement uint8

const (
	merge      placement = iota // after the if of its immediate dominator, or after a loop
	inline                      // at the only edge to it
	continuing                  // in the continuing list of its loop
)

// placeBlocks sets the placement of all blocks but the entry.
func (s *Structurer) placeBlocks() {
	n := int32(len(s.order))
	s.placement = sized(s.placement, int(n), merge)
	s.merges, s.exits, s.sibling = sized(s.merges, int(n), -1), sized(s.exits, int(n), -1), sized(s.sibling, int(n), -1)
	for v := n - 1; v > 0; v-- {
		single := s.forwardEdges(v) == 1
		d := s.dominators.nodes[v].parent
		// l is the header of the outermost loop around d without v, or d itself.
		l := s.loops.at(d, s.loops.depth(v), &s.steps)
		outside := s.header[l] && s.loops.depth(v) <= s.loops.depth(l)
		switch {
		case single && (!outside || s.mark(v)&EarlyReturn != 0 && len(s.successors(v)) == 0):
			s.placement[v] = inline
		case outside:
			s.sibling[v], s.exits[l] = s.exits[l], v
		default:
			s.sibling[v], s.merges[d] = s.merges[d], v
		}
	}
	s.latch = sized(s.latch, int(n), -1)
	for h := range n { // outer loops first: their continuing blocks are not exits of inner loops
		if t := s.continuingBlock(h); t >= 0 {
			s.latch[h], s.placement[t] = t, continuing
		}
	}
}

// forwardEdges counts the edges to v that are not back edges.
func (s *Structurer) forwardEdges(v int32) (count int) {
	for _, p := range s.predsOf(v) {
		if p < v {
			count++
		}
	}
	return count
}

// continuingBlock returns the continuing block of the loop of h, or -1. It is the only latch,
// if several edges merge there and it has at most one other successor, outside the loop.
func (s *Structurer) continuingBlock(h int32) int32 {
	t := int32(-1)
	for _, p := range s.predsOf(h) {
		if p >= h {
			if t >= 0 {
				return -1
			}
			t = p
		}
	}
	if t < 0 || t == h || s.header[t] || s.parent[t] != h || s.mark(t)&InBody != 0 || s.forwardEdges(t) < 2 {
		return -1
	}
	to := s.successors(t)
	if len(to) > 2 {
		return -1
	}
	if len(to) == 2 && s.isInline(t, s.otherSuccessor(t, h)) {
		return -1 // an early return, which needs a list
	}
	return t
}

// otherSuccessor returns the successor of a continuing block that is not h.
func (s *Structurer) otherSuccessor(t, h int32) int32 {
	to := s.successors(t)
	if e := s.index[to[0]]; e != h {
		return e
	}
	return s.index[to[1]]
}

// isInline reports whether a block is emitted at the edge from another one.
func (s *Structurer) isInline(from, to int32) bool { return from < to && s.placement[to] == inline }

// skipContinuing returns the first block of a list, from v on, that is not a continuing block, or
// -1.
func (s *Structurer) skipContinuing(v int32) int32 {
	for v >= 0 && s.placement[v] == continuing {
		v = s.sibling[v]
	}
	return v
}
