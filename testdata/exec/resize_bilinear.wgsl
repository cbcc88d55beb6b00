// Bilinear resizing: float coordinates, floor and fract, integer conversion and
// mix of vectors.
struct Sizes {
  source: vec2u,
  result: vec2u,
  scale: vec2f, // source pixels per result pixel
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> image: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> resized: array<vec2f>;

fn texel(at: vec2i) -> vec2f {
  let inside = vec2u(clamp(at, vec2i(0), vec2i(sizes.source) - 1));
  return image[inside.y * sizes.source.x + inside.x];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= sizes.result) {
    return;
  }
  let position = (vec2f(id.xy) + 0.5) * sizes.scale - 0.5;
  let corner = vec2i(floor(position));
  let weight = fract(position);
  let top = mix(texel(corner), texel(corner + vec2i(1, 0)), weight.x);
  let bottom = mix(texel(corner + vec2i(0, 1)), texel(corner + 1), weight.x);
  resized[id.y * sizes.result.x + id.x] = mix(top, bottom, weight.y);
}
