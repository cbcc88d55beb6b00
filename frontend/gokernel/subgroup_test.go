package gokernel

import (
	"go/types"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir/op"
)

// TestSubgroupFunctions compares the rows with WGSL's builtin functions, and the functions of
// package gpu with the rows. Each of WGSL's operations has a function of its name, with the same
// requirements of its last argument and for the same types.
func TestSubgroupFunctions(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, gpuPath)
	if err != nil || len(loaded) != 1 {
		t.Fatal(loaded, err)
	}
	scope := loaded[0].Types.Scope()
	seen := map[op.Op]bool{}
	for _, b := range sem.Builtins {
		if b.Flags&sem.NeedsSubgroups == 0 {
			continue
		}
		s := subgroupFunctionOf(b.Op)
		if s == nil {
			t.Errorf("there is no row for %s", b.Name)
			continue
		}
		seen[b.Op] = true
		if want := strings.ToUpper(b.Name[:1]) + b.Name[1:]; s.name != want {
			t.Errorf("%s is called %s", b.Name, s.name)
		}
		if constant := b.Flags&sem.ConstLane != 0; s.constant != constant || (s.limit != 0) != (constant || b.Flags&sem.LaneLimit != 0) {
			t.Errorf("%s: constant %v, limit %d", s.name, s.constant, s.limit)
		}
		f, ok := scope.Lookup(s.name).(*types.Func)
		if !ok || intrinsicOf(f) == nil {
			t.Errorf("package gpu has no %s that is an intrinsic", s.name)
			continue
		}
		signature := op.SignatureOf(b.Op)
		if f.Signature().Params().Len() != signature.Count+1 {
			t.Errorf("%s takes %v behind the item, and the operation has %d operands", s.name, f.Signature().Params(), signature.Count)
		}
		want := map[op.Class]string{op.NoClass: "", op.NumberClass: "gpu.Number", op.IntClass: "gpu.Integer"}[signature.Class]
		got := ""
		for p := range f.Signature().TypeParams().TypeParams() {
			got += types.TypeString(p.Constraint(), (*types.Package).Name)
		}
		if got != want {
			t.Errorf("the types of %s are %q, want %q", s.name, got, want)
		}
	}
	for n := range subgroupFunctions {
		if s := &subgroupFunctions[n]; !seen[s.op] {
			t.Errorf("WGSL has no %s", s.name)
		}
	}
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if name == "LoadInt4" || name == "LoadUint4" { // they are compiled from their source
			continue
		}
		if ok && unicode.IsUpper(rune(name[0])) && f.Signature().Params().Len() > 0 && isItem(f.Signature().Params().At(0).Type()) && intrinsicOf(f) == nil {
			t.Errorf("%s takes an item, and kernels cannot call it", name)
		}
	}
}
