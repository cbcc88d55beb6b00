// Integer textures: colours by index in a palette of one dimension, sums of signed
// corrections, and products of two halves of 64 bits. Channels that a format lacks
// are 0, and alpha is 1.
@group(0) @binding(0) var indices: texture_2d<u32>; // rgba8uint
@group(0) @binding(1) var corrections: texture_1d<i32>; // r32sint
@group(0) @binding(2) var wide: texture_2d<u32>; // rg32uint
@group(0) @binding(3) var<storage, read_write> corrected: array<vec4i>;
@group(0) @binding(4) var<storage, read_write> sums: array<vec4u>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(indices);
  if any(id.xy >= size) {
    return;
  }
  let i = id.y * size.x + id.x;
  let index = textureLoad(indices, id.xy, 0);
  var all = vec4i();
  for (var channel = 0; channel < 4; channel++) {
    all += textureLoad(corrections, index[channel], 0);
  }
  corrected[i] = all;
  // A 64-bit sum of the pair and its left neighbour's, or itself again.
  let a = textureLoad(wide, id.xy, 0);
  let b = textureLoad(wide, vec2u(max(id.x, 1) - 1, id.y), 0);
  let low = a.x + b.x;
  sums[i] = vec4u(low, a.y + b.y + select(0u, 1u, low < a.x), a.zw);
}
