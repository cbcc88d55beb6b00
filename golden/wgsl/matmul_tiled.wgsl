// WGSL written by gpuc: kernel main

struct Shape {
  rows: u32,
  columns: u32,
  inner: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = (group.y << 4u) + local.y;
  let column = (group.x << 4u) + local.x;
  let t = row < shape.rows;
  let t_1 = row * shape.inner;
  let t_2 = column < shape.columns;
  var sum = 0.0;
  for (var base = 0u; base < shape.inner; base += 16u) {
    let k = local.x + base;
    tile_a[local.y][local.x] = 0.0;
    if t & (k < shape.inner) {
      tile_a[local.y][local.x] = a[k + t_1];
    }
    let l = local.y + base;
    tile_b[local.y][local.x] = 0.0;
    if (l < shape.inner) & t_2 {
      tile_b[local.y][local.x] = b[column + l * shape.columns];
    }
    workgroupBarrier();
    for (var i = 0u; i < 16u; i++) {
      sum += tile_a[local.y][i] * tile_b[i][local.x];
    }
    workgroupBarrier();
  }
  if t & t_2 {
    c[column + row * shape.columns] = sum;
  }
}
