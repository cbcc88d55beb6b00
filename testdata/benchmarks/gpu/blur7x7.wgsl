// The mean of 7×7 pixels around each of an image; those beyond the edge are the nearest.
requires immediate_address_space;

struct Size { width: i32, height: i32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

var<immediate> size: Size;

@compute @workgroup_size(16, 16)
fn blur7x7(@builtin(global_invocation_id) id: vec3u) {
  let x = i32(id.x);
  let y = i32(id.y);
  if x >= size.width || y >= size.height {
    return;
  }
  var sum = 0.0;
  for (var dy = -3; dy <= 3; dy++) {
    for (var dx = -3; dx <= 3; dx++) {
      let u = clamp(x + dx, 0, size.width - 1);
      let v = clamp(y + dy, 0, size.height - 1);
      sum += a[v * size.width + u];
    }
  }
  b[y * size.width + x] = sum / 49;
}
