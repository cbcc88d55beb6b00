// C = A·Bᵀ in tiles of f16 with sums in f32, the views in a buffer, and elements in structures of
// one member.
enable f16;
enable gpuc_tile;

struct Number {
  value: f16,
}

@group(0) @binding(0) var<storage, read> views: array<tile_view, 3>;
@group(0) @binding(1) var<storage, read> a: array<f16>;
@group(0) @binding(2) var<storage, read> b: array<Number>;
@group(0) @binding(3) var<storage, read_write> c: array<f16>;

@compute @workgroup_size(8, 4)
fn main(@builtin(workgroup_id) group: vec3u) {
  let row = 16 * i32(group.y);
  let column = 16 * i32(group.x);
  var sum = tileSplat<tile<f32, 16, 16>>(0.5);
  for (var k = 0; k < i32(views[0].columns); k += 32) {
    let x = tileLoad<tile<f16, 16, 32>>(&a, views[0], row, k);
    let y = tileLoad<tile<f16, 16, 32>>(&b, views[1], column, k);
    sum = tileMulAdd(x, tileTranspose(y), sum);
  }
  tileStore(&c, views[2], row, column, tileConvert<f16>(sum));
}
