package primgen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPrimitivesAreGenerated compares the files of package columns with what the generator makes.
func TestPrimitivesAreGenerated(t *testing.T) {
	for _, f := range Files {
		want, err := f.Generate()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes; run go generate in codegen/cpu/vector", f.Name)
		}
	}
}
