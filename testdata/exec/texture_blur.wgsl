// A 3×3 binomial blur. Texels are loaded without a sampler, with coordinates
// clamped to the edge, and the result goes to a storage texture.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var blurred: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(source);
  if any(id.xy >= size) {
    return;
  }
  let last = vec2i(size) - 1;
  var sum = vec4f();
  for (var dy = -1; dy <= 1; dy++) {
    for (var dx = -1; dx <= 1; dx++) {
      let at = clamp(vec2i(id.xy) + vec2i(dx, dy), vec2i(), last);
      let weight = f32((2 - abs(dx)) * (2 - abs(dy)));
      sum += weight * textureLoad(source, at, 0);
    }
  }
  textureStore(blurred, id.xy, sum / 16);
}
