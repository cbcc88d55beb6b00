// C = A·B + C in tiles of f32: partial tiles on every side, A with padded rows, B by columns, and C
// behind an offset.
enable gpuc_tile;

alias Sum = tile<f32, 32, 24>;

struct Shape {
  rows: u32,
  columns: u32,
  inner: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

fn product(row: u32, column: u32, before: Sum) -> Sum {
  let in_a = tile_view(0, shape.rows, shape.inner, shape.inner + 3, 1);
  let in_b = tile_view(0, shape.inner, shape.columns, 1, shape.inner);
  var sum = before;
  for (var k = 0u; k < shape.inner; k += 16) {
    let x = tileLoad<tile<f32, 32, 16>>(&a, in_a, row, k);
    let y = tileLoad<tile<f32, 16, 24>>(&b, in_b, k, column);
    sum = tileMulAdd(x, y, sum);
  }
  return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u) {
  let row = 32 * group.y;
  let column = 24 * group.x;
  let in_c = tile_view(5, shape.rows, shape.columns, shape.columns, 1);
  tileStore(&c, in_c, row, column, product(row, column, tileLoad<Sum>(&c, in_c, row, column)));
}
