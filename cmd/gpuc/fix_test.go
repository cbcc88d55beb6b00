package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestFixTwice mends the wrong programs of other tests: what is mended stays as it is when it is
// mended again, and has no more errors of what was fixed.
func TestFixTwice(t *testing.T) {
	changed := 0
	for name, text := range wrongPrograms(t) {

		p, mended, changes, err := fixText("a.wgsl", text, frontend.Options{Warn: true})
		if err != nil {
			if !strings.Contains(err.Error(), "overlap") && !strings.Contains(err.Error(), "bring out others") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if (len(changes) > 0) != (mended != text) {
			t.Errorf("%s: %d changes, and the text is another: %v", name, len(changes), mended != text)
		}
		for _, d := range p.list.Items() {
			if len(d.Fixes) == 1 {
				t.Errorf("%s: a fix is left for %q", name, d.Message)
			}
		}
		changed += len(changes)
		if _, again, changes, err := fixText("a.wgsl", mended, frontend.Options{Warn: true}); err != nil || again != mended || len(changes) > 0 {
			t.Errorf("%s: mended again it is another: %v %v", name, changes, err)
		}
	}
	if changed < 50 {
		t.Errorf("only %d changes", changed)
	}
}

// TestFixesOverlap: of two fixes for one piece of text neither is made, and the message has both.
// The same fix twice is one.
func TestFixesOverlap(t *testing.T) {
	program := func(fixes ...diag.Fix) *program {
		p := &program{set: new(source.Set), list: new(diag.List)}
		file, err := p.set.Add("a.wgsl", "abcdefgh")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fixes {
			f.Span.Start += file.Base
			f.Span.End += file.Base
			p.list.Add(diag.Diagnostic{Span: f.Span, Fixes: []diag.Fix{f}})
		}
		return p
	}
	all := func(*source.File) bool { return true }
	fix := func(from, to source.Pos, message string) diag.Fix {
		return diag.Fix{Span: source.Span{Start: from, End: to}, Text: "x", Message: message}
	}
	for _, wrong := range [][2]diag.Fix{{fix(0, 3, "one"), fix(2, 4, "two")}, {fix(2, 2, "one"), fix(2, 2, "two")}, {fix(1, 5, "one"), fix(2, 2, "two")}} {
		const want = ": two fixes overlap: one, and two; nothing is changed: apply one of them by hand, and run -fix again"
		if _, err := onlyFixes(program(wrong[0], wrong[1]), all); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: got %v", wrong, err)
		}
	}
	fixes, err := onlyFixes(program(fix(3, 5, "two"), fix(0, 3, "one"), fix(3, 5, "two")), all)
	if err != nil || len(fixes) != 2 || fixes[0].Message != "one" {
		t.Errorf("got %v %v", fixes, err)
	}
}

// TestFixWritesAllOrNone: where one file cannot be written, the other is not changed either.
func TestFixWritesAllOrNone(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "fn f() { lett x = 1; _ = x; }\n"
	for name, mode := range map[string]os.FileMode{"a.wgsl": 0o644, "b.wgsl": 0o444} {
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	var out, said strings.Builder
	code := gpuc.execute(&environment{stdout: &out, stderr: &said}, []string{"check", "-fix", "a.wgsl", "b.wgsl"})
	if got, err := os.ReadFile("a.wgsl"); err != nil || string(got) != text || code != exitDiagnostics || out.Len() > 0 {
		t.Errorf("code %d, a.wgsl holds %q (%v), and it says %q %q", code, got, err, out.String(), said.String())
	}
	if !strings.Contains(said.String(), "cannot write b.wgsl: it is write-protected") {
		t.Errorf("it says %q", said.String())
	}
}
