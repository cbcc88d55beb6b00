package irtest

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// Sections reads a test file: a comment, then `-- name --` lines, each with what follows it. The
// comment is the text of no name.
func Sections(t testing.TB, path string) (order []string, texts map[string]string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string]string{}
	name := ""
	for line := range strings.Lines(string(data)) {
		inner, begins := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if inner, ends := strings.CutSuffix(inner, " --"); begins && ends {
			name = inner
			order = append(order, name)
			continue
		}
		texts[name] += line
	}
	return order, texts
}

// WriteSection writes a test file anew with another text for one of its sections, which comes
// last if the file does not have it.
func WriteSection(t testing.TB, path, section, text string) {
	t.Helper()
	order, texts := Sections(t, path)
	if !slices.Contains(order, section) {
		order = append(order, section)
	}
	texts[section] = text
	var out bytes.Buffer
	out.WriteString(texts[""])
	for _, name := range order {
		out.WriteString("-- " + name + " --\n" + texts[name])
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
