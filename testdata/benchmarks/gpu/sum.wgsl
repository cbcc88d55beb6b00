// One sum for each workgroup: strides of the grid, then a tree in workgroup memory.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn sum(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32,
       @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  var s = 0.0;
  for (var i = id.x; i < arrayLength(&a); i += groups.x * 256) {
    s += a[i];
  }
  part[t] = s;
  workgroupBarrier();
  for (var w = 128u; w > 0; w /= 2) {
    if t < w {
      part[t] += part[t + w];
    }
    workgroupBarrier();
  }
  if t == 0 {
    sums[group.x] = part[0];
  }
}
