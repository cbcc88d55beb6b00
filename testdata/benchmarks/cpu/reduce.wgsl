@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = group.x + group.y * groups.x;
  part[lane] = x[at * 256u + lane];
  workgroupBarrier();
  for (var step = 128u; step > 0u; step >>= 1u) {
    if lane < step {
      part[lane] += part[lane + step];
    }
    workgroupBarrier();
  }
  if lane == 0u {
    sums[at] = part[0];
  }
}
