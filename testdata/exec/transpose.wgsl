// The transpose of a rectangular matrix through a padded workgroup tile: a
// workgroup of 8×8 moves a tile of 8×16, so that each invocation handles two
// rows before and after the barrier.
const across = 16u;
const down = 8u;
const width = 37u;
const height = 29u;

@group(0) @binding(0) var<storage, read> original: array<u32>;
@group(0) @binding(1) var<storage, read_write> transposed: array<u32>;

var<workgroup> tile: array<array<u32, down + 1>, across>;

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let origin = vec2u(group.x * across, group.y * down);
  for (var step = 0u; step < across; step += 8u) {
    let at = origin + vec2u(local.x + step, local.y);
    if at.x < width && at.y < height {
      tile[local.x + step][local.y] = original[at.y * width + at.x];
    }
  }
  workgroupBarrier();
  for (var step = 0u; step < across; step += 8u) {
    let at = vec2u(origin.y + local.x, origin.x + local.y + step);
    if at.x < height && at.y < width {
      transposed[at.y * height + at.x] = tile[local.y + step][local.x];
    }
  }
}
