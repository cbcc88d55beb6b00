// Beside the read-only buffer the loads of counts see no stores: each counts one.
// @buffer steps u32 1 2 3 4 5 6 7 8
// @buffer counts u32 1 2 3 4 5 6 7 8
@group(0) @binding(0) var<storage, read> steps: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (counts[i] & 1u) == 1u {
    counts[i] += steps[1];
  }
  for (var k = 0; k < 5; k++) {
    counts[i]++;
  }
}
