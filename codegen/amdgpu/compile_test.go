package amdgpu_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// execution is a case in a variant.
type execution struct {
	c        *exectest.Case
	name     string
	programs []bench.Program
	refused  string
}

// compileCase compiles a case's kernels, each once for each setting of its overrides.
func compileCase(t *testing.T, c *exectest.Case, variant, profile string, o codegen.Options) *execution {
	t.Helper()
	x := &execution{c: c, name: c.Name + " " + variant}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../" + c.File())
	if err != nil {
		t.Fatal(err)
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), o)
	if err != nil {
		t.Fatal(err)
	}
	target, err := amdgpu.Target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Dispatches {
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		var list diag.List
		o.Context = &opt.Context{Verify: true}
		a := codegen.Compile(p.Module(), d.Entry, target, &o, &list)
		if a == nil {
			x.refused = list.Items()[0].Message
			return x
		}
		x.programs = append(x.programs, bench.Program{Code: a.Code, Kernel: &a.Kernel})
	}
	return x
}
