// An image in another size, by the four nearest pixels.
requires immediate_address_space;

struct Sizes { width: i32, height: i32, new_width: i32, new_height: i32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> s: Sizes;

@compute @workgroup_size(16, 16)
fn bilinear(@builtin(global_invocation_id) id: vec3u) {
  let x = i32(id.x);
  let y = i32(id.y);
  if x >= s.new_width || y >= s.new_height {
    return;
  }
  let u = (f32(x) + 0.5) * f32(s.width) / f32(s.new_width) - 0.5;
  let v = (f32(y) + 0.5) * f32(s.height) / f32(s.new_height) - 0.5;
  let left = floor(u);
  let top = floor(v);
  let fx = u - left;
  let fy = v - top;
  let x0 = clamp(i32(left), 0, s.width - 1);
  let x1 = clamp(i32(left) + 1, 0, s.width - 1);
  let y0 = clamp(i32(top), 0, s.height - 1);
  let y1 = clamp(i32(top) + 1, 0, s.height - 1);
  let upper = a[y0 * s.width + x0] * (1 - fx) + a[y0 * s.width + x1] * fx;
  let lower = a[y1 * s.width + x0] * (1 - fx) + a[y1 * s.width + x1] * fx;
  b[y * s.new_width + x] = upper * (1 - fy) + lower * fy;
}
