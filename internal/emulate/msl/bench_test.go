package msl

import (
	"strings"
	"testing"
)

// head begins every program: lines are counted from 1.
const head = "#include <metal_stdlib>\nusing namespace metal;\nstruct Shared { uint at[64]; };\n"

// programs are kernels that are wrong, with what the bench must say of them, in the mode that finds it; and one that
// is right, so that saying it of all would not do. "compiler" stands for a program that is not compiled.
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
}

// TestBench runs programs that are wrong, each in a process of its own: 64 invocations, and as many numbers 2.
func TestBench(t *testing.T) {
	if missing := Missing(); missing != "" {
		t.Skip("there is no " + missing)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			data := []byte(strings.Repeat("\x02\x00\x00\x00", 64))
			j := &Job{Data: [][]byte{data}, Launches: []Launch{{Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{64, 1, 1}, SharedBytes: 256, Arguments: []int{0}}}}
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
