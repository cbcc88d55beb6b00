package structure_test

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/frontend/structure"
)

// shapes are graphs that scale: deep ones, long ones, and ones with many edges to one block. Each
// has a multiple of n blocks.
var shapes = []struct {
	name string
	make func(g *structure.Graph, n int)
	// depth is the nesting depth of constructs for n = 10.
	depth int
}{
	{"blocks in a row", func(g *structure.Graph, n int) {
		for i := range structure.Block(n) {
			g.Add(0, i+1)
		}
		g.Add(0)
	}, 0},
	{"ifs in a row", func(g *structure.Graph, n int) { // 2i branches, 2i+1 is its arm
		for i := range structure.Block(n) {
			g.Add(0, 2*i+1, 2*i+2)
			g.Add(0, 2*i+2)
		}
		g.Add(0)
	}, 1},
	// i branches to i+1 or to what is after it, 2n-i
	{"ifs in ifs", func(g *structure.Graph, n int) {
		last := structure.Block(2 * n)
		for i := range structure.Block(n) {
			g.Add(0, i+1, last-i)
		}
		for i := structure.Block(n); i < last; i++ {
			g.Add(0, i+1)
		}
		g.Add(0)
	}, 10},
	{"loops in a row", func(g *structure.Graph, n int) {
		for i := range structure.Block(n) {
			g.Add(0, 2*i+1, 2*i+2)
			g.Add(0, 2*i)
		}
		g.Add(0)
	}, 2},
	{"loops in loops", func(g *structure.Graph, n int) { // i is a header, 2n-i leads back to it
		last := structure.Block(2 * n)
		for i := range structure.Block(n) {
			g.Add(0, i+1)
		}
		g.Add(0, structure.Block(n)+1)
		for i := structure.Block(n) + 1; i <= last; i++ {
			g.Add(0, last-i, i+1)
		}
		g.Add(0)
	}, 11},
	// i is a header, whose body leads in or all the way out
	{"breaks out of all loops", func(g *structure.Graph, n int) {
		out := structure.Block(3 * n)
		for i := range structure.Block(n) {
			g.Add(0, structure.Block(n)+i, out)
		}
		for i := range structure.Block(n) {
			to := i + 1
			if int(to) == n {
				to = structure.Block(2 * n)
			}
			g.Add(0, to, out)
		}
		for i := range structure.Block(n) {
			if i+1 == structure.Block(n) {
				g.Add(0, structure.Block(n)-1-i, out)
			} else {
				g.Add(0, structure.Block(n)-1-i, structure.Block(2*n)+i+1)
			}
		}
		g.Add(0)
	}, 11},
	{"terms of a condition", func(g *structure.Graph, n int) { // all lead to the same else
		for i := range structure.Block(n) {
			g.Add(0, i+1, structure.Block(n)+1)
		}
		g.Add(0, structure.Block(n)+2)
		g.Add(0, structure.Block(n)+2)
		g.Add(0)
	}, 11},
	{"cases of a switch", func(g *structure.Graph, n int) { // 2i tests for case 2i+1
		done := structure.Block(2 * n)
		for i := range structure.Block(n) {
			g.Add(0, 2*i+1, 2*i+2)
			g.Add(0, done)
		}
		g.Add(0)
	}, 10},
	{"continues", func(g *structure.Graph, n int) { // 0 is the header, n+1 the continuing block
		for i := range structure.Block(n) {
			g.Add(0, i+1, structure.Block(n)+1)
		}
		g.Add(0, structure.Block(n)+2)
		g.Add(0, 0)
		g.Add(0)
	}, 11},
	{"returns in a loop", func(g *structure.Graph, n int) { // n scopes around it
		for i := range structure.Block(n) {
			g.Add(0, i+1, structure.Block(n)+1+i)
		}
		g.Add(0, 0)
		for range n {
			g.Add(0)
		}
	}, 11},
	// i leads to i+1 and to n+1+i
	{"gotos that cross", func(g *structure.Graph, n int) {
		for i := range structure.Block(n) {
			g.Add(0, i+1, structure.Block(n)+1+i)
		}
		for i := range structure.Block(n + 1) {
			g.Add(0, structure.Block(n)+i+1)
		}
		g.Add(0)
	}, 11},
}

// depthOf returns the nesting depth of constructs.
func depthOf(nodes []structure.Node) (deepest int) {
	depth := 0
	for _, n := range nodes {
		switch n.Kind {
		case structure.If, structure.Loop, structure.Scope:
			depth++
			deepest = max(deepest, depth)
		case structure.End:
			depth--
		}
	}
	return deepest
}

// TestScale checks that the steps and the nodes of large graphs are linear in their size, and all
// guarantees for small graphs of the same shape.
func TestScale(t *testing.T) {
	var g structure.Graph
	var s structure.Structurer
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			build := func(n int) (nodes []structure.Node, steps int) {
				g.Reset()
				shape.make(&g, n)
				nodes, err := s.Structure(&g)
				if err != nil {
					t.Fatal(err)
				}
				return nodes, s.Steps()
			}
			nodes, _ := build(10)
			if err := verify(&g, nodes); err != nil {
				t.Fatalf("%v\n%s", err, dump(&g, nodes))
			}
			if err := checkLoops(&g, nodes, never); err != nil {
				t.Error(err)
			}
			if _, err := checkMerges(&g, nodes); err != nil {
				t.Error(err)
			}
			if got := depthOf(nodes); got != shape.depth {
				t.Errorf("constructs are %d deep instead of %d\n%s", got, shape.depth, dump(&g, nodes))
			}
			const n = 10000
			nodes, steps := build(n)
			single, blocks := len(nodes), g.Blocks()
			if shape.depth <= 2 { // following an edge out of many constructs is slow
				if err := verify(&g, nodes); err != nil {
					t.Error(err)
				}
			}
			nodes, twice := build(2 * n)
			if len(nodes) > 2*single {
				t.Errorf("%d nodes for one size and %d for twice that size", single, len(nodes))
			}
			if float64(twice) > 2.2*float64(steps)+100 {
				t.Errorf("%d steps for one size and %d for twice that size", steps, twice)
			}
			if steps > 16*blocks { // more than the logarithm of the depth
				t.Errorf("%d steps for %d blocks", steps, blocks)
			}
		})
	}
}

// TestAllocations checks that a second graph of the same size allocates nothing.
func TestAllocations(t *testing.T) {
	var g structure.Graph
	var s structure.Structurer
	for _, shape := range shapes {
		run := func() {
			g.Reset()
			shape.make(&g, 100)
			if _, err := s.Structure(&g); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(10, run); n > 0 {
			t.Errorf("%s: %v allocations", shape.name, n)
		}
	}
}

// TestRefusals checks the errors for malformed graphs.
func TestRefusals(t *testing.T) {
	var g structure.Graph
	var s structure.Structurer
	if _, err := s.Structure(&g); fmt.Sprint(err) != "a graph needs at least one block" {
		t.Error(err)
	}
	g.Add(0, 1)
	if _, err := s.Structure(&g); fmt.Sprint(err) != "block 0 leads to block 1, but there are 1 blocks" {
		t.Error(err)
	}
	g.Add(0, 0, structure.None)
	if _, err := s.Structure(&g); fmt.Sprint(err) != "block 1 leads to block -1, but there are 2 blocks" {
		t.Error(err)
	}
}

func BenchmarkStructure(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			var g structure.Graph
			var s structure.Structurer
			shape.make(&g, 1000)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Structure(&g); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*g.Blocks()), "ns/block")
		})
	}
}
