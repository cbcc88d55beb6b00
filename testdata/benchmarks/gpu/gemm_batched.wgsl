// C = A·B of many 16×16 matrices, one to a workgroup.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn gemm_batched(@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) g: vec3u) {
  let i = g.x * 256 + l.y * 16 + l.x;
  tile_a[l.y][l.x] = a[i];
  tile_b[l.y][l.x] = b[i];
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < 16; k++) {
    sum += tile_a[l.y][k] * tile_b[k][l.x];
  }
  c[i] = sum;
}
