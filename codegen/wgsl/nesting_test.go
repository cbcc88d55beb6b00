package wgsl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestNesting checks the depth from which there is a warning, and that the readers that the
// environment names refuse just those.
func TestNesting(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "written.wgsl"), filepath.Join(folder, "read")
	for _, shape := range []struct {
		name, unit, end string
		most            int // that Tint reads
	}{
		{"if", "if o[§] > §u { o[§] = o[§] * 3u + §u;\n", "}", 62},
		{"else", "if o[§] == §u { o[§] = 7u; } else { o[§] = o[§] * 3u + §u;\n", "}", 62},
		{"loop", "for (var k§ = o[§]; k§ < 9u; k§++) { o[§] = o[§] * 3u + k§;\n", "}", 62},
		{"continuing", "loop { if o[§] > 9u { break; } o[§] = o[§] * 3u + 1u; continuing { o[§] += §u;\n", "}}", 41},
		{"switch", "switch o[§] { case 3u: { o[§] = 5u; } case 4u: { o[§] = 9u; } default: { o[§] = o[§] * 3u + §u;\n", "}}", 41},
	} {
		warned := 0
		for _, n := range []int{20, 30, 31, 40, 41, 42, 60, 61, 62, 63, 64, 100, 130} {
			text := limitsHead + "@compute @workgroup_size(1) fn main() {\n" + repeated(n, shape.unit) + strings.Repeat(shape.end, n) + "}\n"
			set, list := new(source.Set), new(diag.List)
			file, err := set.Add("source.wgsl", text)
			if err != nil {
				t.Fatal(err)
			}
			m, err := frontend.Load(set, file, frontend.Options{}, list)
			if err != nil {
				t.Fatal(err)
			}
			a := codegen.Compile(m, "main", all.For(abi.WGSL, 0), new(codegen.Options), list)
			if a == nil {
				t.Fatal(list.Items())
			}
			warning := ""
			for _, d := range list.Items() {
				if d.Code == diag.LimitExceeded && d.Severity == diag.Warning {
					warning = d.Message
				}
			}
			if warning != "" {
				warned++
				if !strings.Contains(warning, "nested") || n <= shape.most/2 {
					t.Errorf("%d of %s: %s", n, shape.name, warning)
				}
			} else if n > shape.most {
				t.Errorf("%d of %s: no warning", n, shape.name)
			}
			if err := os.WriteFile(in, a.Code, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, r := range readers {
				program := os.Getenv(r.variable)
				if program == "" {
					continue
				}
				name := map[string]string{"GPUC_TINT": "Tint", "GPUC_NAGA": "naga"}[r.variable]
				message, err := exec.Command(program, r.arguments(in, out)...).CombinedOutput()
				if refuses := strings.Contains(warning, name); refuses != (err != nil) {
					t.Errorf("%d of %s: the warning is %q, and %s says %v\n%s", n, shape.name, warning, r.variable, err, fmt.Sprintf("%.400s", message))
				}
			}
		}
		if warned == 0 {
			t.Errorf("%s: no warning", shape.name)
		}
	}
}
