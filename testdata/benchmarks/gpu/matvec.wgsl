// y = A·x of an n×n matrix, row-major, one row to a workgroup.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

var<immediate> n: u32;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn matvec(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  var s = 0.0;
  for (var i = t; i < n; i += 256) {
    s += a[group.x * n + i] * x[i];
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
    y[group.x] = part[0];
  }
}
