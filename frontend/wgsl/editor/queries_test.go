package editor_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestQueries makes the queries in testdata/*.txtar. The name of a file in an archive is the query:
// hover, complete, call, symbols, hints or format. The file holds a program with a mark at the
// position asked about, and the file `answer` after it the expected answer. The answers were read
// and checked one by one.
func TestQueries(t *testing.T) {
	for _, name := range []string{"hover", "complete", "call", "outline"} {
		path := "testdata/" + name + ".txtar"
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var files []txtar.File
		for i, f := range archive.Files {
			if f.Name == "answer" {
				continue
			}
			got := ask(t, f.Name, strings.TrimSuffix(string(f.Data), "\n"))
			if i+1 < len(archive.Files) && archive.Files[i+1].Name == "answer" && !*update {
				if diff := cmp.Diff(string(archive.Files[i+1].Data), got); diff != "" {
					t.Errorf("%s, %s of\n%s\n(-want +got)\n%s", path, f.Name, f.Data, diff)
				}
			} else if !*update {
				t.Errorf("%s: there is no answer to %s of\n%s", path, f.Name, f.Data)
			}
			files = append(files, f, txtar.File{Name: "answer", Data: []byte(got)})
		}
		if *update {
			archive.Files = files
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ask asks a question and writes down the answer.
func ask(t *testing.T, question, marked string) string {
	text, at := marked, 0
	if strings.Contains(marked, "‸") {
		text, at = cut(t, marked)
	}
	d := editor.NewDocument("a.wgsl", text)
	var b strings.Builder
	switch question {
	case "hover":
		if h := d.Hover(at); h != nil {
			fmt.Fprintf(&b, "[%s]\n%s\n", text[h.Start:h.End], h.Code)
			for _, p := range h.Text {
				fmt.Fprintf(&b, "| %s\n", strings.ReplaceAll(p, "\n", "\n| "))
			}
		}
	case "complete":
		// of what WGSL declares: how many, since there are hundreds
		rest := map[editor.ItemKind]int{}
		for _, i := range d.Complete(at) {
			if i.Distance == 2 {
				rest[i.Kind]++
				continue
			}
			line := i.Label
			if i.Detail != "" {
				line += ": " + strings.ReplaceAll(i.Detail, "\n", " ")
			}
			if i.Text != "" {
				line += " | " + i.Text
			}
			fmt.Fprintln(&b, line)
		}
		if len(rest) > 0 {
			fmt.Fprintf(&b, "and %d builtin functions, %d types\n", rest[editor.FunctionItem], rest[editor.TypeItem])
		}
	case "call":
		if c := d.Call(at); c != nil {
			s := c.Signatures[c.Active]
			fmt.Fprintf(&b, "%d of %d: %s\n", c.Active+1, len(c.Signatures), s.Label)
			if c.Argument < len(s.Parameters) {
				p := s.Parameters[c.Argument]
				fmt.Fprintf(&b, "%*s\n", len("1 of 1: ")+p.End, strings.Repeat("^", p.End-p.Start))
			}
			if s.Text != "" {
				fmt.Fprintf(&b, "| %s\n", s.Text)
			}
		}
	case "symbols":
		var write func(indent string, all []editor.Symbol)
		write = func(indent string, all []editor.Symbol) {
			for _, s := range all {
				fmt.Fprintf(&b, "%s%s %s (%d) in %q\n", indent, text[s.Range.Start:s.Range.End], s.Detail, s.Kind, text[s.Declaration.Start:s.Declaration.End])
				write(indent+"  ", s.Members)
			}
		}
		write("", d.Symbols())
	case "hints":
		end := 0
		for _, h := range d.Hints(editor.Range{Start: 0, End: len(text)}) {
			fmt.Fprintf(&b, "%s«%s»", text[end:h.At], h.Label)
			end = h.At
		}
		fmt.Fprintln(&b, text[end:])
	case "format":
		e, err := d.Format()
		switch {
		case err != nil:
			fmt.Fprintln(&b, err)
		case e != nil:
			fmt.Fprintf(&b, "%q\nbecomes\n%q\n", text[e.Start:e.End], e.Text)
		}
	default:
		t.Fatalf("there is no question %q", question)
	}
	return b.String()
}

// FuzzDocument asks everything about any text, at any offset: there is always an answer, and within
// the text.
func FuzzDocument(f *testing.F) {
	_, texts := kernels(f)
	for _, name := range []string{"scopes.wgsl", "ray_tracer.wgsl"} {
		f.Add(texts[name], uint(len(texts[name])/2))
	}
	for _, broken := range []string{"fn f() { a. }", "struct S { a", "fn f() { for (var i = 0; i < ", "@ fn", "@builtin(", "x.y.z[a(b).", "if { else switch", "var<", "a<b<c>(", "/*", "enable ;"} {
		f.Add(broken, uint(len(broken)))
	}
	f.Fuzz(func(t *testing.T, text string, offset uint) {
		text = strings.ToValidUTF8(text, "")
		at := int(offset % uint(len(text)+1))
		d := editor.NewDocument("a.wgsl", text)
		within := func(what string, ranges ...editor.Range) {
			for _, r := range ranges {
				if r.Start < 0 || r.End < r.Start || len(text) < r.End {
					t.Errorf("%s: %v in %d bytes", what, r, len(text))
				}
			}
		}
		for _, x := range d.Diagnostics() {
			r, _ := d.Range(x.Span)
			within("diagnostic", r)
		}
		if h := d.Hover(at); h != nil {
			within("hover", h.Range)
		}
		if r, ok := d.Definition(at); ok {
			within("definition", r)
		}
		within("references", d.References(at, true)...)
		if edits, err := d.Rename(at, "renamed"); err == nil {
			apply(text, edits)
		}
		for _, i := range d.Complete(at) {
			if strings.Contains(i.Detail, "gpuc_placeholder") && !strings.Contains(text, "gpuc_placeholder") {
				t.Errorf("the placeholder is shown: %s", i.Detail)
			}
		}
		d.Call(at)
		for _, s := range d.Symbols() {
			within("symbol", s.Declaration, s.Range)
		}
		for _, h := range d.Hints(editor.Range{Start: 0, End: len(text)}) {
			within("hint", editor.Range{Start: h.At, End: h.At})
		}
		if e, err := d.Format(); err == nil && e != nil {
			within("format", e.Range)
		}
	})
}

// TestEmpty asks everything of texts in which there is nothing, at every offset.
func TestEmpty(t *testing.T) {
	for _, text := range []string{"", " ", "\n", ".", "(", "}", "@", "<", "fn", "fn f(", "struct", "é", "\x00", "\xff", "/*", "\"", "a.", "a.b", "var<", "for(", "if", "a<b>(", "else", "break if", "@@@", "@(", "enable"} {
		d := editor.NewDocument("a.wgsl", text)
		for at := range len(text) + 1 {
			d.Hover(at)
			d.Complete(at)
			d.Call(at)
			d.Definition(at)
			d.References(at, true)
			if _, err := d.Rename(at, "b"); err == nil && text != "fn f(" {
				t.Errorf("%q: something is renamed at %d", text, at)
			}
		}
		d.Symbols()
		d.Hints(editor.Range{Start: 0, End: len(text)})
		d.Format()
	}
}
