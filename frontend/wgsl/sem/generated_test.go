package sem_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem/internal/vocabulary"
)

func TestVocabularyIsGenerated(t *testing.T) {
	want, err := vocabulary.Generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("vocabulary_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("vocabulary_gen.go is not what the tables give: run go generate")
	}
}
