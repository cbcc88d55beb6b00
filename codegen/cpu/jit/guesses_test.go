package jit

import "testing"

// guesses is a kernel with so many accesses to elements that are not known to be consecutive that
// none is compiled in two ways. The elements are consecutive for most lanes, as after remainders,
// or every second one, or close together. Some lanes leave loops before others, and bounds clamp
// some indices.
const guesses = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> first: array<u32, %[1]d>;
var<workgroup> pairs: array<vec2<u32>, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  var hash = in[n];
  for (var span = 1u; span < 64u; span *= 3u) {
    let k = lane %% span;
    let factor = (in[0] & 1u) + 2u;
    first[lane] = hash;
    pairs[lane] = vec2(hash * 3u, hash ^ span);
    workgroupBarrier();
    var sum = 0u;
    for (var j = lane; j < %[1]du - (span & 15u) %% %[1]du; j += 11u) {
      first[((j - j %% span) * factor + j %% span + group.x) %% %[1]du] |= 1u;
      sum += pairs[(j + span) %% %[1]du].x;
      sum = sum * 5u + pairs[min(j + 3u, %[1]du - 1u)].y + pairs[(j * 2u) %% %[1]du].x;
      sum += in[(j + k) * 2u] + in[j * 2u + 1u] * 3u + in[j * 3u + 2u] + in[j %% span + 5u];
      sum = sum * 7u + in[(j - j %% span) + span] + in[j * 5u] + in[(lane - k) * factor + k];
      sum += in[n * 2u] * 11u + in[n * 2u + 1u] + in[n * 4u + 3u] * 13u;
      sum = sum * 3u + in[(j * 3u) >> 2u] + in[(n * factor + span) >> 2u] * 5u + in[((n + j) * 9u) >> 3u];
      sum = sum * 3u + in[(arrayLength(&in) * 4u - 70u + lane * 3u) >> 2u] + in[(in[j] %% (arrayLength(&in) * 4u)) >> 2u];
    }
    workgroupBarrier();
    hash = hash * 31u + sum + first[(lane + 1u) %% %[1]du];
    workgroupBarrier();
    pairs[(lane + span) %% %[1]du].x = hash;
    if (hash & 3u) != 0u { first[(lane + k) %% %[1]du] = sum; }
    workgroupBarrier();
    hash += pairs[lane].x * 3u + pairs[(lane + 2u) %% %[1]du].y;
    workgroupBarrier();
  }
  out[n] = hash;
}
`

// TestGuesses compares the memory that the kernel leaves with that of package interp.
func TestGuesses(t *testing.T) {
	needCode(t)
	testSizes(t, guesses)
}
