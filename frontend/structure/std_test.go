package structure_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpuc/gpuc/frontend/structure"
)

var everyPackage = flag.Bool("std", false, "structure the functions of all packages of the standard library, which takes a minute or two, not those of a few alone")

// somePackages have much control flow for the time that they take.
var somePackages = []string{"bytes", "compress/...", "encoding/...", "go/...", "image/...", "math/...", "regexp/...", "sort", "strconv", "strings", "text/...", "unicode/..."}

// standard returns the functions of the standard library that a kernel could look like: of those
// with bodies, all but those with defer, go, select or recover. The order is always the same.
var standard = sync.OnceValues(func() ([]*ssa.Function, error) {
	patterns := somePackages
	if *everyPackage {
		patterns = []string{"std"}
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax,
		Env:  append(os.Environ(), "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	program, made := ssautil.Packages(loaded, ssaMode)
	program.Build()
	ours := map[*ssa.Package]bool{}
	for _, p := range made {
		ours[p] = true
	}
	var functions []*ssa.Function
	for f := range ssautil.AllFunctions(program) {
		if len(f.Blocks) > 0 && f.Recover == nil && (ours[f.Pkg] || f.Origin() != nil) && !slices.ContainsFunc(f.Blocks, concurrent) {
			functions = append(functions, f)
		}
	}
	slices.SortFunc(functions, func(a, b *ssa.Function) int {
		if c := strings.Compare(a.String(), b.String()); c != 0 {
			return c
		}
		return int(a.Pos() - b.Pos())
	})
	return functions, nil
})

// concurrent reports whether a block has what no kernel has.
func concurrent(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
		switch i.(type) {
		case *ssa.Defer, *ssa.Go, *ssa.Select:
			return true
		}
		return false
	})
}

// quietReturn marks returns that a front end would let stand in loops.
func quietReturn(b *ssa.BasicBlock) structure.Mark {
	if len(b.Succs) > 0 || slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
		switch i.(type) {
		case *ssa.Call, *ssa.Store, *ssa.MapUpdate:
			return true
		}
		return false
	}) {
		return 0
	}
	return structure.Early
}

func standardFunctions(t testing.TB) []*ssa.Function {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: the go command, which loads the standard library, is not on the path")
	}
	functions, err := standard()
	if err != nil {
		t.Fatal(err)
	}
	return functions
}

// Functions of up to so many blocks are held against definitions that search the graph for each
// question.
const searchable = 80

// TestStandardLibrary structures functions of the standard library, and compares what graphs and
// nodes execute.
func TestStandardLibrary(t *testing.T) {
	functions := standardFunctions(t)
	var g structure.Graph
	var s structure.Structurer
	var blocks, branching, scopes, scoped, loops, continuing, branches, meets, exits, far, marked int
	var refused []string
	for n, f := range functions {
		graphOf(&g, f, nil)
		nodes, err := s.Structure(&g)
		var irreducible *structure.Irreducible
		if errors.As(err, &irreducible) {
			if problem := isIrreducible(&g, err); problem != "" || reducible(&g) {
				t.Errorf("%s: %v %s", f, err, problem)
			}
			refused = append(refused, f.String()+": "+err.Error())
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if err := verify(&g, nodes); err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		m, err := newMachine(nodes)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(n), 0))
		for range 20 {
			if err := walk(&g, nodes, m, r, 300); err != nil {
				t.Errorf("%s: %v", f, err)
				break
			}
		}
		if g.Blocks() <= searchable {
			b, m, err := meetBehind(&g, nodes)
			branches, meets = branches+b, meets+m
			if err := errors.Join(err, outsideOfLoops(&g, nodes, never), seesDefinitions(&g, nodes)); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
		blocks += g.Blocks()
		if g.Blocks() > 1 {
			branching++
		}
		before := scopes
		for i, n := range nodes {
			switch n.Kind {
			case structure.Scope:
				scopes++
			case structure.Loop:
				loops++
			case structure.Continuing:
				continuing++
			case structure.Exit:
				exits++
				if m.opener[i] != int(n.Label) {
					far++
				}
			}
		}
		if scopes > before {
			scoped++
		}
		graphOf(&g, f, quietReturn)
		if nodes, err = s.Structure(&g); err != nil {
			t.Fatal(err)
		}
		if err := verify(&g, nodes); err != nil {
			t.Errorf("%s, with marks: %v", f, err)
		}
		for _, n := range nodes {
			if n.Kind == structure.Scope {
				marked++
			}
		}
	}
	t.Logf("%d functions, %d of them of several blocks, %d blocks; %d loops, %d with a continuing block", len(functions), branching, blocks, loops, continuing)
	t.Logf("%d scopes in %d functions, %d if returns without a call or a store stand in loops; %d of %d exits leave several constructs", scopes, scoped, marked, far, exits)
	t.Logf("%d branches of functions of at most %d blocks, of which %d meet", branches, searchable, meets)
	t.Logf("%d irreducible: %s", len(refused), strings.Join(refused, "; "))
	if branching < 2000 || loops < 1000 || continuing < 100 {
		t.Errorf("that tests little")
	}
}

// This half of the file damages nodes, to see what the checks notice.

// faults are mistakes that a structurer could make. Each makes wrong nodes of a graph's, which it
// may write over, or nil if there is nothing to damage.
var faults = []struct {
	name   string
	damage func(g *structure.Graph, nodes []structure.Node, r *rand.Rand) []structure.Node
}{
	{"arms exchanged", func(g *structure.Graph, nodes []structure.Node, r *rand.Rand) []structure.Node {
		flip := structure.None
		if choose(nodes, r, func(i int) func() {
			if nodes[i].Kind != structure.If {
				return nil
			}
			return func() { flip = nodes[i].Block }
		}) == nil {
			return nil
		}
		var flipped structure.Graph
		for b := range structure.Block(g.Blocks()) {
			to := slices.Clone(g.Successors(b))
			if b == flip {
				slices.Reverse(to)
			}
			flipped.Add(0, to...)
		}
		wrong, _ := new(structure.Structurer).Structure(&flipped)
		return wrong
	}},
	{"an exit of one construct less", func(_ *structure.Graph, nodes []structure.Node, r *rand.Rand) []structure.Node {
		m, _ := newMachine(nodes)
		return choose(nodes, r, func(i int) func() {
			if nodes[i].Kind != structure.Exit || m.opener[i] == int(nodes[i].Label) {
				return nil
			}
			inner := m.opener[i]
			for m.opener[inner] != int(nodes[i].Label) {
				inner = m.opener[inner]
			}
			return func() { nodes[i].Label = int32(inner) }
		})
	}},
	{"a continue that exits", func(_ *structure.Graph, nodes []structure.Node, r *rand.Rand) []structure.Node {
		return choose(nodes, r, func(i int) func() {
			if nodes[i].Kind != structure.Continue {
				return nil
			}
			return func() { nodes[i].Kind = structure.Exit }
		})
	}},
	{"two blocks in each other's place", func(_ *structure.Graph, nodes []structure.Node, r *rand.Rand) []structure.Node {
		return choose(nodes, r, func(i int) func() {
			j := r.IntN(len(nodes))
			if j == i || nodes[i].Kind != structure.Code || nodes[j].Kind != structure.Code {
				return nil
			}
			return func() { nodes[i].Block, nodes[j].Block = nodes[j].Block, nodes[i].Block }
		})
	}},
}

// choose does one of the changes that are possible, and returns nil if there is none.
func choose(nodes []structure.Node, r *rand.Rand, change func(i int) func()) []structure.Node {
	for _, i := range r.Perm(len(nodes)) {
		if do := change(i); do != nil {
			do()
			return nodes
		}
	}
	return nil
}

// TestFaults damages nodes, which the walks have to notice, where they come to what is damaged.
func TestFaults(t *testing.T) {
	functions := standardFunctions(t)
	var g structure.Graph
	var s structure.Structurer
	for _, fault := range faults {
		damaged, walked, verified := 0, 0, 0
		for n, f := range functions {
			graphOf(&g, f, nil)
			if g.Blocks() < 3 {
				continue
			}
			nodes, err := s.Structure(&g)
			if err != nil {
				continue
			}
			r := rand.New(rand.NewPCG(uint64(n), 1))
			if nodes = fault.damage(&g, slices.Clone(nodes), r); nodes == nil {
				continue
			}
			damaged++
			if verify(&g, nodes) != nil {
				verified++
			}
			m, err := newMachine(nodes)
			for range 20 {
				if err == nil {
					err = walk(&g, nodes, m, r, 300)
				}
			}
			if err != nil {
				walked++
			}
		}
		t.Logf("%s: of %d functions the walks fail in %d, the check of all edges in %d", fault.name, damaged, walked, verified)
		if damaged < 100 || walked < damaged*3/5 || verified < damaged*9/10 {
			t.Errorf("%s: not noticed enough", fault.name)
		}
	}
}
