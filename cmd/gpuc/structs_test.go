package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// TestDeclarations lets the compilers of the hosts' languages check the structures of all exec
// kernels, whose declarations assert every offset and size. A compiler that takes many files is
// started once.
func TestDeclarations(t *testing.T) {
	testmode.Long(t)
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels")
	}
	// the latter has structures of one name
	files = append(files, "testdata/structures.wgsl", "../../internal/gokernels")
	const runEach = "import runpy, sys\nfor path in sys.argv[1:]: runpy.run_path(path)"
	for _, l := range []struct {
		name, file, what, version string
		command                   []string
		takes                     int // files: one, all of them, or 0 for what is in the folder
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
			if err != nil { // as rustup's rustc without a tool chain
				t.Skipf("skipped: %s does not run: %v: %s", l.what, err, said)
			}
			var minor int
			// which has offset_of
			if _, err := fmt.Sscanf(string(said), "rustc 1.%d.", &minor); err == nil && minor < 77 {
				t.Skipf("skipped: %s is wanted, and this is %s", l.what, said)
			}
			folder := t.TempDir()
			var declared []string
			for n, name := range files {
				var out, problems bytes.Buffer
				e := &environment{stdin: strings.NewReader(""), stdout: &out, stderr: &problems}
				if code := execute(e, []string{"layout", "-lang", l.name, name}); code != exitOK {
					if strings.Contains(problems.String(), "no structure in a buffer") {
						continue
					}
					t.Fatalf("%s: %s", name, problems.String())
				}
				path := filepath.Join(fmt.Sprintf("of%d", n), l.file)
				if err := os.Mkdir(filepath.Join(folder, filepath.Dir(path)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, path), out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				declared = append(declared, path)
			}
			if len(declared) < 10 {
				t.Errorf("only %d files have structures", len(declared))
			}
			if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.com/layouts\n\ngo 1.26.0\n"), 0o644); err != nil {
				t.Fatal(err)
			}
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

// TestDeclarationsAreChecked asserts that a wrong declaration is one that the compilers refuse.
func TestDeclarationsAreChecked(t *testing.T) {
	var out bytes.Buffer
	e := &environment{stdin: strings.NewReader(""), stdout: &out, stderr: os.Stderr}
	if code := execute(e, []string{"layout", "-lang", "go", "testdata/structures.wgsl", "Light"}); code != exitOK {
		t.Fatal("no declaration")
	}
	wrong := strings.Replace(out.String(), "[4]byte", "[8]byte", 1)
	path := filepath.Join(t.TempDir(), "layout.go")
	if err := os.WriteFile(path, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("go", "vet", path).CombinedOutput(); err == nil || !bytes.Contains(said, []byte("Offsetof(Light{}.Color)")) {
		t.Errorf("expected that the offset of Color is refused, found %v:\n%s\n%s", err, said, wrong)
	}
}

// TestBetterOrder compares the order that is proposed for random structures with all orders.
func TestBetterOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := ir.NewModule(new(source.Set))
	types := []ir.Type{ir.F32, ir.F16, m.VectorOf(ir.F32, 2), m.VectorOf(ir.F32, 3), m.VectorOf(ir.F32, 4), m.VectorOf(ir.F16, 3), m.VectorOf(ir.F16, 2), m.MatrixOf(ir.F32, 2, 3)}
	size := func(members []ir.Member) uint32 {
		size, _ := m.LayoutStruct(members, nil, nil)
		return size
	}
	smaller := 0
	for range 2000 {
		members := make([]ir.Member, 2+r.IntN(5))
		for n := range members {
			members[n] = ir.Member{Name: string(rune('a' + n)), Type: types[r.IntN(len(types))]}
		}
		s := &structure{}
		s.size, s.align = m.LayoutStruct(members, nil, nil)
		for _, member := range members {
			s.fields = append(s.fields, field{member.Name, member.Type, member.Offset, m.Size(member.Type)})
		}
		least := s.size
		var permute func(n int)
		permute = func(n int) {
			if n == len(members) {
				least = min(least, size(members))
			}
			for k := n; k < len(members); k++ {
				members[n], members[k] = members[k], members[n]
				permute(n + 1)
				members[n], members[k] = members[k], members[n]
			}
		}
		permute(0)
		order, proposed := better(m, s)
		if proposed > s.size || proposed < least {
			t.Fatalf("%v: %d bytes are proposed, %d before, %d at least", order, proposed, s.size, least)
		}
		if proposed != least {
			t.Errorf("%v: %d bytes are proposed, %d would do", s.fields, proposed, least)
		}
		if least < s.size {
			smaller++
		}
	}
	if smaller < 100 {
		t.Errorf("only %d structures could be smaller", smaller)
	}
}
