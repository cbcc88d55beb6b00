// Sobel edges of an image in packed RGBA: bytes unpacked by shifts, luma in
// integers, the gradient's length from a float square root truncated where its
// error cannot show, borders clamped.
struct Image {
  width: u32,
  height: u32,
}

@group(0) @binding(0) var<uniform> image: Image;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read_write> edges: array<u32>;

fn luma(x: i32, y: i32) -> i32 {
  let at = clamp(vec2i(x, y), vec2i(0), vec2i(i32(image.width), i32(image.height)) - 1);
  let p = pixels[at.y * i32(image.width) + at.x];
  let rgb = vec3u(p & 255u, (p >> 8u) & 255u, (p >> 16u) & 255u);
  let weighted = rgb * vec3u(54u, 183u, 19u);
  return i32((weighted.r + weighted.g + weighted.b) >> 8u);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= image.width || id.y >= image.height {
    return;
  }
  let x = i32(id.x);
  let y = i32(id.y);
  let gx = luma(x + 1, y - 1) + 2 * luma(x + 1, y) + luma(x + 1, y + 1)
    - luma(x - 1, y - 1) - 2 * luma(x - 1, y) - luma(x - 1, y + 1);
  let gy = luma(x - 1, y + 1) + 2 * luma(x, y + 1) + luma(x + 1, y + 1)
    - luma(x - 1, y - 1) - 2 * luma(x, y - 1) - luma(x + 1, y - 1);
  // Roots of squares below 256² become whole numbers whatever their last bits
  // are, and no other root is within 1/512 below a whole number.
  let magnitude = min(u32(sqrt(f32(gx * gx + gy * gy)) + 0.0001), 255u);
  let alpha = pixels[id.y * image.width + id.x] & 0xff000000u;
  edges[id.y * image.width + id.x] = alpha | (magnitude * 0x010101u);
}
