package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/autofix"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// maxSteps is the maximum number of fixes to make a program right: a fix may bring out another
// mistake.
const maxSteps = 4

// TestFixes applies each fix for the first error of the programs in testdata/fixes, one on a line,
// and then the first fix for each further error. The result must be right. All kinds of fixes are
// tried.
func TestFixes(t *testing.T) {
	names, err := filepath.Glob("testdata/fixes/*.wgsl")
	if err != nil || len(names) == 0 {
		t.Fatal("no programs")
	}
	var proved [diag.FixKinds]bool
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
				continue
			}
			list := checkProgram(t, line)
			if list.Errors() == 0 {
				t.Errorf("nothing is wrong in %s", line)
				continue
			}
			d := list.Items()[0]
			if len(d.Fixes) == 0 {
				t.Errorf("no fix for %q in %s", d.Message, line)
			}
			for _, f := range d.Fixes {
				if problem := prove(t, line, f, nil); problem != "" {
					t.Errorf("%s\n%s", line, problem)
				} else {
					proved[f.Kind] = true
				}
			}
		}
	}
	for k := diag.FixKind(1); k < diag.FixKinds; k++ {
		if !proved[k] && !slices.ContainsFunc(goFixes[:], func(f goFix) bool { return f.kind == k }) {
			t.Errorf("no program of testdata/fixes proves a fix of kind %d", k)
		}
	}
}

// TestFixesOfWrongPrograms applies every fix for the wrong programs of other tests. There must be
// no new error.
func TestFixesOfWrongPrograms(t *testing.T) {
	offered := 0
	for name, text := range wrongPrograms(t) {
		list := checkProgram(t, text)
		for _, d := range list.Items() {
			for _, f := range d.Fixes {
				offered++
				if problem := prove(t, text, f, list); problem != "" {
					t.Errorf("%s: %s\n%s", name, d.Message, problem)
				}
			}
		}
	}
	if offered < 100 {
		t.Errorf("only %d fixes are offered", offered)
	}
}

// wrongPrograms returns the sources of scripts and of the checker's tests, by name.
func wrongPrograms(t *testing.T) map[string]string {
	texts := map[string]string{}
	for _, pattern := range []string{"testdata/*/*.txtar", "../../frontend/wgsl/*/testdata/*.wgsl"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no files %s", pattern)
		}
		for _, name := range names {
			if filepath.Ext(name) == ".wgsl" {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				texts[name] = string(data)
				continue
			}
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if filepath.Ext(f.Name) == ".wgsl" && !isExpectation(f.Name) {
					texts[name+": "+f.Name] = string(f.Data)
				}
			}
		}
	}
	return texts
}

// prove applies a fix, and then the first fix for each error that was not there before. It returns
// the errors that are left, or "".
func prove(t *testing.T, text string, f diag.Fix, before *diag.List) string {
	if f.Kind == 0 || f.Kind >= diag.FixKinds {
		return fmt.Sprintf("the fix %q has no kind", f.Message)
	}
	known := map[string]int{}
	if before != nil {
		for _, d := range before.Items() {
			known[d.Message]++
		}
	}
	shown := ""
	for range maxSteps {
		around := text[max(0, int(f.Span.Start)-30):f.Span.Start] + f.Text
		text = text[:f.Span.Start] + f.Text + text[f.Span.End:]
		shown += fmt.Sprintf("%s: … %s …\n", f.Message, around)
		left := map[string]int{}
		var next *diag.Diagnostic
		list := checkProgram(t, text)
		for n := range list.Items() {
			d := &list.Items()[n]
			if left[d.Message]++; d.Severity == diag.Error && left[d.Message] > known[d.Message] && next == nil {
				next = d
			}
		}
		if next == nil {
			return ""
		}
		shown += "then: " + next.Message + "\n"
		if len(next.Fixes) == 0 {
			break
		}
		f = next.Fixes[0]
	}
	return shown
}

// TestFixesHaveKinds finds the literals of type diag.Fix in the compiler. Each has a kind of its
// own, so that TestFixes tries all of them.
func TestFixesHaveKinds(t *testing.T) {
	used := map[string]string{}
	sites := 0
	set := token.NewFileSet()
	for _, root := range []string{"../../frontend", "../../ir", "../../codegen", "../../opt"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				elements := []*ast.CompositeLit{literal}
				if array, ok := literal.Type.(*ast.ArrayType); ok && isFix(array.Elt) {
					elements = nil
					for _, e := range literal.Elts {
						elements = append(elements, e.(*ast.CompositeLit))
					}
				} else if !isFix(literal.Type) {
					return true
				}
				for _, e := range elements {
					if e.Type != nil && len(elements) > 1 {
						continue // visited by itself
					}
					sites++
					at := set.Position(e.Pos())
					switch kind := kindOfFix(e); {
					case kind == "":
						t.Errorf("%s: the fix has no kind", at)
					case kind == "kind": // a parameter of WrapFix
					case used[kind] != "":
						t.Errorf("%s: the kind %s is that of %s too", at, kind, used[kind])
					default:
						used[kind] = at.String()
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sites < 17 {
		t.Errorf("found %d literals", sites)
	}
}

// isFix reports whether a type is diag.Fix.
func isFix(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Fix"
}

// kindOfFix returns the expression of the field Kind.
func kindOfFix(literal *ast.CompositeLit) string {
	for _, e := range literal.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Kind" {
			switch v := pair.Value.(type) {
			case *ast.SelectorExpr:
				return v.Sel.Name
			case *ast.Ident:
				return v.Name
			}
		}
	}
	return ""
}

// checkProgram returns the diagnostics of a program. The spans of fixes are offsets.
func checkProgram(t *testing.T, text string) *diag.List {
	t.Helper()
	var set source.Set
	list := new(diag.List)
	file, err := set.Add("a.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := frontend.Load(&set, file, frontend.Options{}, list); err != nil {
		t.Fatal(err)
	}
	for _, d := range list.Items() {
		for i := range d.Fixes {
			d.Fixes[i].Span.Start -= file.Base
			d.Fixes[i].Span.End -= file.Base
		}
	}
	return list
}

// TestFixTwice: a program that was fixed has no fix left, and does not change when it is fixed
// again.
func TestFixTwice(t *testing.T) {
	changed := 0
	for name, text := range wrongPrograms(t) {
		p, fixed, changes, err := autofix.FixText("a.wgsl", text, frontend.Options{Warn: true})
		if err != nil {
			if !strings.Contains(err.Error(), "overlap") && !strings.Contains(err.Error(), "bring out others") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if (len(changes) > 0) != (fixed != text) {
			t.Errorf("%s: %d changes, and the text is another: %v", name, len(changes), fixed != text)
		}
		for _, d := range p.List.Items() {
			if len(d.Fixes) == 1 {
				t.Errorf("%s: a fix is left for %q", name, d.Message)
			}
		}
		changed += len(changes)
		if _, again, changes, err := autofix.FixText("a.wgsl", fixed, frontend.Options{Warn: true}); err != nil || again != fixed || len(changes) > 0 {
			t.Errorf("%s: fixed again it is another: %v %v", name, changes, err)
		}
	}
	if changed < 50 {
		t.Errorf("only %d changes", changed)
	}
}

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
			testmode.Share(t, fmt.Sprint(n), 3)
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
	testmode.Quick(t, "it loads Go packages")
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
