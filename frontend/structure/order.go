package structure

import "slices"

// This file finds out what a graph is like: the order of its blocks, what dominates what, and
// which loops there are.

// search numbers the blocks that the entry leads to in reverse postorder. It keeps its own
// stack, for functions may be long.
func (s *Structurer) search() {
	n := s.g.Blocks()
	s.number, s.next = sized(s.number, n, -1), sized(s.next, n, 0)
	s.order, s.stack = s.order[:0], append(s.stack[:0], 0)
	s.number[0] = 0
	for len(s.stack) > 0 {
		b := s.stack[len(s.stack)-1]
		successors := s.g.Successors(Block(b))
		if int(s.next[b]) == len(successors) {
			s.stack = s.stack[:len(s.stack)-1]
			s.order = append(s.order, Block(b))
			continue
		}
		to := successors[s.next[b]]
		s.next[b]++
		if s.number[to] < 0 {
			s.number[to] = 0 // seen
			s.stack = append(s.stack, int32(to))
		}
	}
	slices.Reverse(s.order)
	for v, b := range s.order {
		s.number[b] = int32(v)
	}
}

// predecessors turns the edges around.
func (s *Structurer) predecessors() {
	n := len(s.order)
	s.starts = sized(s.starts, n+1, 0)
	for v := range n {
		for _, to := range s.successors(int32(v)) {
			s.starts[s.number[to]+1]++
		}
	}
	for v := range n {
		s.starts[v+1] += s.starts[v]
	}
	s.preds = sized(s.preds, int(s.starts[n]), 0)
	for v := n - 1; v >= 0; v-- { // from the end, so that each start is where it was
		for _, to := range s.successors(int32(v)) {
			at := &s.starts[s.number[to]+1]
			*at--
			s.preds[*at] = int32(v)
		}
	}
	copy(s.starts, s.starts[1:])
	s.starts[n] = int32(len(s.preds))
}

// predsOf returns the predecessors of v, one for each edge, in no particular order.
func (s *Structurer) predsOf(v int32) []int32 { return s.preds[s.starts[v]:s.starts[v+1]] }

// dominate finds what dominates what, from the edges that lead forward: what dominates a block
// alone is where the ways up from its predecessors meet (Cooper, Harvey and Kennedy, "A simple,
// fast dominance algorithm", 2001). In a reducible graph, one whose edges back all lead to a block
// that dominates where they come from, these edges change nothing of it (Hecht and Ullman,
// "Characterizations of reducible flow graphs", 1974), so that one round is enough. And such an
// edge dominates in the graph without edges back if it does in the whole, for a way that uses one
// has been at its end before.
func (s *Structurer) dominate() error {
	n := int32(len(s.order))
	s.dominators.reset(int(n))
	for v := int32(1); v < n; v++ {
		above := int32(-1)
		for _, p := range s.predsOf(v) {
			switch {
			case p >= v:
			case above < 0:
				above = p
			default:
				above = s.dominators.meet(above, p, &s.steps)
			}
		}
		s.dominators.add(v, above)
	}
	for v := range n {
		for _, p := range s.predsOf(v) {
			if p >= v && s.dominators.at(p, s.dominators.depth(v), &s.steps) != v {
				return &Irreducible{From: s.order[p], To: s.order[v]}
			}
		}
	}
	return nil
}

// findLoops finds the natural loop of each header, a block that edges lead back to: all that leads
// to these edges without passing the header. Inner loops come first and count as one
// block from then on (Tarjan, "Testing flow graph reducibility", 1974; Havlak, "Nesting of
// reducible and irreducible loops", 1997).
func (s *Structurer) findLoops() {
	n := int32(len(s.order))
	s.outer, s.inside = sized(s.outer, int(n), n), sized(s.inside, int(n), 0)
	for v := range n {
		s.inside[v] = v
	}
	s.header = sized(s.header, int(n), false)
	for h := n - 1; h >= 0; h-- {
		s.stack = s.stack[:0]
		for _, p := range s.predsOf(h) {
			if p >= h {
				s.header[h] = true
				s.enclose(h, p)
			}
		}
		for len(s.stack) > 0 {
			v := s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
			for _, p := range s.predsOf(v) {
				s.enclose(h, p)
			}
		}
	}
	s.nest.reset(int(n) + 1)
	s.nest.root = n
	s.nest.nodes[n] = treeNode{parent: n, jump: n}
	for v := range n {
		s.nest.add(v, s.outer[v])
	}
}

// enclose puts what stands for p now into the loop of h, if it is not there.
func (s *Structurer) enclose(h, p int32) {
	for s.inside[p] != p {
		s.inside[p] = s.inside[s.inside[p]]
		p = s.inside[p]
		s.steps++
	}
	if p != h {
		s.inside[p], s.outer[p] = h, h
		s.stack = append(s.stack, p)
	}
}

// tree is a tree whose nodes are added from the root down. Besides its parent, a node has a jump to
// an ancestor, so that any ancestor is found in a number of steps that is the logarithm of the
// depth (Myers, "An applicative random-access stack", 1983).
type tree struct {
	nodes []treeNode
	root  int32
}

type treeNode struct{ parent, jump, depth int32 }

// reset makes a tree with room for n nodes, of which there is the root 0.
func (t *tree) reset(n int) {
	t.nodes, t.root = sized(t.nodes, n, treeNode{}), 0
}

func (t *tree) add(v, parent int32) {
	p := &t.nodes[parent]
	j := &t.nodes[p.jump]
	x := treeNode{parent: parent, jump: parent, depth: p.depth + 1}
	if p.depth-j.depth == j.depth-t.nodes[j.jump].depth {
		x.jump = j.jump
	}
	t.nodes[v] = x
}

func (t *tree) depth(v int32) int32 { return t.nodes[v].depth }

// at returns the ancestor of v at a depth, or v if it is not below that.
func (t *tree) at(v, depth int32, steps *int) int32 {
	for t.nodes[v].depth > depth {
		if x := &t.nodes[v]; t.nodes[x.jump].depth >= depth {
			v = x.jump
		} else {
			v = x.parent
		}
		*steps++
	}
	return v
}

// meet returns the deepest node that is above both, or one of them.
func (t *tree) meet(a, b int32, steps *int) int32 {
	a, b = t.at(a, t.nodes[b].depth, steps), t.at(b, t.nodes[a].depth, steps)
	for a != b {
		x, y := &t.nodes[a], &t.nodes[b]
		if x.jump != y.jump {
			a, b = x.jump, y.jump
		} else {
			a, b = x.parent, y.parent
		}
		*steps++
	}
	return a
}
