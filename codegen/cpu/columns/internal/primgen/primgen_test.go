package primgen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPrimitivesAreGenerated compares the files of package columns with what the generator makes.
func TestPrimitivesAreGenerated(t *testing.T) {
	for name, generate := range map[string]func() ([]byte, error){"primitives_gen.go": Generate, "vector_gen.go": GenerateVector, "primitives_gen_amd64.s": GenerateAssembly} {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes; run go generate in codegen/cpu/columns", name)
		}
	}
}
