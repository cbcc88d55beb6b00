// Softmax of the rows of a matrix, some of them at a time: reductions of the rows of a tile, their
// results repeated over its columns, and a mask for the columns beyond the matrix.
enable gpuc_tile;

const width = 75u;
const height = 10u;

alias Rows = tile<f32, 4, 80>;

@group(0) @binding(0) var<storage, read_write> rows: array<f32>;

fn masked(row: u32, column: u32, x: f32) -> f32 {
  return select(-1e30, x, column < width);
}

fn power(row: u32, column: u32, x: f32, most: f32) -> f32 {
  return exp(x - most);
}

fn ratio(row: u32, column: u32, x: f32, sum: f32) -> f32 {
  return x / sum;
}

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3u) {
  let view = tile_view(0, height, width, width, 1);
  let x = tileMap(masked, tileLoad<Rows>(&rows, view, 4 * group.x, 0));
  let e = tileMap(power, x, tileBroadcast<Rows>(tileRowMax(x)));
  let shares = tileMap(ratio, e, tileBroadcast<Rows>(tileRowSum(e)));
  tileStore(&rows, view, 4 * group.x, 0, shares);
}
