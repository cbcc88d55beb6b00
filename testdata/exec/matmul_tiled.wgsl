// C = A·B through 16×16 tiles in workgroup memory: barriers in a uniform loop,
// two-dimensional workgroup arrays, and edges filled with zeros because no
// dimension is a multiple of the tile.
const tile = 16u;

struct Shape {
  rows: u32,
  columns: u32,
  inner: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, tile>, tile>;
var<workgroup> tile_b: array<array<f32, tile>, tile>;

@compute @workgroup_size(tile, tile)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = group.y * tile + local.y;
  let column = group.x * tile + local.x;
  var sum = 0.0;
  for (var base = 0u; base < shape.inner; base += tile) {
    let k = base + local.x;
    tile_a[local.y][local.x] = 0.0;
    if row < shape.rows && k < shape.inner {
      tile_a[local.y][local.x] = a[row * shape.inner + k];
    }
    let l = base + local.y;
    tile_b[local.y][local.x] = 0.0;
    if l < shape.inner && column < shape.columns {
      tile_b[local.y][local.x] = b[l * shape.columns + column];
    }
    workgroupBarrier();
    for (var i = 0u; i < tile; i++) {
      sum += tile_a[local.y][i] * tile_b[i][local.x];
    }
    workgroupBarrier();
  }
  if row < shape.rows && column < shape.columns {
    c[row * shape.columns + column] = sum;
  }
}
