package msl

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// head begins every program: lines are counted from 1.
const head = "#include <metal_stdlib>\nusing namespace metal;\nstruct Shared { uint at[64]; };\n"

// programs are kernels with an error and some correct ones, with the mode that finds the error and
// the expected message. "compiler" is an error of the compiler.
var programs = []struct {
	name string
	mode Mode
	code string
	want string
}{
	{"right", Checked, `kernel void k(device uint* out [[buffer(0)]], threadgroup Shared& s [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
  s.at[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = s.at[63u - i] + simd_sum(1u);
}
`, ""},
	{"right", Spaces, `kernel void k(device uint* out [[buffer(0)]], threadgroup Shared& s [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
  s.at[i] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = s.at[63u - i] + simd_sum(1u);
}
`, ""},
	{"divergent barrier", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  if (i < 3u) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = i;
}
`, "a barrier is not uniform: 3 of 64 invocations wait at line 6"},
	{"two barriers", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  if (i < 3u) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  } else {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
`, "a barrier is not uniform: invocations wait at lines 6 and 8"},
	{"pointer to another space", Spaces, `void set(device uint* p) { *p = 1u; }
kernel void k(device uint* out [[buffer(0)]], threadgroup Shared& s [[threadgroup(0)]]) {
  set(&s.at[0]);
}
`, "compiler"},
	{"reference to another space", Spaces, `uint get(constant Shared& p) { return p.at[0]; }
kernel void k(device Shared& out [[buffer(0)]]) {
  out.at[1] = get(out);
}
`, "compiler"},
	{"store to constants", Spaces, `kernel void k(constant Shared& in [[buffer(0)]]) {
  in.at[1] = 1u;
}
`, "compiler"},
	{"signed overflow", Checked, `kernel void k(device int* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = out[i] + 2147483647;
}
`, "undefined behaviour at line 5: a sum of signed integers overflows"},
	{"signed overflow of a vector's component", Checked, `kernel void k(device int* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  int2 v = int2(out[i], 1);
  out[i] = v.x * 2147483647;
}
`, "undefined behaviour at line 6: a product of signed integers overflows"},
	{"wide shift", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = out[i] << out[i] * 16u;
}
`, "undefined behaviour at line 5: a shift by more than the width, or of a negative number"},
	{"division by zero", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = out[i] / (out[i] - 2u);
}
`, "undefined behaviour at line 5: a division by zero, or of the lowest integer by -1"},
	{"float that is too large", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = uint(float(out[i]) * -3.0f);
}
`, "undefined behaviour at line 5: a float that the integer cannot hold"},
	{"index outside of an array", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  Shared s = {};
  out[i] = s.at[out[i] + 62u];
}
`, "undefined behaviour at line 6: an index outside of its array"},
	{"load behind a buffer", Spaces, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = out[i + 1u];
}
`, "an access outside of a buffer"},
	{"store before a buffer", Spaces, `kernel void k(device uint* out [[buffer(0)]]) {
  out[-1] = 1u;
}
`, "a store outside of a buffer"},
	{"bits beyond the width", Checked, `kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = extract_bits(out[i], 30u, out[i] + 1u);
}
`, "extract_bits or insert_bits beyond the integer's width"},
	{"matrices that are right", Checked, matrices + `  simdgroup_load(m, in, 8u);
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
  simdgroup_multiply_accumulate(sum, m, unit, sum);
  sum.thread_elements()[0] -= 2.0f;
  sum.thread_elements()[1] -= 2.0f;
  simdgroup_store(sum, at, 8u, ulong2(0), true);
` + endOfMatrices, ""},
	{"matrices that are right", Spaces, matrices + `  simdgroup_load(m, in, 8u, ulong2(0), true);
  simdgroup_store(m, at, 8u);
` + endOfMatrices, ""},
	{"matrix that is not set", Checked, matrices + `  simdgroup_store(m, at, 8u);
  if (at[0] != at[0]) {
    at[64u] = 0.0f;
  }
` + endOfMatrices, "an access outside of a buffer"},
	{"matrix that some threads load", Checked, matrices + `  if (i < 16u) {
    simdgroup_load(m, in, 8u);
  }
` + endOfMatrices, "a function on matrices that not all threads of a SIMD-group reach"},
	{"different rows in threads", Checked, matrices + `  simdgroup_load(m, in, i);
` + endOfMatrices, "a function on matrices whose operands differ between threads"},
	{"different elements in threads", Checked, matrices + `  m = make_filled_simdgroup_matrix<float, 8, 8>(i == 40u ? 1.0f : 0.0f);
` + endOfMatrices, "a function on matrices whose operands differ between threads"},
	{"third element of a thread", Checked, matrices + `  unit.thread_elements()[i == 63u ? 2 : 0] = 1.0f;
` + endOfMatrices, "a thread holds two elements of a matrix"},
	{"matrix behind a buffer", Spaces, matrices + `  simdgroup_load(m, at, 16u);
` + endOfMatrices, "an access outside of a buffer"},
	{"matrix of another type", Checked, matrices + `  simdgroup_half8x8 h;
  simdgroup_load(h, in, 8u);
` + endOfMatrices, "compiler"},
	{"matrix in constants", Spaces, matrices + `  simdgroup_load(m, none, 8u);
` + endOfMatrices, "compiler"},
	{"constant matrix as operand", Checked, matrices + `  const simdgroup_float8x8 c = unit;
  simdgroup_multiply_accumulate(m, c, unit, m);
` + endOfMatrices, "compiler"},
	{"textures that are right", Checked, `kernel void k(device uint* out [[buffer(0)]], texture2d<uint, access::read_write> m [[texture(0)]], texture2d<float> f [[texture(1)]], sampler s [[sampler(0)]], uint i [[thread_index_in_threadgroup]]) {
  m.write(uint4(62u - i), uint2(i % 8u, i / 8u));
  m.fence();
  out[i] = m.read(uint2(i % 8u, i / 8u)).x + uint(f.sample(s, float2(-0.5f), level(0.0f)).x * 255.0f - 1.0f) + 32u;
}
`, ""},
	{"texel outside", Checked, `kernel void k(texture2d<float> f [[texture(1)]], device float* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = f.read(uint2(i, 0)).x;
}
`, "a texel outside of a texture"},
	{"store outside", Checked, `kernel void k(texture2d<uint, access::write> m [[texture(0)]], uint i [[thread_index_in_threadgroup]]) {
  m.write(uint4(i), uint2(0, i));
}
`, "a texel outside of a texture"},
	{"level outside", Checked, `kernel void k(texture2d<float> f [[texture(1)]], device uint* out [[buffer(0)]]) {
  out[0] = f.get_width(1u);
}
`, "a query of a level that a texture does not have"},
	{"layer outside", Checked, `kernel void k(texture2d_array<float> f [[texture(1)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]]) {
  out[0] = f.sample(s, float2(0.5f), 1u, level(0.0f)).x;
}
`, "a layer outside of a texture"},
	{"no fence", Checked, `kernel void k(texture2d<uint, access::read_write> m [[texture(0)]], device uint* out [[buffer(0)]]) {
  m.write(uint4(1u), uint2(0));
  out[0] = m.read(uint2(0)).x;
}
`, "a read behind a write without a fence"},
	{"texture of another channel", Checked, `kernel void k(texture2d<int> f [[texture(1)]], device uint* out [[buffer(0)]]) {
  out[0] = f.get_width();
}
`, "a texture of another type than the parameter's"},
	{"texture of another dimension", Checked, `kernel void k(texture3d<float> f [[texture(1)]], device uint* out [[buffer(0)]]) {
  out[0] = f.get_width();
}
`, "a texture of another type than the parameter's"},
	{"sampler that does not compare", Checked, `kernel void k(depth2d<float> d [[texture(2)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]]) {
  out[0] = d.sample_compare(s, float2(0.5f), 0.5f, level(0.0f));
}
`, "a sampler that compares where none is, or the other way round"},
	{"write to a sampled texture", Checked, `kernel void k(texture2d<float> f [[texture(1)]]) {
  f.write(float4(1.0f), uint2(0));
}
`, "compiler"},
	{"read of a written texture", Checked, `kernel void k(texture2d<uint, access::write> m [[texture(0)]], device uint* out [[buffer(0)]]) {
  out[0] = m.read(uint2(0)).x;
}
`, "compiler"},
	{"sample of a texture that is read", Checked, `kernel void k(texture2d<float, access::read> f [[texture(1)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]]) {
  out[0] = f.sample(s, float2(0.5f), level(0.0f)).x;
}
`, "compiler"},
}

// matrices is a kernel up to where it uses the matrices m, which is not set, and unit, that of one.
// The transposed one at in is what the kernel has to leave.
const matrices = `constant float none[64] = {};
kernel void k(device uint* out [[buffer(0)]], threadgroup Shared& s [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float* in = (threadgroup float*)&s.at[0];
  device float* at = (device float*)out;
  in[i] = float(63u - (i % 8u * 8u + i / 8u) + 32u);
  at[i] = i / 8u == i % 8u ? 1.0f : 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  simdgroup_float8x8 m;
  simdgroup_float8x8 unit;
  simdgroup_load(unit, at, 8u);
  threadgroup_barrier(mem_flags::mem_device);
`

// endOfMatrices is the rest.
const endOfMatrices = `  threadgroup_barrier(mem_flags::mem_device);
  out[i] = uint(at[i]);
}
`

// TestBench runs each program with 64 invocations in a separate process. The buffer has 64 times
// the value 2. One texture has 8x8 integers, the others 2x2 texels of 2/255 and 2x2 depths.
func TestBench(t *testing.T) {
	if missing := Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			testmode.Share(t, p.name, 3)
			t.Parallel()
			data := []byte(strings.Repeat("\x02\x00\x00\x00", 64))
			j := &Job{Data: [][]byte{data, make([]byte, 256), []byte(strings.Repeat("\x02\x00\x00\x00", 4))}, Launches: []Launch{{Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{64, 1, 1}, SharedBytes: 256, Arguments: []int{0}}}}
			Bind(&j.Launches[0],
				[]Texture{
					{Format: "r32uint", Dimension: 2, Width: 8, Height: 8, Depth: 1, Layers: 1, Samples: 1, Levels: []int{1}},
					{Format: "rgba8unorm", Dimension: 2, Width: 2, Height: 2, Depth: 1, Layers: 1, Samples: 1, Levels: []int{2}},
					{Format: "depth32float", Dimension: 2, Width: 2, Height: 2, Depth: 1, Layers: 1, Samples: 1, Levels: []int{2}},
				},
				[]Sampler{{Address: [3]string{"clamp-to-edge", "clamp-to-edge", "clamp-to-edge"}, Magnify: "nearest", Minify: "nearest", Mipmap: "nearest"}})
			err := Run(p.mode, []Program{{[]byte(head + p.code), "k"}}, []*Job{j})
			switch {
			case p.want == "compiler" && err == nil:
				t.Error("it is compiled")
			case p.want == "compiler":
				if !strings.Contains(err.Error(), "error:") {
					t.Error(err)
				}
			case err != nil:
				t.Error(err)
			case p.want == "" && j.Err != nil || p.want != "" && (j.Err == nil || j.Err.Error() != p.want):
				t.Errorf("got  %v\nwant %s", j.Err, p.want)
			case p.want == "":
				for n, x := range data {
					if want := byte(63 - n/4 + 32); n%4 == 0 && x != want {
						t.Errorf("invocation %d left %d, want %d", n/4, x, want)
					}
				}
			}
		})
	}
}
