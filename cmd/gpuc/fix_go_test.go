package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// goFix is a kind of fix, with the body of a kernel before and after it.
type goFix struct {
	kind         diag.FixKind
	wrong, fixed string
	above, after string // the comment above the kernel before and after, if not the directive
}

// goFixes are the fixes of kernels in Go.
var goFixes = [...]goFix{
	{kind: diag.FixAllow, wrong: "x[0] = 1 //gpuc:allow float-equality for nothing", fixed: "x[0] = 1"},
	{kind: diag.FixAllow, wrong: "// gpuc:allow float-equality\n\tx[0] = 1", fixed: "x[0] = 1"},
	{kind: diag.FixDirective, above: "// gpuc:Kernel workgroup=64", after: "//gpuc:kernel workgroup=64", wrong: "x[0] = 1", fixed: "x[0] = 1"},
	{kind: diag.FixSingle, wrong: "y := 0.5 // half\n\tx[0] = float32(y)", fixed: "y := float32(0.5) // half\n\tx[0] = float32(y)"},
	{kind: diag.FixSingle, wrong: "var y, z = 0.5, float32(1) // half\n\tx[0] = float32(y) + z", fixed: "var y, z = float32(0.5), float32(1) // half\n\tx[0] = float32(y) + z"},
	{kind: diag.FixFraction, wrong: "x[0] *= (1 / 2)", fixed: "x[0] *= (1.0 / 2)"},
	{kind: diag.FixBarrier, wrong: "x[i] = x[i^1]\n\tit.Barrier()\n\tit.Barrier() // twice\n\tx[i] = x[i^2]", fixed: "x[i] = x[i^1]\n\tit.Barrier() // twice\n\tx[i] = x[i^2]"},
}

// source returns a file with the kernel.
func (f *goFix) source(above, body string) string {
	if above == "" {
		above = "//gpuc:kernel workgroup=64"
	}
	return "package try\n\nimport \"github.com/gpuc/gpuc/runtime/gpu\"\n\n" + above + "\nfunc Kernel(it gpu.Item, x []float32) {\n\ti := it.Index()\n\tx[i] = 0\n\t" + body + "\n}\n"
}

// goModule makes a module for a kernel in the current folder.
func goModule(t *testing.T) {
	t.Helper()
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/try\n\ngo 1.26.0\n")
	write(t, "go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+filepath.ToSlash(repository)+"\n)\n")
}

// TestGoFixes: each fix of a kernel in Go is offered, gives the expected text, and leaves nothing
// to fix. A formatted file stays formatted, and the rest of another file stays as it is.
func TestGoFixes(t *testing.T) {
	goModule(t)
	for n := range goFixes {
		f := &goFixes[n]
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			wrong, want := f.source(f.above, f.wrong), f.source(f.after, f.fixed)
			write(t, "a.go", wrong)
			list := checkGo(t)
			found := false
			for _, d := range list.Items() {
				for _, x := range d.Fixes {
					found = found || x.Kind == f.kind
				}
			}
			if !found {
				t.Fatalf("the fix is not offered: %v", list.Items())
			}
			if formatted, err := format.Source([]byte(wrong)); err != nil || string(formatted) != wrong && f.kind != diag.FixDirective {
				t.Fatalf("the kernel is not formatted: %v\n%s", err, formatted)
			}
			_, said, code := execute("check", "-fix", "a.go")
			if got := read(t, "a.go"); got != want || code != 0 || said != "" {
				t.Errorf("code %d, it says %q\n%s", code, said, got)
			}
			if _, _, again := execute("check", "-fix", "-n", "."); again != 0 {
				t.Errorf("a second run finds something to fix")
			}
		})
	}
	write(t, "a.go", strings.ReplaceAll(goFixes[5].source("", goFixes[5].wrong), "x[i] = 0", "x[i]   =   0"))
	execute("check", "-fix", ".")
	if got := read(t, "a.go"); !strings.Contains(got, "x[i]   =   0") || !strings.Contains(got, "1.0 / 2") {
		t.Error(got)
	}
}

// checkGo returns the diagnostics of the package in the current folder.
func checkGo(t *testing.T) *diag.List {
	t.Helper()
	list := new(diag.List)
	if _, err := gokernel.Load(new(source.Set), gokernel.Options{Warn: true}, list, "."); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestGoFixesOfOthers: other packages are not changed, nor other files than the named one.
func TestGoFixesOfOthers(t *testing.T) {
	goModule(t)
	const head, body = "import \"github.com/gpuc/gpuc/runtime/gpu\"\n\n", "\ty := 0.5\n\tx[0] = float32(y)\n}\n"
	texts := map[string]string{
		"a.go":       "package try\n\nimport (\n\t\"example.com/try/far\"\n\t\"github.com/gpuc/gpuc/runtime/gpu\"\n)\n\n//gpuc:kernel workgroup=64\nfunc A(it gpu.Item, x []float32) {\n\tfar.Away(x)\n" + body,
		"b.go":       "package try\n\n" + head + "//gpuc:kernel workgroup=64\nfunc B(it gpu.Item, x []float32) {\n" + body,
		"far/far.go": "package far\n\nfunc Away(x []float32) {\n" + body,
	}
	if err := os.Mkdir("far", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		write(t, name, text)
	}
	fixed := func(want string) {
		t.Helper()
		for name, text := range texts {
			if got := read(t, name); (got != text) != strings.Contains(want, name) {
				t.Errorf("%s\n%s", name, got)
			}
		}
	}
	execute("check", "-fix", "a.go")
	fixed("a.go")
	execute("check", "-fix", ".")
	fixed("a.go b.go")
}
