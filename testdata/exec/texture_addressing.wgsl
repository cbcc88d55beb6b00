// What lies around an image: the nearest texel by each address mode, at the
// centres of texels that the image does not have.
@group(0) @binding(0) var tile: texture_2d<f32>;
@group(0) @binding(1) var clamping: sampler;
@group(0) @binding(2) var repeating: sampler;
@group(0) @binding(3) var mirroring: sampler;
@group(0) @binding(4) var turning: sampler; // repeats across, mirrors down
@group(0) @binding(5) var<storage, read_write> found: array<vec4f>;

const size = vec2u(24, 16);

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy) - vec2i(11, 7);
  let uv = (vec2f(at) + 0.5) / vec2f(textureDimensions(tile));
  found[id.y * size.x + id.x] = vec4f(
    textureSampleLevel(tile, clamping, uv, 0).r,
    textureSampleLevel(tile, repeating, uv, 0).r,
    textureSampleLevel(tile, mirroring, uv, 0).r,
    textureSampleLevel(tile, turning, uv, 0).r,
  );
}
