package all_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// This file holds what is said of operations against what is done with them, so that the pages made of it are right.

// rare has the operations that no exec kernel has: those that front ends do not make, and a few of subgroups.
const rare = `var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @lanes(%i: u32 [global_invocation_index]) [workgroup 64u, 1u, 1u] {
  %a = subgroup_inclusive_mul %i : u32
  %b = subgroup_exclusive_mul %a : u32
  %c = quad_broadcast %b, 1u : u32
  %d = quad_swap_y %c : u32
  %e = quad_swap_diagonal %d : u32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %e
  return
}
kernel @bytes() [workgroup 1u, 1u, 1u] {
  %p = address @x, 4u : ptr<storage, u32, read_write>
  store %p, 1u
  return
}
`

// printed has what debugging keeps.
const printed = `enable gpuc_debug;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { printf("%d", i); }
`

// calls has a function that is too large to be copied to all of its calls.
var calls = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
fn large(a: u32) -> u32 {
  var b = a;` + strings.Repeat("\n  b = (b ^ x[b & 63]) * 3 + 1;", 100) + `
  return b;
}
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {` + strings.Repeat("\n  x[i] += large(x[i]);", 20) + `
}
`

// TestForms compares what targets say of operations (docs/targets.md) with what their emitters get of all exec kernels and more, optimised and
// not: each operation that is said to be written arrives, and none that passes replace or that there is no form of.
func TestForms(t *testing.T) {
	programs := map[string]string{"rare.ir": rare, "printed.wgsl": printed, "calls.wgsl": calls}
	for _, pattern := range []string{"../../testdata/exec/*.wgsl", "../spirv/testdata/*.ir"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no programs %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			programs[name] = string(text)
		}
	}
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			var arrived op.Set
			watched := *target
			watched.Emit = func(e *codegen.Emission) []byte {
				for _, f := range e.Module.Funcs {
					for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
						arrived.Add(f.Op(i))
					}
				}
				return target.Emit(e)
			}
			for name, text := range programs {
				var set source.Set
				var list diag.List
				file, err := set.Add(filepath.Base(name), text)
				if err != nil {
					t.Fatal(err)
				}
				m, err := frontend.Load(&set, file, frontend.Options{}, &list)
				if err != nil || m == nil {
					t.Fatal(name, err, list.Items())
				}
				for _, k := range m.Kernels() {
					for _, plain := range []bool{false, true} {
						o := codegen.Options{NoOptimize: plain, Debug: name == "printed.wgsl" && target.Silent == "", Settings: settingsOf(m), Context: &opt.Context{Verify: true}}
						codegen.Compile(m, k.Name, &watched, &o, new(diag.List)) // or it is refused
					}
				}
			}
			forms := target.Forms()
			for o := op.Invalid + 1; o < op.Count; o++ {
				if f := forms[o]; arrived.Has(o) != (f.Passes == nil && f.Reason == "") {
					t.Errorf("%s arrives at the emitter: %v, and the target says %+v", o, arrived.Has(o), f)
				}
			}
		})
	}
}
