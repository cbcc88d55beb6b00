package ptx_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// TestTextIsRead reads the machine level of every exec kernel, for every profile, with and
// without the passes that make code faster, and in trap mode, from what -dump=after:mir
// shows. What was read verifies and prints the same.
func TestTextIsRead(t *testing.T) {
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	read, texts := 0, map[string]bool{}
	for _, path := range files {
		if !testmode.Picked(path) {
			continue
		}
		m := loadProgram(t, path, opt.MathWGSL)
		for _, profile := range ptx.Target.Profiles {
			target, err := ptx.Target.With(profile.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}} {
				var dump bytes.Buffer
				o.Context = &opt.Context{Dump: &dump, DumpAfter: mir.Stage}
				o.Settings = settingsFor(m)
				for _, k := range m.Kernels() {
					dump.Reset()
					if codegen.Compile(m, k.Name, target, &o, new(diag.List)) == nil {
						continue // it has textures, or what the profile lacks
					}
					if text := dump.String(); !texts[text] { // most profiles make the same
						texts[text] = true
						read += reread(t, path, text)
					}
				}
			}
		}
	}
	if read < 250 && !testing.Short() {
		t.Errorf("%d functions are too few", read)
	}
	t.Logf("%d functions in %d texts", read, len(texts))
}

// reread reads the functions of one kernel, without its module, and returns how many they are.
func reread(t *testing.T, path, text string) int {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add(path, text)
	if err != nil {
		t.Fatal(err)
	}
	functions := mir.Parse(ir.NewModule(&set), ptx.OwnNames, file, &list)
	for _, d := range list.Items() {
		t.Fatalf("%s: %s\n%s", set.Position(d.Span.Start), d.Message, text)
	}
	var again bytes.Buffer
	for _, f := range functions {
		if err := f.Verify(); err != nil {
			t.Fatalf("%s: %v in\n%s", path, err, f.Text())
		}
		again.WriteString("// after " + mir.Stage + "\n" + f.Text() + "\n")
	}
	if again.String() != text {
		t.Fatalf("%s: printed\n%sand after reading\n%s", path, text, again.String())
	}
	return len(functions)
}
