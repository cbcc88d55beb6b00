package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// FuzzCheck feeds the checker what the parser makes of any bytes. It must come
// back, and a program without errors must have a type for every value.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/*.wgsl", "../../../testdata/exec/*.wgsl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	parser := syntax.NewParser(sem.Vocabulary())
	checker := &Checker{}
	f.Fuzz(func(t *testing.T, text string) {
		set := &source.Set{}
		file, err := set.Add("fuzz.wgsl", text)
		if err != nil {
			return // the input is larger than a set of sources holds
		}
		list := &diag.List{}
		tree := parser.Parse(file, list)
		m := ir.NewModule(set)
		info := checker.Check(tree, m, Options{}, list)
		if list.Errors() > 0 {
			return
		}
		for e := 1; e < len(info.Exprs); e++ {
			if v := info.Exprs[e].Value; v != 0 && m.TypeOf(v) == ir.Void {
				t.Fatalf("expression %d has a value without type", e)
			}
		}
	})
}
