package ptx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// findAssembler finds NVIDIA's assembler: GPUC_PTXAS, or ptxas on the path, else "".
func findAssembler() string {
	if path := os.Getenv("GPUC_PTXAS"); path != "" {
		return path
	}
	path, _ := exec.LookPath("ptxas")
	return path
}

// assembler skips the test where there is none.
func assembler(t testing.TB) string {
	t.Helper()
	path := findAssembler()
	if path == "" {
		t.Skip("skipped: ptxas is not on the path or in GPUC_PTXAS (NVIDIA's wheel nvidia-cuda-nvcc-cu12 has it)")
	}
	return path
}

// assemble runs the assembler on a module for each of the architectures, and fails the test on any
// message. It does so for one module of three, in short mode of eight, and in long mode for all.
func assemble(t testing.TB, ptxas, name, text string, architectures ...string) {
	t.Helper()
	if testmode.Shared(name, 3) {
		assembleAll(t, ptxas, name, text, architectures...)
	}
}

// assembleAll runs the assembler on each module.
func assembleAll(t testing.TB, ptxas, name, text string, architectures ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "module.ptx")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arch := range architectures {
		out, err := exec.Command(ptxas, "-arch="+arch, "-o", file+".cubin", file).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s for %s: %v\n%s\n%s", name, arch, err, out, numbered(text))
			return
		}
	}
}

func numbered(text string) string {
	var b strings.Builder
	for n, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%4d %s\n", n+1, line)
	}
	return b.String()
}

var architectures = []string{"sm_70", "sm_80", "sm_90"}

// compile compiles the only kernel of a module's text form.
func compile(t testing.TB, text string, o codegen.Options) string {
	t.Helper()
	return compileFor(t, &ptx.Target, text, o)
}

// compileFor compiles for one of the target's profiles.
func compileFor(t testing.TB, target *codegen.Target, text string, o codegen.Options) string {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %v\n%s", items, text)
	}
	var list diag.List
	ir.Verify(m, &list)
	if list.Errors() > 0 {
		t.Fatalf("does not verify: %v\n%s", list.Items(), text)
	}
	if o.Context == nil {
		o.Context = &opt.Context{Verify: true}
	}
	a := codegen.Compile(m, "", target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %v\n%s", list.Items(), text)
	}
	return string(a.Code)
}

const saxpy = `struct Parameters [size 8, align 4] { a: f32 [offset 0], count: u32 [offset 4] }
var @parameters : ptr<uniform, Parameters> [group 0, binding 0]
var @x : ptr<storage, array<f32>> [group 0, binding 1]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 2]

kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %pc = access @parameters, 1u : ptr<uniform, u32>
  %count = load %pc : u32
  %past = ge %i, %count : bool
  if ^out %past {
    return
  } else {
    exit ^out()
  }
  %pa = access @parameters, 0u : ptr<uniform, f32>
  %a = load %pa : f32
  %px = access @x, %i : ptr<storage, f32>
  %x = load %px : f32
  %py = access @y, %i : ptr<storage, f32, read_write>
  %y = load %py : f32
  %ax = mul %a, %x [contract] : f32
  %sum = add %ax, %y [contract] : f32
  store %py, %sum
  return
}
`

// TestLargeZeros checks that a private variable of any size is zeroed by a loop of the same few
// instructions. What does not fill a step of it comes after the loop.
func TestLargeZeros(t *testing.T) {
	var texts []string
	for _, test := range []struct {
		elements uint32
		want     string // what the loop covers
		tail     int    // stores after it
	}{{301, ", 1200;", 2}, {1000000, ", 4000000;", 0}} {
		text := compile(t, fmt.Sprintf(`var @a : ptr<private, array<u32, %du>>
var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%%i: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %%e = access @a, %%i : ptr<private, u32>
  store %%e, %%i
  %%k = add %%i, 1u : u32
  %%r = access @a, %%k : ptr<private, u32>
  %%v = load %%r : u32
  %%p = access @x, %%i : ptr<storage, u32, read_write>
  store %%p, %%v
  return
}
`, test.elements), codegen.Options{})
		if !strings.Contains(text, test.want) || strings.Count(text, "st.local.v4.b32") != 1 || strings.Count(text, "st.local.b16") != test.tail {
			t.Errorf("%d elements:\n%.3000s", test.elements, text)
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		assemble(t, assembler(t), "zeros", text, architectures...)
	}
}
