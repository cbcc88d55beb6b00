// Sobel edges from a sampled texture to a storage texture. A function takes the
// texture; what is brighter than white is clamped by the store.
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var edges: texture_storage_2d<rgba8unorm, write>;

fn luma(image: texture_2d<f32>, at: vec2i) -> f32 {
  let inside = clamp(at, vec2i(), vec2i(textureDimensions(image)) - 1);
  return dot(textureLoad(image, inside, 0).rgb, vec3f(0.2126, 0.7152, 0.0722));
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  let left = luma(picture, at + vec2i(-1, -1)) + 2 * luma(picture, at + vec2i(-1, 0)) + luma(picture, at + vec2i(-1, 1));
  let right = luma(picture, at + vec2i(1, -1)) + 2 * luma(picture, at + vec2i(1, 0)) + luma(picture, at + vec2i(1, 1));
  let above = luma(picture, at + vec2i(-1, -1)) + 2 * luma(picture, at + vec2i(0, -1)) + luma(picture, at + vec2i(1, -1));
  let below = luma(picture, at + vec2i(-1, 1)) + 2 * luma(picture, at + vec2i(0, 1)) + luma(picture, at + vec2i(1, 1));
  let edge = length(vec2f(right - left, below - above));
  if all(id.xy < textureDimensions(edges)) {
    textureStore(edges, at, vec4f(vec3f(edge), 1));
  }
}
