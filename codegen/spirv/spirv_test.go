package spirv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
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

// compileModule legalises and emits a module that holds one kernel. Robust and
// RobustTextures are left out: they have tests of their own, and golden files are
// read more easily without them.
func compileModule(m *ir.Module, lines bool, list *diag.List) []byte {
	m = m.Clone()
	c := &opt.Context{List: list, Verify: true}
	c.Run(m, Target.Legalize[2:], ir.Bound)
	if list.Errors() > 0 {
		return nil
	}
	code := emit(&codegen.Emission{Context: c, Module: m, Kernel: m.Kernels()[0], Lines: lines})
	if list.Errors() > 0 {
		return nil
	}
	return code
}

// validate runs spirv-val, the judge of every module here.
func validate(t *testing.T, code []byte) {
	t.Helper()
	validator, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("skipped: spirv-val is not installed (Debian: spirv-tools)")
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(file, code, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(validator, "--target-env", "vulkan1.1", file).CombinedOutput(); err != nil {
		text, _ := assemble(code)
		t.Fatalf("spirv-val: %v\n%s\n%s", err, out, text)
	}
}
