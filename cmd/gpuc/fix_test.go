package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/autofix"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/frontend"
)

// TestFixTwice mends the wrong programs of other tests: what is mended stays as it is when it is
// mended again, and has no more errors of what was fixed.
func TestFixTwice(t *testing.T) {
	changed := 0
	for name, text := range wrongPrograms(t) {

		p, mended, changes, err := autofix.FixText("a.wgsl", text, frontend.Options{Warn: true})
		if err != nil {
			if !strings.Contains(err.Error(), "overlap") && !strings.Contains(err.Error(), "bring out others") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if (len(changes) > 0) != (mended != text) {
			t.Errorf("%s: %d changes, and the text is another: %v", name, len(changes), mended != text)
		}
		for _, d := range p.List.Items() {
			if len(d.Fixes) == 1 {
				t.Errorf("%s: a fix is left for %q", name, d.Message)
			}
		}
		changed += len(changes)
		if _, again, changes, err := autofix.FixText("a.wgsl", mended, frontend.Options{Warn: true}); err != nil || again != mended || len(changes) > 0 {
			t.Errorf("%s: mended again it is another: %v %v", name, changes, err)
		}
	}
	if changed < 50 {
		t.Errorf("only %d changes", changed)
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
	code := gpuc.Execute(&cli.Env{Stdout: &out, Stderr: &said}, []string{"check", "-fix", "a.wgsl", "b.wgsl"})
	if got, err := os.ReadFile("a.wgsl"); err != nil || string(got) != text || code != cli.ExitDiagnostics || out.Len() > 0 {
		t.Errorf("code %d, a.wgsl holds %q (%v), and it says %q %q", code, got, err, out.String(), said.String())
	}
	if !strings.Contains(said.String(), "cannot write b.wgsl: it is write-protected") {
		t.Errorf("it says %q", said.String())
	}
}
