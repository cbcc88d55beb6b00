package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// versioned is a kernel whose blocks have two versions. Indices differ by constants, exceed their
// bounds in some lanes and wrap, and some lanes are not active.
const versioned = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> words: array<u32, %[1]d>;
var<workgroup> own: array<u32, %[1]d>;
var<workgroup> pairs: array<vec2u, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let far = group.x * 3u;
  words[lane] = in[n];
  pairs[lane] = vec2u(n, in[n] >> 3u);
  workgroupBarrier();
  var sum = in[n + far] + in[n + far + 5u] * 3u + in[n + 9u + far] * 5u;
  sum += words[lane + far] + words[lane + far + 2u] * 7u;
  sum ^= pairs[lane + 1u].x + pairs[lane + 1u].y * 3u;
  if (sum & 3u) != group.y {
    sum = sum * 3u + in[n - 2u] + in[n + 4294967290u] + in[n * 1u - far];
    sum += words[lane - far] * 5u + words[lane + 4294967295u];
    for (var k = 0u; k < 40u; k += 8u) {
      sum = sum * 5u + in[n + k] + in[n + k + 1u] + in[n + k + far + 2u];
      if (sum & 31u) == 7u { break; }
    }
    own[lane] = sum;
    sum += own[lane] + in[n + 1u];
  }
  if n + 3u < arrayLength(&out) { sum += in[n + 3u] ^ in[n + 2u]; }
  out[n] = sum;
}
`

// TestVersions compares what it leaves with what package interp does.
func TestVersions(t *testing.T) {
	needCode(t)
	testSizes(t, versioned)
}

// TestOneCheck: elements at constant distances are tested at once. In the version for the usual
// case they are loaded without masks, one directly after the other.
func TestOneCheck(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> size: vec4u;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= size.x { return; }
  let at = id.x + size.y;
  out[id.x] = in[at] + in[at + 8u] + in[at + 16u] + in[at + 24u] + in[at + 32u] + in[at + 40u];
}
`
	p, _, err := compiled(t, parsed(t, text), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { forced = 0 }()
	forced = 1
	code, err := Compile(p, Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	most, loads := 0, 0
	for n := range code.List {
		switch i := &code.List[n]; {
		case i.Op == amd64.Jcc, i.Op == amd64.Jmp:
			loads = 0
		case i.Address.Index.Kind() == amd64.KindGeneral && i.Operands[0] != amd64.Mem && i.Operands[0].Kind() == amd64.KindVector:
			loads++
			most = max(most, loads)
		}
	}
	if most < 6 {
		t.Errorf("at most %d loads without a test between them", most)
	}
}
