// An image in another size, by the sixteen nearest pixels and Catmull-Rom weights.
requires immediate_address_space;

struct Sizes { width: i32, height: i32, new_width: i32, new_height: i32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> s: Sizes;

fn weights(t: f32) -> array<f32, 4> {
  return array<f32, 4>(
    ((-0.5 * t + 1) * t - 0.5) * t,
    (1.5 * t - 2.5) * t * t + 1,
    ((-1.5 * t + 2) * t + 0.5) * t,
    (0.5 * t - 0.5) * t * t);
}

@compute @workgroup_size(16, 16)
fn bicubic(@builtin(global_invocation_id) id: vec3u) {
  let x = i32(id.x);
  let y = i32(id.y);
  if x >= s.new_width || y >= s.new_height {
    return;
  }
  let u = (f32(x) + 0.5) * f32(s.width) / f32(s.new_width) - 0.5;
  let v = (f32(y) + 0.5) * f32(s.height) / f32(s.new_height) - 0.5;
  let wx = weights(u - floor(u));
  let wy = weights(v - floor(v));
  var sum = 0.0;
  for (var j = 0; j < 4; j++) {
    let row = clamp(i32(floor(v)) + j - 1, 0, s.height - 1) * s.width;
    var line = 0.0;
    for (var i = 0; i < 4; i++) {
      line += wx[i] * a[row + clamp(i32(floor(u)) + i - 1, 0, s.width - 1)];
    }
    sum += wy[j] * line;
  }
  b[y * s.new_width + x] = sum;
}
