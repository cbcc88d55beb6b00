package ptx_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestValues compiles kernels with uniform buffers. A word has its index in its buffer, plus 10,000
// for each binding before. The test checks which buffers are passed by value and what the kernels
// leave.
func TestValues(t *testing.T) {
	const head = `@group(0) @binding(0) var<storage, read_write> out : array<u32>;
@group(0) @binding(1) var<storage> in : array<u32>;
`
	for _, test := range []struct {
		name, code string
		plain      bool
		want       []int     // the bindings
		out        [4]uint32 // by invocation; in has 3, 1, 2, 0
	}{
		{name: "a number", code: `@group(0) @binding(2) var<uniform> n : u32;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { out[i] = n + i; }`,
			want: []int{2}, out: [4]uint32{20000, 20001, 20002, 20003}},
		{name: "a structure", code: `struct S { a : u32, b : vec3<u32>, c : array<vec4<u32>, 3>, d : mat2x2<f32> }
@group(0) @binding(2) var<uniform> s : S;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) {
	out[i] = s.a + s.b.z + s.c[2].y * i + bitcast<u32>(s.d[1].x);
}`, want: []int{2}, out: [4]uint32{60028, 80045, 100062, 120079}}, // words 0, 6, 22; 17 each
		{name: "an index that the warp has in common", code: `@group(0) @binding(2) var<uniform> a : array<array<vec4<u32>, 2>, 8>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3<u32>) {
	let p = &a[n.x + 4u];
	out[i] = (*p)[n.y].w + i;
}`, want: []int{2}, out: [4]uint32{20047, 20048, 20049, 20050}}, // 4 of 8 words, 1 of 4, 3
		{name: "an index that is clamped", code: `@group(0) @binding(2) var<uniform> a : array<vec4<u32>, 8>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3<u32>) {
	out[i] = a[n.x * 100u].z;
}`, want: []int{2}, out: [4]uint32{20030, 20030, 20030, 20030}},
		{name: "an index that differs", code: `@group(0) @binding(2) var<uniform> a : array<vec4<u32>, 8>;
@group(0) @binding(3) var<uniform> b : u32;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { out[i] = a[in[i]].y + b; }`,
			want: []int{3}, out: [4]uint32{50013, 50005, 50009, 50001}},
		{name: "a function that is called", code: `@group(0) @binding(2) var<uniform> a : array<vec4<u32>, 8>;
@group(0) @binding(3) var<uniform> b : u32;
fn f(i : u32) -> u32 { var s = 0u; for (var k = 0u; k < i; k++) { s += a[2].y; } return s; }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { out[i] = f(i) + b; }`,
			plain: true, want: []int{3}, out: [4]uint32{30000, 50009, 70018, 90027}},
		{name: "as much as there is room for", code: `@group(0) @binding(2) var<uniform> a : array<vec4<u32>, 256>;
@group(0) @binding(3) var<uniform> b : array<vec4<u32>, 250>;
@group(0) @binding(4) var<uniform> c : array<vec4<u32>, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { out[i] = a[255].w + b[249].w + c[3].w; }`,
			want: []int{3}, out: [4]uint32{92037, 92037, 92037, 92037}}, // 1023, 999 and 15
		{name: "one that is not read", code: `@group(0) @binding(2) var<uniform> a : u32;
@group(0) @binding(3) var<uniform> b : u32;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { _ = a; out[i] = b; }`,
			want: []int{3}, out: [4]uint32{30000, 30000, 30000, 30000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := loadText(t, "values.wgsl", head+test.code, opt.MathWGSL)
			var list diag.List
			a := codegen.Compile(m, "main", &ptx.Target, &codegen.Options{ByValue: true, NoOptimize: test.plain}, &list)
			if a == nil {
				t.Fatal(list.Items())
			}
			forms := []*abi.Artefact{a, a.Valued()}
			if forms[1] == nil {
				t.Fatal("there is no form that takes buffers by value")
			}
			for n, a := range forms {
				checkParameters(t, a)
				var want []int
				if n > 0 {
					want = test.want
				}
				checkValues(t, a, want)
				got := runWords(t, a, 4)
				if got != test.out {
					t.Errorf("form %d leaves %v, want %v\n%s", n, got, test.out, numbered(string(a.Code)))
				}
				for _, architecture := range architectures {
					assemble(t, assembler(t), test.name, string(a.Code), architecture)
				}
			}
		})
	}
}

// checkValues expects that a kernel takes these bindings by value, each in its own parameter,
// and no address of one.
func checkValues(t *testing.T, a *abi.Artefact, want []int) {
	t.Helper()
	var got []int
	for _, p := range a.Kernel.Parameters {
		binding := int(a.Kernel.Bindings[p.Binding].Binding)
		switch {
		case p.Kind == abi.ValueParameter:
			got = append(got, binding)
		case p.Kind == abi.AddressParameter && slices.Contains(want, binding):
			t.Errorf("binding %d is passed by value and by address", binding)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("bindings %v are passed by value, want %v\n%s", got, want, numbered(string(a.Code)))
	}
}

// runWords runs a kernel on one workgroup, with buffers as TestValues has them.
func runWords(t *testing.T, a *abi.Artefact, words int) (out [4]uint32) {
	t.Helper()
	launch := emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{1, 1, 1}}
	result := make([]byte, 4*words)
	for _, b := range a.Kernel.Bindings {
		data := make([]byte, b.MinimumBytes())
		switch b.Binding {
		case 0:
			data = result
		case 1:
			data = []byte{3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}
		default:
			for k := range len(data) / 4 {
				binary.LittleEndian.PutUint32(data[4*k:], 10000*b.Binding+uint32(k))
			}
		}
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
	}
	module, err := emulator.Parse(a.Code)
	if err == nil {
		err = module.Run(&a.Kernel, &launch)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(string(a.Code)))
	}
	for n := range out {
		out[n] = binary.LittleEndian.Uint32(result[4*n:])
	}
	return out
}
