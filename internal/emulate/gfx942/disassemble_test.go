package gfx942

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
)

const disassembler = "llvm-objdump-19"

// listed matches a line of the disassembler's output: the name of an instruction and its address.
var listed = regexp.MustCompile(`(?m)^\t(\S+).*// ([0-9A-F]{12}):`)

// TestNames decodes all code of the exec kernels and compares names and addresses of the
// instructions with LLVM's disassembler.
func TestNames(t *testing.T) {
	needTools(t)
	if _, err := exec.LookPath(disassembler); err != nil {
		t.Skip("skipped: there is no " + disassembler + " (Debian: llvm-19)")
	}
	cases := exectest.Cases()
	var programs []bench.Program
	for n := range cases {
		if c := &cases[n]; len(c.Textures) == 0 {
			programs = append(programs, compileCase(t, c, "-O0", codegen.Options{NoOptimize: true}, 0, false).programs...)
		}
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "object")
	if err := os.WriteFile(file, assembled.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(disassembler, "-d", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	found := listed.FindAllStringSubmatch(string(text), -1)
	for _, line := range found {
		address, err := strconv.ParseUint(line[2], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		i, err := decode(object.image[address:])
		if err != nil {
			t.Errorf("%s at %#x: %v", line[1], address, err)
			continue
		}
		if i.name() != line[1] {
			t.Errorf("at %#x is %s, and LLVM says %s", address, i.name(), line[1])
		}
		names[line[1]] = true
	}
	t.Logf("%d instructions with %d names in %d kernels", len(found), len(names), len(programs))
	if len(found) < 10000 || strings.Contains(string(text), "<unknown>") {
		t.Errorf("the disassembler found %d instructions", len(found))
	}
}
