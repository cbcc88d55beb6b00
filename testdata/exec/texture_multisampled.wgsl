// The samples of a multisampled texture one by one, and their mean.
@group(0) @binding(0) var rendered: texture_multisampled_2d<f32>;
@group(0) @binding(1) var depth: texture_depth_multisampled_2d;
@group(0) @binding(2) var resolved: texture_storage_2d<rgba32float, write>;
@group(0) @binding(3) var<storage, read_write> nearest: array<f32>;

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(rendered);
  if any(id.xy >= size) {
    return;
  }
  let count = textureNumSamples(rendered);
  var sum = vec4f();
  var least = 1.0;
  for (var i = 0u; i < count; i++) {
    sum += textureLoad(rendered, id.xy, i);
    least = min(least, textureLoad(depth, vec2i(id.xy), i32(i)));
  }
  textureStore(resolved, id.xy, sum / f32(count));
  nearest[id.y * size.x + id.x] = least;
}
