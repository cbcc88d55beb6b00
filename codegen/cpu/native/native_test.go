package native

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
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

// TestKernels executes the kernels that every device must run alike, and compares with the cases' own references.
func TestKernels(t *testing.T) {
	ran := 0
	refused := map[string][]string{}
	for _, c := range exectest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			defer func() { forced = 0 }()
			for _, forced = range [...]int{1, 2, 4} {
				if err := execute(t, &c); err != nil {
					break
				}
			}
			forced = 0
			if err := execute(t, &c); err != nil {
				refused[err.Error()] = append(refused[err.Error()], c.Name)
			} else {
				ran++
			}
		})
	}
	t.Logf("%d cases run", ran)
	for reason, names := range refused {
		t.Logf("%s: %v", reason, names)
	}
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
		code, err := Compile(p, Options{})
		if err != nil {
			return err
		}
		k, err := code.load()
		if err != nil {
			return err
		}
		if os.Getenv("DUMP") != "" {
			t.Log(p.F.Text())
			text := []byte{}
			for n := range code.List {
				text = append(text, '\n')
				text = amd64.AppendText(text, &code.List[n])
			}
			t.Logf("%s", text)
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
