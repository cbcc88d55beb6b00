package primgen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPrimitivesAreGenerated compares the file of package vector with what the generator makes.
func TestPrimitivesAreGenerated(t *testing.T) {
	want, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", File))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the generator makes; run go generate in codegen/cpu/vector", File)
	}
}
