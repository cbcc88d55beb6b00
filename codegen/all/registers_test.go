package all_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestRegisters compiles kernels whose arrays fit into registers, and checks that there is no local
// memory. Some results are compared with references in Go (internal/exectest).
func TestRegisters(t *testing.T) {
	testmode.Quick(t, "it assembles kernels")
	order, texts := irtest.Sections(t, filepath.Join("testdata", "registers.txt"))
	for _, name := range order {
		p, err := jit.Parse(name+".wgsl", texts[name], codegen.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Run(name, func(t *testing.T) { inRegisters(t, p, "main") })
	}
	for _, name := range []string{"blake2s", "chacha20", "cholesky", "matrix_inverse", "residues", "sorting_networks"} {
		p, err := jit.Parse(name+".wgsl", textOfFile(t, "../../testdata/exec/"+name+".wgsl"), codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { inRegisters(t, p, "main") })
	}
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("..", "..", "internal", "gokernels")}, &list, ".")
	if err != nil || m == nil {
		t.Fatalf("package gokernels: %v", err)
	}
	p, err := jit.Parse("gokernels.ir", m.Text(), codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Blake2s", "Chacha20", "Cholesky", "Residues", "SortingNetworks"} {
		t.Run(name, func(t *testing.T) { inRegisters(t, p, name) })
	}
}

var stackFrame = regexp.MustCompile(`[1-9]\d* bytes stack frame`)

// inRegisters reports local memory of a kernel and of its large-launch variant, in PTX and, if it
// is installed, after ptxas.
func inRegisters(t *testing.T, p *jit.Program, kernel string) {
	const profile = "sm_90"
	a, err := p.Compile(abi.Target("ptx:"+profile), kernel)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]*abi.Artefact{"the kernel": a}
	if a.Coarse != nil {
		forms["the large-launch variant"] = a.Coarse.Artefact
	}
	ptxas, missing := exec.LookPath("ptxas")
	for form, a := range forms {
		if at := bytes.Index(a.Code, []byte(".local")); at >= 0 {
			line, _, _ := bytes.Cut(a.Code[at:], []byte("\n"))
			t.Errorf("%s has an array in memory: %s", form, line)
			continue
		}
		if missing != nil {
			continue
		}
		file := filepath.Join(t.TempDir(), "code.ptx")
		if err := os.WriteFile(file, a.Code, 0o666); err != nil {
			t.Fatal(err)
		}
		log, err := exec.Command(ptxas, "-v", "-arch", profile, "-o", file+".cubin", file).CombinedOutput()
		if err != nil {
			t.Fatalf("ptxas: %v\n%s", err, log)
		}
		if stack := stackFrame.Find(log); stack != nil {
			t.Errorf("%s: ptxas has %s", form, stack)
		}
	}
}
