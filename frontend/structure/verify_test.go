package structure_test

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/frontend/structure"
)

// This file checks nodes by the meaning that the package's page gives them.

// machine interprets nodes. It finds the extent of constructs by matching brackets.
type machine struct {
	nodes  []structure.Node
	code   map[structure.Block]int // by block: the node of its code
	opener []int                   // by node: the innermost construct around it, or -1
	end    map[int]int             // by the node that opens a construct: its End
	arms   map[int][]int           // by If: the nodes at which its lists begin
	again  map[int]int             // by Loop: the target of Continue
}

// newMachine returns an error for nodes that are not well formed.
func newMachine(nodes []structure.Node) (*machine, error) {
	m := &machine{
		nodes: nodes, code: map[structure.Block]int{}, opener: make([]int, len(nodes)),
		end: map[int]int{}, arms: map[int][]int{}, again: map[int]int{},
	}
	var open []int
	ended := false // whether the list has its leaf
	for i, n := range nodes {
		closes := n.Kind == structure.Arm || n.Kind == structure.Continuing || n.Kind == structure.End
		if ended != closes {
			return nil, fmt.Errorf("node %d: a list must end by one leaf", i)
		}
		m.opener[i] = -1
		if len(open) > 0 {
			m.opener[i] = open[len(open)-1]
		}
		if closes && int(n.Label) != m.opener[i] {
			return nil, fmt.Errorf("node %d: belongs to %d, not to %d", i, m.opener[i], n.Label)
		}
		ended = n.Kind.Leaf()
		switch n.Kind {
		case structure.Code:
			if at, twice := m.code[n.Block]; twice {
				return nil, fmt.Errorf("node %d: block %d is at %d, too", i, n.Block, at)
			}
			m.code[n.Block] = i
		case structure.If:
			if i == 0 || nodes[i-1].Kind != structure.Code && nodes[i-1].Kind != structure.Scope {
				return nil, fmt.Errorf("node %d: an if follows its block's code", i)
			}
			m.arms[i] = []int{i + 1}
			open = append(open, i)
		case structure.Arm:
			if int(n.Succ) != len(m.arms[m.opener[i]]) {
				return nil, fmt.Errorf("node %d: arm %d out of order", i, n.Succ)
			}
			m.arms[m.opener[i]] = append(m.arms[m.opener[i]], i+1)
		case structure.Loop:
			m.again[i] = i + 1
			open = append(open, i)
		case structure.Continuing:
			if nodes[m.opener[i]].Kind != structure.Loop || m.again[m.opener[i]] != m.opener[i]+1 {
				return nil, fmt.Errorf("node %d: no loop to continue", i)
			}
			m.again[m.opener[i]] = i + 1
		case structure.Scope:
			open = append(open, i)
		case structure.End:
			if int(nodes[n.Label].Label) != i {
				return nil, fmt.Errorf("node %d: the construct that it closes ends at %d", i, nodes[n.Label].Label)
			}
			m.end[m.opener[i]] = i
			open = open[:len(open)-1]
		default:
			if err := m.checkLeaf(i, open); err != nil {
				return nil, err
			}
		}
	}
	if len(open) > 0 || !ended {
		return nil, fmt.Errorf("the text ends before its constructs do")
	}
	return m, nil
}

// checkLeaf checks a node that ends a list, given the open constructs around it.
func (m *machine) checkLeaf(i int, open []int) error {
	n := m.nodes[i]
	switch n.Kind {
	case structure.Exit, structure.Continue:
		if !slices.Contains(open, int(n.Label)) {
			return fmt.Errorf("node %d: leaves %d, which does not enclose it", i, n.Label)
		}
		if n.Kind == structure.Continue && m.nodes[n.Label].Kind != structure.Loop {
			return fmt.Errorf("node %d: continues a construct that is no loop", i)
		}
	case structure.Next, structure.NextOrExit:
		if int(n.Label) != m.opener[i] || m.again[m.opener[i]] != i-1 {
			return fmt.Errorf("node %d: not the end of a continuing block", i)
		}
	}
	return nil
}

// follow returns the block that is executed after b leaves to successor succ, or None after a
// return.
func (m *machine) follow(b structure.Block, succ int) (structure.Block, error) {
	at, ok := m.code[b]
	if !ok {
		return structure.None, fmt.Errorf("block %d has no code", b)
	}
	at++
	for range len(m.nodes) + 1 {
		n := m.nodes[at]
		if n.Block != b && (n.Kind == structure.If || n.Kind == structure.Return || n.Kind == structure.NextOrExit) {
			return structure.None, fmt.Errorf("node %d ends block %d, not %d", at, n.Block, b)
		}
		switch n.Kind {
		case structure.Code:
			return n.Block, nil
		case structure.Scope, structure.End:
			at++
		case structure.Loop:
			at++
		case structure.If:
			if succ >= len(m.arms[at]) {
				return structure.None, fmt.Errorf("node %d has no arm %d", at, succ)
			}
			at = m.arms[at][succ]
		case structure.Exit:
			at = m.end[int(n.Label)] + 1
		case structure.Continue:
			at = m.again[int(n.Label)]
		case structure.Next:
			at = int(n.Label) + 1
		case structure.NextOrExit:
			if at = int(n.Label) + 1; succ == int(n.Succ) {
				at = m.end[int(n.Label)] + 1
			}
		case structure.Return:
			return structure.None, nil
		default:
			return structure.None, fmt.Errorf("control comes to node %d of kind %d", at, n.Kind)
		}
	}
	return structure.None, fmt.Errorf("from block %d control loops without executing a block", b)
}

// reachable reports which blocks are reachable from the entry.
func reachable(g *structure.Graph) []bool {
	seen := make([]bool, g.Blocks())
	seen[0] = true
	for stack := []structure.Block{0}; len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range g.Successors(b) {
			if !seen[to] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	return seen
}

// verify checks nodes against their graph: each reachable block occurs once, each of its edges
// leads to its target. Each edge is one leaf, or a fall-through to a block with one predecessor.
func verify(g *structure.Graph, nodes []structure.Node) error {
	m, err := newMachine(nodes)
	if err != nil {
		return err
	}
	leaves := map[[2]int]int{}
	for _, n := range nodes {
		if n.Kind.Leaf() && n.Block != structure.None && n.Kind != structure.Return {
			leaves[[2]int{int(n.Block), int(n.Succ)}]++
			if n.Kind == structure.NextOrExit {
				leaves[[2]int{int(n.Block), 1 - int(n.Succ)}]++
			}
		}
	}
	forward := make([]int, g.Blocks()) // edges from earlier blocks
	for b := range m.code {
		for _, to := range g.Successors(b) {
			if m.code[b] < m.code[to] {
				forward[to]++
			}
		}
	}
	blocks := 0
	for b, reached := range reachable(g) {
		if !reached {
			continue
		}
		blocks++
		successors := g.Successors(structure.Block(b))
		for succ, want := range successors {
			got, err := m.follow(structure.Block(b), succ)
			if err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("edge %d of block %d leads to block %d instead of %d", succ, b, got, want)
			}
			inline := m.code[structure.Block(b)] < m.code[want] && forward[want] == 1
			if count := leaves[[2]int{b, succ}]; count > 1 || count == 0 && !inline {
				return fmt.Errorf("edge %d of block %d is %d leaves", succ, b, count)
			}
		}
		if len(successors) == 0 {
			if got, err := m.follow(structure.Block(b), 0); err != nil || got != structure.None {
				return fmt.Errorf("block %d does not return: %d, %v", b, got, err)
			}
		}
	}
	if blocks != len(m.code) {
		return fmt.Errorf("%d blocks of %d have code", len(m.code), blocks)
	}
	return nil
}
