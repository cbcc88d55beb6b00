// Prefix sums in place in a storage texture: a workgroup owns a row, and barriers
// keep its reads and writes apart.
@group(0) @binding(0) var rows: texture_storage_2d<r32uint, read_write>;

const width = 64u;

@compute @workgroup_size(width)
fn main(@builtin(local_invocation_index) x: u32, @builtin(workgroup_id) group: vec3u) {
  let y = group.x;
  for (var reach = 1u; reach < width; reach *= 2) {
    var sum = textureLoad(rows, vec2u(x, y)).r;
    if x >= reach {
      sum += textureLoad(rows, vec2u(x - reach, y)).r;
    }
    textureBarrier();
    textureStore(rows, vec2u(x, y), vec4u(sum));
    textureBarrier();
  }
}
