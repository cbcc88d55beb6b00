package gokernel

import (
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestStandardRoots compares the list with the go command's.
func TestStandardRoots(t *testing.T) {
	list, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(list)) {
		if !isStandard(path) {
			t.Errorf("%s is a package of Go, and is not taken for one", path)
		}
	}
	if !slices.IsSorted(standardRoots) || isStandard("try/vec") || isStandard("example.com/os") {
		t.Error("packages of modules are taken for Go's")
	}
}

// TestHints tests that each function with a hint exists, and that devices do not have it.
func TestHints(t *testing.T) {
	known := map[string]*types.Package{}
	for name := range functionHints() {
		dot := strings.LastIndexByte(name, '.')
		path := name[:dot]
		if known[path] == nil {
			loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, path)
			if err != nil || len(loaded) != 1 {
				t.Fatal(path, err)
			}
			known[path] = loaded[0].Types
		}
		if known[path].Scope().Lookup(name[dot+1:]) == nil {
			t.Errorf("Go has no %s", name)
		}
		if intrinsics()[name] != nil {
			t.Errorf("%s is there, and has a hint of what to call instead", name)
		}
	}
}
