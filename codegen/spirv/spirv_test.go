package spirv

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// compileText compiles the only kernel of a module in text form. The portable
// passes are left out, so that the emitter sees what the text says.
func compileText(t *testing.T, text string, lines bool) []byte {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	var list diag.List
	ir.Verify(m, &list)
	code := compileModule(m, lines, &list)
	for _, d := range list.Items() {
		t.Errorf("%s %v", d.Message, d.Notes)
	}
	if code == nil {
		t.FailNow()
	}
	return code
}

// compileModule legalises and emits a module that holds one kernel. Bounds checks
// are left out: they have their own tests, and golden files are read more easily
// without them.
func compileModule(m *ir.Module, lines bool, list *diag.List) []byte {
	m = m.Clone()
	c := &opt.Context{List: list, Verify: true, Bounds: opt.BoundsOff}
	c.Run(m, Target.Lowering(workaround.All)[1:], ir.Initial)
	if list.Errors() > 0 {
		return nil
	}
	code := emit(&codegen.Emission{Context: c, Module: m, Kernel: m.Kernels()[0], Lines: lines, Profile: &profiles[0], Workarounds: workaround.All})
	if list.Errors() > 0 {
		return nil
	}
	return code
}

// validate runs spirv-val, the judge of every module here.
func validate(t *testing.T, code []byte) {
	t.Helper()
	validateFor(t, "vulkan1.1", code)
}

// validateFor validates for what spirv-val calls an environment. In short mode it does so for one
// module of eight.
func validateFor(t *testing.T, environment string, code []byte) {
	t.Helper()
	if !testmode.Picked(string(code)) {
		return
	}
	validator, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("skipped: spirv-val is not installed (Debian: spirv-tools)")
	}
	if declares(code, grammar.CapabilityCooperativeMatrixKHR) && !knowsMatrices(t, validator) {
		t.Log("not validated: this spirv-val does not know SPV_KHR_cooperative_matrix")
		return
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(file, code, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(validator, "--target-env", environment, file).CombinedOutput(); err != nil {
		text, _ := assemble(code)
		t.Fatalf("spirv-val: %v\n%s\n%s", err, out, text)
	}
}

// declares reports whether a module declares a capability.
func declares(code []byte, capability uint32) bool {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(code[4*at:]) }
	for at := headerWords; word(at)&0xffff == grammar.OpCapability; at += 2 {
		if word(at+1) == capability {
			return true
		}
	}
	return false
}

// knowsMatrices reports whether spirv-val knows cooperative matrices, as it does since 2023.4.
func knowsMatrices(t *testing.T, validator string) bool {
	out, err := exec.Command(validator, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var year, number int
	if _, err := fmt.Sscanf(string(out), "SPIRV-Tools v%d.%d", &year, &number); err != nil {
		t.Fatalf("the version of spirv-val: %v in %q", err, out)
	}
	return year > 2023 || year == 2023 && number >= 4
}

// TestBlocksAreNotShared looks for the type of each binding: no two variables have
// the same one, which a driver would take for the same buffer.
func TestBlocksAreNotShared(t *testing.T) {
	const text = `struct P [size 4, align 4] { x: u32 [offset 0] }
var @a : ptr<storage, array<u32>, read> [group 0, binding 0]
var @b : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @c : ptr<uniform, P, read> [group 0, binding 2]
var @d : ptr<storage, P, read_write> [group 0, binding 3]

kernel @main() [workgroup 1u, 1u, 1u] {
  %a = access @a, 0u : ptr<storage, u32, read>
  %x = load %a : u32
  %c = access @c, 0u : ptr<uniform, u32, read>
  %y = load %c : u32
  %b = access @b, 0u : ptr<storage, u32, read_write>
  store %b, %x
  %d = access @d, 0u : ptr<storage, u32, read_write>
  store %d, %y
  return
}
`
	code := compileText(t, text, false)
	validate(t, code)
	blocks, variables := map[uint32]bool{}, 0
	pointees := map[uint32]uint32{}
	for at := 5; at*4 < len(code); {
		word := func(n int) uint32 { return binary.LittleEndian.Uint32(code[(at+n)*4:]) }
		switch word(0) & 0xffff {
		case grammar.OpTypePointer:
			pointees[word(1)] = word(3)
		case grammar.OpVariable:
			if class := word(3); class == grammar.StorageClassStorageBuffer || class == grammar.StorageClassUniform {
				blocks[pointees[word(1)]] = true
				variables++
			}
		}
		at += int(word(0) >> 16)
	}
	if variables != 4 || len(blocks) != variables {
		t.Errorf("%d variables have %d types; each of 4 wants its own", variables, len(blocks))
	}
}
