// Sums within workgroups: each halves its numbers in workgroup memory until one is left.
const size = 64u;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> scratch: array<u32, size>;

@compute @workgroup_size(size)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  scratch[local] = data[id.x];
  for (var stride = size / 2u; stride > 0u; stride >>= 1u) {
    workgroupBarrier();
    if local < stride {
      scratch[local] += scratch[local + stride];
    }
  }
  if local == 0u {
    sums[group.x] = scratch[0];
  }
}
