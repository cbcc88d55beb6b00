// Blends each texel of a picture with its neighbour: a sampler, a storage texture, push constants.
//
//   $ gpuc build -lang c soften.wgsl

enable f16;
requires immediate_address_space;

struct Parameters {
  step: vec2f,
  weight: f32,
}

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var result: texture_storage_2d<rgba8unorm, write>;
var<immediate> parameters: Parameters;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(result);
  if all(id.xy < size) {
    let at = (vec2f(id.xy) + 0.5) / vec2f(size);
    let here = vec4<f16>(textureSampleLevel(picture, linear, at, 0));
    let beside = vec4<f16>(textureSampleLevel(picture, linear, at + parameters.step, 0));
    textureStore(result, id.xy, vec4f(mix(here, beside, f16(parameters.weight))));
  }
}
