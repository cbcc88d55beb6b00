package workaroundtest

import (
	"os"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestMain(m *testing.M) {
	Serve()
	os.Exit(m.Run())
}

// targets are what compilers of the table compile.
var targets = map[workaround.Compiler]abi.Target{
	workaround.NVIDIA: abi.SPIRV,
	workaround.Mesa:   abi.SPIRV,
	workaround.PTXAS:  abi.PTX,
}

// TestPrograms compiles each program for the compilers that it is for, and wants its row to change
// the code at some level. Its reference runs it without complaint.
func TestPrograms(t *testing.T) {
	programs, err := Load(Programs())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		t.Run(p.File, func(t *testing.T) {
			for _, c := range p.compilers() {
				usesRow(t, p, c)
			}
			if _, err := p.expected(); err != nil {
				t.Errorf("%s: %v", p.Reference, err)
			}
		})
	}
}

func usesRow(t *testing.T, p *Program, c workaround.Compiler) {
	t.Helper()
	if !slices.ContainsFunc(workaround.Table[p.Row].Faults, func(f workaround.Fault) bool { return f.Compiler == c }) {
		t.Errorf("its row is not about %s", c)
	}
	target := all.For(targets[c], ^uint32(0))
	if target == nil {
		t.Fatalf("nothing is compiled for %s", c)
	}
	changes := false
	for noOptimize := range levels {
		used, err := p.uses(targets[c], ^uint32(0), noOptimize)
		if err != nil {
			t.Fatalf("%s, %s: %v", c, levels[noOptimize], err)
		}
		changes = changes || used
	}
	if !changes {
		t.Errorf("the program does not use its row: code for %s is the same without it", c)
	}
}

// TestRowsHavePrograms wants a program for each row and compiler.
func TestRowsHavePrograms(t *testing.T) {
	programs, err := Load(Programs())
	if err != nil {
		t.Fatal(err)
	}
	for id, row := range workaround.Table {
		for _, f := range row.Faults {
			if !slices.ContainsFunc(programs, func(p *Program) bool {
				return p.Row == workaround.ID(id) && slices.Contains(p.compilers(), f.Compiler)
			}) {
				t.Errorf("%s has no program for %s", row.Name, f.Compiler)
			}
		}
	}
}

// TestMesa tries the rows about Mesa on lavapipe.
func TestMesa(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails: %v", err)
	}
	n := slices.IndexFunc(infos, func(i gpu.Info) bool { return i.Compiler == string(workaround.Mesa) })
	if n < 0 {
		t.Skip("skipped: no device of Mesa's is found, such as lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1")
	}
	r, err := Run(Options{Device: infos[n].ID()})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Results {
		name := workaround.Table[x.Row].Name
		t.Logf("%s: %s %s", name, x.Verdict, x.Details)
		switch {
		case x.Verdict == Broken, x.Verdict == Unused:
			t.Errorf("%s is %s: %s", name, x.Verdict, x.Details)
		case x.Verdict == NotTried && slices.ContainsFunc(workaround.Table[x.Row].Faults, func(f workaround.Fault) bool { return f.Compiler == workaround.Mesa }):
			t.Errorf("%s is not tried: %s", name, x.Details)
		}
	}
}
