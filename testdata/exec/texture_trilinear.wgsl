// Samples between mip levels, before the first and behind the last. The second
// sampler sees levels 1 to 2.5 only.
@group(0) @binding(0) var pyramid: texture_2d<f32>;
@group(0) @binding(1) var all_levels: sampler;
@group(0) @binding(2) var some_levels: sampler;
@group(0) @binding(3) var<storage, read> places: array<vec4f>; // coordinates and level
@group(0) @binding(4) var<storage, read_write> found: array<vec4f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&places) {
    return;
  }
  let place = places[id.x];
  found[2 * id.x] = textureSampleLevel(pyramid, all_levels, place.xy, place.z);
  found[2 * id.x + 1] = textureSampleLevel(pyramid, some_levels, place.xy, place.z);
}
