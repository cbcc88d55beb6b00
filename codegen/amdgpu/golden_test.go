package amdgpu_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown are exec kernels with golden files in golden/amdgpu for other modes and processors than
// those of TestGolden in codegen/all. TestExec executes all of them.
var shown = []struct {
	name, kernel, profile string
	options               codegen.Options
}{
	{"saxpy", "saxpy", "gfx1100", codegen.Options{}},
	{"saxpy_strict", "saxpy", "gfx942", codegen.Options{Math: opt.MathStrict, Lines: true}},
	{"histogram_gfx1200", "histogram", "gfx1200", codegen.Options{}},
	{"mandelbrot_fast", "mandelbrot", "gfx1151", codegen.Options{Math: opt.MathFast}},
	{"immediates_f16_generic", "immediates_f16", "gfx11-generic", codegen.Options{}},
	{"subgroup_reduce_wide", "subgroup_reduce", "gfx90a", codegen.Options{}},
}

// TestGolden compares the code of some kernels with golden files.
func TestGolden(t *testing.T) {
	for _, k := range shown {
		t.Run(k.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "exec", k.kernel+".wgsl"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := jit.Parse(k.kernel+".wgsl", string(text), k.options)
			if err != nil {
				t.Fatal(err)
			}
			target, err := amdgpu.Target.With(k.profile)
			if err != nil {
				t.Fatal(err)
			}
			compile := func() string {
				var list diag.List
				a := codegen.Compile(p.Module(), p.Module().Kernels()[0].Name, target, &k.options, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				return string(a.Code)
			}
			code := compile()
			if compile() != code {
				t.Error("a second compilation gives other bytes")
			}
			golden := filepath.Join("..", "..", "golden", "amdgpu", k.name+".ll")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(code), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), code); d != "" {
				t.Errorf("%s changed (-update accepts it; -want +got):\n%s", k.name, d)
			}
		})
	}
}
