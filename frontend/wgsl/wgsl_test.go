package wgsl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

func load(t testing.TB, c *wgsl.Compiler, text string) string {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("test.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Load(&set, file, wgsl.Options{}, &list)
	if m == nil {
		for _, d := range list.Items() {
			t.Errorf("%v: %s", set.Position(d.Span.Start), d.Message)
		}
		t.FailNow()
	}
	return m.Text()
}

func programs(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	texts := make([]string, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts
}

// TestCompilerKeepsNothing tests that a compiler that has loaded other programs, invalid ones among
// them, gives the same IR as a new one.
func TestCompilerKeepsNothing(t *testing.T) {
	used := wgsl.NewCompiler()
	for _, text := range programs(t) {
		var set source.Set
		var list diag.List
		file, err := set.Add("wrong.wgsl", text[:len(text)*2/3])
		if err != nil {
			t.Fatal(err)
		}
		used.Load(&set, file, wgsl.Options{}, &list)
		if got, want := load(t, used, text), load(t, wgsl.NewCompiler(), text); got != want {
			t.Errorf("a used compiler gives\n%s\na new one\n%s", got, want)
		}
	}
}

// TestInternalError tests that a panic in a stage becomes a diagnostic, and that the compiler can
// be used afterwards.
func TestInternalError(t *testing.T) {
	var set source.Set
	var list diag.List
	file, err := set.Add("a.wgsl", "@compute @workgroup_size(1) fn main() {}")
	if err != nil {
		t.Fatal(err)
	}
	c := wgsl.Broken()
	if m := c.Load(&set, file, wgsl.Options{}, &list); m != nil || list.Errors() != 1 || list.Items()[0].Code != diag.Internal {
		t.Fatalf("loading gives %v and %v", m, list.Items())
	}
	list.Reset()
	if m := c.Load(&set, file, wgsl.Options{}, &list); m == nil {
		t.Error("and then it gives", list.Items())
	}
}
