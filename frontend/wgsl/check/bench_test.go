package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// largeProgram joins real kernels, renamed apart, until there are this many
// lines.
func largeProgram(b *testing.B, lines int) string {
	b.Helper()
	files, err := filepath.Glob("../../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		b.Fatal("no programs", err)
	}
	var out strings.Builder
	out.WriteString("enable f16, subgroups;\n")
	count := 1
	for round := 0; count < lines; round++ {
		name := files[round%len(files)]
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		text := ""
		for line := range strings.SplitSeq(string(raw), "\n") {
			if !strings.HasPrefix(line, "enable ") && !strings.HasPrefix(line, "requires ") {
				text += line + "\n"
			}
		}
		file, list := &source.Set{}, &diag.List{}
		f, err := file.Add(name, text)
		if err != nil {
			b.Fatal(err)
		}
		tree := syntax.NewParser(semantics.Vocabulary()).Parse(f, list)
		for _, d := range tree.Globals {
			if n := tree.Decl(d).Name; n != 0 {
				text = replaceWord(text, tree.Text(n), fmt.Sprintf("%s_%d", tree.Text(n), round))
			}
		}
		out.WriteString(text)
		count += strings.Count(text, "\n")
	}
	return out.String()
}

// replaceWord replaces whole identifiers; single letters after a dot are swizzles.
func replaceWord(text, word, by string) string {
	part := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], word) && (i == 0 || !part(text[i-1]) && (text[i-1] != '.' || len(word) > 1)) &&
			(i+len(word) == len(text) || !part(text[i+len(word)])) {
			b.WriteString(by)
			i += len(word)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// BenchmarkCheck checks a program of 4000 lines again and again.
func BenchmarkCheck(b *testing.B) {
	text := largeProgram(b, 4000)
	set := &source.Set{}
	file, err := set.Add("large.wgsl", text)
	if err != nil {
		b.Fatal(err)
	}
	list := &diag.List{}
	tree := syntax.NewParser(semantics.Vocabulary()).Parse(file, list)
	m := ir.NewModule(set)
	checker := &Checker{}
	checker.Check(tree, m, Options{}, list)
	if list.Errors() > 0 {
		d := list.Items()[0]
		b.Fatalf("%s: %s", set.Position(d.Span.Start), d.Message)
	}
	lines := strings.Count(text, "\n")
	b.ReportAllocs()
	for b.Loop() {
		m.Reset(set)
		checker.Check(tree, m, Options{}, list)
	}
	b.ReportMetric(float64(b.N)*float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
