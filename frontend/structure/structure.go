package structure

// Structurer structures graphs. It is working memory, reused from graph to graph; the zero value is
// ready.
//
// Inside, a block is its index in reverse postorder, so that an edge to the same or a lower index
// is a back edge.
type Structurer struct {
	g     *Graph
	order []Block // the reachable blocks in reverse postorder
	index []int32 // by block: its index in order, or -1 if it is unreachable
	stack []int32
	next  []int32 // by block: the successor that the depth-first search visits next

	// The predecessors of v are preds[starts[v]:starts[v+1]].
	starts, preds []int32

	dominators tree
	// loops is the loop nesting forest: the parent of a block is the header of the innermost loop
	// around it, or the root len(order). A header counts as outside its loop.
	loops    tree
	parent   []int32 // its parents, before the tree is built
	enclosed []int32 // union-find: the outermost loop found so far around a block
	header   []bool
	latch    []int32 // by header: its continuing block, or -1

	placement []placement
	// merges and exits are the first of lists: the merge blocks of a branch, and the blocks after
	// the loop of a header. sibling is the next block of the list. Lists are in reverse postorder.
	merges, exits, sibling []int32

	nodes   []Node
	frames  []frame
	label   []int32 // by block: the innermost frame whose end leads there, or -1
	loop    int32   // the frame of the innermost loop, or -1
	pending []int32

	// steps counts the iterations of the loops that are not obviously linear, for tests.
	steps int
}

// Structure returns the structured form of a graph. The nodes are valid until the next call. The
// error is an *Irreducible if the graph is irreducible, and another one if it is malformed.
func (s *Structurer) Structure(g *Graph) ([]Node, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	s.g, s.steps = g, 0
	s.numberBlocks()
	s.findPredecessors()
	if err := s.findDominators(); err != nil {
		return nil, err
	}
	s.findLoops()
	s.placeBlocks()
	s.emit()
	return s.nodes, nil
}

// sized returns n elements in the memory of a slice, all of them x.
func sized[T any](memory []T, n int, x T) []T {
	if cap(memory) < n {
		memory = make([]T, n, n+n/4)
	}
	memory = memory[:n]
	for i := range memory {
		memory[i] = x
	}
	return memory
}

func (s *Structurer) successors(v int32) []Block { return s.g.Successors(s.order[v]) }

func (s *Structurer) mark(v int32) Mark { return s.g.marks[s.order[v]] }
