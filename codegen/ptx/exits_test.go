package ptx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestLateExits checks which exits of a kernel are marked (see workaround.PTXASLateExit). The
// machine code must not take such an exit where half of a condition fails.
func TestLateExits(t *testing.T) {
	testmode.Long(t)
	const head = "@group(0) @binding(0) var<storage, read_write> a: array<i32>;\n@compute @workgroup_size(64)\n" +
		"fn main(@builtin(local_invocation_index) i: u32) {\n"
	const xy = "let x = a[i] <= 5;\nlet y = a[i + 1024] >= 7;\n"
	for _, test := range []struct {
		name, body string
		marked     bool
	}{
		{"a loop that ends", xy + "if (x & y) {\n} else {\nvar q = y;\nwhile (q) { q = false; }\nif (!q) { return; }\n}\na[i] = 1;\n}\n", true},
		{"one of two conditions that holds", xy + "if (x & y) {\n} else {\nlet z = a[i + 64];\nif ((z == 2) | (z != 2)) { return; }\n}\na[i] = 1;\n}\n", true},
		{"nested conditions", xy + "if (x) {\nif (y) {\na[i] = 1;\n}\n}\n}\n", false},
		{"at once", xy + "if (x & y) { return; }\na[i] = 1;\n}\n", false},
		{"behind a store", xy + "if (x & y) {\na[i] = 1;\n} else {\na[i] = 2;\n}\n}\n", false},
		{"without a branch", xy + "a[i] = select(1, 2, x & y);\n}\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, plain := range []bool{false, true} {
				var list diag.List
				a := codegen.Compile(loadText(t, "late.wgsl", head+test.body, opt.MathWGSL), "main", &ptx.Target, &codegen.Options{Bounds: codegen.BoundsOff, NoOptimize: plain}, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				text := string(a.Code)
				if strings.Contains(text, "pmevent") != (test.marked && (plain || test.name != "a loop that ends")) {
					t.Errorf("-O0 is %t: marked %t\n%s", plain, !test.marked, numbered(text))
				}
				isNotHalved(t, text)
			}
		})
	}
}

// isNotHalved looks in a module's machine code for ways out that are taken where one predicate
// holds and another does not.
func isNotHalved(t *testing.T, text string) {
	for line := range strings.Lines(machineCode(t, text)) {
		if at := strings.Index(line, "EXIT !"); at >= 0 && strings.Contains(line[:at], "@P") {
			t.Errorf("a way out is taken where half of a condition fails: %s\n%s", strings.TrimSpace(line), numbered(text))
		}
	}
}

// machineCode returns what ptxas makes of a module, for sm_90, as nvdisasm prints it. It returns
// nothing where one of the tools is missing, and for two modules of three but in long mode.
func machineCode(t *testing.T, text string) string {
	t.Helper()
	if !testmode.Shared(text, 3) {
		return ""
	}
	ptxas := findAssembler()
	disassembler, _ := exec.LookPath("nvdisasm")
	if ptxas == "" || disassembler == "" {
		t.Log("skipped: ptxas or nvdisasm is not on the path, so nobody looks at machine code")
		return ""
	}
	file := filepath.Join(t.TempDir(), "kernel.ptx")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ptxas, "-arch=sm_90", "-o", file+".cubin", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(disassembler, "-c", file+".cubin").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
