// Shadow maps: the part of four depths behind the reference, the comparisons one
// by one, and the depths themselves. No depth equals a reference.
@group(0) @binding(0) var cascades: texture_depth_2d_array;
@group(0) @binding(1) var map: texture_depth_2d;
@group(0) @binding(2) var around: texture_depth_cube;
@group(0) @binding(3) var smooth_less: sampler_comparison;
@group(0) @binding(4) var nearest_greater: sampler_comparison;
@group(0) @binding(5) var nearest: sampler;
@group(0) @binding(6) var<storage, read> points: array<vec4f>; // coordinates, depth, cascade
@group(0) @binding(7) var<storage, read_write> lit: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> taps: array<vec4f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&points) {
    return;
  }
  let p = points[id.x];
  lit[id.x] = vec2f(
    textureSampleCompareLevel(cascades, smooth_less, p.xy, i32(p.w), p.z),
    textureSampleCompareLevel(map, smooth_less, p.xy, p.z, vec2i(1)),
  );
  // The corners of texels, where it is clear which four are around.
  let size = vec2f(textureDimensions(map));
  let corner = round(p.xy * size) / size;
  taps[5 * id.x] = textureGatherCompare(map, nearest_greater, corner, p.z);
  taps[5 * id.x + 1] = textureGatherCompare(cascades, smooth_less, corner, u32(p.w), p.z);
  taps[5 * id.x + 2] = textureGather(map, nearest, corner);
  let centre = (floor(p.xy * size) + 0.5) / size;
  taps[5 * id.x + 3] = vec4f(
    textureSampleLevel(map, nearest, centre, 0),
    textureLoad(map, vec2u(p.xy * size), 0),
    textureSampleCompareLevel(map, nearest_greater, centre, p.z),
    textureSampleLevel(cascades, nearest, centre, i32(p.w), 0),
  );
  // Directions through the middle of a face.
  let side = select(-1.0, 1.0, id.x % 2 == 0);
  let direction = array(vec3f(side, 0.2, -0.1), vec3f(0.3, side, 0.2), vec3f(-0.2, 0.1, side))[id.x / 2 % 3];
  taps[5 * id.x + 4] = vec4f(
    textureSampleCompareLevel(around, nearest_greater, direction, p.z),
    textureSampleLevel(around, nearest, direction, 0u),
    textureSampleLevel(map, nearest, centre, 1),
    textureLoad(map, vec2u(p.xy * size) / 2, 1),
  );
}
