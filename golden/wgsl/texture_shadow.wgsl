// WGSL written by gpuc: kernel main

@group(0) @binding(0) var cascades: texture_depth_2d_array;
@group(0) @binding(1) var map: texture_depth_2d;
@group(0) @binding(2) var around: texture_depth_cube;
@group(0) @binding(3) var smooth_less: sampler_comparison;
@group(0) @binding(4) var nearest_greater: sampler_comparison;
@group(0) @binding(5) var nearest: sampler;
@group(0) @binding(6) var<storage, read> points: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> lit: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> taps: array<vec4f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&points) {
    return;
  }
  let p = points[id.x];
  let xy = p.xy;
  let t = i32(p.w);
  let t_1 = vec2f(textureSampleCompareLevel(cascades, smooth_less, xy, t, p.z), textureSampleCompareLevel(map, smooth_less, xy, p.z, vec2i(1)));
  lit[id.x] = t_1;
  let size = vec2f(textureDimensions(map));
  let t_2 = xy * size;
  let corner = round(t_2) / size;
  let t_3 = id.x * 5u;
  taps[t_3] = textureGatherCompare(map, nearest_greater, corner, p.z);
  taps[t_3 + 1u] = textureGatherCompare(cascades, smooth_less, corner, u32(p.w), p.z);
  taps[t_3 + 2u] = textureGather(map, nearest, corner);
  let centre = (floor(t_2) + 0.5) / size;
  let t_4 = vec2u(t_2);
  let t_5 = vec4f(textureSampleLevel(map, nearest, centre, 0), textureLoad(map, t_4, 0), textureSampleCompareLevel(map, nearest_greater, centre, p.z), textureSampleLevel(cascades, nearest, centre, t, 0));
  taps[t_3 + 3u] = t_5;
  let side = select(-1.0, 1.0, (id.x & 1u) == 0u);
  let t_6 = array<vec3f, 3>(vec3f(side, 0.2, -0.1), vec3f(0.3, side, 0.2), vec3f(-0.2, 0.1, side));
  let direction = t_6[(id.x >> 1u) % 3u];
  let t_7 = vec4f(textureSampleCompareLevel(around, nearest_greater, direction, p.z), textureSampleLevel(around, nearest, direction, 0), textureSampleLevel(map, nearest, centre, 1), textureLoad(map, t_4 >> vec2u(1u), 1));
  taps[t_3 + 4u] = t_7;
}
