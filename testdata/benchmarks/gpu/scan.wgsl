// Inclusive sums within each workgroup, and the sum of each, by doubling steps.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn scan(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32,
        @builtin(workgroup_id) group: vec3u) {
  var s = a[id.x];
  part[t] = s;
  workgroupBarrier();
  for (var w = 1u; w < 256; w *= 2) {
    if t >= w {
      s += part[t - w];
    }
    workgroupBarrier();
    part[t] = s;
    workgroupBarrier();
  }
  b[id.x] = s;
  if t == 255 {
    sums[group.x] = s;
  }
}
