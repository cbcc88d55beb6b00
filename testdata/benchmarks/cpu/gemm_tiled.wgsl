@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> rows: array<array<f32, 16>, 16>;
var<workgroup> columns: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = groups.x * 16u;
  var sum = 0.0;
  for (var tile = 0u; tile < n; tile += 16u) {
    rows[local.y][local.x] = a[id.y * n + tile + local.x];
    columns[local.y][local.x] = b[(tile + local.y) * n + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      sum += rows[local.y][k] * columns[k][local.x];
    }
    workgroupBarrier();
  }
  c[id.y * n + id.x] = sum;
}
