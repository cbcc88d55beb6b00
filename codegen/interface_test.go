package codegen_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestInterface compiles a kernel that only names its resources. The description has them, in each
// mode and for each target.
func TestInterface(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage> pointed: array<u32>;
@group(0) @binding(1) var<uniform> valued: vec4u;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(1) @binding(0) var<storage> in_function: array<u32>;
@group(1) @binding(1) var<storage> untyped: buffer;
@group(1) @binding(2) var<storage> not_used: u32;
var<immediate> given: vec2u;
fn names() { _ = &in_function; _ = given; }
@compute @workgroup_size(1) fn main() { _ = &pointed; _ = valued; _ = &untyped; names(); out[0] = 1u; }
`
	for _, target := range all.Targets {
		for _, plain := range []bool{false, true} {
			var c compiler
			m, list := c.load(t, "interface.wgsl", text)
			a := codegen.Compile(m, "", target, &codegen.Options{NoOptimize: plain}, list)
			if a == nil {
				t.Fatal(target.Name, list.Items())
			}
			got := ""
			for _, b := range a.Kernel.Bindings {
				got += fmt.Sprintf("%d.%d %s, %d + %d; ", b.Group, b.Binding, b.Name, b.Size, b.Stride)
			}
			const want = "0.0 pointed, 0 + 4; 0.1 valued, 16 + 0; 0.2 out, 0 + 4; 1.0 in_function, 0 + 4; 1.1 untyped, 0 + 4; "
			if got != want {
				t.Errorf("%s: the bindings are %s", target.Name, got)
			}
			if i := a.Kernel.Immediates; i == nil || i.Name != "given" || i.Size != 8 {
				t.Errorf("%s: the immediates are %v", target.Name, i)
			}
		}
	}
}

// TestDescriptionOfRewrittenUniforms: a uniform buffer that SPIR-V reads as words is described as
// the source declares it, with that size.
func TestDescriptionOfRewrittenUniforms(t *testing.T) {
	const text = `enable f16;
		struct S { a: mat2x2<f16> }
		@group(0) @binding(0) var<uniform> s: S;
		@group(0) @binding(1) var<storage, read_write> o: vec2<f16>;
		@compute @workgroup_size(1) fn main() { o = s.a[0] + s.a[1]; }`
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "uniform.wgsl", text)
		a := codegen.Compile(m, "main", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		b := a.Kernel.Bindings[0]
		if b.Size != 8 || b.Element != "f16" || b.Type != "S" {
			t.Errorf("target %s describes the uniform buffer as %d bytes of %q, type %s; want 8 of f16, type S",
				target.Name, b.Size, b.Element, b.Type)
		}
	}
}

// TestDescriptionOfPrivateMemory: private memory is described from 8 KiB on, with the largest
// variable. In SPIR-V all above 7 KiB is scratch memory.
func TestDescriptionOfPrivateMemory(t *testing.T) {
	for _, test := range []struct {
		words   int
		want    *abi.Private
		scratch *abi.Scratch // of SPIR-V, which has no more then
	}{
		{896, nil, nil},
		{897, nil, &abi.Scratch{Stride: 3600, Name: "t", NameBytes: 3588}},
		{1025, &abi.Private{Bytes: 8200, Name: "t", NameBytes: 4100}, &abi.Scratch{Stride: 4112, Name: "t", NameBytes: 4100}},
		{4096, &abi.Private{Bytes: 32768, Name: "t", NameBytes: 16384}, &abi.Scratch{Stride: 32768, Name: "t", NameBytes: 16384}},
	} {
		text := fmt.Sprintf(`
			var<private> t: array<u32, %[1]d>;
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(1) fn main() {
				var v: array<u32, %[1]d>;
				for (var i = 0u; i < %[1]d; i++) { t[o[i]] ^= i; v[t[i]] += o[i]; }
				o[0] = v[o[1]];
			}`, test.words)
		for _, target := range all.Targets {
			if target.AsWritten {
				continue // its code has all the variables of the source
			}
			var c compiler
			m, list := c.load(t, "private.wgsl", text)
			a := codegen.Compile(m, "main", target, &codegen.Options{}, list)
			if a == nil {
				t.Fatal(target.Name, list.Items())
			}
			want, scratch := test.want, (*abi.Scratch)(nil)
			if target == &spirv.Target {
				want, scratch = nil, test.scratch
			}
			if d := cmp.Diff(want, a.Kernel.Private) + cmp.Diff(scratch, a.Kernel.Scratch); d != "" {
				t.Errorf("%d words for %s: (-want +got)\n%s", test.words, target.Name, d)
			}
		}
	}
}

// TestStructs: a description has the layouts of the structures in buffers, as the source declares
// them, for all targets.
func TestStructs(t *testing.T) {
	const text = `
		struct Inner { @align(16) a: f32, b: vec3<u32>, c: array<mat2x3<f32>, N> }
		struct Uneven { m: mat3x2<f32>, a: array<vec2<f32>, 3>, i: array<Inner, 2> }
		struct Tail { count: atomic<u32>, rest: array<array<Inner, 3>> }
		struct Constants { x: vec2<f32>, y: u32 }
		struct Unused { x: u32 }
		const N = 4;
		override O = 2u;
		@group(0) @binding(2) var<storage, read_write> tail: Tail;
		@group(0) @binding(1) var<uniform> uneven: Uneven;
		@group(1) @binding(0) var<storage, read_write> plain: array<f32>;
		var<immediate> constants: Constants;
		var<workgroup> w: array<Unused, O>;
		@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
			w[i].x = i;
			plain[i] = uneven.i[i].a + tail.rest[i][1].a + constants.x.y + f32(w[i ^ 1].x);
			atomicAdd(&tail.count, constants.y);
		}`
	// sizes and offsets by WGSL §14.4.1, computed by hand
	inner := abi.Struct{Name: "Inner", Size: 160, Align: 16, Members: []abi.Member{
		{Name: "a", Type: "f32", Offset: 0, Size: 4},
		{Name: "b", Type: "vec3<u32>", Offset: 16, Size: 12},
		{Name: "c", Type: "array<mat2x3<f32>, 4u>", Offset: 32, Size: 128, Stride: 32},
	}}
	want := []abi.Struct{
		inner,
		{Name: "Uneven", Size: 368, Align: 16, Members: []abi.Member{
			{Name: "m", Type: "mat3x2<f32>", Offset: 0, Size: 24, Stride: 8},
			{Name: "a", Type: "array<vec2<f32>, 3u>", Offset: 24, Size: 24, Stride: 8},
			{Name: "i", Type: "array<Inner, 2u>", Offset: 48, Size: 320, Stride: 160},
		}},
		{Name: "Tail", Size: 496, Align: 16, Members: []abi.Member{
			{Name: "count", Type: "atomic<u32>", Offset: 0, Size: 4},
			{Name: "rest", Type: "array<array<Inner, 3u>>", Offset: 16, Size: 0, Stride: 480},
		}},
		{Name: "Constants", Size: 16, Align: 8, Members: []abi.Member{
			{Name: "x", Type: "vec2<f32>", Offset: 0, Size: 8},
			{Name: "y", Type: "u32", Offset: 8, Size: 4},
		}},
	}
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "structs.wgsl", text)
		a := codegen.Compile(m, "", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		if d := cmp.Diff(want, a.Kernel.Structs); d != "" {
			t.Errorf("%s: (-want +got)\n%s", target.Name, d)
		}
		for n, b := range []abi.Binding{
			{Name: "uneven", Binding: 1, Access: abi.Uniform, Size: 368, Type: "Uneven"},
			{Name: "tail", Binding: 2, Access: abi.ReadWrite, Size: 16, Stride: 480, Type: "Tail"},
			{Name: "plain", Group: 1, Access: abi.ReadWrite, Stride: 4, Element: "f32", Type: "array<f32>"},
		} {
			if d := cmp.Diff(b, a.Kernel.Bindings[n]); d != "" {
				t.Errorf("%s: (-want +got)\n%s", target.Name, d)
			}
		}
	}
}

// TestDescriptionOfRoles: the runtime's buffers come after the program's bindings, in the order of
// the description.
func TestDescriptionOfRoles(t *testing.T) {
	const text = `struct S [size 32, align 4] { a: u32 [offset 0] }
		var @tables : ptr<storage, u32> [group 0, binding 0] [role tables] = 7u
		var @x : ptr<storage, u32, read_write> [group 0, binding 1]
		var @scratch : ptr<storage, array<S>, read_write> [group 0, binding 2] [role scratch]
		var @record : ptr<storage, S, read_write> [group 1, binding 0] [role fault_record]
		var @y : ptr<storage, u32, read_write> [group 2, binding 0]
		kernel @main() [workgroup 1u, 1u, 1u] {
			%a = load @tables : u32
			%b = load @x : u32
			%c = array_length @scratch : u32
			%d = load @y : u32
			%r = access @record, 0u : ptr<storage, u32, read_write>
			%e = load %r : u32
			return
		}`
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "roles.ir", text)
		var reached []string
		// the bindings of a launch on the CPU
		for _, v := range ir.ReachOf(m, m.Kernels()[0]).Resources {
			reached = append(reached, m.Global(v).Name)
		}
		a := codegen.Compile(m, "", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		var names []string
		for _, b := range a.Kernel.Bindings {
			names = append(names, b.Name)
		}
		want := []string{"x", "y", "record", "scratch", "tables"}
		if _, fault, scratch, tables := a.Kernel.Hidden(); fault != 2 || scratch != 3 || tables != 4 {
			t.Errorf("%s: hidden are %d, %d and %d", target.Name, fault, scratch, tables)
		}
		if d := cmp.Diff(want, names) + cmp.Diff(want, reached); d != "" {
			t.Errorf("%s: (-want +got)\n%s", target.Name, d)
		}
	}
}

// TestDescriptionOfHandles: textures and samplers are listed by group and binding, and not as
// buffers.
func TestDescriptionOfHandles(t *testing.T) {
	const text = `
var @storage : ptr<handle, texture_storage_2d_array<rgba16float, write>> [group 1, binding 2]
var @compare : ptr<handle, sampler_comparison> [group 1, binding 0]
var @other : ptr<handle, texture_3d<u32>> [group 0, binding 9]
var @integers : ptr<handle, texture_multisampled_2d<i32>> [group 0, binding 7]
var @both : ptr<handle, texture_storage_1d<r32uint, read_write>> [group 0, binding 4]
var @out : ptr<storage, array<vec4<f32>>, read_write> [group 0, binding 3]
var @shadow : ptr<handle, texture_depth_cube_array> [group 0, binding 2]
var @linear : ptr<handle, sampler> [group 0, binding 1]
var @video : ptr<handle, texture_external> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %storage = load @storage : texture_storage_2d_array<rgba16float, write>
  %shadow = load @shadow : texture_depth_cube_array
  %video = load @video : texture_external
  %linear = load @linear : sampler
  %compare = load @compare : sampler_comparison
  %integers = load @integers : texture_multisampled_2d<i32>
  %both = load @both : texture_storage_1d<r32uint, read_write>
  %a = texture_sample %video, %linear, vec2<f32>(0.5f, 0.5f), 0f : vec4<f32>
  %b = texture_sample_compare %shadow, %compare, vec3<f32>(0f, 0f, 1f), 1u, 0.5f : f32
  %c = texture_load %integers, vec2<u32>(0u, 0u), 3u : vec4<i32>
  %d = convert %c : vec4<f32>
  %e = splat %b : vec4<f32>
  %f = add %a, %d : vec4<f32>
  %g = add %e, %f : vec4<f32>
  texture_store %storage, vec2<u32>(1u, 1u), 2u, %g
  texture_store %both, 3u, vec4<u32>(1u, 2u, 3u, 4u)
  %p = access @out, 0u : ptr<storage, vec4<f32>, read_write>
  store %p, %g
  return
}
`
	f32, i32, u32 := "f32", "i32", "u32"
	want := []abi.Handle{
		{Name: "video", Group: 0, Binding: 0, Type: "texture_external",
			Texture: &abi.Texture{Shape: texture.External, Channel: f32, Access: abi.Read}},
		{Name: "linear", Group: 0, Binding: 1, Type: "sampler"},
		{Name: "shadow", Group: 0, Binding: 2, Type: "texture_depth_cube_array",
			Texture: &abi.Texture{Shape: texture.DepthCubeArray, Channel: f32, Access: abi.Read}},
		{Name: "both", Group: 0, Binding: 4, Type: "texture_storage_1d<r32uint, read_write>",
			Texture: &abi.Texture{Shape: texture.Storage1D, Channel: u32, Format: texture.R32Uint, Access: abi.ReadWrite}},
		{Name: "integers", Group: 0, Binding: 7, Type: "texture_multisampled_2d<i32>",
			Texture: &abi.Texture{Shape: texture.Multisampled2D, Channel: i32, Access: abi.Read}},
		{Name: "compare", Group: 1, Binding: 0, Type: "sampler_comparison", Comparison: true},
		{Name: "storage", Group: 1, Binding: 2, Type: "texture_storage_2d_array<rgba16float, write>",
			Texture: &abi.Texture{Shape: texture.Storage2DArray, Channel: f32, Format: texture.RGBA16Float, Access: abi.Write}},
	}
	for _, target := range all.Targets {
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		var list diag.List
		a := codegen.Compile(m, "main", target, &codegen.Options{}, &list)
		if target.Handles == "" {
			placed := 0 // of the notes; another may say why
			for _, d := range list.Items() {
				for _, n := range d.Notes {
					if n.Span.Valid() {
						placed++
					}
				}
			}
			if items := list.Items(); a != nil || len(items) != 1 || placed != len(want)-1 {
				t.Errorf("target %s compiles textures, or says other than once that it does not, with a note for each further one: %v", target.Name, items)
			}
			continue
		}
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		if d := cmp.Diff(want, a.Kernel.Handles); d != "" {
			t.Errorf("target %s describes other handles (-want +got):\n%s", target.Name, d)
		}
		if len(a.Kernel.Bindings) != 1 || a.Kernel.Bindings[0].Name != "out" {
			t.Errorf("target %s describes the buffers %v", target.Name, a.Kernel.Bindings)
		}
		data, err := a.Kernel.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := abi.Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a.Kernel.Handles, again.Handles); d != "" {
			t.Errorf("the description changes on its way through JSON (-want +got):\n%s\n%s", d, data)
		}
	}
}
