package msl_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/msl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown are exec kernels whose code golden/msl has, beside those that it has of all targets
// (TestGolden of codegen/all). Entries of one name with options are the same kernel compiled in
// another way. TestExec executes all of them.
var shown = []struct {
	name, kernel string
	options      codegen.Options
}{
	{"saxpy", "saxpy", codegen.Options{}},
	{"saxpy_trap", "saxpy", codegen.Options{Bounds: opt.BoundsTrap}},
	{"saxpy_lines", "saxpy", codegen.Options{Math: opt.MathStrict, Lines: true}},
	{"texture_row_scan", "texture_row_scan", codegen.Options{}},
}

// TestGolden compares the code of some kernels with the golden files, which show how it reads.
func TestGolden(t *testing.T) {
	for _, k := range shown {
		t.Run(k.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "exec", k.kernel+".wgsl"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := jit.Parse(k.kernel+".wgsl", string(text), k.options)
			if err != nil {
				t.Fatal(err)
			}
			entry := p.Module().Kernels()[0].Name
			a, err := p.Compile(abi.MSL, entry)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := p.Compile(abi.MSL, entry); err != nil || string(again.Code) != string(a.Code) {
				t.Error("a second compilation gives other bytes")
			}
			golden := filepath.Join("..", "..", "golden", "msl", k.name+".metal")
			if *update {
				if err := os.WriteFile(golden, a.Code, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(a.Code)); d != "" {
				t.Errorf("%s changed (-update accepts it; -want +got):\n%s", k.name, d)
			}
		})
	}
}

// refused are modules that Metal cannot express, with the messages of the target.
var refused = []struct{ text, message string }{
	{`
var @x : ptr<storage, array<f32, stride 6>> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @x, 0u : ptr<storage, f32>
  %v = load %p : f32
  return
}`, "target msl cannot express this: parts of array<f32, stride 6> lie 6 bytes apart, which Metal cannot have"},
	{`
struct S [size 12, align 4] { a: u32 [offset 0], b: u64 [offset 4] }
var @x : ptr<storage, array<S>> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @x, 0u, 0u : ptr<storage, u32>
  %v = load %p : u32
  return
}`, "target msl cannot express this: the member b of S is at offset 4, which Metal cannot express"},
	{`
var @x : ptr<storage, atomic<u64>, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %v = atomic_rmw @x, 1lu [add] : u64
  return
}`, "target msl cannot express this: atomics of 64 bits"},
	{`
var @x : ptr<storage, f64, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %v = load @x : f64
  %w = add %v, 1lf : f64
  store @x, %w
  return
}`, "target msl has no values of type f64"},
	{`
var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
kernel @main(%i: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %v = extract array<f64, 4u>(1lf, 2lf, 3lf, 4.5lf), %i : f64
  %w = convert %v : f32
  %p = access @x, %i : ptr<storage, f32, read_write>
  store %p, %w
  return
}`, "target msl has no values of type f64"}, // where the table is read
	{`
var @s : ptr<workgroup, array<u32, 20000u>>
var @x : ptr<storage, array<u32, 8u>, read_write> [group 0, binding 0]
kernel @main(%i: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
  %p = access @s, %i : ptr<workgroup, u32>
  store %p, %i
  barrier [workgroup]
  %q = access @s, 7u : ptr<workgroup, u32>
  %v = load %q : u32
  %r = access @x, %i : ptr<storage, u32, read_write>
  store %r, %v
  return
}`, "`main` uses 80000 bytes of workgroup memory; target msl has at most 32768"},
}

func TestRefused(t *testing.T) {
	for _, r := range refused {
		m, _, items := ir.ParseString(r.text)
		if m == nil {
			t.Errorf("%+v", items)
			continue
		}
		var list diag.List
		if a := codegen.Compile(m, "", &msl.Target, &codegen.Options{}, &list); a != nil {
			t.Errorf("%s\nis written:\n%s", r.text, a.Code)
		} else if got := list.Items()[0].Message; got != r.message || len(list.Items()) != 1 {
			t.Errorf("got  %s (of %d)\nwant %s", got, len(list.Items()), r.message)
		} else if !list.Items()[0].Span.Valid() {
			t.Errorf("%s has no position", got)
		}
	}
}

// TestNames: keywords of C++ and Metal are not used as names, and letters that Metal does not have
// are written as their code points.
func TestNames(t *testing.T) {
	p, err := jit.Parse("names.wgsl", `
struct thread { kernel_: u32, int: u32, größe: u32 }
@group(0) @binding(0) var<storage, read_write> device: array<thread>;
fn clamp3(short: u32, union_: u32) -> u32 { return short * union_; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) half: vec3u) {
  let signed = device[half.x].int;
  device[half.x].größe = clamp3(signed, 3) + device[half.x].kernel_;
}`, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Compile(abi.MSL, "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"struct thread_1 {", "uint int_1;", "uint gruf6udfe;", "device thread_1* device_1", "kernel void main_1(", "uint3 half_1"} {
		if !strings.Contains(string(a.Code), name) {
			t.Errorf("there is no %q in\n%s", name, a.Code)
		}
	}
}
