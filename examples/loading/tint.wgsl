// Multiplies a picture by colours, in f16: two optional features of Vulkan.
//
//   $ gpuc build tint.wgsl

enable f16;

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read> tints: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f16>>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(picture);
  if all(id.xy < size) {
    result[id.y * size.x + id.x] = vec4<f16>(textureLoad(picture, id.xy, 0)) * tints[id.y];
  }
}
