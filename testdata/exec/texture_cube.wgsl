// Light from all directions. Directions need no length of 1; filtering goes across
// the edges of the cube's faces.
@group(0) @binding(0) var sky: texture_cube<f32>;
@group(0) @binding(1) var probes: texture_cube_array<f32>;
@group(0) @binding(2) var smooth_edges: sampler;
@group(0) @binding(3) var<storage, read> directions: array<vec4f>; // and a probe
@group(0) @binding(4) var<storage, read_write> light: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&directions) {
    return;
  }
  let d = directions[id.x];
  light[2 * id.x] = textureSampleLevel(sky, smooth_edges, d.xyz, 0);
  light[2 * id.x + 1] = textureSampleLevel(probes, smooth_edges, d.xyz, u32(d.w), 0);
}
