package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// goFix is a kind of fix, what is in a kernel before it, and what is there then.
type goFix struct {
	kind          diag.FixKind
	wrong, mended string
	// above the kernel, which is one without the directive then; and what it becomes
	above, aligned string
}

// goFixes are the fixes of kernels in Go.
var goFixes = [...]goFix{
	{kind: diag.FixAllow, wrong: "x[0] = 1 //gpuc:allow float-equality for nothing", mended: "x[0] = 1"},
	{kind: diag.FixAllow, wrong: "// gpuc:allow float-equality\n\tx[0] = 1", mended: "x[0] = 1"},
	{kind: diag.FixDirective, above: "// gpuc:Kernel workgroup=64", aligned: "//gpuc:kernel workgroup=64", wrong: "x[0] = 1", mended: "x[0] = 1"},
	{kind: diag.FixSingle, wrong: "y := 0.5 // half\n\tx[0] = float32(y)", mended: "y := float32(0.5) // half\n\tx[0] = float32(y)"},
	{kind: diag.FixSingle, wrong: "var y, z = 0.5, float32(1) // half\n\tx[0] = float32(y) + z", mended: "var y, z = float32(0.5), float32(1) // half\n\tx[0] = float32(y) + z"},
	{kind: diag.FixFraction, wrong: "x[0] *= (1 / 2)", mended: "x[0] *= (1.0 / 2)"},
	{kind: diag.FixBarrier, wrong: "x[i] = x[i^1]\n\tit.Barrier()\n\tit.Barrier() // twice\n\tx[i] = x[i^2]", mended: "x[i] = x[i^1]\n\tit.Barrier() // twice\n\tx[i] = x[i^2]"},
}

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
	putFile(t, "go.mod", "module example.com/try\n\ngo 1.26.0\n")
	putFile(t, "go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+filepath.ToSlash(repository)+"\n)\n")
}

// TestGoFixesMend: each fix of a kernel in Go is offered where it is to be, makes what is expected
// of it and no error, leaves the file as gofmt has it, and nothing is left to fix. A file that was
// not formatted keeps what is not mended.
func TestGoFixesMend(t *testing.T) {
	testmode.Long(t)
	goModule(t)
	for n := range goFixes {
		f := &goFixes[n]
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			wrong, want := f.source(f.above, f.wrong), f.source(f.aligned, f.mended)
			putFile(t, "a.go", wrong)
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
			var out, said strings.Builder
			code := execute(&environment{stdout: &out, stderr: &said}, []string{"check", "-fix", "a.go"})
			got, err := os.ReadFile("a.go")
			if err != nil || string(got) != want || code != 0 || said.Len() > 0 {
				t.Errorf("code %d (%v), it says %q\n%s", code, err, said.String(), got)
			}
			if again := execute(&environment{stdout: &out, stderr: &said}, []string{"check", "-fix", "-n", "."}); again != 0 {
				t.Errorf("mended again it is another")
			}
		})
	}
	putFile(t, "a.go", strings.ReplaceAll(goFixes[5].source("", goFixes[5].wrong), "x[i] = 0", "x[i]   =   0"))
	execute(&environment{stdout: new(strings.Builder), stderr: new(strings.Builder)}, []string{"check", "-fix", "."})
	if got, err := os.ReadFile("a.go"); err != nil || !strings.Contains(string(got), "x[i]   =   0") || !strings.Contains(string(got), "1.0 / 2") {
		t.Errorf("%v\n%s", err, got)
	}
}

func checkGo(t *testing.T) *diag.List {
	t.Helper()
	list := new(diag.List)
	if _, err := gokernel.Load(new(source.Set), gokernel.Options{Warn: true}, list, "."); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestGoFixesStayAtHome: what kernels call in other packages is not mended, nor other files than
// the one that is named.
func TestGoFixesStayAtHome(t *testing.T) {
	testmode.Quick(t, "it runs many commands")
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
		putFile(t, name, text)
	}
	mended := func(want string) {
		t.Helper()
		for name, text := range texts {
			if got, err := os.ReadFile(name); err != nil || (string(got) != text) != strings.Contains(want, name) {
				t.Errorf("%s (%v)\n%s", name, err, got)
			}
		}
	}
	quiet := func(line ...string) {
		execute(&environment{stdout: new(strings.Builder), stderr: new(strings.Builder)}, line)
	}
	quiet("check", "-fix", "a.go")
	mended("a.go")
	quiet("check", "-fix", ".")
	mended("a.go b.go")
}
