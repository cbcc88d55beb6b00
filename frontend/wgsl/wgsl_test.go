package wgsl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

func load(t testing.TB, c *wgsl.Compiler, text string) string {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("test.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Load(&set, file, wgsl.Options{}, &list)
	if m == nil {
		for _, d := range list.Items() {
			t.Errorf("%v: %s", set.Position(d.Span.Start), d.Message)
		}
		t.FailNow()
	}
	return m.Text()
}

func programs(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	texts := make([]string, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts
}

// A compiler that has loaded other programs, wrong ones among them, gives the
// same IR as a new one.
func TestCompilerKeepsNothing(t *testing.T) {
	used := wgsl.NewCompiler()
	for _, text := range programs(t) {
		var set source.Set
		var list diag.List
		file, err := set.Add("wrong.wgsl", text[:len(text)*2/3])
		if err != nil {
			t.Fatal(err)
		}
		used.Load(&set, file, wgsl.Options{}, &list)
		if got, want := load(t, used, text), load(t, wgsl.NewCompiler(), text); got != want {
			t.Errorf("a used compiler gives\n%s\na new one\n%s", got, want)
		}
	}
}

// renamed returns a program whose names of module scope have a suffix. Uses are
// found by name alone, so that what shadows such a name gets the suffix too.
func renamed(t testing.TB, text, suffix string) string {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("part.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	tree := syntax.Parse(file, &list)
	global := map[syntax.Symbol]bool{}
	for _, d := range tree.Globals {
		global[tree.Decl(d).Name] = true
	}
	member := map[syntax.Expr]bool{}
	for _, x := range tree.Exprs {
		if x.Kind == syntax.MemberExpr {
			member[x.B] = true
		}
	}
	ends := map[int]bool{}
	name := func(symbol syntax.Symbol, span source.Span) {
		if symbol != 0 && global[symbol] {
			ends[int(span.Start-file.Base)+len(tree.Text(symbol))] = true
		}
	}
	for e, x := range tree.Exprs {
		if x.Kind == syntax.IdentExpr && !member[syntax.Expr(e)] {
			name(x.Name, x.Span)
		}
	}
	for _, d := range tree.Decls {
		name(d.Name, d.NameSpan)
		for _, p := range tree.FieldList(d.Parameters) {
			name(p.Name, p.NameSpan)
		}
	}
	var out strings.Builder
	for i := range len(text) {
		if ends[i] {
			out.WriteString(suffix)
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// concatenated returns one program of at least the given number of lines: the
// executable ones, again and again, with their names made different.
func concatenated(t testing.TB, lines int) string {
	var directives, body strings.Builder
	texts := programs(t)
	seen := map[string]bool{}
	for i := 0; strings.Count(body.String(), "\n") < lines; i++ {
		for line := range strings.Lines(renamed(t, texts[i%len(texts)], fmt.Sprint("_", i))) {
			if !strings.HasPrefix(line, "enable ") && !strings.HasPrefix(line, "requires ") {
				body.WriteString(line)
			} else if !seen[line] {
				seen[line] = true
				directives.WriteString(line)
			}
		}
	}
	return directives.String() + body.String()
}

func BenchmarkLoad(b *testing.B) {
	text := concatenated(b, 4000)
	lines := strings.Count(text, "\n")
	c := wgsl.NewCompiler()
	load(b, c, text)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var set source.Set
		var list diag.List
		file, err := set.Add("large.wgsl", text)
		if err != nil {
			b.Fatal(err)
		}
		if c.Load(&set, file, wgsl.Options{}, &list) == nil {
			b.Fatal(list.Items())
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// TestInternalError: a stage that fails inside gives a diagnostic, and the compiler
// is as new afterwards.
func TestInternalError(t *testing.T) {
	var set source.Set
	var list diag.List
	file, err := set.Add("a.wgsl", "@compute @workgroup_size(1) fn main() {}")
	if err != nil {
		t.Fatal(err)
	}
	c := wgsl.Broken()
	if m := c.Load(&set, file, wgsl.Options{}, &list); m != nil || list.Errors() != 1 || list.Items()[0].Code != diag.Internal {
		t.Fatalf("loading gives %v and %v", m, list.Items())
	}
	list.Reset()
	if m := c.Load(&set, file, wgsl.Options{}, &list); m == nil {
		t.Error("and then it gives", list.Items())
	}
}
