package diag_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestColoured: without its escape codes what is coloured is what is not, and each code is switched
// off before the line ends.
func TestColoured(t *testing.T) {
	var set source.Set
	file, err := set.Add("a.wgsl", "fn f() {\n\tlet x = y + "+strings.Repeat("1 + ", 60)+"z;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	other, err := set.Add("b.wgsl", "var y: u32;")
	if err != nil {
		t.Fatal(err)
	}
	at := func(f *source.File, from, to int) source.Span {
		return source.Span{Start: f.Base + source.Pos(from), End: f.Base + source.Pos(to)}
	}
	var items []diag.Diagnostic
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		items = append(items, diag.Diagnostic{Severity: severity, Code: diag.UnknownName, Message: "what is wrong", Span: at(file, 18, 19), Label: "here",
			Notes: []diag.Note{{Message: "nowhere"}, {Span: at(other, 4, 5), Message: "there"}, {Span: at(file, 3, 4)}},
			Fixes: []diag.Fix{{Message: "do it", Span: at(file, 18, 19), Text: "z"}}},
			diag.Diagnostic{Severity: severity, Code: diag.UnknownName, Message: "far away", Span: at(file, 262, 263)},
			diag.Diagnostic{Severity: severity, Code: diag.UnknownName, Message: "no location"})
	}
	var plain, coloured strings.Builder
	if err := diag.Write(&plain, &set, items); err != nil {
		t.Fatal(err)
	}
	if err := diag.WriteStyled(&coloured, &set, items, &diag.Coloured); err != nil {
		t.Fatal(err)
	}
	escape := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	if got := escape.ReplaceAllString(coloured.String(), ""); got != plain.String() {
		t.Errorf("without colours it is\n%s\nand not\n%s", got, plain.String())
	}
	for line := range strings.Lines(coloured.String()) {
		on := false
		for _, code := range escape.FindAllString(line, -1) {
			if on == (code != "\x1b[m") {
				t.Errorf("%q: %q", line, code)
			}
			on = !on
		}
		if on {
			t.Errorf("%q leaves a style on", line)
		}
	}
	if n := len(escape.FindAllString(coloured.String(), -1)); n < 60 {
		t.Errorf("only %d codes", n)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("plain text has codes:\n%q", plain.String())
	}
}
