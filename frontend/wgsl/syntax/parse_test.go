package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var update = flag.Bool("update", false, "write the expected results to testdata")

// parse returns the tree of a text and the diagnostics as "line:column message".
func parse(t testing.TB, text string) (*Tree, []string) {
	t.Helper()
	var set source.Set
	file, err := set.Add("test.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	tree := Parse(file, &list)
	var errors []string
	for _, d := range list.Items() {
		at := set.Position(d.Span.Start)
		errors = append(errors, fmt.Sprintf("%d:%d %s", at.Line, at.Column, d.Message))
	}
	return tree, errors
}

// compare compares a result with a file of testdata.
func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", path, got)
	}
}

// TestTree compares the printed trees of good files.
func TestTree(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.wgsl")
	if len(paths) == 0 {
		t.Fatal("no files")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tree, errors := parse(t, string(text))
		if len(errors) > 0 {
			t.Errorf("%s: %q", path, errors)
		}
		compare(t, strings.TrimSuffix(path, ".wgsl")+".tree", dump(tree))
	}
}
