package jit_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadme: what the README shows is the example that runs, word by word.
func TestReadme(t *testing.T) {
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(example), "\nconst source = ")
	text, _, ends := strings.Cut("const source = "+behind, "\n// Example compiles")
	if !found || !ends {
		t.Fatal("the example begins or ends otherwise")
	}
	if !strings.Contains(string(readme), "```go\n"+strings.TrimSpace(text)+"\n```\n") {
		t.Errorf("the README does not show this:\n%s", text)
	}
}
