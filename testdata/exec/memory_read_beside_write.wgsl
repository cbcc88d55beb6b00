// A buffer that is read and one of the same type that is read, written and read
// again: each load sees the stores before it, whatever the other buffer allows.
@group(0) @binding(0) var<storage, read> steps: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (counts[i] & 1u) == 1u {
    counts[i] += steps[1];
  }
  for (var k = 0; k < 5; k++) {
    counts[i]++;
  }
  sums[i] = counts[i] * 3u;
  switch counts[i] & 3u {
    case 2u: {
      counts[i] = steps[i] * 9u;
    }
    default: {}
  }
  sums[i] += counts[i];
}
