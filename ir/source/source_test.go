package source_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/source"
)

// TestPositions holds every position of texts with short and long lines, wide
// characters and broken UTF-8 against counting from the line's start.
func TestPositions(t *testing.T) {
	var set source.Set
	for _, text := range []string{
		"",
		"a\nb\r\nc",
		strings.Repeat("x", 2000) + "\n" + strings.Repeat("é", 1500) + "\nshort\n" + strings.Repeat("日本", 700),
		strings.Repeat("a\xffb", 900) + "\n\n" + strings.Repeat("\xe2", 1200),
	} {
		file, err := set.Add("f", text)
		if err != nil {
			t.Fatal(err)
		}
		line, start := 1, 0
		for offset := range len(text) + 1 {
			if offset > 0 && text[offset-1] == '\n' {
				line, start = line+1, offset
			}
			want := source.Position{File: "f", Line: line, Column: utf8.RuneCountInString(text[start:offset]) + 1}
			if got := set.Position(file.Span(offset, offset).Start); got != want {
				t.Fatalf("offset %d of %.20q… is at %v, want %v", offset, text, got, want)
			}
		}
	}
}
