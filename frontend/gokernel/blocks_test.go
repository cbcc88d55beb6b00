package gokernel_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// TestBranches counts the branches, the selections and the comparisons with the extent of the
// launch in the kernels of testdata/blocks. Other tests compare their results with Go's.
func TestBranches(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("testdata", "blocks")}, &list, ".")
	if err != nil || m == nil {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		t.Fatal(err, text.String())
	}
	type counts struct{ ifs, selects, least int }
	tests := map[string]counts{
		"Guarded":          {1, 0, 1},
		"Unguarded":        {1, 0, 0},
		"GuardedTwice":     {1, 0, 2},
		"GuardedByHalf":    {1, 0, 1},
		"GuardedLate":      {2, 0, 0},
		"GuardedByContent": {2, 0, 0},
		"GuardedByFirst":   {1, 0, 1},
		"GuardedByWritten": {2, 0, 0},
		"Both":             {2, 0, 1},
		"OneOfThree":       {2, 0, 1},
		"Careful":          {3, 0, 1},
		"Value":            {2, 0, 1},
		"Assigned":         {1, 2, 1},
		"Returned":         {1, 1, 1},
		"Costly":           {2, 0, 1},
		"Repeated":         {2, 0, 1}, // the guard and the loop's only test
		"Found":            {3, 0, 1}, // these and the one for the value
	}
	for _, k := range m.Kernels() {
		var got counts
		for i := k.First(k.Entry); i != 0; i = k.After(i, k.Entry) {
			switch k.Op(i) {
			case op.If:
				got.ifs++
			case op.Select:
				got.selects++
			case op.Min:
				got.least++
			}
		}
		want, ok := tests[k.Name]
		if !ok || got != want {
			t.Errorf("%s: got %+v, want %+v\n%s", k.Name, got, want, textOf(m, k))
		}
		delete(tests, k.Name)
	}
	for name := range tests {
		t.Errorf("there is no kernel %s", name)
	}
}

// textOf is the text of one kernel.
func textOf(m *ir.Module, k *ir.Func) string {
	text := m.Text()
	text = text[strings.Index(text, "kernel @"+k.Name+"("):]
	return text[:strings.Index(text, "\n}\n")+3]
}
