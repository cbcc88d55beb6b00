package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestNesting tests that deep input is an error and shallow input is not.
func TestNesting(t *testing.T) {
	repeat := strings.Repeat
	for _, test := range []struct {
		name string
		make func(n int) string
		good int // depth that must be accepted
	}{
		{"parentheses", func(n int) string { return "const a = " + repeat("(", n) + "1" + repeat(")", n) + ";" }, 255},
		{"unary", func(n int) string { return "const a = " + repeat("-", n) + "1;" }, 255},
		{"calls", func(n int) string { return "const a = " + repeat("f(", n) + repeat(")", n) + ";" }, 255},
		{"indices", func(n int) string { return "const a = " + repeat("a[", n) + "1" + repeat("]", n) + ";" }, 255},
		{"templates", func(n int) string { return "alias a = " + repeat("a<", n) + "b" + repeat(">", n) + ";" }, 255},
		{"left sides", func(n int) string { return "fn f() { " + repeat("*", n) + "a = 1; }" }, 255},
		{"left parentheses", func(n int) string { return "fn f() { " + repeat("(", n) + "a" + repeat(")", n) + " = 1; }" }, 255},
		{"blocks", func(n int) string { return "fn f() { " + repeat("{", n) + repeat("}", n) + " }" }, 255},
		{"ifs", func(n int) string { return "fn f() { " + repeat("if a {", n) + repeat("}", n) + " }" }, 255},
		{"loops", func(n int) string {
			return "fn f() { " + repeat("loop { continuing {", n/2) + repeat("} }", n/2) + " }"
		}, 255},
		{"switches", func(n int) string {
			return "fn f() { " + repeat("switch a { default {", n/2) + repeat("} }", n/2) + " }"
		}, 255},
		{"sums", func(n int) string { return "const a = 1" + repeat(" + 1", n) + ";" }, 4000},
		{"members", func(n int) string { return "const a = a" + repeat(".b", n) + ";" }, 4000},
		{"else-ifs", func(n int) string { return "fn f() { if a {} " + repeat("else if a {}", n) + " }" }, 4000},
	} {
		if _, errors := parse(t, test.make(test.good)); len(errors) > 0 {
			t.Errorf("%s, %d deep: %q", test.name, test.good, errors[0])
		}
		for _, n := range []int{20000, 200000} {
			_, errors := parse(t, test.make(n))
			if len(errors) != 1 || !strings.Contains(errors[0], "deeply") && !strings.Contains(errors[0], "too many") {
				t.Errorf("%s, %d deep: %q", test.name, n, errors)
			}
		}
	}
}

// TestLinear parses long files, each the worst case of some algorithm. The tokens read again in
// error recovery must stay in proportion to all tokens, and so must the memory.
func TestLinear(t *testing.T) {
	for _, unit := range []string{
		"a<", "a<b,", "a<(", "(a<b)", "a<b&&", ">", "/*", "*/", "/* */", "{", "}", "(", ")", "[", "]", "@", "@a(", "\"", "'\n", "#\n", "$ ",
		"fn ", "fn f(", "fn f() {", "if a {", "if a {} else ", "else ", "switch a { case ", "case 1: ", "loop {", "continuing {", "break if ",
		"for (", ";", ",", ":", ".", "-", "--", "&&", "a ", "1 ", "1.", "0x", "e1", "var<", "struct S {", "struct S { a: ", "a & b | ", "_", "\x00", "\xff", "é",
		"if a { x } else ", "1" + strings.Repeat("0", 1000) + " ",
	} {
		for _, head := range []string{"", "fn f() { ", "const a = "} {
			text := head + strings.Repeat(unit, (1<<16)/len(unit))
			var set source.Set
			file, err := set.Add("long.wgsl", text)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := NewParser(NewVocabulary(nil))
			p.Parse(file, new(diag.List))
			runtime.ReadMemStats(&after)
			if most := 4*len(p.tokens) + 100; p.reread > most {
				t.Errorf("of the %d tokens of %q and many %q, %d are read again", len(p.tokens), head, unit, p.reread)
			}
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > uint64(1000*len(text)) {
				t.Errorf("%d bytes of %q and many %q take %d bytes of memory", len(text), head, unit, bytes)
			}
		}
	}
}

// TestReuse tests that a parser parses a file the same after any other file, and that predeclared
// words have the same symbols in all.
func TestReuse(t *testing.T) {
	words := []string{"f32", "vec2", "diagnostic", "position"}
	p := NewParser(NewVocabulary(words))
	text, err := os.ReadFile("testdata/grammar.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	var large strings.Builder // more names than the initial table holds
	for i := range 2000 {
		fmt.Fprintf(&large, "fn f%d(p%[1]d: i32) { let a%[1]d = p%[1]d; }\n", i)
	}
	first := ""
	for i, text := range []string{string(text), large.String(), "fn f() { ((( } @", string(text)} {
		file, err := set.Add(fmt.Sprint(i), text)
		if err != nil {
			t.Fatal(err)
		}
		tree := p.Parse(file, &list)
		for i, word := range words {
			if s, ok := tree.Lookup(word); !ok || int(s) != i+1 || tree.Text(s) != word {
				t.Errorf("%s has symbol %d", word, s)
			}
		}
		if _, ok := tree.Lookup("counter"); ok != (i == 0 || i == 3) {
			t.Errorf("file %d: counter is found: %v", i, ok)
		}
		switch i {
		case 0:
			first = dump(tree)
		case 3:
			if dump(tree) != first {
				t.Error("the same file gives another tree")
			}
		}
	}
}

// TestPoison tests that the name of a malformed declaration stays known.
func TestPoison(t *testing.T) {
	tree, _ := parse(t, "const a = ; fn f(b: ) { } fn g() { let c = ; let d = 1 2; }")
	var names []string
	for _, d := range tree.Decls[1:] {
		if d.Kind == BadDecl {
			names = append(names, tree.Text(d.Name))
		}
	}
	if got := strings.Join(names, " "); got != "a f c d" {
		t.Errorf("got %q", got)
	}
	if len(tree.Globals) != 3 {
		t.Errorf("%d global declarations", len(tree.Globals))
	}
}

// FuzzParse searches for panics, infinite loops, spans outside of the text, and lists and operands
// that are out of range.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.wgsl", "testdata/*.errors"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
			for part := range strings.SplitSeq(string(text), "----\n") {
				f.Add([]byte(part))
			}
		}
	}
	for _, text := range []string{"a<b>>=c", "a<b", "0x1.8p-3h", "@a(b<c>(d)) fn", "fn f(){for(;;a<b>()){}}", "--", "&&", "loop{continuing{break if", "\xff/*", "/* é */ x", "if a{}else"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var set source.Set
		file, err := set.Add("fuzz", string(text))
		if err != nil {
			return // the input is larger than a set of sources holds
		}
		var list diag.List
		tree := Parse(file, &list)
		check := func(s source.Span) {
			if s.Valid() && (s.Start < file.Base || s.End < s.Start || int(s.End-file.Base) > len(text)) {
				t.Fatalf("span %v", s)
			}
		}
		for _, d := range list.Items() {
			if !d.Span.Valid() {
				t.Fatalf("no span: %v", d)
			}
			check(d.Span)
		}
		for i, n := range tree.Exprs {
			check(n.Span)
			if int(n.A) > i || int(n.B) > i {
				t.Fatal("an operand follows its expression")
			}
			tree.ExprList(n.List)
		}
		for _, n := range tree.Stmts {
			check(n.Span)
			tree.StmtList(n.List)
			tree.ClauseList(n.Clauses)
			tree.AttributeList(n.Attributes)
		}
		for _, n := range tree.Decls {
			check(n.Span)
			tree.FieldList(n.Parameters)
			tree.FieldList(n.Members)
			tree.AttributeList(n.Attributes)
		}
		if list.Errors() == 0 {
			text := dump(tree)
			if strings.Contains(text, "BAD") && !strings.Contains(file.Text, "BAD") {
				t.Fatalf("a broken tree without an error:\n%s", text)
			}
		}
	})
}
