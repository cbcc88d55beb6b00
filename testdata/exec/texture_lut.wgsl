// Colour grading by a lookup table in three dimensions: the outermost entries are
// at the centres of the outermost texels.
@group(0) @binding(0) var table: texture_3d<f32>;
@group(0) @binding(1) var smooth_table: sampler;
@group(0) @binding(2) var<storage, read> pixels: array<u32>;
@group(0) @binding(3) var<storage, read_write> graded: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&pixels) {
    return;
  }
  let colour = unpack4x8unorm(pixels[id.x]);
  let entries = vec3f(textureDimensions(table));
  let at = (colour.rgb * (entries - 1) + 0.5) / entries;
  graded[id.x] = vec4f(textureSampleLevel(table, smooth_table, at, 0).rgb, colour.a);
}
