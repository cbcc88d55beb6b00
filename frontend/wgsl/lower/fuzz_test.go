package lower_test

import (
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// FuzzLoad loads any text: it gives diagnostics, or IR that keeps the IR's
// rules. The seeds are the test programs.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*.wgsl", "../../../testdata/exec/*.wgsl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			f.Add(read(f, path))
		}
	}
	for _, test := range meanings {
		f.Add(helpers + test.body + "\n}\n")
	}
	compiler := wgsl.NewCompiler()
	f.Fuzz(func(t *testing.T, text string) {
		var set source.Set
		var list diag.List
		file, err := set.Add("fuzz.wgsl", text)
		if err != nil {
			return // the input is larger than a set of sources holds
		}
		m := compiler.Load(&set, file, wgsl.Options{}, &list)
		if m == nil {
			if list.Errors() == 0 {
				t.Error("neither a module nor an error")
			}
			return
		}
		list.Reset()
		ir.Verify(m, &list)
		for _, d := range list.Items() {
			t.Errorf("%v: %s %v", set.Position(d.Span.Start), d.Message, d.Notes)
		}
	})
}
