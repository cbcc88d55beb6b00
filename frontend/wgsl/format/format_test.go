package format

import (
	"bytes"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

const repository = "../../.."

// format formats a text, which has to parse.
func format(t testing.TB, name, text string) string {
	t.Helper()
	out, list := try(t, name, text)
	if list.Errors() > 0 {
		t.Fatalf("%s: %v", name, list.Items()[0])
	}
	return out
}

func try(t testing.TB, name, text string) (string, *diag.List) {
	t.Helper()
	var set source.Set
	list := new(diag.List)
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	out, ok := Source(file, list)
	if ok != (list.Errors() == 0) {
		t.Errorf("%s: ok is %v with %d errors", name, ok, list.Errors())
	}
	return out, list
}

// squeeze removes all blankspace, in comments, too; the rest must not change. It is independent of
// the parser, as it knows no tokens.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200E' || r == '\u200F' {
			return -1
		}
		return r
	}, text)
}

// checkFormatted tests that a result has the same tokens and comments, is a fixed point, and has no
// blank lines at its ends.
func checkFormatted(t testing.TB, name, text, out string) {
	t.Helper()
	if squeeze(out) != squeeze(text) {
		t.Errorf("%s: something else than blankspace changes:\n%s\nbecomes\n%s", name, text, out)
	}
	if again := format(t, name, out); again != out {
		t.Errorf("%s: formatting again changes it (-once +twice):\n%s", name, cmp.Diff(out, again))
	}
	if out != "" && (!strings.HasSuffix(out, "\n") || strings.HasSuffix(out, "\n\n") || out[0] == '\n') {
		t.Errorf("%s: the result begins with %.9q and ends with %q", name, out, out[max(0, len(out)-9):])
	}
}

// sources returns the paths and texts of the repository's WGSL files below a folder, in order.
func sources(t testing.TB, folder string) iter.Seq2[string, string] {
	t.Helper()
	var paths, texts []string
	err := filepath.WalkDir(filepath.Join(repository, folder), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".wgsl" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			paths, texts = append(paths, path), append(texts, string(text))
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(paths), err)
	}
	return func(yield func(path, text string) bool) {
		for i := range paths {
			if !yield(paths[i], texts[i]) {
				return
			}
		}
	}
}

// TestRepository formats every WGSL file of the repository that parses.
func TestRepository(t *testing.T) {
	good, bad := 0, 0
	for path, text := range sources(t, ".") {
		out, list := try(t, path, text)
		if list.Errors() > 0 {
			bad++
			continue
		}
		good++
		checkFormatted(t, path, text, out)
	}
	t.Logf("%d files are formatted, %d do not parse", good, bad)
	if good < 150 || bad > 5 {
		t.Error("these are not the files of this repository")
	}
}

// TestExamples tests that the examples are formatted.
func TestExamples(t *testing.T) {
	for path, text := range sources(t, "examples") {
		if diff := cmp.Diff(text, format(t, path, text)); diff != "" {
			t.Errorf("%s (-file +formatted):\n%s", path, diff)
		}
	}
}

// TestPairs formats the texts in testdata. Each archive has a sentence on a rule, and a text before
// and after. A text without a before is not changed.
func TestPairs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no pairs")
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := archive.Files[len(archive.Files)-1]
			if last.Name != "after" {
				t.Fatal("the archive does not end with `after`")
			}
			for _, f := range archive.Files {
				out := format(t, f.Name, string(f.Data))
				if diff := cmp.Diff(string(last.Data), out); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
				checkFormatted(t, f.Name, string(f.Data), out)
			}
		})
	}
}

// TestBytes tests bytes that archives cannot show.
func TestBytes(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blanks", " \t\r\n\n ", ""},
		{"a comment", "// a", "// a\n"},
		{"no last line break", "const a = 1;", "const a = 1;\n"},
		{"blank lines at the ends", "\n\nconst a = 1;\n\n\n", "const a = 1;\n"},
		{"trailing blanks", "const a = 1; // b \t\n  \nconst c = 1;  \n", "const a = 1; // b\n\nconst c = 1;\n"},
		{"carriage returns", "// a\r\nconst b = 1;\r\n\r\n\r\n/* c\r\n  d */\r\n", "// a\nconst b = 1;\n\n/* c\n  d */\n"},
		{"a carriage return that is none of a line's end stays in a block comment", "/* a\rb */", "/* a\rb */\n"},
		{"other line breaks", "// a\vconst b = 1;\u2028// c\u0085// d\f", "// a\nconst b = 1;\n// c\n// d\n"},
		{"marks of direction", "const\u200E a = 1;", "const a = 1;\n"},
		{"a dot behind a number", "const a = 1 .x + 1.0 .y;", "const a = 1 .x + 1.0 .y;\n"},
		{"tabs", "fn f() {\n\treturn;\n}", "fn f() {\n  return;\n}\n"},
	} {
		if got := format(t, test.name, test.text); got != test.want {
			t.Errorf("%s: %q becomes %q, not %q", test.name, test.text, got, test.want)
		}
	}
}

// TestRefused tests that an invalid text gives the parser's errors and no result.
func TestRefused(t *testing.T) {
	for _, text := range []string{"fn f( {}", "const a = 1", "/*", "\uFEFF", "const a = 1;\x00", "[[stage(compute)]] fn f() {}"} {
		if out, list := try(t, "refused", text); out != "" || list.Errors() == 0 {
			t.Errorf("%q becomes %q", text, out)
		}
	}
	// A text with semantic errors is formatted.
	if out := format(t, "unknown names", "const a=b+c;"); out != "const a = b + c;\n" {
		t.Errorf("%q", out)
	}
}

// TestCompare tests that a result with other tokens is detected.
func TestCompare(t *testing.T) {
	const text = "// one\nconst a = 1 - -2; /* two */"
	for _, result := range []string{
		text + ";", "const a = 1 - -2; /* two */", "// one\nconst a = 1 - -2;", "/* two */\nconst a = 1 - -2; // one",
		text + "// three", "// one\nconst a = 1 - - -2; /* two */",
		"// one\nconst a = 1 + -2; /* two */", "// one\nconst b = 1 - -2; /* two */", "// one /* two */\nconst a = 1 - -2;", "const",
	} {
		func() {
			f := NewFormatter()
			defer func() {
				if recover() == nil {
					t.Errorf("%q passes for %q", result, text)
				}
			}()
			var set source.Set
			file, err := set.Add("text", text)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := f.Source(file, new(diag.List)); !ok {
				t.Fatal("it does not parse")
			}
			if len(f.reparsed) != len(f.printer.tokens) {
				t.Error("the result is not compared")
			}
			f.compare(text, result)
		}()
	}
}

// compiled returns the SPIR-V of a program's entry points, without line information.
func compiled(t *testing.T, name, text string) []byte {
	t.Helper()
	var set source.Set
	list := new(diag.List)
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m := wgsl.Load(&set, file, wgsl.Options{}, list)
	if m == nil {
		t.Fatalf("%s: %v", name, list.Items()[0])
	}
	var code []byte
	for _, k := range m.Kernels() {
		a := codegen.Compile(m, k.Name, &spirv.Target, &codegen.Options{}, list)
		if a == nil {
			code = append(code, "refused: "+list.Items()[0].Message...)
			continue
		}
		code = append(code, a.Code...)
	}
	return code
}

// TestMeaning tests that the exec kernels compile to the same bytes after formatting.
func TestMeaning(t *testing.T) {
	changed := 0
	for path, text := range sources(t, "testdata/exec") {
		out := format(t, path, text)
		if out == text {
			continue
		}
		changed++
		before := compiled(t, path, text)
		if len(before) == 0 || !bytes.Equal(before, compiled(t, path, out)) {
			t.Errorf("%s: other code", path)
		}
	}
	// Most of these files are already formatted. Random blankspace makes all of them differ.
	for path, text := range sources(t, "testdata/exec") {
		text = mutate(t, text, rand.New(rand.NewPCG(1, 2)), allAtRandom)
		changed++
		if !bytes.Equal(compiled(t, path, text), compiled(t, path, format(t, path, text))) {
			t.Errorf("%s: other code of its mutation", path)
		}
	}
	t.Logf("%d programs compile to the same code", changed)
}

// gapMaker returns another gap between two tokens.
type gapMaker func(r *rand.Rand, gap string, before, after syntax.Token) string

// mutate replaces the gaps of a text.
func mutate(t testing.TB, text string, r *rand.Rand, gap gapMaker) string {
	t.Helper()
	var set source.Set
	list := new(diag.List)
	file, err := set.Add("mutated", text)
	if err != nil {
		t.Fatal(err)
	}
	p := syntax.NewParser(syntax.NewVocabulary(nil))
	p.Parse(file, list)
	if list.Errors() > 0 {
		t.Fatal(list.Items()[0])
	}
	var b strings.Builder
	end, before := uint32(0), syntax.Semicolon
	for _, l := range p.Lexemes(nil) {
		b.WriteString(gap(r, text[end:l.Start], before, l.Kind))
		b.WriteString(text[l.Start:l.End])
		end, before = l.End, l.Kind
	}
	return b.String()
}

// apart reports whether two tokens stay separate without a gap.
func apart(before, after syntax.Token) bool {
	const alone = "()[]{},;:"
	return strings.Contains(alone, before.String()) || strings.Contains(alone, after.String())
}

// allAtRandom joins and splits lines, and inserts comments.
func allAtRandom(r *rand.Rand, gap string, before, after syntax.Token) string {
	if r.IntN(3) == 0 && !strings.Contains(gap, "/") {
		return gap
	}
	choices := []string{" ", "  ", "\t", "\n", "\n\n", "\n\n \n", " \r\n\t", "\v", "\r", "\u2028\u0085", "\u200E "}
	if apart(before, after) {
		choices = append(choices, "", "", "", "")
	}
	if r.IntN(6) == 0 {
		choices = append(choices, " // line\n", "\n// own line\n", "\n\n  // own\n\n// lines\n", "/* block */", " /* block */ ", "\n/* own */\n",
			"/* two\n   lines */", "/* two\r\nmore */\r\n", "\n/* two */ /* more */\n", "/**//* ** /* nested */ */", " // é \n\t// ü\n", "/*a*///b\n")
	}
	choice := choices[r.IntN(len(choices))]
	if before == syntax.Slash && strings.HasPrefix(choice, "/") {
		return " " + choice
	}
	return choice
}

// blanksOnly changes blanks, but not lines.
func blanksOnly(r *rand.Rand, gap string, before, after syntax.Token) string {
	if strings.Contains(gap, "/") {
		return gap
	}
	blanks := []string{" ", "   ", "\t"}
	if apart(before, after) || strings.Contains(gap, "\n") {
		blanks = append(blanks, "")
	}
	var b strings.Builder
	for range strings.Count(gap, "\n") {
		b.WriteString(blanks[r.IntN(len(blanks))])
		b.WriteByte('\n')
	}
	b.WriteString(blanks[r.IntN(len(blanks))])
	return b.String()
}

// TestMutations formats the exec kernels with random blankspace and comments between
// their tokens.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for path, text := range sources(t, "testdata/exec") {
		want := format(t, path, text)
		for n := range rounds {
			name := fmt.Sprintf("%s, mutation %d", path, n)
			mutated := mutate(t, text, r, allAtRandom)
			checkFormatted(t, name, mutated, format(t, name, mutated))
			if got := format(t, name, mutate(t, text, r, blanksOnly)); got != want {
				t.Errorf("%s: blanks change the result:\n%s", name, cmp.Diff(want, got))
			}
		}
	}
}

// FuzzSource searches for texts that parse but cannot be formatted.
func FuzzSource(f *testing.F) {
	for _, text := range sources(f, "frontend/wgsl") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, list := try(t, "fuzzed", text)
		if list.Errors() == 0 {
			checkFormatted(t, "fuzzed", text, out)
		}
		for _, d := range list.Items() {
			if d.Code == diag.Internal {
				t.Error(d)
			}
		}
	})
}

// BenchmarkSource formats all exec kernels.
func BenchmarkSource(b *testing.B) {
	var set source.Set
	var files []*source.File
	size := 0
	for path, text := range sources(b, "testdata/exec") {
		file, err := set.Add(path, text)
		if err != nil {
			b.Fatal(err)
		}
		files, size = append(files, file), size+len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	list := new(diag.List)
	for b.Loop() {
		for _, file := range files {
			if _, ok := Source(file, list); !ok {
				b.Fatal(list.Items())
			}
		}
	}
}
