package structure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/frontend/structure"
)

// graph is a graph under construction: successors by block.
type graph [][]int

func (p *graph) block() int {
	*p = append(*p, nil)
	return len(*p) - 1
}

func (p graph) edge(from, to int) { p[from] = append(p[from], to) }

// load sets g to the graph, with the blocks but the entry in random order. It returns the marks of
// the blocks, which are random if marked.
func (p graph) load(g *structure.Graph, r *rand.Rand, marked bool) (marks []structure.Mark) {
	order := r.Perm(len(p))
	zero := slices.Index(order, 0)
	order[0], order[zero] = order[zero], order[0]
	index := make([]structure.Block, len(p))
	for n, old := range order {
		index[old] = structure.Block(n)
	}
	g.Reset()
	for _, old := range order {
		var successors []structure.Block
		for _, to := range p[old] {
			successors = append(successors, index[to])
		}
		mark := structure.Mark(0)
		if marked {
			mark = structure.Mark(r.IntN(4))
		}
		g.Add(mark, successors...)
		marks = append(marks, mark)
	}
	return marks
}

// program builds the graph of a random structured program.
type program struct {
	graph
	r                 *rand.Rand
	budget            int
	breaks, continues []int // the targets of each loop or switch; a switch has -1 for continue
}

// randomProgram returns the graph of a program of about size statements.
func randomProgram(r *rand.Rand, size int) graph {
	p := &program{r: r, budget: size}
	p.block()
	p.statements(0, 0)
	return p.graph
}

// statements adds statements from a block on, and returns the block where control continues, or -1.
func (p *program) statements(at, depth int) int {
	for range 1 + p.r.IntN(4) {
		if at = p.statement(at, depth); at < 0 {
			return -1
		}
	}
	return at
}

func (p *program) statement(at, depth int) int {
	p.budget--
	choice := p.r.IntN(12)
	if p.budget < 0 || depth > 6 {
		choice = 11
	}
	switch choice {
	case 0, 1, 2, 3:
		return p.ifStatement(at, depth)
	case 4, 5, 6:
		return p.forStatement(at, depth)
	case 7:
		return p.switchStatement(at, depth)
	case 8:
		if len(p.breaks) > 0 {
			p.edge(at, p.breaks[p.r.IntN(len(p.breaks))])
			return -1
		}
	case 9:
		if n := len(p.continues); n > 0 {
			if to := p.continues[p.r.IntN(n)]; to >= 0 {
				p.edge(at, to)
				return -1
			}
		}
	case 10:
		if p.r.IntN(3) == 0 {
			return -1 // return
		}
	}
	next := p.block()
	p.edge(at, next)
	return next
}

func (p *program) ifStatement(at, depth int) int {
	then, other, done := p.block(), -1, p.block()
	if p.r.IntN(2) == 0 {
		other = p.block()
		p.condition(at, then, other, 3)
	} else {
		p.condition(at, then, done, 3)
	}
	if end := p.statements(then, depth+1); end >= 0 {
		p.edge(end, done)
	}
	if other >= 0 {
		if end := p.statements(other, depth+1); end >= 0 {
			p.edge(end, done)
		}
	}
	return p.reached(done)
}

func (p *program) forStatement(at, depth int) int {
	head, body, done := p.block(), p.block(), p.block()
	again := head
	if p.r.IntN(2) == 0 {
		again = p.block()
	}
	p.edge(at, head)
	switch p.r.IntN(4) {
	case 0:
		p.edge(head, body) // endless
	case 1: // the test comes last
		p.edge(head, body)
		if again != head {
			p.edge(again, head)
			p.edge(again, done)
		}
	default:
		p.condition(head, body, done, 2)
	}
	if again != head && len(p.graph[again]) == 0 {
		p.edge(again, head)
	}
	p.breaks, p.continues = append(p.breaks, done), append(p.continues, again)
	end := p.statements(body, depth+1)
	if end >= 0 {
		p.edge(end, again)
	}
	p.leave()
	return p.reached(done)
}

// switchStatement adds a switch, as a chain of tests or as one block of many successors.
func (p *program) switchStatement(at, depth int) int {
	done := p.block()
	p.breaks, p.continues = append(p.breaks, done), append(p.continues, -1)
	count, many := 2+p.r.IntN(3), p.r.IntN(2) == 0
	bodies := make([]int, count)
	for i := range bodies {
		bodies[i] = p.block()
	}
	for i := range bodies {
		switch {
		case many:
			p.edge(at, bodies[i])
		case i == count-1:
			p.edge(at, done)
		default:
			next := p.block()
			p.condition(at, bodies[i], next, 2)
			at = next
		}
	}
	for i, body := range bodies {
		if end := p.statements(body, depth+1); end >= 0 {
			if i+1 < count && p.r.IntN(3) == 0 {
				p.edge(end, bodies[i+1])
			} else {
				p.edge(end, done)
			}
		}
	}
	p.leave()
	return p.reached(done)
}

func (p *program) leave() {
	p.breaks, p.continues = p.breaks[:len(p.breaks)-1], p.continues[:len(p.continues)-1]
}

// reached returns a block, or -1 if no edge leads to it.
func (p *program) reached(b int) int {
	for _, to := range p.graph {
		if slices.Contains(to, b) {
			return b
		}
	}
	return -1
}

// condition branches from a block by a condition of some terms.
func (p *program) condition(at, yes, no, terms int) {
	if terms > 1 && p.r.IntN(3) == 0 {
		second := p.block()
		if p.r.IntN(2) == 0 {
			p.condition(at, second, no, terms-1)
		} else {
			p.condition(at, yes, second, terms-1)
		}
		p.condition(second, yes, no, terms-1)
		return
	}
	p.edge(at, yes)
	p.edge(at, no)
}

// randomReducible returns a graph made by the inverse of Hecht and Ullman's T1 and T2. A
// block gets an edge to itself, or moves some of its edges to a new block that only it leads to.
func randomReducible(r *rand.Rand, size, degree int) graph {
	p := graph{nil}
	for len(p) < size {
		v := r.IntN(len(p))
		if r.IntN(4) == 0 && len(p[v]) < degree {
			p.edge(v, v)
			continue
		}
		w := p.block()
		var stay []int
		for _, to := range p[v] {
			switch r.IntN(3) {
			case 0:
				stay = append(stay, to)
			case 1:
				p.edge(w, to)
			default:
				stay = append(stay, to)
				p.edge(w, to)
			}
		}
		p[v] = append(stay, w)
		if len(p[v]) > degree { // too many: the last before w moves to the new block
			p.edge(w, p[v][0])
			p[v] = p[v][1:]
			if len(p[w]) > degree {
				p[w] = p[w][:degree]
			}
		}
		r.Shuffle(len(p[v]), func(i, j int) { p[v][i], p[v][j] = p[v][j], p[v][i] })
	}
	return p
}

// randomGraph returns a graph that may be irreducible.
func randomGraph(r *rand.Rand, size int) graph {
	p := make(graph, size)
	for b := range p {
		for range []int{0, 1, 1, 2, 2, 2, 2, 3}[r.IntN(8)] {
			p.edge(b, r.IntN(size))
		}
	}
	return p
}

// reducible applies T1 and T2 (Hecht and Ullman) until nothing changes: T1 removes self loops, T2
// merges a block into its only predecessor. A reducible graph ends as one block.
func reducible(g *structure.Graph) bool {
	alive := reachable(g)
	to := make([]map[int]bool, g.Blocks())
	count := 0
	for b := range to {
		to[b] = map[int]bool{}
		if alive[b] {
			count++
			for _, s := range g.Successors(structure.Block(b)) {
				to[b][int(s)] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for v := range to {
			if !alive[v] {
				continue
			}
			if to[v][v] {
				delete(to[v], v)
				changed = true
			}
			only, preds := -1, 0
			for u := range to {
				if alive[u] && to[u][v] {
					only = u
					preds++
				}
			}
			if v != 0 && preds == 1 && only != v {
				delete(to[only], v)
				for s := range to[v] {
					to[only][s] = true
				}
				alive[v] = false
				count--
				changed = true
			}
		}
	}
	return count == 1
}

// checkAll checks every guarantee about the structure of a graph, and returns the number of
// branches that merge.
func checkAll(g *structure.Graph, nodes []structure.Node, marks []structure.Mark) (merges int, err error) {
	early := func(b structure.Block) bool { return marks[b]&structure.EarlyReturn != 0 }
	if err := verify(g, nodes); err != nil {
		return 0, err
	}
	if err := errors.Join(checkDominance(g, nodes), checkLoops(g, nodes, early)); err != nil {
		return 0, err
	}
	for _, n := range nodes {
		if n.Kind == structure.Continuing && marks[n.Block]&structure.InBody != 0 {
			return 0, fmt.Errorf("block %d continues a loop, against its mark", n.Block)
		}
	}
	return checkMerges(g, nodes)
}

// count returns the number of nodes of a kind.
func count(nodes []structure.Node, kind structure.Kind) (n int) {
	for i := range nodes {
		if nodes[i].Kind == kind {
			n++
		}
	}
	return n
}

// dump writes a graph and nodes for a failure.
func dump(g *structure.Graph, nodes []structure.Node) string {
	out := ""
	for b := range structure.Block(g.Blocks()) {
		out += fmt.Sprintln(b, g.Successors(b))
	}
	return out + text(nodes, func(b structure.Block) string { return fmt.Sprint(b) })
}

func TestRandomGraphs(t *testing.T) {
	programs := func(r *rand.Rand) graph { return randomProgram(r, 2+r.IntN(20)) }
	kinds := []struct {
		name             string
		make             func(r *rand.Rand) graph
		reducible, marks bool
		// The least number of branches that merge, and of continuing blocks.
		merges, continuing int
	}{
		{"programs", programs, true, false, 8000, 400},
		{"programs with marks", programs, true, true, 8000, 200},
		{"two successors", func(r *rand.Rand) graph { return randomReducible(r, 2+r.IntN(25), 2) }, true, false, 4000, 100},
		{"many successors", func(r *rand.Rand) graph { return randomReducible(r, 2+r.IntN(25), 4) }, true, false, 2000, 50},
		{"any", func(r *rand.Rand) graph { return randomGraph(r, 3+r.IntN(9)) }, false, false, 200, 50},
	}
	const graphs = 3000
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var g structure.Graph
			var s structure.Structurer
			refused, merges, continuing := 0, 0, 0
			for i := range graphs {
				marks := kind.make(r).load(&g, r, kind.marks)
				if kind.reducible && i%10 == 0 && !reducible(&g) {
					t.Fatalf("graph %d should be reducible\n%s", i, dump(&g, nil))
				}
				nodes, err := s.Structure(&g)
				if !kind.reducible && !reducible(&g) {
					refused++
					if problem := isIrreducible(&g, err); problem != "" {
						t.Fatalf("graph %d: %s\n%s", i, problem, dump(&g, nodes))
					}
					continue
				}
				merging := 0
				if err == nil {
					merging, err = checkAll(&g, nodes, marks)
				}
				if err != nil {
					t.Fatalf("graph %d: %v\n%s", i, err, dump(&g, nodes))
				}
				merges, continuing = merges+merging, continuing+count(nodes, structure.Continuing)
			}
			if !kind.reducible && (refused < graphs/10 || refused > graphs*9/10) {
				t.Errorf("too few to test much: %d of %d graphs are refused", refused, graphs)
			}
			if merges < kind.merges || continuing < kind.continuing {
				t.Errorf("too few to test much: %d branches merge, %d continuing blocks", merges, continuing)
			}
		})
	}
}

// isIrreducible says why an error is wrong for an irreducible graph, or returns "". The error names
// an edge whose target reaches its source and does not dominate it.
func isIrreducible(g *structure.Graph, err error) string {
	var e *structure.Irreducible
	if !errors.As(err, &e) {
		return fmt.Sprintf("is irreducible; the error is %v", err)
	}
	to, _ := edges(g)
	forward := func(b int) []int { return to[b] }
	switch {
	case !slices.Contains(g.Successors(e.From), e.To):
		return fmt.Sprintf("%v: there is no such edge", err)
	case !from(forward, g.Blocks(), int(e.To), 0)[e.From]:
		return fmt.Sprintf("%v: the target dominates it", err)
	case !from(forward, g.Blocks(), -1, int(e.To))[e.From]:
		return fmt.Sprintf("%v: it closes no cycle", err)
	}
	return ""
}
