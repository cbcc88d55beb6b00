package structure

// This file has the memory that all steps share, and their order.

// Structurer is working memory, kept from graph to graph. The zero value is ready.
//
// Inside, blocks are numbers in reverse postorder, so that an edge leads back if its number
// does not grow.
type Structurer struct {
	g      *Graph
	order  []Block // by number
	number []int32 // by block, or -1 if nothing leads to it
	stack  []int32
	next   []int32 // by block: the successor that the search takes next

	// Predecessors of v are preds[starts[v]:starts[v+1]].
	starts, preds []int32

	dominators tree
	// nest holds, above each number, the header of the innermost loop around it, and above
	// what is in no loop the count of numbers. A header counts as outside of its loop.
	nest   tree
	outer  []int32 // by number: what is above it in nest
	inside []int32 // by number: the outermost loop found around it, for find
	header []bool  // by number
	latch  []int32 // by header: its continuing block, or -1

	place []place // by number
	// merged and behind hold, by number, the first in a list of what is placed behind its
	// terminator, and behind the loop that it is the header of; following holds the next
	// of the list. Lists are in reverse postorder.
	merged, behind, following []int32

	nodes   []Node
	frames  []frame
	label   []int32 // by number: the innermost frame that leads there, or -1
	loop    int32   // the frame of the innermost loop, or -1
	pending []int32

	// steps counts the turns of the loops whose count is not plainly that of blocks and
	// edges. Tests hold it against the size of graphs.
	steps int
}

// Structure makes structured control of a graph. The nodes are valid until the next call. A graph
// that has no such form is refused with *Irreducible.
func (s *Structurer) Structure(g *Graph) ([]Node, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	s.g, s.steps = g, 0
	s.search()
	s.predecessors()
	if err := s.dominate(); err != nil {
		return nil, err
	}
	s.findLoops()
	s.placeAll()
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

// successors returns the blocks that v leads to.
func (s *Structurer) successors(v int32) []Block { return s.g.Successors(s.order[v]) }

// mark returns the marks of v.
func (s *Structurer) mark(v int32) Mark { return s.g.marks[s.order[v]] }
