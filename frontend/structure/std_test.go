package structure_test

import (
	"errors"
	"flag"
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

// somePackages have much control flow, and load quickly.
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

// concurrent reports whether a block has instructions that kernels cannot have.
func concurrent(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
		switch i.(type) {
		case *ssa.Defer, *ssa.Go, *ssa.Select:
			return true
		}
		return false
	})
}

// quietReturn marks the returns that a front end would leave inside loops.
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
	return structure.EarlyReturn
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

// searchable is the number of blocks up to which functions are checked by exhaustive search.
const searchable = 80

// TestStandardLibrary structures functions of the standard library, with and without early returns.
func TestStandardLibrary(t *testing.T) {
	functions := standardFunctions(t)
	var g structure.Graph
	var s structure.Structurer
	branching, loops, continuing := 0, 0, 0
	for _, f := range functions {
		graphOf(&g, f, nil)
		nodes, err := s.Structure(&g)
		var irreducible *structure.Irreducible
		if errors.As(err, &irreducible) {
			if problem := isIrreducible(&g, err); problem != "" || reducible(&g) {
				t.Errorf("%s: %v %s", f, err, problem)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if err := verify(&g, nodes); err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if g.Blocks() <= searchable {
			_, err := checkMerges(&g, nodes)
			if err := errors.Join(err, checkLoops(&g, nodes, never), checkDominance(&g, nodes)); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
		if g.Blocks() > 1 {
			branching++
		}
		loops, continuing = loops+count(nodes, structure.Loop), continuing+count(nodes, structure.Continuing)
		graphOf(&g, f, quietReturn)
		if nodes, err = s.Structure(&g); err != nil {
			t.Fatal(err)
		}
		if err := verify(&g, nodes); err != nil {
			t.Errorf("%s, with early returns: %v", f, err)
		}
	}
	if branching < 2000 || loops < 1000 || continuing < 100 {
		t.Errorf("too few to test much: %d functions of several blocks, %d loops, %d continuing blocks", branching, loops, continuing)
	}
}
