// C = A·B of n×n matrices, row-major, by 16×16 tiles in workgroup memory: the
// textbook form. n is a multiple of 16.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<immediate> n: u32;

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn sgemm16(@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) g: vec3u) {
  let row = g.y * 16 + l.y;
  let column = g.x * 16 + l.x;
  var sum = 0.0;
  for (var t = 0u; t < n / 16; t++) {
    tile_a[l.y][l.x] = a[row * n + t * 16 + l.x];
    tile_b[l.y][l.x] = b[(t * 16 + l.y) * n + column];
    workgroupBarrier();
    for (var k = 0u; k < 16; k++) {
      sum += tile_a[l.y][k] * tile_b[k][l.x];
    }
    workgroupBarrier();
  }
  c[row * n + column] = sum;
}
