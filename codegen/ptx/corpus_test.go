package ptx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// loadProgram makes IR of a file of the test programs.
func loadProgram(t testing.TB, path string, math opt.Math) *ir.Module {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return loadText(t, filepath.Base(path), string(text), math)
}

func loadText(t testing.TB, name, text string, math opt.Math) *ir.Module {
	t.Helper()
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: math}}, list)
	if err != nil || m == nil {
		t.Fatalf("%s does not load: %v %v", name, err, list.Items())
	}
	return m
}

// variants are the ways in which each test program is compiled.
var variants = []struct {
	name    string
	options codegen.Options
}{
	{"default", codegen.Options{}},
	{"strict", codegen.Options{Math: opt.MathStrict, Lines: true}},
	{"fast", codegen.Options{Math: opt.MathFast, Bounds: opt.BoundsOff}},
	{"plain", codegen.Options{NoOptimize: true}},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap, Lines: true}},
	{"by value", codegen.Options{ByValue: true}},
	{"plain by value", codegen.Options{ByValue: true, NoOptimize: true}},
	{"trap by value", codegen.Options{ByValue: true, Bounds: opt.BoundsTrap}},
}

// form returns the form of an artefact that a variant is about: that which takes uniform buffers by
// value, if there is one and it was asked for.
func form(a *abi.Artefact) *abi.Artefact {
	if v := a.Valued(); v != nil {
		return v
	}
	return a
}

// settingsFor gives a value to each override of a program that has no default.
func settingsFor(m *ir.Module) []ir.Setting {
	var settings []ir.Setting
	for n, o := range m.Overrides {
		if o.Op == op.Invalid && len(m.OverrideArgs(ir.OverrideValue(n))) == 0 {
			settings = append(settings, ir.Setting{Key: o.Name, Value: 3})
		}
	}
	return settings
}

// TestCorpusAssembles compiles every test program in every mode, and the emulator reads it. The
// assembler, which takes most of the time, checks the default mode and one other, which alternates.
func TestCorpusAssembles(t *testing.T) {
	ptxas := assembler(t)
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test programs", err)
	}
	for index, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".wgsl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, v := range variants {
				if !testmode.Rotated(index, n, len(variants)) {
					continue
				}
				m := loadProgram(t, path, v.options.Math)
				for _, kernel := range m.Kernels() {
					var list diag.List
					o := v.options
					o.Settings = settingsFor(m)
					o.Context = &opt.Context{Verify: true}
					a := codegen.Compile(m, kernel.Name, &ptx.Target, &o, &list)
					if a == nil {
						t.Errorf("%s %s: %v", kernel.Name, v.name, list.Items())
						continue
					}
					a = form(a)
					if _, err := read(string(a.Code)); err != nil {
						t.Errorf("the emulator refuses %s %s: %v", kernel.Name, v.name, err)
					}
					checkParameters(t, a)
					if testmode.IsLong() && n > 0 && n != 1+index%(len(variants)-1) {
						continue
					}
					assemble(t, ptxas, kernel.Name+" "+v.name, string(a.Code), architectures[n%len(architectures)])
				}
			}
		})
	}
}
