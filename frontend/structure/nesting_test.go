package structure_test

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/frontend/structure"
)

// This file checks the nesting of blocks by exhaustive search: a block dominates another if
// removing it makes the other unreachable.

// from reports which blocks are reachable from some, without passing blocked.
func from(successors func(int) []int, n, blocked int, starts ...int) []bool {
	seen := make([]bool, n)
	var stack []int
	visit := func(b int) {
		if b != blocked && !seen[b] {
			seen[b] = true
			stack = append(stack, b)
		}
	}
	for _, b := range starts {
		visit(b)
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range successors(b) {
			visit(to)
		}
	}
	return seen
}

// edges returns the successors and the predecessors of the reachable blocks.
func edges(g *structure.Graph) (to, back [][]int) {
	to, back = make([][]int, g.Blocks()), make([][]int, g.Blocks())
	for b, reached := range reachable(g) {
		if reached {
			for _, s := range g.Successors(structure.Block(b)) {
				to[b] = append(to[b], int(s))
				back[s] = append(back[s], b)
			}
		}
	}
	return to, back
}

// naturalLoops returns the blocks of each natural loop by its header, and nil for other blocks.
func naturalLoops(g *structure.Graph) [][]bool {
	n := g.Blocks()
	to, back := edges(g)
	loops := make([][]bool, n)
	for h := range n {
		if len(back[h]) == 0 {
			continue
		}
		without := from(func(b int) []int { return to[b] }, n, h, 0)
		for _, p := range back[h] {
			if without[p] && p != h {
				continue // h does not dominate it
			}
			if loops[h] == nil {
				loops[h] = make([]bool, n)
			}
			for b, in := range from(func(b int) []int { return back[b] }, n, h, p) {
				loops[h][b] = loops[h][b] || in
			}
			loops[h][h] = true
		}
	}
	return loops
}

// checkLoops checks that each loop of the graph is one construct, which has the blocks of the loop
// and otherwise only early returns.
func checkLoops(g *structure.Graph, nodes []structure.Node, early func(b structure.Block) bool) error {
	loops := naturalLoops(g)
	for i, n := range nodes {
		if n.Kind != structure.Loop {
			continue
		}
		want := loops[n.Block]
		if want == nil {
			return fmt.Errorf("node %d: block %d is not the header of a new loop", i, n.Block)
		}
		got := make([]bool, g.Blocks())
		for _, x := range nodes[i:n.Label] {
			if x.Kind == structure.Code && (want[x.Block] || !early(x.Block) || len(g.Successors(x.Block)) > 0) {
				got[x.Block] = true
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("node %d: the loop of block %d has the blocks %v instead of %v", i, n.Block, got, want)
		}
		loops[n.Block] = nil
	}
	for h, loop := range loops {
		if loop != nil {
			return fmt.Errorf("the loop of block %d has no construct", h)
		}
	}
	return nil
}

// iterations returns the graph of one iteration of the loops around a branch: back edges of these
// loops and returns lead to an additional block finish. So does each block that cannot reach it.
func iterations(g *structure.Graph, to [][]int, loops [][]bool, branch int) (successors func(b int) []int, finish int) {
	n := g.Blocks()
	finish = n
	forward := make([][]int, n+1)
	back := make([][]int, n+1)
	link := func(from, to int) {
		forward[from] = append(forward[from], to)
		back[to] = append(back[to], from)
	}
	for b := range n {
		for _, s := range to[b] {
			if loops[s] != nil && loops[s][b] && loops[s][branch] {
				s = finish
			}
			link(b, s)
		}
		if len(to[b]) == 0 {
			link(b, finish)
		}
	}
	ends := from(func(b int) []int { return back[b] }, n+1, -1, finish)
	for b := range n {
		if !ends[b] {
			link(b, finish)
		}
	}
	return func(b int) []int { return forward[b] }, finish
}

// never marks no early return.
func never(structure.Block) bool { return false }

// postdominator returns the immediate postdominator of a branch, or None: of the blocks on all
// paths from the branch to finish, the first.
func postdominator(successors func(b int) []int, finish, branch int) structure.Block {
	var passed []int
	for m := range finish {
		if m != branch && !from(successors, finish+1, m, branch)[finish] {
			passed = append(passed, m)
		}
	}
	for _, m := range passed {
		reached := from(successors, finish+1, m, branch)
		if !slices.ContainsFunc(passed, func(other int) bool { return other != m && reached[other] }) {
			return structure.Block(m)
		}
	}
	return structure.None
}

// checkMerges checks for all branches that their immediate postdominator comes after the if, and
// that a block which several successors reach is outside its arms. It returns the number of
// branches with a postdominator.
func checkMerges(g *structure.Graph, nodes []structure.Node) (merges int, err error) {
	to, _ := edges(g)
	loops := naturalLoops(g)
	code := make([]int, g.Blocks())
	for i, n := range nodes {
		if n.Kind == structure.Code {
			code[n.Block] = i
		}
	}
	for i, n := range nodes {
		if n.Kind != structure.If {
			continue
		}
		successors, finish := iterations(g, to, loops, int(n.Block))
		if m := postdominator(successors, finish, int(n.Block)); m != structure.None {
			merges++
			if code[m] < int(n.Label) {
				return 0, fmt.Errorf("the successors of block %d merge at block %d, which is at %d, not after the if from %d to %d", n.Block, m, code[m], i, n.Label)
			}
		}
		reaching := make([]int, finish+1)
		for _, s := range successors(int(n.Block)) {
			for b, reached := range from(successors, finish+1, int(n.Block), s) {
				if reached {
					reaching[b]++
				}
			}
		}
		for b := range finish {
			if reaching[b] > 1 && code[b] > i && code[b] < int(n.Label) {
				return 0, fmt.Errorf("%d successors of block %d merge at block %d, which is at %d, in the if from %d to %d", reaching[b], n.Block, b, code[b], i, n.Label)
			}
		}
	}
	return merges, nil
}

// checkDominance checks that a block comes after those that dominate it, in their list or in one
// nested there, unless the end of a loop's body is between.
func checkDominance(g *structure.Graph, nodes []structure.Node) error {
	to, _ := edges(g)
	code := make([]int, g.Blocks())
	for i, n := range nodes {
		if n.Kind == structure.Code {
			code[n.Block] = i
		}
	}
	// closedBetween reports whether the list at i ends before j, and whether a loop ends it or a
	// list around it.
	closedBetween := func(i, j int) (closed, loop bool) {
		depth := 0
		for _, n := range nodes[i:j] {
			switch n.Kind {
			case structure.If, structure.Loop, structure.Scope:
				depth++
			case structure.Arm, structure.Continuing:
				if depth == 0 {
					closed = true
					loop = loop || n.Kind == structure.Continuing
				}
			case structure.End:
				if depth--; depth < 0 {
					depth, closed = 0, true
					loop = loop || nodes[n.Label].Kind == structure.Loop
				}
			}
		}
		return closed, loop
	}
	for b, reached := range reachable(g) {
		if !reached {
			continue
		}
		without := from(func(b int) []int { return to[b] }, g.Blocks(), b, 0)
		for v, reached := range reachable(g) {
			if !reached || v == b || without[v] {
				continue
			}
			if code[v] < code[b] {
				return fmt.Errorf("block %d dominates block %d, which is before it", b, v)
			}
			if closed, loop := closedBetween(code[b], code[v]); closed && !loop {
				return fmt.Errorf("block %d dominates block %d, which is where it is not visible", b, v)
			}
		}
	}
	return nil
}
