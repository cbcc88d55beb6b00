package gentest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
)

// denied is what deniedTest says where it cannot show anything.
const denied = "skipped: this kernel does not let a process give up the right"

// deniedTest is a file for the tests of a package with launchers. The process gives up the right to
// make memory executable (PR_SET_MDWE of Linux 6.3) before any of them, and kernels are to be
// executed as machine code nevertheless.
const deniedTest = `package ten

import (
	"os"
	"syscall"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/execmem"
)

func TestMain(m *testing.M) {
	const setMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
		println("` + denied + `")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMachineCode(t *testing.T) {
	if execmem.Available() == nil {
		t.Fatal("memory can be made executable")
	}
	archive, err := abi.OpenArchive(gpucArchive)
	if err != nil {
		t.Fatal(err)
	}
	index, err := archive.Index()
	if err != nil {
		t.Fatal(err)
	}
	device, err := new(cpu.Driver).Open(cpu.Defined)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for _, k := range index.Kernels {
		a, err := archive.Artefact(k.Name, abi.CPU)
		if err != nil {
			t.Fatal(err)
		}
		variants := []*abi.Artefact{a}
		if a.Coarse != nil {
			variants = append(variants, a.Coarse.Artefact)
		}
		for _, v := range variants {
			for _, other := range []bool{false, true} {
				code := v.Code
				if other {
					code = append(code, '\n') // the same kernel, of another text
				}
				loaded, err := device.Load(&abi.Artefact{Target: abi.CPU, Code: code, Kernel: v.Kernel})
				if err != nil {
					t.Fatal(err)
				}
				if tier, refused := cpu.TierOf(loaded); (tier == cpu.JIT) == other {
					t.Errorf("%s, of another text: %v, is executed in tier %s: %v", k.Name, other, tier, refused)
				}
			}
		}
	}
}
`

// TestNative: launchers find machine code that gpuc gen -native has written, where memory cannot be
// made executable. It does what the kernels do as plain Go, and vet accepts it. Each text has its
// own code, large-launch variants too. Generating it again gives the same bytes.
func TestNative(t *testing.T) {
	testmode.LongPart(t, 1)
	folder := module(t, "ten")
	if got, want := gen(t, folder, "-target", "cpu", "-native", "."), "4 files written\n"; !strings.HasSuffix(got, want) {
		t.Errorf("gpuc gen says %q", got)
	}
	put(t, filepath.Join(folder, "denied_test.go"), deniedTest)
	for _, arguments := range [][]string{{"vet", "."}, {"test", "-v", "."}, {"test", "-buildmode=pie", "."}} {
		out, err := goCommand(t, folder, nil, arguments...)
		if strings.Contains(out, denied) {
			t.Skip(denied + " to make memory executable (PR_SET_MDWE, which takes Linux 6.3)")
		}
		if err != nil || arguments[0] == "test" && !strings.Contains(out, "ok") {
			t.Fatalf("go %v: %v\n%s", arguments, err, out)
		}
	}
	// On other processors there is nothing of it.
	if out, err := goCommand(t, folder, []string{"GOARCH=arm64"}, "vet", "."); err != nil {
		t.Errorf("for arm64: %v\n%s", err, out)
	}
	if got, want := gen(t, folder, "-target", "cpu", "-native", "."), ".  10 kernels, up to date\n"; got != want {
		t.Errorf("generated again: %q", got)
	}
	gen(t, folder, "-check", ".") // with the options that the index has
	assembly := filepath.Join(folder, gokernel.AssemblyFile)
	text, err := os.ReadFile(assembly)
	if err != nil || bytes.Count(text, []byte("\nTEXT ")) != 15 {
		t.Fatalf("%d functions: %v", bytes.Count(text, []byte("\nTEXT ")), err)
	}
	put(t, assembly, string(text)+"\n")
	if code, _, stderr := gpuc(t, folder, "gen", "-check", "."); code != 1 || !strings.Contains(stderr, gokernel.AssemblyFile+" is stale") {
		t.Errorf("code %d for assembly that was changed: %s", code, stderr)
	}
	// Without the option it goes.
	if got, want := gen(t, folder, "-target", "cpu", "."), ".  10 kernels, 1 file written, 2 files removed\n"; got != want {
		t.Errorf("without machine code: %q", got)
	}
	for _, name := range []string{gokernel.AssemblyFile, gokernel.MachineFile} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// TestNativeRefused: what cannot be made is said.
func TestNativeRefused(t *testing.T) {
	testmode.Long(t)
	folder := module(t, "ten")
	if code, _, stderr := gpuc(t, folder, "gen", "-target", "spirv", "-native", "."); code != 2 || !strings.Contains(stderr, "-target spirv,cpu") {
		t.Errorf("without the target cpu: code %d, %s", code, stderr)
	}
	put(t, filepath.Join(folder, "c.go"), "package ten\n\nimport \"C\"\n")
	if code, _, stderr := gpuc(t, folder, "gen", "-native", "."); code != 1 || !strings.Contains(stderr, "c.go uses cgo") {
		t.Errorf("of a package with cgo: code %d, %s", code, stderr)
	}
}
