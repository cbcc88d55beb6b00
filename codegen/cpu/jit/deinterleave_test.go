package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// vectorsOf is a kernel that loads and stores vectors of two and four words. It does so for all
// lanes or some, in bounds or limited by them, in memory of the workgroup, and where lanes seem to
// be neighbours and some are not. NaNs go through memory of the workgroup, and their patterns are
// looked at.
const vectorsOf = `
@group(0) @binding(0) var<storage, read> in: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> pairs: array<vec2f, %[1]d>;
var<workgroup> fours: array<vec4u, %[1]d>;
var<workgroup> own: array<vec4u, %[1]d>;
var<workgroup> seen: array<f32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let a = in[n / 2u * 2u + lane %% 2u];
  let b = in[n + 7u];
  let x = vec2f(bitcast<f32>(a.x), bitcast<f32>(b.y & 0x7fffffffu));
  pairs[lane] = x - x;
  seen[lane] = (x.x - x.x) * 2.0;
  fours[lane] = vec4u(a, b);
  workgroupBarrier();
  let p = pairs[min(lane + 3u, %[1]du - 1u)];
  let q = fours[min(lane + 1u, %[1]du - 1u)];
  var sum = vec2u(bitcast<u32>(p.x + 1.0), bitcast<u32>(max(p.y, 2.0))) + q.xy * q.zw;
  sum.x ^= bitcast<u32>(seen[lane]);
  if (a.x & 3u) != 1u {
    sum += in[(n + 5u) %% %[1]du];
    own[lane] = sum.xyxy;
    sum += own[lane].zw;
  }
  let z = lane / 3u * 3u + (lane + 1u) %% 3u;
  if z < %[1]du { sum.y += fours[z].x; }
  if n * 2u + 1u < arrayLength(&out) * 2u { out[n] = sum; }
}
`

// TestVectors compares what it leaves with what package interp does.
func TestVectors(t *testing.T) {
	needCode(t)
	testSizes(t, vectorsOf)
}

// TestDeinterleaves: all words of neighbours are loaded as they lie, and gathered only where an
// index is limited.
func TestDeinterleaves(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage, read> in: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = in[id.x];
  out[id.x] = vec4f(x, x.yx * 2.0);
}
`
	p, _, err := compiled(t, parsed(t, text), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(p, Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	shuffles, gathers := 0, 0
	for n := range code.List {
		switch code.List[n].Op {
		case amd64.VShufPS:
			shuffles++
		case amd64.VPGatherDD:
			gathers++
		}
	}
	if shuffles != 2*code.Together || gathers != 2*code.Together {
		t.Errorf("%d shuffles and %d gathers in %d blocks of lanes", shuffles, gathers, code.Together)
	}
}
