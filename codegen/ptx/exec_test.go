package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// leavesTextures are the cases that store outside of textures, for which nobody answers without
// bounds.
var leavesTextures = map[string]bool{"texture_store_outside": true}

// TestExec runs the kernels that every device must run alike on the emulator, in
// every variant.
func TestExec(t *testing.T) {
	for turn, c := range exectest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			for n, v := range variants {
				if !testmode.Rotated(turn, n, len(variants)) {
					continue
				}
				if (c.LeavesVariables || leavesTextures[c.Name]) && v.options.Bounds == opt.BoundsOff {
					continue
				}
				execute(t, &c, v.name, v.options)
			}
		})
	}
}

func execute(t *testing.T, c *exectest.Case, variant string, o codegen.Options) {
	t.Helper()
	if c.Strict {
		o.Math = opt.MathStrict
	}
	m := loadProgram(t, "../../"+c.File(), o.Math)
	contents := c.Contents()
	for n, d := range c.Dispatches {
		o.Settings = o.Settings[:0]
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		var list diag.List
		a := codegen.Compile(m, d.Entry, &ptx.Target, &o, &list)
		if a == nil {
			t.Fatalf("%s %s does not compile: %v", d.Entry, variant, list.Items())
		}
		a = form(a)
		launch := emulate.Launch{Entry: a.Kernel.Name, Grid: d.Grid, Immediates: c.ImmediatesOf(n)}
		for _, b := range a.Kernel.Bindings {
			for k, buffer := range c.Buffers {
				if buffer.Name == b.Name {
					launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: contents[k]})
				}
			}
		}
		if a.Kernel.Fault != nil {
			b := a.Kernel.Bindings[len(a.Kernel.Bindings)-1]
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: make([]byte, abi.FaultRecordBytes)})
		}
		textures := bindTextures(c, &a.Kernel, n, contents)
		module, err := emulator.Parse(a.Code)
		if err == nil {
			err = module.RunWithTextures(&a.Kernel, &launch, textures)
		}
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", d.Entry, variant, err, numbered(string(a.Code)))
		}
		keepTextures(c, textures, &a.Kernel, n, contents)
	}
	if err := exectest.Compare(c, c.Expected(), contents); err != nil {
		t.Errorf("%s: %s", variant, strings.TrimSpace(err.Error()))
	}
}
