package all_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// This file compares the documentation of operations with their implementation.

// rare has the operations that no exec kernel has: those that front ends do not generate, and some
// subgroup operations.
const rare = `var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @lanes(%i: u32 [global_invocation_index]) [workgroup 64u, 1u, 1u] {
  %a = subgroup_inclusive_mul %i : u32
  %b = subgroup_exclusive_mul %a : u32
  %c = quad_broadcast %b, 1u : u32
  %d = quad_swap_y %c : u32
  %e = quad_swap_diagonal %d : u32
  %f = mul_high %e, %i : u32
  %p = access @x, %i : ptr<storage, u32, read_write>
  store %p, %f
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

// TestForms compares what targets declare of operations (docs/reference/targets.md) with the
// operations that reach their emitters, for all exec kernels and more, optimised and not.
// Operations that the emitter implements reach it, and those that passes replace or that are
// refused do not.
func TestForms(t *testing.T) {
	testmode.Quick(t, "it compiles all exec kernels for all targets")
	programs := formPrograms(t)
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			var arrived op.Set
			plain := []codegen.Options{{}, {NoOptimize: true}}
			emitted(t, programs, target, plain, func(_ string, f *ir.Func, i ir.Inst) { arrived.Add(f.Op(i)) })
			forms := target.Forms()
			if target.Intrinsic != nil {
				// in variants with tensor maps, and for fragments of other shapes
				arrived.Add(op.Intrinsic)
			}
			for o := op.Invalid + 1; o < op.Count; o++ {
				if f := forms[o]; arrived.Has(o) != (f.Passes == nil && f.Reason == "") {
					t.Errorf("%s arrives at the emitter: %v, and the target says %+v", o, arrived.Has(o), f)
				}
			}
		})
	}
}

// TestFolded: after all passes no instruction has constant operands only, in all exec kernels and
// more.
func TestFolded(t *testing.T) {
	testmode.LongPart(t, 1)
	programs := formPrograms(t)
	for _, target := range all.Targets {
		if target.AsWritten {
			continue
		}
		t.Run(string(target.Name), func(t *testing.T) {
			modes := []codegen.Options{{}, {Math: opt.MathStrict}, {Math: opt.MathFast}, {Bounds: opt.BoundsTrap}}
			emitted(t, programs, target, modes, func(name string, f *ir.Func, i ir.Inst) {
				args := f.Args(i)
				if r := f.Result(i); r == ir.NoValue || len(args) == 0 || f.Op(i).Is(op.Control) {
					return
				}
				if v, ok := f.Module.Fold(f.Op(i), f.Type(i), f.Aux(i), args); ok {
					t.Errorf("%s: %s is %s", name, f.InstText(i), f.Module.ValueString(v))
				}
			})
		})
	}
}

// formPrograms are the exec kernels and more.
func formPrograms(t *testing.T) map[string]string {
	programs := map[string]string{"rare.ir": rare, "printed.wgsl": printed, "calls.wgsl": calls}
	for _, pattern := range []string{"../../testdata/exec/*.wgsl", "../spirv/testdata/*.ir"} {
		for _, path := range programsIn(t, pattern) {
			programs[path] = textOfFile(t, path)
		}
	}
	return programs
}

// emitted compiles the kernels of programs in some modes, and visits the instructions that reach
// the emitter.
func emitted(t *testing.T, programs map[string]string, target *codegen.Target, modes []codegen.Options, visit func(name string, f *ir.Func, i ir.Inst)) {
	for name, text := range programs {
		watched := *target
		watched.Emit = func(e *codegen.Emission) []byte {
			for _, f := range e.Module.Funcs {
				for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
					visit(name, f, i)
				}
			}
			return target.Emit(e)
		}
		for _, o := range modes {
			m := loadedWith(t, name, text, o)
			o.Debug, o.Settings, o.Context = name == "printed.wgsl" && target.Silent == "", settingsOf(m), &opt.Context{Verify: true}
			for _, k := range m.Kernels() {
				codegen.Compile(m, k.Name, &watched, &o, new(diag.List)) // or it is refused
			}
		}
	}
}
