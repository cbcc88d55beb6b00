// WGSL written by gpuc: kernel main

@group(0) @binding(0) var middle: texture_storage_2d<r32uint, write>;
@group(0) @binding(1) var layers: texture_storage_2d_array<r32sint, write>;

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let xy = id.xy;
  let at = vec2i(xy) + -4;
  textureStore(middle, at, vec4u(id.y * 1000u + id.x));
  textureStore(layers, xy, at.x, at.xyxy + 100);
  textureStore(layers, xy, id.y + 2147483646u, vec4i(-1));
  for (var bit = 16u; bit < 32u; bit++) {
    let t = 1u << bit;
    textureStore(layers, xy, id.y + t, vec4i(-2));
    textureStore(layers, xy + vec2u(0u, t), 0, vec4i(-3));
    let t_1 = 1 << bit;
    textureStore(middle, at + vec2i(t_1, 4), vec4u(4u));
    textureStore(middle, at + vec2i(4, t_1), vec4u(5u));
  }
}
