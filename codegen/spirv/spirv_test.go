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

func compileModule(m *ir.Module, lines bool, list *diag.List) []byte {
	c := &opt.Context{List: list, Verify: true}
	target := Target
	target.Legalize = target.Legalize[1:] // without Robust, which has its own tests
	artefact := codegen.Compile(m, "", &target, &codegen.Options{NoOptimize: true, Lines: lines, Context: c}, list)
	if artefact == nil {
		return nil
	}
	return artefact.Code
}

// validate runs spirv-val, the judge of every module here.
func validate(t *testing.T, code []byte) {
	t.Helper()
	validator, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed (Debian: spirv-tools)")
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

const saxpy = `
struct Params [size 8, align 4] { n: u32 [offset 0], a: f32 [offset 4] }
var @x : ptr<storage, array<f32>> [group 0, binding 0]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 1]
var @p : ptr<uniform, Params> [group 0, binding 2]

kernel @saxpy(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %np = access @p, 0u : ptr<uniform, u32>
  %n = load %np : u32
  %c = lt %i, %n : bool
  if ^if %c {
    %ap = access @p, 1u : ptr<uniform, f32>
    %a = load %ap : f32
    %xp = access @x, %i : ptr<storage, f32>
    %xv = load %xp : f32
    %yp = access @y, %i : ptr<storage, f32, read_write>
    %yv = load %yp : f32
    %ax = mul %a, %xv : f32
    %r = add %ax, %yv : f32
    store %yp, %r
    exit ^if()
  } else {
    exit ^if()
  }
  return
}
`

func TestSaxpy(t *testing.T) {
	validate(t, compileText(t, saxpy, true))
}

// TestModules compiles the modules in testdata.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			validate(t, compileText(t, string(text), false))
		})
	}
}
