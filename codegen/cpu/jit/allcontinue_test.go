package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// strides is a kernel with loops that go through an array by the steps of a workgroup, which most
// often all lanes continue together. In some the index wraps around between two lanes, or counts on
// after the loop, or lanes begin with different words. Around a loop with barriers are values
// that need to be kept, some of which change.
const strides = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let most = arrayLength(&in) - group.x * 3u;
  var sum = 0u;
  var j = lane;
  for (; j + %[1]du < most; j += 2u * %[1]du) { sum = sum * 3u + in[j] + in[j + %[1]du]; }
  for (; j < most; j += %[1]du) { sum = sum * 5u + in[j]; }
  var last = 0u;
  for (var k = i32(lane) - 11i; k <= i32(most) - 7i; k += 13i) { sum += in[u32(k + 11i)]; last = u32(k); }
  for (var k = 4294967200u + lane * 2u; k > 2000000000u; k += 31u) { sum = sum * 7u + k; }
  for (var k = 2147483600i + i32(lane); k > 1000i; k += 9i) { sum = sum * 3u + u32(k); }
  for (var k = lane; !(k >= (in[n] & 127u)); k += 3u) { sum ^= in[k]; last += k; }
  for (var k = lane * 2u; k < 90u; k += 8u) {
    if (in[k] & 15u) == 3u { continue; }
    if (in[k] & 31u) == 9u { break; }
    if k + 1u < (in[0] & 63u) { sum += in[k + 1u]; }
    sum = sum * 3u + k;
  }
  shared_words[lane] = sum;
  let kept = in[n] * 3u;
  var changing = last;
  for (var round = 0u; round < 3u; round++) {
    let more = kept ^ round;
    for (var step = %[1]du / 2u; step > 0u; step /= 2u) {
      workgroupBarrier();
      if lane < step { shared_words[lane] += shared_words[lane + step] + kept; }
      if (lane & 1u) == round { changing = changing * 3u + more; }
    }
    workgroupBarrier();
    sum = sum * 5u + shared_words[0] + changing;
    for (var k = lane; k < most; k += %[1]du) { sum += in[k] & more; }
    workgroupBarrier();
    shared_words[lane] = sum;
  }
  out[n] = sum ^ kept ^ changing ^ last;
}
`

// TestStrides compares what it leaves with what package interp does.
func TestStrides(t *testing.T) {
	needCode(t)
	testSizes(t, strides)
}

// summed is a loop over an array.
const summed = `
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> count: u32;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
  var sum = 0.0;
  var j = lane;
  for (; j < count; j += 8u) { sum += in[j]; }
  out[lane] = sum;
  out[lane + 8u] = f32(j);
}
`

// TestAllContinue looks at the code of a loop: from its label to the first load of eight elements,
// nothing is computed in vectors. The mask is only moved to a general register.
func TestAllContinue(t *testing.T) {
	p, _, err := compiled(t, parsed(t, summed), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(p, Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[amd64.Operand]int{}
	for n, i := range code.List {
		if i.Op == amd64.Mark {
			labels[i.Operands[0]] = n
		}
	}
	compares, lessOrWraps := 0, 0
	for n := range code.List { // the comparison that lets all lanes continue, and where it leads
		i := &code.List[n]
		if i.Op != amd64.Jcc || i.Condition != amd64.Below || code.List[n-1].Op != amd64.Cmp {
			continue
		}
		if lessOrWraps++; lessOrWraps != 2 {
			continue
		}
		for at := labels[i.Operands[0]]; code.List[at].Op != amd64.VMovUPS; at++ {
			if o := code.List[at].Op; o == amd64.VPCmpGtD || o == amd64.VPAnd || o == amd64.VPTest {
				compares++
			}
		}
	}
	if lessOrWraps < 2 || compares > 0 {
		t.Errorf("%d comparisons of words, and %d of masks on the way that all lanes take", lessOrWraps, compares)
	}
}
