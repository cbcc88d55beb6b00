// Stores outside of a texture do nothing: to the left and above, to the right and
// below of level 1, and in layers that are not there.
@group(0) @binding(0) var middle: texture_storage_2d<r32uint, write>;
@group(0) @binding(1) var layers: texture_storage_2d_array<r32sint, write>;

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy) - 4;
  textureStore(middle, at, vec4u(1000 * id.y + id.x));
  textureStore(layers, id.xy, at.x, vec4i(at.xyxy + 100));
  textureStore(layers, id.xy, id.y + 0x7ffffffe, vec4i(-1));
  for (var bit = 16u; bit < 32; bit++) { // what a product in 32 bits would lose
    textureStore(layers, id.xy, id.y + (1u << bit), vec4i(-2));
    textureStore(layers, id.xy + vec2(0, 1u << bit), 0, vec4i(-3));
    textureStore(middle, at + vec2(1i << bit, 4), vec4u(4));
    textureStore(middle, at + vec2(4, 1i << bit), vec4u(5));
  }
}
