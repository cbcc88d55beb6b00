package gpuc

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages calls visit for every Markdown file of the root and of docs.
func pages(t *testing.T, visit func(path, text string)) {
	t.Helper()
	list, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		visit(filepath.ToSlash(path), string(text))
	}
}

var (
	codeSpan = regexp.MustCompile("``[^`].*?``|`[^`]*`")
	pageLink = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s]*)\)`)
	listItem = regexp.MustCompile(`^\s*([-*+]|[0-9]+\.)\s+`)
	fence    = regexp.MustCompile("^\\s*(```|~~~)")
)

// withoutCode returns the lines of a page without blocks of code, indented or fenced.
func withoutCode(text string) (lines []string) {
	fenced, blank := false, true
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case fence.MatchString(line):
			fenced = !fenced
			line = ""
		case fenced, blank && strings.HasPrefix(line, "    ") && !listItem.MatchString(line):
			line = ""
		}
		blank = strings.TrimSpace(line) == ""
		lines = append(lines, line)
	}
	return lines
}

// sentencesOfPage returns the sentences of a page outside of code and tables, with a code span as
// one word.
func sentencesOfPage(text string) (list []string) {
	var paragraph []string
	end := func() {
		list = append(list, split(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	for _, line := range withoutCode(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#") || listItem.MatchString(line) {
			end()
		}
		if strings.HasPrefix(trimmed, "|") {
			continue
		}
		trimmed = codeSpan.ReplaceAllString(trimmed, "`code`")
		paragraph = append(paragraph, pageLink.ReplaceAllString(listItem.ReplaceAllString(trimmed, ""), "$1"))
	}
	end()
	return list
}

// TestPages checks the sentences of pages as TestComments checks comments.
func TestPages(t *testing.T) {
	pages(t, func(path, text string) {
		for _, sentence := range sentencesOfPage(text) {
			if len(strings.Fields(sentence)) > sentenceWords {
				t.Errorf("%s: long: %s", path, sentence)
			}
			for _, w := range ownWords {
				if s := w.word.FindString(sentence); s != "" {
					t.Errorf("%s: word: %s (%s): %s", path, s, w.better, sentence)
				}
			}
		}
	})
}

// TestPageFaults tests the faults that TestPages finds.
func TestPageFaults(t *testing.T) {
	long := strings.Repeat("word ", sentenceWords) + "word"
	for _, c := range []struct {
		page string
		most int // the words of the longest sentence
	}{
		{"One. Two words.\nThree of them.", 3},
		{long + ".", sentenceWords + 1},
		{"| " + long + " |", 0},
		{"```\n" + long + "\n```\n", 0},
		{"Text:\n\n    " + long + "\n", 1},
		{"- one item\n- another item of five words\n", 5},
		{"A [link of five words](page.md) and `code that is one word`.", 7},
	} {
		most := 0
		for _, s := range sentencesOfPage(c.page) {
			most = max(most, len(strings.Fields(s)))
		}
		if most != c.most {
			t.Errorf("%q: the longest sentence has %d words, want %d", c.page, most, c.most)
		}
	}
}

// heading returns GitHub's anchor of a heading.
func heading(line string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(pageLink.ReplaceAllString(strings.TrimSpace(strings.TrimLeft(line, "#")), "$1")) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TestLinks checks the links of all pages to files of the repository and to headings.
func TestLinks(t *testing.T) {
	anchors := map[string][]string{}
	pages(t, func(path, text string) {
		for _, line := range withoutCode(text) {
			if strings.HasPrefix(line, "#") {
				anchors[path] = append(anchors[path], heading(line))
			}
		}
	})
	pages(t, func(path, text string) {
		for _, line := range withoutCode(text) {
			for _, m := range pageLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
				u, err := url.Parse(m[2])
				if err != nil || u.Scheme != "" {
					continue
				}
				to := path
				if u.Path != "" {
					to = filepath.ToSlash(filepath.Join(filepath.Dir(path), u.Path))
				}
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s: the link %s leads nowhere", path, m[2])
				} else if list, ok := anchors[to]; ok && u.Fragment != "" && !slices.Contains(list, u.Fragment) {
					t.Errorf("%s: the link %s leads to no heading", path, m[2])
				}
			}
		}
	})
}
