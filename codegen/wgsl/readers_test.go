package wgsl_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// readers are other implementations of WGSL. A variable of the environment names the program.
var readers = []struct {
	variable  string
	arguments func(in, out string) []string
	lacks     map[string]string // by exec kernel, what version 30 of the program lacks
}{
	{"GPUC_TINT", func(in, out string) []string { return []string{in, "-o", out + ".wgsl"} }, nil},
	{"GPUC_NAGA", func(in, out string) []string { return []string{in, out + ".spv"} }, map[string]string{
		"f16_vectors":       "bitcasts of vec2<f16> to a scalar",
		"view_halves":       "bitcasts of vec2<f16> to a scalar",
		"immediates":        "immediates",
		"immediates_f16":    "immediates",
		"subgroup_exchange": "subgroups",
		"subgroup_reduce":   "subgroups",
		"texture_queries":   "external textures",
		"view_phases":       "arrays in uniform buffers with a stride of four",
	}},
}

// TestOthersRead validates the code of the exec kernels, with and without passes, with other
// implementations.
func TestOthersRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "exec", "*.wgsl"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, r := range readers {
		t.Run(r.variable, func(t *testing.T) {
			program := os.Getenv(r.variable)
			if program == "" {
				t.Skipf("skipped: %s names no program that reads WGSL (tint or naga)", r.variable)
			}
			folder := t.TempDir()
			in, out := filepath.Join(folder, "written.wgsl"), filepath.Join(folder, "read")
			read, valueless, refused := 0, 0, map[string]bool{}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				name := filepath.Base(file[:len(file)-len(".wgsl")])
				for _, options := range []codegen.Options{{}, {NoOptimize: true}} {
					p, err := jit.Parse(filepath.Base(file), string(text), options)
					if err != nil {
						t.Fatal(err)
					}
					for _, k := range p.Module().Kernels() {
						a, err := p.Compile(abi.WGSL, k.Name)
						if err != nil {
							if !strings.Contains(err.Error(), "has no default") {
								t.Errorf("%s: %v", name, err)
							}
							valueless++
							continue
						}
						if err := os.WriteFile(in, a.Code, 0o666); err != nil {
							t.Fatal(err)
						}
						message, err := exec.Command(program, r.arguments(in, out)...).CombinedOutput()
						switch {
						case err == nil:
							read++
						case r.lacks[name] != "":
							refused[name] = true
						default:
							t.Errorf("%s, entry point %s: %v\n%s\n%s", name, k.Name, err, message, a.Code)
						}
					}
				}
			}
			t.Logf("%d kernels are read, %d have overrides without a value, and %d what it lacks: %v", read, valueless, len(refused), slices.Sorted(maps.Keys(refused)))
		})
	}
}
