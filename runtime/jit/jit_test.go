package jit_test

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

const saxpy = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
override a: f32 = 2.0;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&y) {
    y[id.x] += a * x[id.x];
  }
}
`

// ExampleProgram_Compile compiles ahead of time: code for devices of compute capability
// 9.0, and the description with which runtime/gpu loads it without a compiler.
func ExampleProgram_Compile() {
	program, err := jit.Parse("move.wgsl", `
		struct Particle { position: vec3f, mass: f32, velocity: vec3f }
		@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
		override step: f32;
		@compute @workgroup_size(64)
		fn main(@builtin(global_invocation_index) i: u32) {
			particles[i].position += step * particles[i].velocity;
		}`, codegen.Options{Bounds: codegen.BoundsRobust, Math: codegen.MathFast})
	if err != nil {
		log.Fatal(err)
	}
	artefact, err := program.Compile("ptx:sm_90", "main", codegen.Setting{Key: "step", Value: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(artefact.Target, artefact.Kernel.Profile, artefact.Kernel.Bindings[0].Type)
	for _, m := range artefact.Kernel.Structs[0].Members {
		fmt.Println(m.Offset, m.Name, m.Type)
	}
	// Output:
	// ptx sm_90 array<Particle>
	// 0 position vec3<f32>
	// 12 mass f32
	// 16 velocity vec3<f32>
}

// TestParseErrors: what is wrong with a source comes back as diagnostics that
// Error shows with their lines.
func TestParseErrors(t *testing.T) {
	_, err := jit.Parse("bad.wgsl", "fn f() -> u32 { return 1.5; }\nfn g() { h(); }\n", codegen.Options{})
	var compile *jit.CompileError
	if !errors.As(err, &compile) {
		t.Fatalf("got %v, want a CompileError", err)
	}
	if len(compile.Diagnostics) != 2 {
		t.Errorf("%d diagnostics, want one for each function", len(compile.Diagnostics))
	}
	for _, want := range []string{"bad.wgsl:1:", "bad.wgsl:2:", "return 1.5", "h()"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not show %q:\n%v", want, err)
		}
	}
	if _, err := jit.Parse("kernel.metal", saxpy, codegen.Options{}); err == nil || errors.As(err, &compile) {
		t.Errorf("a language that is not known gives %v, want a plain error", err)
	}
}

// TestCompileErrors: a program that is right may still be compiled wrongly.
func TestCompileErrors(t *testing.T) {
	const two = "@compute @workgroup_size(1) fn first() {}\n@compute @workgroup_size(1) fn second() {}\n"
	for _, test := range []struct {
		name, source, entry string
		settings            []ir.Setting
		want                string
	}{
		{"no such entry point", saxpy, "mian", nil, "`mian`"},
		{"one of several is not named", two, "", nil, "`first`, `second`"},
		{"no such override", saxpy, "main", []ir.Setting{{Key: "b", Value: 1}}, "b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program, err := jit.Parse("test.wgsl", test.source, codegen.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = program.Compile(abi.CPU, test.entry, test.settings...)
			var compile *jit.CompileError
			if !errors.As(err, &compile) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a CompileError with %q", err, test.want)
			}
		})
	}
	program, err := jit.Parse("test.wgsl", saxpy, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program.Compile("metal", "main"); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("a target that does not exist gives %v", err)
	}
}

// TestConcurrentCompile: goroutines that share a program get the code that one
// alone gets, for every target and setting.
func TestConcurrentCompile(t *testing.T) {
	program, err := jit.Parse("saxpy.wgsl", saxpy, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compile := func(target abi.Target, a float64) []byte {
		artefact, err := program.Compile(target, "", ir.Setting{Key: "a", Value: a})
		if err != nil {
			t.Error(err)
			return nil
		}
		return artefact.Code
	}
	var group sync.WaitGroup
	defer group.Wait()
	for _, target := range []abi.Target{abi.SPIRV, abi.PTX, abi.CPU} {
		three, four := compile(target, 3), compile(target, 4)
		if slices.Equal(three, four) {
			t.Errorf("%s: the setting makes no difference", target)
		}
		for range 4 {
			group.Go(func() {
				if !slices.Equal(compile(target, 3), three) || !slices.Equal(compile(target, 4), four) {
					t.Errorf("%s: the code differs", target)
				}
			})
		}
	}
}

// TestInternalErrors: what fails inside of gpuc is an error that says so, in each
// stage, and leaves the program that called it alone.
func TestInternalErrors(t *testing.T) {
	const text = "@compute @workgroup_size(1) fn main() { var x = 3.0; x = exp(x); }"
	row := slices.IndexFunc(sem.Builtins[:], func(b sem.Builtin) bool { return b.Name == "exp" })
	before := sem.Builtins[row].Expansion
	// which lowering has no function for
	sem.Builtins[row].Expansion = expand.Derivative
	_, err := jit.Parse("exp.wgsl", text, codegen.Options{})
	sem.Builtins[row].Expansion = before
	var compile *jit.CompileError
	if !errors.As(err, &compile) || compile.Diagnostics[0].Code != diag.Internal || !strings.Contains(err.Error(), "error: internal error while lowering exp.wgsl: ") {
		t.Errorf("parsing with a broken table gives %v", err)
	}
	program, err := jit.Parse("exp.wgsl", text, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program.Module().Kernels()[0].Entry = 1 << 30
	if _, err := program.Compile(abi.CPU, ""); !errors.As(err, &compile) || compile.Diagnostics[0].Code != diag.Internal ||
		!strings.Contains(err.Error(), "internal error while compiling kernel `main` for cpu: ") {
		t.Errorf("compiling a broken module gives %v", err)
	}
}
