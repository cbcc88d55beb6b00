package counters_test

import (
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
)

// TestCounts holds counts against those worked out by hand, of kernels as the front end makes them:
// no pass has removed what the source says. One workgroup of four invocations runs over a buffer of
// 64 words.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       counters.Counts
	}{
		{"one load and store", "x[i] = x[i];", counters.Counts{Read: 4 * 4, Written: 4 * 4}},
		{"a vector", "v[i] = v[i] * 2.0;", counters.Counts{Read: 4 * 16, Written: 4 * 16, Operations: 4 * 4}},
		{"one branch", "if i < 3 { x[i] = 1; } else { v[i] = vec4f(); }", counters.Counts{Written: 3*4 + 16}},
		{"a loop", "for (var k = 0u; k < i; k++) { x[k] = 1; }", counters.Counts{Written: (0 + 1 + 2 + 3) * 4}},
		{"what a loop leaves behind", "loop { x[0] = i; if i < 10 { break; } x[1] = i; }", counters.Counts{Written: 4 * 4}},
		{"what follows a branch that leaves", "for (var k = 0u; k < 10; k++) { if k == i { break; } x[k] = k; }", counters.Counts{Written: (0 + 1 + 2 + 3) * 4}},
		{"a return", "if i == 2 { return; } x[i] = 1;", counters.Counts{Written: 3 * 4}},
		{"a switch", "switch i { case 0: { x[0] = 1; } case 1, 2: { x[1] = x[2]; } default: {} }", counters.Counts{Read: 2 * 4, Written: 3 * 4}},
		{"calls", "y[i] = half(half(y[i]));", counters.Counts{Read: 16, Written: 16, Operations: 4 * 2}},
		{"functions and products", "y[i] = sqrt(y[i]) + dot(v[i], v[i]) - fma(y[i], 2.0, 1.0);",
			counters.Counts{Read: 4 * (4 + 16 + 16 + 4), Written: 16, Operations: 4 * (1 + 1 + 7 + 1 + 2)}},
		{"integers", "x[i] = x[i] * 3 + i / 2;", counters.Counts{Read: 16, Written: 16}},
		{"atomics", "atomicAdd(&n[0], i); atomicStore(&n[1], atomicLoad(&n[2]));", counters.Counts{Read: 4 * 8, Written: 4 * 8}},
		{"other memory", "var a: array<u32, 4>; a[i] = i; w[i] = a[3 - i]; workgroupBarrier(); x[i] = w[i];", counters.Counts{Written: 16}},
		{"comparisons and conversions", "x[i] = u32(max(abs(f32(i)), 1.0)) + select(0u, 1u, f32(i) < 2.0);", counters.Counts{Written: 16}},
		{"a uniform, again and again", "for (var k = 0u; k < 3; k++) { y[i] = u.x; }", counters.Counts{Written: 4 * 3 * 4, Uniform: 4 * 3 * 4}},
		{"a texture", "y[i] = textureLoad(t, vec2u(i, 0), 0).x;", counters.Counts{Written: 16, Texels: 4, TexelsRead: 4 * 4}},
		{"a texel outside", "y[i] = textureLoad(t, vec2u(9, i), 0).x;", counters.Counts{Written: 16, Texels: 4, TexelsRead: 4 * 4}},
		{"a sample of four texels", "y[i] = textureSampleLevel(t, soft, vec2f(0.3, 0.6), 0).x;", counters.Counts{Written: 16, Texels: 4, TexelsRead: 4 * 4 * 4}},
		{"a sample of one", "y[i] = textureSampleLevel(t, near, vec2f(0.3, 0.6), 0).x;", counters.Counts{Written: 16, Texels: 4, TexelsRead: 4 * 4}},
		{"a gather", "y[i] = textureGather(0, t, near, vec2f(0.3, 0.6)).x;", counters.Counts{Written: 16, Texels: 4, TexelsRead: 4 * 4 * 4}},
		{"a store, and one outside", "textureStore(o, vec2u(i + 1, 0), vec4f());", counters.Counts{Texels: 4, TexelsWritten: 3 * 8}},
	} {
		code := `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> n: array<atomic<u32>>;
@group(0) @binding(4) var t: texture_2d<f32>;
@group(0) @binding(5) var soft: sampler;
@group(0) @binding(6) var near: sampler;
@group(0) @binding(7) var o: texture_storage_2d<rgba16float, write>;
@group(0) @binding(8) var<uniform> u: vec4f;
var<workgroup> w: array<u32, 4>;
fn half(x: f32) -> f32 { return x * 0.5; }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { ` + test.body + " }"
		set, list := new(source.Set), new(diag.List)
		file, err := set.Add("k.wgsl", code)
		if err != nil {
			t.Fatal(err)
		}
		m := wgsl.Load(set, file, wgsl.Options{}, list)
		if m == nil {
			t.Errorf("%s: %v", test.name, list.Items())
			continue
		}
		kernel := m.Kernels()[0]
		ir.Isolate(m, kernel)
		tally := counters.Instrument(m, kernel)
		if ir.Verify(m, list); list.Errors() > 0 {
			t.Errorf("%s: %v", test.name, list.Items())
			continue
		}
		program, err := interp.Compile(m, kernel)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		counted := make([]uint64, tally.Bytes()/8)
		launch := interp.Launch{Grid: [3]uint32{1, 1, 1}}
		var buffer []byte
		for _, b := range program.Bindings() {
			data := bytesOf(make([]uint64, 32))
			if b.Name == counters.Name {
				data = bytesOf(counted)
				buffer = data
			}
			launch.Buffers = append(launch.Buffers, data)
		}
		var traffic texture.Traffic
		for _, h := range program.Handles() {
			handle := handles()[h.Name]
			handle.Traffic = &traffic
			launch.Handles = append(launch.Handles, handle)
		}
		if _, err := program.Run(&launch); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := tally.Sum(buffer)
		if got.AddTexels(&traffic); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}
