package gokernel_test

import (
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// TestTemporary tests that the temporary variable of an array that a call returns has no name,
// which messages would show.
func TestTemporary(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("testdata", "order")}, &list, ".")
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	f := m.Func("Index")
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if name := f.ValueName(f.Result(i)); f.Op(i) == op.Var && name != "" && name != "a" && name != "n" {
			t.Errorf("a variable has the name %s", name)
		}
	}
}
