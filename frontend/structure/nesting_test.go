package structure_test

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/frontend/structure"
)

// This file checks where code stands, by definitions that search the graph anew for each question:
// a block dominates another if removing it makes the other unreachable. It is slow and shares
// nothing with the package.

// from returns the blocks that are reached from some, without going through blocked.
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

// edges returns the successors and the predecessors of the blocks that are reached.
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

// naturalLoops returns, by header, which blocks are in its loop. Others have nil.
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

// outsideOfLoops checks that each loop of the graph is one construct, and that in it stand the
// blocks of the loop and no others but returns that are allowed to.
func outsideOfLoops(g *structure.Graph, nodes []structure.Node, early func(b structure.Block) bool) error {
	loops := naturalLoops(g)
	for i, n := range nodes {
		if n.Kind != structure.Loop {
			continue
		}
		want := loops[n.Block]
		if want == nil {
			return fmt.Errorf("node %d: block %d is no header of a loop that has not come yet", i, n.Block)
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
			return fmt.Errorf("the loop of block %d is no construct", h)
		}
	}
	return nil
}

// iterations is the graph of what can still be executed in the same iteration of the loops around a
// branch: edges that end an iteration lead to the end, a block more, as do blocks that return. Of a
// part of the graph that control cannot leave, each block leads to the end, too.
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

// never allows no early return.
func never(structure.Block) bool { return false }

// meeting is where the ways out of a branch meet, by definition: of the blocks that all paths from
// the branch to the end come through, that which they come through first, or None.
func meeting(successors func(b int) []int, finish, branch int) structure.Block {
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

// meetBehind checks for all branches that where the ways out of them meet stands behind the if, and
// that what several of the ways lead to stands outside of its arms, even if others never come
// there. It returns how many branches there are and how many meet.
func meetBehind(g *structure.Graph, nodes []structure.Node) (branches, meets int, err error) {
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
		branches++
		successors, finish := iterations(g, to, loops, int(n.Block))
		if m := meeting(successors, finish, int(n.Block)); m != structure.None {
			meets++
			if code[m] < int(n.Label) {
				return 0, 0, fmt.Errorf("the ways out of block %d meet at block %d, which stands at %d, not behind the if from %d to %d", n.Block, m, code[m], i, n.Label)
			}
		}
		ways := make([]int, finish+1)
		for _, s := range successors(int(n.Block)) {
			for b, reached := range from(successors, finish+1, int(n.Block), s) {
				if reached {
					ways[b]++
				}
			}
		}
		for b := range finish {
			if ways[b] > 1 && code[b] > i && code[b] < int(n.Label) {
				return 0, 0, fmt.Errorf("%d ways out of block %d come together at block %d, which stands at %d, in the if from %d to %d", ways[b], n.Block, b, code[b], i, n.Label)
			}
		}
	}
	return branches, meets, nil
}

// seesDefinitions checks that a block stands behind those that dominate it, in their list or in one
// nested there, unless a loop's end or the beginning of its continuing list is between.
func seesDefinitions(g *structure.Graph, nodes []structure.Node) error {
	to, _ := edges(g)
	code := make([]int, g.Blocks())
	for i, n := range nodes {
		if n.Kind == structure.Code {
			code[n.Block] = i
		}
	}
	// closedBetween tells whether the list at i has ended before j, and whether what ended it, or a
	// list around it, was a loop.
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
				return fmt.Errorf("block %d dominates block %d, which stands before it", b, v)
			}
			if closed, loop := closedBetween(code[b], code[v]); closed && !loop {
				return fmt.Errorf("block %d dominates block %d, which stands where it is not visible", b, v)
			}
		}
	}
	return nil
}
