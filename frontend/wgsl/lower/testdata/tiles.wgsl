// Tiles: memory of each kind, views, and functions of elements.
enable gpuc_tile;

struct Layer {
  scale: f32,
  values: array<f32>,
}

@group(0) @binding(0) var<storage> layer: Layer;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> place: tile_view;
var<workgroup> kept: array<i32, 8>;

fn step(row: u32, column: u32, x: f32, y: f32, scale: f32) -> i32 {
  return i32(x * y * scale);
}

fn normalized(t: tile<f32, 4, 2>) -> tile<f32, 4, 2> {
  return tileMulAdd(t, tileTranspose(tile<f32, 2, 2>()), t);
}

@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) group: vec3u) {
  var sum: tile<f32, 4, 2>;
  for (var i = 0; i < 3; i++) {
    let x = tileLoad<tile<f32, 4, 2>>(&layer.values, place, group.x, i);
    sum = normalized(x);
  }
  let whole = tileMap(step, sum, tileBroadcast<tile<f32, 4, 2>>(tileRowMax(sum)), layer.scale);
  tileStore(&kept, tile_view(0, 4, 2, 2, 1), 0, -1, whole);
  let again = tileLoad<tile<i32, 2, 4>>(&kept, tile_view(0, 2, 4, 4, 1), 0, 0);
  tileStore(&result, place, 0u, 4u, tileConvert<f32>(again));
  tileStore(&result, place, 0, 0, tileLoad<tile<f32, 1, 4>>(&result, place, 1, 0));
}
