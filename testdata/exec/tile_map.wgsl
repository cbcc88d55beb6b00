// Functions of the elements of tiles: of one and of two tiles, with the position, with further
// arguments, with results of another type, and with a helper.
enable gpuc_tile;

const width = 21u;
const height = 19u;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32, width>;
@group(0) @binding(3) var<storage, read_write> scaled: array<f32>;
@group(0) @binding(4) var<storage, read_write> steps: array<i32>;

fn positive(x: f32) -> f32 {
  return max(x, 0);
}

fn biased(row: u32, column: u32, x: f32, y: f32, first: vec2u, scale: f32) -> f32 {
  return positive(x * scale + y) + bias[min(first.x + column, width - 1)] + f32(first.y + row);
}

fn rounded(row: u32, column: u32, x: f32) -> i32 {
  return i32(floor(x)) * select(1, -1, (row + column) % 2 == 1);
}

@compute @workgroup_size(20)
fn main(@builtin(workgroup_id) group: vec3u) {
  let first = 8 * group.xy;
  let view = tile_view(0, height, width, width, 1);
  let p = tileLoad<tile<f32, 8, 8>>(&x, view, first.y, first.x);
  let q = tileLoad<tile<f32, 8, 8>>(&y, view, first.y, first.x);
  let both = tileMap(biased, p, q, first, 0.5);
  tileStore(&scaled, view, first.y, first.x, both);
  tileStore(&steps, view, first.y, first.x, tileMap(rounded, both));
}
