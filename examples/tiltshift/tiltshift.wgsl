// Makes a photograph look like one of a model: what lies above and below a row in
// focus is blurred, as by a lens very close to it, and colours are stronger.
//
//   gpuc run examples/tiltshift/tiltshift.wgsl -bind photo=photo.jpg:mips -out result=model.png
//
// One invocation computes one pixel, from samples on a disc. Each is taken from the
// mip level whose texels are as large as the distance between samples, so that few
// are enough; the sampler interpolates between texels and between levels.

@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var soft: sampler;
@group(0) @binding(2) var result: texture_storage_2d<rgba8unorm, write>;

override focus: f32 = 0.56;    // the row in focus, from 0 at the top to 1
override depth: f32 = 0.07;    // how far from there everything stays sharp
override strength: f32 = 0.08; // the disc's radius at a distance of 1, in heights
override vivid: f32 = 1.25;    // how much stronger colours become

const samples = 24;
const golden_angle = 2.39996323;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let size = vec2f(textureDimensions(result));
  let place = (vec2f(id.xy) + 0.5) / size;
  let away = max(abs(place.y - focus) - depth, 0.0);
  let radius = strength * away;

  let texels = f32(textureDimensions(photo).y) * radius * sqrt(3.14159 / samples);
  let level = log2(max(texels, 1));
  var sum = vec3f(0);
  for (var i = 0; i < samples; i++) {
    // the square root spreads the samples evenly, the angle leaves no pattern
    let along = radius * sqrt((f32(i) + 0.5) / samples);
    let angle = f32(i) * golden_angle;
    let offset = along * vec2f(cos(angle) * size.y / size.x, sin(angle));
    sum += textureSampleLevel(photo, soft, place + offset, level).rgb;
  }
  let colour = sum / samples;
  let grey = vec3f(dot(colour, vec3f(0.2126, 0.7152, 0.0722)));
  textureStore(result, id.xy, vec4f(mix(grey, colour, vivid), 1));
}
