package spirv_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	target "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// The ways in which the kernels are compiled. No case accesses what lies outside
// of a buffer, so that they do not need their accesses checked.
var variants = []struct {
	name    string
	options codegen.Options
}{
	{"robust", codegen.Options{}},
	{"plain", codegen.Options{NoOptimize: true}},
	{"unchecked", codegen.Options{Bounds: opt.BoundsOff}},
	{"unchecked and plain", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}},
	{"lines", codegen.Options{Lines: true}},
}

// TestExec executes the kernels that every device must run alike. Those with
// samplers, and with textures that the evaluator does not know, are refused by
// name.
func TestExec(t *testing.T) {
	for _, c := range exectest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for _, v := range variants {
				if testing.Short() && v.name != "robust" || c.LeavesVariables && v.options.Bounds == opt.BoundsOff {
					continue
				}
				execute(t, &c, v.name, v.options)
			}
		})
	}
}

func load(t testing.TB, path string, math opt.Math) *ir.Module {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(filepath.Base(path), string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: math}}, list)
	if err != nil || m == nil {
		t.Fatalf("%s does not load: %v %v", path, err, list.Items())
	}
	return m
}

// launch binds a case's contents to a kernel by name.
func launch(c *exectest.Case, k *abi.Kernel, dispatch int, contents [][]byte) *emulate.Launch {
	l := &emulate.Launch{Entry: k.Name, Grid: c.Dispatches[dispatch].Grid, Immediates: c.ImmediatesOf(dispatch)}
	for _, b := range k.Arguments() {
		for n := range c.Buffers {
			if c.Buffers[n].Name == b.Name {
				l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: contents[n]})
			}
		}
	}
	bind := func(place int, data []byte) {
		b := k.Bindings[place]
		l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
	}
	_, fault, scratch, tables := k.Hidden()
	if fault >= 0 {
		bind(fault, make([]byte, abi.FaultRecordBytes))
	}
	if scratch >= 0 {
		bind(scratch, bytes.Repeat([]byte{0xaa}, int(k.Scratch.Bytes(l.Grid, k.Workgroup))))
	}
	if tables >= 0 {
		bind(tables, k.Tables)
	}
	return l
}

func execute(t *testing.T, c *exectest.Case, variant string, o codegen.Options) {
	t.Helper()
	if c.Strict {
		o.Math = opt.MathStrict
	}
	m := load(t, "../../../"+c.File(), o.Math)
	contents, expected := c.Contents(), c.Expected()
	for n, d := range c.Dispatches {
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		var list diag.List
		a := codegen.Compile(m, d.Entry, &target.Target, &o, &list)
		if a == nil {
			t.Fatalf("%s: %s does not compile: %v", variant, d.Entry, list.Items())
		}
		l := launch(c, &a.Kernel, n, contents)
		if refused(&a.Kernel) {
			if err := spirv.Run(a.Code, l); err == nil || !strings.Contains(err.Error(), "not supported: ") {
				t.Fatalf("%s: expected the textures of %s to be refused, found %v", variant, d.Entry, err)
			}
			return
		}
		textures := bindTextures(c, &a.Kernel, n, contents, l)
		err := spirv.Run(a.Code, l)
		if rounded[[2]string{c.Name, d.Entry}] {
			if err == nil || !strings.Contains(err.Error(), "OpImageWrite") || !strings.Contains(err.Error(), "has no ") {
				t.Fatalf("%s: %s: expected a float that the format does not have, found %v", variant, d.Entry, err)
			}
			for _, b := range textures { // what the other kernels of the case do is still looked at
				copy(contents[b.contents], expected[b.contents])
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", variant, d.Entry, err)
		}
		keepTextures(textures, contents, l)
	}
	if err := exectest.Compare(c, expected, contents); err != nil {
		t.Errorf("%s: %v", variant, err)
	}
}
