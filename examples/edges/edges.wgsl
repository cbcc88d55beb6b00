// Finds the edges of a photograph: the Sobel operator on its brightness.
//
//   gpuc run examples/edges/edges.wgsl -bind photo=photo.jpg -bind 'size=dims(photo)' \
//       -bind 'edges=like(photo)' -extent 640,480 -out edges=edges.png
//
// One invocation computes one pixel. Pixels are packed RGBA, red in the lowest
// byte. Coordinates outside of the photograph are clamped to its border.

@group(0) @binding(0) var<storage, read> photo: array<u32>;
@group(0) @binding(1) var<uniform> size: vec2<u32>;
@group(0) @binding(2) var<storage, read_write> edges: array<u32>;

// How much the three colours contribute to brightness (Rec. 709).
const weights = vec3f(0.2126, 0.7152, 0.0722);

// Brightness of a pixel, between 0 and 1.
fn brightness(x: i32, y: i32) -> f32 {
  let last = vec2i(size) - 1;
  let place = clamp(vec2i(x, y), vec2i(0), last);
  let pixel = photo[u32(place.y) * size.x + u32(place.x)];
  return dot(unpack4x8unorm(pixel).rgb, weights);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (any(id.xy >= size)) {
    return;
  }
  let x = i32(id.x);
  let y = i32(id.y);
  var gradient = vec2f(0);
  for (var d = -1; d <= 1; d++) {
    // the centre row and column count twice
    let weight = select(1.0, 2.0, d == 0);
    gradient.x += weight * (brightness(x + 1, y + d) - brightness(x - 1, y + d));
    gradient.y += weight * (brightness(x + d, y + 1) - brightness(x + d, y - 1));
  }
  let strength = saturate(length(gradient));
  edges[id.y * size.x + id.x] = pack4x8unorm(vec4f(vec3f(strength), 1));
}
