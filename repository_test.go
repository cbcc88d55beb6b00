// Package gpuc has tests of the whole repository: rules that concern several packages.
package gpuc

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gpuc/gpuc/"

// goFiles calls visit for every Go file that is part of the module.
func goFiles(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "out") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// layers reads the table of packages in docs/internals/architecture.md: for each package, the
// packages that it may import.
func layers(t *testing.T) map[string][]string {
	t.Helper()
	f, err := os.Open("docs/internals/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := map[string][]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		cells := strings.Split(s.Text(), "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		table[name] = nil
		for p := range strings.SplitSeq(cells[3], ",") {
			if p = strings.Trim(strings.TrimSpace(p), "`"); p != "" {
				table[name] = append(table[name], p)
			}
		}
	}
	return table
}

// TestLayers compares the imports in the source with the table. Tests, examples and tools below
// internal/ may import any package.
func TestLayers(t *testing.T) {
	table := layers(t)
	var allowed func(from, to string) bool
	allowed = func(from, to string) bool {
		for _, p := range table[from] {
			if p == to || allowed(p, to) {
				return true
			}
		}
		return false
	}
	goFiles(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/") || strings.HasPrefix(path, "examples/") || strings.Contains(path, "/gen/") && !strings.HasPrefix(path, "runtime/") {
			return
		}
		from := filepath.ToSlash(filepath.Dir(path))
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := table[from]; !ok && f.Name.Name != "main" && !strings.HasSuffix(from, "test") {
			t.Errorf("package %s is not in the table of docs/internals/architecture.md", from)
		}
		for _, i := range f.Imports {
			to, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module)
			private := strings.HasPrefix(to, from+"/internal/") // only from may import it
			if ours && !private && !allowed(from, to) && !strings.HasSuffix(from, "test") {
				t.Errorf("%s imports %s, which docs/internals/architecture.md does not allow", path, to)
			}
		}
	})
}

// TestFileSize checks that hand-written files have at most 600 lines.
func TestFileSize(t *testing.T) {
	const limit, generatedLimit = 600, 6000
	goFiles(t, func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(text), "\n")
		if generated := strings.HasSuffix(path, "_gen.go"); !generated && lines > limit || lines > generatedLimit {
			t.Errorf("%s has %d lines", path, lines)
		}
	})
}

// TestDependencies compares the go.mod of gpuc, and those of its other modules, with
// docs/internals/dependencies.md.
func TestDependencies(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"internal/emulate/gfx942/go.mod", "bindings/gonum/go.mod"} {
		apart, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, apart...)
	}
	documented, err := os.ReadFile("docs/internals/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || !strings.Contains(fields[0], ".") || slices.Contains(fields, "indirect") || slices.Contains([]string{"module", "replace"}, fields[0]) || fields[0]+"/" == module {
			continue
		}
		if !strings.Contains(string(documented), "`"+fields[0]+"`") {
			t.Errorf("docs/internals/dependencies.md does not explain %s", fields[0])
		}
	}
}
