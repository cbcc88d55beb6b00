package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// hoists is a kernel with much that a workgroup has in common: before and behind a barrier, in a
// loop, and in a branch. The branch is not always taken, and divides by what is zero elsewhere.
const hoists = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<uniform> zeros: vec4u;
var<workgroup> words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = (group.x + groups.x * group.y) * %[1]du;
  let factor = f32(group.x * 3u + groups.y) * 1.25 + f32(zeros.y);
  let wide = in[group.x] * 7u + in[group.y + 1u];
  words[lane] = in[row + lane] + wide;
  workgroupBarrier();
  var sum = words[(lane + 1u) %% %[1]du] + u32(factor);
  if zeros.x != 0u { sum += in[(row / zeros.x) %% 5u] + row %% zeros.x; }
  for (var k = 0u; k < 3u + group.x; k++) {
    sum = sum * 3u + u32(f32(k) * factor) + (row ^ 5u) * wide;
    if (sum & 3u) == 1u { workgroupBarrierIsNot(&sum, wide * 11u + row); }
  }
  out[row + lane] = sum ^ (wide >> 3u) ^ (row * 9u);
}
fn workgroupBarrierIsNot(sum: ptr<function, u32>, more: u32) { *sum = *sum * 5u + more; }
`

// TestHoists compares what it leaves with what package interp does, where code is resumed in front
// of each block of lanes.
func TestHoists(t *testing.T) {
	needCode(t)
	testSizes(t, hoists)
}

// uniform is a kernel whose rows need products that all invocations have in common.
const uniform = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<uniform> size: vec4u;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  x[(group.x * size.x + size.y) * size.z + lane] = f32(group.x * size.w);
}
`

// TestHoisted: no product is behind the jump to the phase, and so in the loop over blocks of lanes.
func TestHoisted(t *testing.T) {
	p, _, err := compiled(t, parsed(t, uniform), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { forced = 0 }()
	forced = 1
	code, err := Compile(p, Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	before, inside, again := 0, 0, false
	for n := range code.List {
		i := &code.List[n]
		switch {
		case i.Op == amd64.Jcc && i.Condition == amd64.Below && code.List[n-1].Op == amd64.Sub:
			again = true // the fuel of a block of lanes
		case (i.Op == amd64.IMul || i.Op == amd64.IMulImm) && again:
			inside++
		case i.Op == amd64.IMul || i.Op == amd64.IMulImm:
			before++
		}
	}
	if !again || before < 3 || inside > 0 {
		t.Errorf("%d products in front of the blocks of lanes, and %d for each", before, inside)
	}
}

// nested is a kernel with a branch that few lanes take, and many branches in it.
const nested = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  var x = in[n];
  for (var round = 0u; round < 4u; round++) {
    if (x & 7u) == round {
      if (x & 16u) != 0u { x += 3u; } else if (x & 32u) != 0u { x ^= 77u; }
      for (var k = 0u; k < (x & 3u); k++) {
        if (x & 64u) != 0u { x = x * 3u; continue; }
        if (x & 128u) != 0u { break; }
        x += k;
      }
      if (x & 256u) != 0u {
        if (x & 512u) != 0u { out[n] = x; return; }
        x = x / 3u;
      }
      switch x & 3u { case 0u: { x++; } case 1u: { x += 5u; } default: { x = ~x; } }
    }
    if (x & 1u) == 1u { x = x >> 1u; if x < 9u { break; } }
  }
  out[n] = x;
}
`

// TestNested compares what it leaves with what package interp does.
func TestNested(t *testing.T) {
	needCode(t)
	testSizes(t, nested)
}

// TestRegions: where no lanes come to a region it is skipped at once, by a jump past all of its
// blocks.
func TestRegions(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var v = x[id.x];
  if v > 1000u {
    if (v & 1u) == 0u { v += x[v & 31u]; }
    if (v & 2u) == 0u { v ^= x[v & 63u]; }
    if (v & 4u) == 0u { v *= x[v & 15u]; }
  }
  x[id.x] = v;
}
`
	p, _, err := compiled(t, parsed(t, text), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &selector{}
	s.begin(p)
	s.machine = AMD64
	if _, err := s.compile(&Options{}); err != nil {
		t.Fatal(err)
	}
	most := 0
	for n, last := range s.flow.regions {
		if s.flow.tested[n] {
			most = max(most, int(last)-n)
		}
	}
	if most < 5 {
		t.Errorf("at most %d blocks are skipped at once", most)
	}
}
