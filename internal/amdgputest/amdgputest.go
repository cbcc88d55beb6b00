// Package amdgputest compiles kernels for tests of AMD's code.
package amdgputest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Programs compiles the exec kernels without textures for a profile. root is the path of the
// repository.
func Programs(t *testing.T, root, profile string, o codegen.Options) (list []bench.Program) {
	t.Helper()
	target, err := amdgpu.Target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range exectest.Cases() {
		if !testmode.Shared(profile+" "+c.Name, 3) || len(c.Textures) > 0 || c.LeavesVariables && o.Bounds == opt.BoundsOff {
			continue
		}
		o := o
		if c.Strict {
			o.Math = opt.MathStrict
		}
		text, err := os.ReadFile(filepath.Join(root, c.File()))
		if err != nil {
			t.Fatal(err)
		}
		p, err := jit.Parse(c.Name+".wgsl", string(text), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Dispatches {
			o.Settings = nil
			for _, s := range d.Overrides {
				o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
			}
			var problems diag.List
			a := codegen.Compile(p.Module(), d.Entry, target, &o, &problems)
			if a == nil {
				t.Fatalf("%s: %s", c.Name, problems.Items()[0].Message)
			}
			list = append(list, bench.Program{Code: a.Code, Kernel: &a.Kernel})
		}
	}
	return list
}
