// The transpose of an n×n matrix through a tile of 32×32 with a column to spare, so that
// its columns lie in different banks; an invocation moves four elements.
requires immediate_address_space;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> n: u32;

var<workgroup> tile: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8)
fn transpose_tiled(@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) g: vec3u) {
  for (var y = l.y; y < 32; y += 8) {
    tile[y][l.x] = a[(g.y * 32 + y) * n + g.x * 32 + l.x];
  }
  workgroupBarrier();
  for (var y = l.y; y < 32; y += 8) {
    b[(g.x * 32 + y) * n + g.y * 32 + l.x] = tile[l.x][y];
  }
}
