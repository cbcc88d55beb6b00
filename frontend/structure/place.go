package structure

// This file decides where each block stands: a block belongs to the one that dominates it
// alone, as in Ramsey's translation ("Beyond Relooper: recursive translation of unstructured
// control flow to structured control flow", 2022), but to a loop's header if it
// is not in that loop.

// place is where a block stands.
type place uint8

const (
	// merge: behind the terminator of its dominator, or behind a loop.
	merge place = iota
	// inline: where the only edge to it comes from.
	inline
	// continuing: the continuing list of the loop around it.
	continuing
)

// placeAll places every block but the entry, which stands at the beginning.
func (s *Structurer) placeAll() {
	n := int32(len(s.order))
	s.place = sized(s.place, int(n), merge)
	s.merged, s.behind, s.following = sized(s.merged, int(n), -1), sized(s.behind, int(n), -1), sized(s.following, int(n), -1)
	for v := n - 1; v > 0; v-- {
		single := s.forward(v) == 1
		d := s.dominators.nodes[v].parent
		// l is the outermost loop around d that v is not in, or d itself if there is none.
		l := s.nest.at(d, s.nest.depth(v), &s.steps)
		outside := s.header[l] && s.nest.depth(v) <= s.nest.depth(l)
		switch {
		case single && (!outside || s.mark(v)&Early != 0 && len(s.successors(v)) == 0):
			s.place[v] = inline
		case outside:
			s.following[v], s.behind[l] = s.behind[l], v
		default:
			s.following[v], s.merged[d] = s.merged[d], v
		}
	}
	s.latch = sized(s.latch, int(n), -1)
	for h := range n { // outer loops first: their continuing blocks stand behind no inner loop
		if t := s.continuingBlock(h); t >= 0 {
			s.latch[h], s.place[t] = t, continuing
		}
	}
}

// forward counts the edges that lead forward to v.
func (s *Structurer) forward(v int32) (count int) {
	for _, p := range s.predsOf(v) {
		if p < v {
			count++
		}
	}
	return count
}

// continuingBlock returns the continuing block of the loop of h, or -1: the only one that leads
// back, where several edges meet, and that leads to one block else at most, which is not in the
// loop.
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
	if t < 0 || t == h || s.header[t] || s.outer[t] != h || s.mark(t)&InBody != 0 || s.forward(t) < 2 {
		return -1
	}
	to := s.successors(t)
	if len(to) > 2 {
		return -1
	}
	if len(to) == 2 && s.stands(t, s.leaving(t, h)) {
		return -1 // an early return, which needs a list of its own
	}
	return t
}

// leaving returns where the branch of a continuing block leads if not to h.
func (s *Structurer) leaving(t, h int32) int32 {
	to := s.successors(t)
	if e := s.number[to[0]]; e != h {
		return e
	}
	return s.number[to[1]]
}

// skip returns the first of a list from v on that stands there, or -1.
func (s *Structurer) skip(v int32) int32 {
	for v >= 0 && s.place[v] == continuing {
		v = s.following[v]
	}
	return v
}
