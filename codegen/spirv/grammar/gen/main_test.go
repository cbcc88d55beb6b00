package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFresh holds the committed file against the grammars.
func TestFresh(t *testing.T) {
	want, err := Generate("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../grammar_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("grammar_gen.go is stale: run go generate ./codegen/spirv/grammar")
	}
	if lines := bytes.Count(want, []byte("\n")); lines >= 5000 {
		t.Errorf("grammar_gen.go has %d lines, the limit is 5000", lines)
	}
}
