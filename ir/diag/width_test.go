package diag_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestWidths: the mark is in the columns that a terminal shows the marked characters in, which were
// counted by hand. They are two for each of Chinese, Hangul and emoji, and none for accents that
// are separate characters. Tabs before the mark are tabs. What changes the direction of text does
// not get to the terminal.
func TestWidths(t *testing.T) {
	for _, c := range []struct{ line, marked, shown, mark string }{
		{"let 日本 = x;", "x", "let 日本 = x;", "           ^"},
		{"\tlet 한 = 値段;", "値段", "\tlet 한 = 値段;", "\t         ^~~~"},
		{"let e\u0301te\u0301 = x;", "x", "let e\u0301te\u0301 = x;", "          ^"},
		{"/* 🙂 */ x", "x", "/* 🙂 */ x", "         ^"},
		{"let ядро = x;", "x", "let ядро = x;", "           ^"},
		{"/* \u202ea\u2066 */ x", "x", "/* ·a· */ x", "          ^"},
		{"/*\x1b[2J*/ x", "x", "/*·[2J*/ x", "         ^"},
	} {
		var set source.Set
		file, err := set.Add("a.wgsl", c.line+"\n")
		if err != nil {
			t.Fatal(err)
		}
		at := file.Base + source.Pos(strings.LastIndex(c.line, c.marked))
		var b strings.Builder
		if err := diag.Write(&b, &set, []diag.Diagnostic{{Message: "wrong", Span: source.Span{Start: at, End: at + source.Pos(len(c.marked))}}}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if want := "    1 | " + c.shown; lines[1] != want {
			t.Errorf("%q is shown as\n%q, want\n%q", c.line, lines[1], want)
		}
		if want := "      | " + c.mark; lines[2] != want {
			t.Errorf("the mark of %q is\n%q, want\n%q", c.line, lines[2], want)
		}
	}
}
