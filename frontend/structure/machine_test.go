package structure_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gpuc/gpuc/frontend/structure"
)

// This file judges nodes: it reads what they mean, as the package's page says, and shares
// nothing with what made them.

// machine executes nodes. It finds the extent of constructs by itself, by counting what opens
// and what closes.
type machine struct {
	nodes  []structure.Node
	code   map[structure.Block]int // where a block's code is
	opener []int                   // by node: what opens the innermost construct around it, or -1
	end    map[int]int             // by what opens a construct: its End
	arms   map[int][]int           // by If: where its lists begin
	again  map[int]int             // by Loop: where Continue goes
}

// newMachine reads nodes and reports what is not well formed.
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
				return nil, fmt.Errorf("node %d: block %d stands at %d, too", i, n.Block, at)
			}
			m.code[n.Block] = i
		case structure.If:
			if i == 0 || nodes[i-1].Kind != structure.Code && nodes[i-1].Kind != structure.Scope {
				return nil, fmt.Errorf("node %d: an if stands behind its block's code", i)
			}
			m.arms[i] = []int{i + 1}
			open = append(open, i)
		case structure.Arm:
			if int(n.Way) != len(m.arms[m.opener[i]]) {
				return nil, fmt.Errorf("node %d: arm %d out of order", i, n.Way)
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
				return nil, fmt.Errorf("node %d: what it closes says that it ends at %d", i, nodes[n.Label].Label)
			}
			m.end[m.opener[i]] = i
			open = open[:len(open)-1]
		case structure.Exit, structure.Continue:
			if !slices.Contains(open, int(n.Label)) {
				return nil, fmt.Errorf("node %d: leaves %d, which is not around it", i, n.Label)
			}
			if n.Kind == structure.Continue && nodes[n.Label].Kind != structure.Loop {
				return nil, fmt.Errorf("node %d: continues what is no loop", i)
			}
		case structure.Next, structure.NextOrExit:
			if int(n.Label) != m.opener[i] || m.again[m.opener[i]] != i-1 {
				return nil, fmt.Errorf("node %d: not the end of a continuing block", i)
			}
		}
	}
	if len(open) > 0 || !ended {
		return nil, fmt.Errorf("the text ends before its constructs do")
	}
	return m, nil
}

// from returns which block is executed behind one that leaves by a way, or None behind a return.
func (m *machine) from(b structure.Block, way int) (structure.Block, error) {
	at, ok := m.code[b]
	if !ok {
		return structure.None, fmt.Errorf("block %d has no code", b)
	}
	at++
	for turns := 0; turns <= len(m.nodes); turns++ {
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
			if way >= len(m.arms[at]) {
				return structure.None, fmt.Errorf("node %d has no arm %d", at, way)
			}
			at = m.arms[at][way]
		case structure.Exit:
			at = m.end[int(n.Label)] + 1
		case structure.Continue:
			at = m.again[int(n.Label)]
		case structure.Next:
			at = int(n.Label) + 1
		case structure.NextOrExit:
			if at = int(n.Label) + 1; way == int(n.Way) {
				at = m.end[int(n.Label)] + 1
			}
		case structure.Return:
			return structure.None, nil
		default:
			return structure.None, fmt.Errorf("control comes to node %d of kind %d", at, n.Kind)
		}
	}
	return structure.None, fmt.Errorf("from block %d control turns without executing a block", b)
}

// reachable returns the blocks that the entry leads to.
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

// verify holds nodes against the graph: each block that is reached stands there once, each way out
// of it leads where its edge does, and each edge is a leaf of its own or is followed by
// the code of the only block that it leads to.
func verify(g *structure.Graph, nodes []structure.Node) error {
	m, err := newMachine(nodes)
	if err != nil {
		return err
	}
	leaves := map[[2]int]int{}
	for _, n := range nodes {
		if n.Kind.Leaf() && n.Block != structure.None && n.Kind != structure.Return {
			leaves[[2]int{int(n.Block), int(n.Way)}]++
			if n.Kind == structure.NextOrExit {
				leaves[[2]int{int(n.Block), 1 - int(n.Way)}]++
			}
		}
	}
	forward := make([]int, g.Blocks()) // edges from what stands before
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
		for way, want := range successors {
			got, err := m.from(structure.Block(b), way)
			if err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("way %d out of block %d leads to block %d instead of %d", way, b, got, want)
			}
			stands := m.code[structure.Block(b)] < m.code[want] && forward[want] == 1
			if count := leaves[[2]int{b, way}]; count > 1 || count == 0 && !stands {
				return fmt.Errorf("way %d out of block %d is %d leaves", way, b, count)
			}
		}
		if len(successors) == 0 {
			if got, err := m.from(structure.Block(b), 0); err != nil || got != structure.None {
				return fmt.Errorf("block %d does not return: %d, %v", b, got, err)
			}
		}
	}
	if blocks != len(m.code) {
		return fmt.Errorf("%d blocks of %d have code", len(m.code), blocks)
	}
	return nil
}

// walk goes from the entry of a graph by random choices, up to a number of steps, and then
// by the same choices through the nodes. It reports where the two part.
func walk(g *structure.Graph, nodes []structure.Node, m *machine, r *rand.Rand, limit int) error {
	var ways []int
	want := []structure.Block{0}
	for b := structure.Block(0); len(want) < limit && len(g.Successors(b)) > 0; {
		way := r.IntN(len(g.Successors(b)))
		b = g.Successors(b)[way]
		ways, want = append(ways, way), append(want, b)
	}
	first := structure.None
	for _, n := range nodes {
		if n.Kind == structure.Code {
			first = n.Block
			break
		}
	}
	got := []structure.Block{first}
	for b, i := first, 0; i < len(ways); i++ {
		var err error
		if b, err = m.from(b, ways[i]); err != nil {
			return err
		}
		got = append(got, b)
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("the graph executes %v, the nodes %v", want, got)
	}
	return nil
}
