package structure

import "slices"

// This file analyses a graph: its reverse postorder, dominator tree and loop nesting forest.

// numberBlocks finds the reverse postorder of the reachable blocks. It has an explicit stack, since
// the depth is that of the function.
func (s *Structurer) numberBlocks() {
	n := s.g.Blocks()
	s.index, s.next = sized(s.index, n, -1), sized(s.next, n, 0)
	s.order, s.stack = s.order[:0], append(s.stack[:0], 0)
	s.index[0] = 0
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
		if s.index[to] < 0 {
			s.index[to] = 0 // seen
			s.stack = append(s.stack, int32(to))
		}
	}
	slices.Reverse(s.order)
	for v, b := range s.order {
		s.index[b] = int32(v)
	}
}

// findPredecessors reverses the edges by a counting sort.
func (s *Structurer) findPredecessors() {
	n := len(s.order)
	s.starts = sized(s.starts, n+1, 0)
	for v := range n {
		for _, to := range s.successors(int32(v)) {
			s.starts[s.index[to]+1]++
		}
	}
	for v := range n {
		s.starts[v+1] += s.starts[v]
	}
	s.preds = sized(s.preds, int(s.starts[n]), 0)
	for v := n - 1; v >= 0; v-- { // backwards, so that each list is in order
		for _, to := range s.successors(int32(v)) {
			at := &s.starts[s.index[to]+1]
			*at--
			s.preds[*at] = int32(v)
		}
	}
	copy(s.starts, s.starts[1:])
	s.starts[n] = int32(len(s.preds))
}

// predsOf returns the predecessors of v, one for each edge, in no particular order.
func (s *Structurer) predsOf(v int32) []int32 { return s.preds[s.starts[v]:s.starts[v+1]] }

// findDominators builds the dominator tree (Cooper, Harvey and Kennedy, "A simple, fast dominance
// algorithm", 2001): the immediate dominator of a block is the lowest common ancestor of its
// predecessors. One pass over the forward edges is enough. In a reducible graph the target of a
// back edge dominates its source (Hecht and Ullman, "Characterizations of reducible flow graphs",
// 1974), so that back edges do not change dominance. That is checked at the end.
func (s *Structurer) findDominators() error {
	n := int32(len(s.order))
	s.dominators.reset(int(n), 0)
	for v := int32(1); v < n; v++ {
		ancestor := int32(-1)
		for _, p := range s.predsOf(v) {
			switch {
			case p >= v:
			case ancestor < 0:
				ancestor = p
			default:
				ancestor = s.dominators.common(ancestor, p, &s.steps)
			}
		}
		s.dominators.add(v, ancestor)
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

// findLoops builds the loop nesting forest (Tarjan, "Testing flow graph reducibility", 1974;
// Havlak, "Nesting of reducible and irreducible loops", 1997). The natural loop of a header is
// every block that reaches one of its back edges without passing the header. Inner loops are found
// first, and then count as one block.
func (s *Structurer) findLoops() {
	n := int32(len(s.order))
	s.parent, s.enclosed = sized(s.parent, int(n), n), sized(s.enclosed, int(n), 0)
	for v := range n {
		s.enclosed[v] = v
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
	s.loops.reset(int(n)+1, n)
	for v := range n {
		s.loops.add(v, s.parent[v])
	}
}

// enclose adds the outermost loop found so far around p, or p itself, to the loop of h.
func (s *Structurer) enclose(h, p int32) {
	for s.enclosed[p] != p {
		s.enclosed[p] = s.enclosed[s.enclosed[p]]
		p = s.enclosed[p]
		s.steps++
	}
	if p != h {
		s.enclosed[p], s.parent[p] = h, h
		s.stack = append(s.stack, p)
	}
}

// tree is a tree that grows from the root down. Each node has its parent and a jump pointer to an
// ancestor, so that an ancestor at a depth is found in logarithmic time (Myers, "An applicative
// random-access stack", 1983).
type tree struct{ nodes []treeNode }

type treeNode struct{ parent, jump, depth int32 }

// reset begins a tree with room for n nodes.
func (t *tree) reset(n int, root int32) {
	t.nodes = sized(t.nodes, n, treeNode{})
	t.nodes[root] = treeNode{parent: root, jump: root}
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

// at returns the ancestor of v at a depth, or v if it is not deeper.
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

// common returns the lowest common ancestor of two nodes.
func (t *tree) common(a, b int32, steps *int) int32 {
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
