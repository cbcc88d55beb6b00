// WGSL written by gpuc: kernel main

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var blurred: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(source);
  let xy = id.xy;
  if any(xy >= size) {
    return;
  }
  let last = vec2i(size) + -1;
  let t = vec2i(xy);
  var sum = vec4f(0.0);
  for (var dy = -1; dy <= 1; dy++) {
    let t_1 = 2 - abs(dy);
    for (var dx = -1; dx <= 1; dx++) {
      let at = clamp(t + vec2i(dx, dy), vec2i(0), last);
      let weight = f32((2 - abs(dx)) * t_1);
      sum += textureLoad(source, at, 0) * weight;
    }
  }
  textureStore(blurred, xy, sum * 0.0625);
}
