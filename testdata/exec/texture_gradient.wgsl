// The level of detail that derivatives select: the longer of the two counts. Each
// level holds its number; the nearest is taken, far from where two are as near.
@group(0) @binding(0) var levels: texture_2d<f32>;
@group(0) @binding(1) var layers: texture_2d_array<f32>;
@group(0) @binding(2) var nearest: sampler;
@group(0) @binding(3) var<storage, read> steps: array<vec2f>; // in texels of level 0
@group(0) @binding(4) var<storage, read_write> found: array<vec4f>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&steps) {
    return;
  }
  let size = vec2f(textureDimensions(levels));
  let x = vec2f(steps[id.x].x, 0) / size;
  let y = vec2f(0, steps[id.x].y) / size;
  let uv = vec2f(0.3, 0.7);
  found[id.x] = vec4f(
    textureSampleGrad(levels, nearest, uv, x, y).r,
    textureSampleGrad(levels, nearest, uv, -y, x).r,
    textureSampleGrad(layers, nearest, uv, 1, y, x).r,
    textureSampleGrad(layers, nearest, uv, 0, x, vec2f(), vec2i(1, -1)).r,
  );
}
