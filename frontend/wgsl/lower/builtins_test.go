package lower_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// lowered returns which rows of sem.Builtins a program calls at run time. It fails
// if the program cannot be lowered.
func lowered(t testing.TB, name, text string) (rows [len(sem.Builtins)]bool) {
	t.Helper()
	load(t, name, text, wgsl.Options{}.Lower)
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range wgsl.NewCompiler().Check(&set, file, wgsl.Options{}, &list).Exprs {
		if x.Value == 0 && x.Builtin != 0 {
			rows[x.Builtin] = true
		}
	}
	return rows
}

// TestEveryBuiltinIsLowered checks that each row of the checker's table of builtin functions is
// lowered in some program of testdata, here or for execution. Exempt are the rows that no compute
// shader can call. A row without a lowering would be missing or fail.
func TestEveryBuiltinIsLowered(t *testing.T) {
	var seen [len(sem.Builtins)]bool
	for _, pattern := range []string{"testdata/*.wgsl", "../../../testdata/exec/*.wgsl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal("no programs", err)
		}
		for _, path := range paths {
			for row, called := range lowered(t, path, read(t, path)) {
				seen[row] = seen[row] || called
			}
		}
	}
	if missing := unseen(sem.Builtins[:], seen[:]); len(missing) > 0 {
		t.Errorf("lowered in no program of testdata:\n%s", strings.Join(missing, "\n"))
	}
	// a row that is new to the table is missed
	more := append(sem.Builtins[:len(sem.Builtins):len(sem.Builtins)], sem.Builtin{Name: "erf", Signature: "f32 -> f32"})
	if missing := unseen(more, append(seen[:len(seen):len(seen)], false)); len(missing) != 1 || missing[0] != "erf: f32 -> f32" {
		t.Errorf("with a row that no program calls, %q are missing", missing)
	}
}

// unseen returns the rows that compute shaders can call and that were not seen.
func unseen(rows []sem.Builtin, seen []bool) (missing []string) {
	for n, b := range rows {
		// which is refused
		if n > 0 && !seen[n] && b.Flags&sem.FragmentOnly == 0 && b.Expansion != expand.AtomicPair {
			missing = append(missing, b.Name+": "+b.Signature)
		}
	}
	return missing
}
