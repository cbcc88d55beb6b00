package gpuc

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The limits of comments.
const (
	commentColumns = 100 // of a line that has a comment, where a tab is four columns
	sentenceWords  = 30
)

// ownWords are words that this project once used instead of the field's terms, which follow. A
// comment must not use them in their everyday sense either.
var ownWords = []struct {
	word   *regexp.Regexp
	better string
}{
	{regexp.MustCompile(`(?i)\bturns? of (a|the|its|every|each|one) (outer |inner )?loops?\b|\b(next|last|first|previous|each|every|one|many|several|two|four|the) turns?\b`), "iteration"},
	{regexp.MustCompile(`(?i)\bextremes?\b`), "min/max"},
	{regexp.MustCompile(`(?i)\bwritten out\b`), "unrolled"},
	{regexp.MustCompile(`(?i)\bhand(s|ed|ing)? on\b`), "pass"},
	{regexp.MustCompile(`(?i)\bform for large launches\b`), "large-launch variant"},
	{regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`), "fix"},
	{regexp.MustCompile(`(?i)\bstands?\b`), "is, lies, or say it directly"},
	{regexp.MustCompile(`(?i)\bplaces?\b`), "location, address, offset, position, operand"},
	{regexp.MustCompile(`(?i)\b(minima|maxima)\b`), "minimums and maximums, or min/max"},
}

// fault is a fault of a comment.
type fault struct {
	pos  token.Position
	kind string
	text string
}

// commentFaults returns the faults of the comments of a file.
func commentFaults(path string, src []byte) (list []fault, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	lines := bytes.Split(src, []byte("\n"))
	for _, group := range f.Comments {
		for n := set.Position(group.Pos()).Line; n <= set.Position(group.End()).Line; n++ {
			line := strings.ReplaceAll(string(lines[n-1]), "\t", "    ")
			if columns := len([]rune(line)); columns > commentColumns && !strings.Contains(line, "//go:") && !strings.Contains(line, "//gpuc:kernel") {
				list = append(list, fault{token.Position{Filename: path, Line: n}, "column", strings.TrimSpace(line)})
			}
		}
		for _, sentence := range sentencesOf(group) {
			pos := set.Position(group.Pos())
			if len(strings.Fields(sentence)) > sentenceWords {
				list = append(list, fault{pos, "long", sentence})
			}
			for _, w := range ownWords {
				if s := w.word.FindString(sentence); s != "" {
					list = append(list, fault{pos, "word", s + " (" + w.better + "): " + sentence})
				}
			}
		}
	}
	return list, nil
}

var sentenceEnd = regexp.MustCompile(`[.?!][)"']*(\s|$)`)

// split returns the sentences of a paragraph.
func split(text string) (list []string) {
	for text != "" {
		at := sentenceEnd.FindStringIndex(text)
		if at == nil {
			at = []int{0, len(text)}
		}
		list = append(list, strings.TrimSpace(text[:at[1]]))
		text = text[at[1]:]
	}
	return list
}

// sentencesOf returns the sentences of a comment. It omits drawings, which are indented.
func sentencesOf(group *ast.CommentGroup) (list []string) {
	var paragraph []string
	end := func() {
		list = append(list, split(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//gpuc:") { // a directive is one line
			continue
		}
		for line := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(c.Text, "//"), "/*"), "\n") {
			trimmed := strings.TrimSpace(line)
			if trimmed == "" || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " \t") || strings.HasPrefix(trimmed, "- ") {
				end()
			}
			if trimmed != "" && !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, " \t") {
				paragraph = append(paragraph, trimmed)
			}
		}
	}
	end()
	return list
}

// TestComments checks the comments of hand-written code: lines of at most 100 columns, sentences of
// at most 30 words, and the terms of the field. PROSE=folder lists the faults below a folder.
func TestComments(t *testing.T) {
	counts := map[string]map[string]int{}
	goFiles(t, func(path string) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := commentFaults(path, src)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		for _, f := range list {
			if counts[folder] == nil {
				counts[folder] = map[string]int{}
			}
			counts[folder][f.kind]++
			if p, ok := os.LookupEnv("PROSE"); ok && strings.HasPrefix(folder, p) {
				t.Logf("%s:%d: %s: %s", f.pos.Filename, f.pos.Line, f.kind, f.text)
			}
		}
	})
	for folder, kinds := range counts {
		t.Errorf("%s: %v; PROSE=%s go test -run TestComments -v . lists them", folder, kinds, folder)
	}
}
