package msl_test

import (
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/msl"
	"github.com/gpuc/gpuc/frontend/gokernel"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// TestGoKernels compiles the code of kernels in Go, with Go's layouts of structures, with clang. It
// executes none.
func TestGoKernels(t *testing.T) {
	testmode.Long(t)
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	set, list := new(source.Set), new(diag.List)
	m, err := gokernel.Load(set, gokernel.Options{Folder: filepath.Join("..", "..", "internal", "gokernels")}, list, ".")
	if err != nil || m == nil {
		t.Fatalf("%v %+v", err, list.Items())
	}
	var programs []bench.Program
	for _, noOptimize := range []bool{false, true} {
		for _, f := range m.Kernels() {
			var list diag.List
			a := codegen.Compile(m, f.Name, &msl.Target, &codegen.Options{NoOptimize: noOptimize, Context: &opt.Context{Verify: true}}, &list)
			if a == nil {
				t.Errorf("%s: %s", f.Name, list.Items()[0].Message)
				continue
			}
			programs = append(programs, bench.Program{Code: a.Code, Entry: a.Kernel.Name})
		}
	}
	for _, mode := range []bench.Mode{bench.Checked, bench.Spaces} {
		if err := bench.Run(mode, programs, nil); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
	t.Logf("%d programs", len(programs))
}
