// What the bits of a texel mean in formats that only sampled textures have: fewer
// channels, other orders, shared exponents, the sRGB curve.
@group(0) @binding(0) var one: texture_2d<f32>; // r8unorm
@group(0) @binding(1) var two: texture_2d<f32>; // rg8snorm
@group(0) @binding(2) var reversed: texture_2d<f32>; // bgra8unorm
@group(0) @binding(3) var curved: texture_2d<f32>; // rgba8unorm-srgb
@group(0) @binding(4) var tens: texture_2d<f32>; // rgb10a2unorm
@group(0) @binding(5) var elevens: texture_2d<f32>; // rg11b10ufloat
@group(0) @binding(6) var shared_exponent: texture_2d<f32>; // rgb9e5ufloat
@group(0) @binding(7) var half: texture_2d<f32>; // rg16float
@group(1) @binding(0) var<storage, read_write> exact: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> near: array<vec4f>;
@group(1) @binding(2) var<storage, read_write> light: array<vec4f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = id.xy;
  let i = at.y * 16 + at.x;
  exact[3 * i] = textureLoad(elevens, at, 0);
  exact[3 * i + 1] = textureLoad(shared_exponent, at, 0);
  exact[3 * i + 2] = textureLoad(half, at, 0);
  near[4 * i] = textureLoad(one, at, 0);
  near[4 * i + 1] = textureLoad(two, at, 0);
  near[4 * i + 2] = textureLoad(reversed, at, 0);
  near[4 * i + 3] = textureLoad(tens, at, 0);
  light[i] = textureLoad(curved, at, 0);
}
