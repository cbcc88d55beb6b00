package native

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/spmd"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/executable"
)

// compiled is a kernel of the CPU target as a program.
func compiled(t testing.TB, m *ir.Module, entry string, o *codegen.Options) (*spmd.Program, *abi.Kernel, error) {
	t.Helper()
	var p *spmd.Program
	var refused error
	target := cpu.Target
	target.Emit = func(e *codegen.Emission) []byte {
		p, refused = spmd.Build(e.Module, e.Kernel)
		return []byte("code")
	}
	var list diag.List
	a := codegen.Compile(m, entry, &target, o, &list)
	if a == nil {
		t.Fatalf("%s does not compile: %v", entry, list.Items())
	}
	return p, &a.Kernel, refused
}

func module(t testing.TB, name string, math opt.Math) *ir.Module {
	t.Helper()
	text, err := os.ReadFile("../../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{Lower: lower.Options{Math: math}}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	return m
}

// left are the cases that have textures, and those that are refused otherwise, with how the reason begins.
var left = map[string]string{
	"float_arithmetic":  "the operation rem of f32",
	"subgroup_exchange": "the operation subgroup_add of u32",
	"subgroup_reduce":   "the operation subgroup_add of u32",
}

// TestKernels executes the kernels that every device must run alike, with one block of lanes at a time, several together, and as many as are chosen, and compares with
// the cases' own references. All that is not refused is verified.
func TestKernels(t *testing.T) {
	if err := executable.Available(); err != nil {
		t.Skip(err)
	}
	ran, refused := 0, 0
	for _, c := range exectest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			defer func() { forced = 0 }()
			for _, forced = range [...]int{1, 2, 4, 0} {
				err := execute(t, &c)
				switch reason := left[c.Name]; {
				case err == nil && (reason != "" || len(c.Textures) > 0):
					t.Error("the list says that it is refused")
				case err != nil && len(c.Textures) == 0 && (reason == "" || !strings.HasPrefix(err.Error(), reason)):
					t.Errorf("it is refused: %v", err)
				}
				if err != nil {
					refused++
					return
				}
			}
			ran++
		})
	}
	t.Logf("%d cases run, %d are refused", ran, refused)
}

func execute(t *testing.T, c *exectest.Case) error {
	t.Helper()
	o := codegen.Options{Context: &opt.Context{Verify: true}}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	m := module(t, c.File(), o.Math)
	contents := c.Contents()
	for n, d := range c.Dispatches {
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		p, info, err := compiled(t, m, d.Entry, &o)
		if err != nil {
			return err
		}
		if len(p.Handles) > 0 {
			return fmt.Errorf("textures")
		}
		code, err := Compile(p, Options{Verify: true})
		if err != nil {
			return err
		}
		k, err := code.load()
		if err != nil {
			return err
		}
		launch := interp.Launch{Grid: d.Grid, Immediates: c.ImmediatesOf(n)}
		for _, b := range p.Bindings {
			at := slices.IndexFunc(info.Bindings, func(x abi.Binding) bool { return x.Group == b.Group && x.Binding == b.Binding })
			name := info.Bindings[at].Name
			for k := range c.Buffers {
				if c.Buffers[k].Name == name {
					launch.Buffers = append(launch.Buffers, contents[k])
				}
			}
		}
		if _, err := k.Run(&launch); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d instructions, %d bytes, %d kept in memory, %d together", d.Entry, code.Instructions, len(code.Text), code.Spilled, code.Together)
	}
	if err := exectest.Compare(c, c.Expected(), contents); err != nil {
		t.Error(err)
	}
	return nil
}
