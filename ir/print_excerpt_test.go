package ir_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
)

// TestExcerpt: a module that is printed with an excerpt of its sources and read again has the same
// positions, by line and column. Its text does not depend on lines that nothing comes from.
func TestExcerpt(t *testing.T) {
	const first = "// a comment of ten words that say nothing at all\nfn f() {\n  é = x; y = x;\n}\n\n// more\n"
	const second = "second();\nlast"
	text := "source \"unused.go\" \"nothing\\n\"\nsource \"a.go\" \"" + strings.NewReplacer("\n", "\\n").Replace(first) + "\"\nsource \"b.go\" \"second();\\nlast\"\n"
	// offsets count from 1 after each other, with one more between files
	at := func(file, what string) int {
		base := 1 + len("nothing\n") + 1
		if file == second {
			base += len(first) + 1
		}
		return base + strings.Index(file, what)
	}
	body := "kernel @main() [workgroup 1u, 1u, 1u] {\n  barrier [workgroup] !" + span(at(first, "y = x"), 5) +
		"\n  barrier [workgroup] !" + span(at(second, "last"), 4) + "\n  return\n}\n"
	m, _, problems := ir.ParseString(text + body)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	named := func(file string) string { return "x/" + file }
	short := string(m.AppendText(nil, ir.PrintOptions{Spans: true, Excerpt: named}))
	if strings.Contains(short, "words") || strings.Contains(short, "unused") || strings.Contains(short, "second") {
		t.Errorf("the excerpt has lines that nothing comes from:\n%s", short)
	}
	again, _, problems := ir.ParseString(short)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, short)
	}
	positions := func(m *ir.Module) (list []string) {
		f := m.Kernels()[0]
		for i := f.First(f.Entry); i != 0; i = f.Next(i) {
			if s := f.SpanOf(i); s.Valid() {
				list = append(list, m.Sources.Position(s.Start).String()+" "+m.Sources.Text(s))
			}
		}
		return list
	}
	got := strings.Join(positions(again), ", ")
	if want := "x/a.go:3:10 y = x, x/b.go:2:1 last"; got != want {
		t.Errorf("got %s, want %s\n%s", got, want, short)
	}
	other, _, problems := ir.ParseString(strings.Replace(text, "words", "WORDS", 1) + body)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if changed := string(other.AppendText(nil, ir.PrintOptions{Spans: true, Excerpt: named})); changed != short {
		t.Errorf("a comment changes the text:\n%s\n%s", short, changed)
	}
}

func span(start, length int) string {
	return strings.Join([]string{strconv.Itoa(start), strconv.Itoa(start + length)}, "-")
}
