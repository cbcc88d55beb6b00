package gentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDriverFromOutside: another module can have a driver. The one of an example is vetted and
// tested in a module of its own, where packages below internal cannot be imported.
func TestDriverFromOutside(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "toy")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(repository, "examples/driver"))); err != nil {
		t.Fatal(err)
	}
	makeModule(t, folder, "toy")
	for _, line := range []string{"vet .", "test -count=1 -v ."} {
		text, err := goCommand(t, folder, nil, strings.Fields(line)...)
		if err != nil {
			t.Fatalf("go %s: %v\n%s", line, err, text)
		}
		if strings.HasPrefix(line, "test") && !strings.Contains(text, "--- PASS: TestBuffers") {
			t.Errorf("go %s:\n%s", line, text)
		}
	}
}
