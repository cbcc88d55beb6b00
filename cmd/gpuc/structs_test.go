package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestDeclarations compiles the declarations of the structures of all exec kernels, which assert
// offsets and sizes, with the compilers of the hosts' languages.
func TestDeclarations(t *testing.T) {
	testmode.Long(t)
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels")
	}
	// the package has several structures of one name
	files = append(files, "testdata/structures.wgsl", "../../internal/gokernels")
	const runEach = "import runpy, sys\nfor path in sys.argv[1:]: runpy.run_path(path)"
	for _, l := range []struct {
		name, file, what, version string
		command                   []string
		takes                     int // files at a time; 0 for all in the folder
	}{
		{"c", "layout.c", "a C compiler (gcc, of Debian's gcc and libc6-dev)", "--version", []string{"gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"}, 1000},
		{"go", "layout.go", "the go command", "version", []string{"go", "vet", "./..."}, 0},
		{"rust", "layout.rs", "a Rust compiler (rustc, 1.77 or later, of rustup.rs, since that of Debian 12 is older)", "--version", []string{"rustc", "--crate-type=lib", "--emit=metadata", "-A", "warnings", "--out-dir=."}, 1},
		{"python", "layout.py", "python3 (Debian: python3)", "--version", []string{"python3", "-c", runEach}, 1000},
	} {
		t.Run(l.name, func(t *testing.T) {
			if _, err := exec.LookPath(l.command[0]); err != nil {
				t.Skipf("skipped: %s is not on the PATH", l.what)
			}
			said, err := exec.Command(l.command[0], l.version).CombinedOutput()
			if err != nil { // rustup's rustc without a tool chain
				t.Skipf("skipped: %s does not run: %v: %s", l.what, err, said)
			}
			var minor int
			// it has offset_of
			if _, err := fmt.Sscanf(string(said), "rustc 1.%d.", &minor); err == nil && minor < 77 {
				t.Skipf("skipped: %s is wanted, and this is %s", l.what, said)
			}
			folder := t.TempDir()
			var declared []string
			for n, name := range files {
				out, problems, code := execute("layout", "-lang", l.name, name)
				if strings.Contains(problems, "no structure in a buffer") {
					continue
				} else if code != cli.ExitOK {
					t.Fatalf("%s: %s", name, problems)
				}
				path := filepath.Join(fmt.Sprintf("of%d", n), l.file)
				if err := os.Mkdir(filepath.Join(folder, filepath.Dir(path)), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(folder, path), out)
				declared = append(declared, path)
			}
			if len(declared) < 10 {
				t.Errorf("only %d files have structures", len(declared))
			}
			write(t, filepath.Join(folder, "go.mod"), "module example.com/layouts\n\ngo 1.26.0\n")
			parts := [][]string{nil}
			if l.takes > 0 {
				parts = slices.Collect(slices.Chunk(declared, l.takes))
			}
			for _, part := range parts {
				c := exec.Command(l.command[0], slices.Concat(l.command[1:], part)...)
				c.Dir = folder
				if said, err := c.CombinedOutput(); err != nil {
					t.Errorf("of the files %v:\n%v\n%s", files, err, said)
				}
			}
		})
	}
}

// TestDeclarationsAreChecked: go vet refuses a wrong declaration.
func TestDeclarationsAreChecked(t *testing.T) {
	out, _ := succeed(t, "layout", "-lang", "go", "testdata/structures.wgsl", "Light")
	wrong := strings.Replace(out, "[4]byte", "[8]byte", 1)
	path := filepath.Join(t.TempDir(), "layout.go")
	write(t, path, wrong)
	if said, err := exec.Command("go", "vet", path).CombinedOutput(); err == nil || !bytes.Contains(said, []byte("Offsetof(Light{}.Color)")) {
		t.Errorf("expected that the offset of Color is refused, found %v:\n%s\n%s", err, said, wrong)
	}
}
